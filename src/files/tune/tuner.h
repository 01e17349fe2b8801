/* Trials of settings by cross-validation, recorded in a journal.
 *
 * A trial is measured on one fold after the other. It ends early if it is unlikely to become the best: before the first
 * fold, if a forest of a single tree is worse on it than the median of the earlier trials', of which there are at least
 * SHW_SCREEN_BEGIN; and after three folds or more, if Student's t-test rejects that its loss is not above that of the
 * best trial, with a significance of 0.005 (Waldvogel 2013, section 5.2). The folds are the same for all trials, so
 * what is tested are the differences on each. The settings that a search begins with are not screened;
 * those after the second end if they are worse than the best one on the first fold. */
#ifndef SHW_FILES_TUNE_TUNER_H
#define SHW_FILES_TUNE_TUNER_H

#include "files/tune/journal.h"
#include "files/tune/space.h"

#define SHW_TUNE_FOLDS_MAX    20u
#define SHW_TUNE_SIGNIFICANCE 0.005
#define SHW_SCREEN_BEGIN      5u
#define SHW_BEGINNINGS_WHOLE  2u
#define SHW_TUNE_RADII_MAX    8u

/* What is to be small: 1 less the mean of class accuracy and mean IoU, or less one measure. */
enum shw_tune_objective { SHW_TUNE_MEAN, SHW_TUNE_PIXEL, SHW_TUNE_CLASS, SHW_TUNE_IOU };
extern const char *const shw_tune_objectives[]; /* their names, and NULL */

struct shw_tune_figures {
    double pixel, class, iou; /* means over the folds */
};

/* What is known of a trial. */
struct shw_trial_state {
    const char *from; /* "defaults", "preset NAME", "random", "tpe", "near the best" */
    const char *end;  /* "finished", "stopped", "screened", "failed"; NULL: it has not ended */
    const json_t *setting;
    bool is_screened;
    double screen_loss;
    uint32_t folds; /* measured */
    uint32_t radius;
    double losses[SHW_TUNE_FOLDS_MAX];            /* of each fold, with the best radius of smoothing */
    double loss;                                  /* their mean; without a fold, that of the screening; or NaN */
    struct shw_tune_figures figures;              /* with that radius */
    double seconds;                               /* of all measurements */
    const json_t *confusions[SHW_TUNE_FOLDS_MAX]; /* of each fold, with that radius; NULL: not recorded */
};

/* `number`: of a trial of the journal, in which texts and JSON remain. */
void shw_trial_read(const struct shw_journal *journal, uint32_t number, enum shw_tune_objective objective,
                    struct shw_trial_state *state);

/* The trial with the least loss among those that have finished; UINT32_MAX if none has. */
uint32_t shw_trials_best(const struct shw_journal *journal, enum shw_tune_objective objective);

/* The losses and points of all trials whose settings are in the space, to be freed with free(). NULL if memory is
 * exhausted. */
struct shw_observation *shw_trials_observe(const struct shw_journal *journal, const struct shw_space *space,
                                           enum shw_tune_objective objective, uint32_t *count);

struct shw_tuner {
    struct shw_journal *journal;
    const struct shw_space *space;
    enum shw_tune_objective objective;
    uint32_t folds, limit; /* of trials in the journal */
    uint64_t seed;
    double seconds_max; /* of a trial, by what the first one took, which has the defaults; 0: no limit */
    bool draws;         /* only at random, without the estimator and points near the best */
    bool whole;         /* all trials are measured on all folds */

    /* [{"from": TEXT, "setting": {...}}, ...]: the trials that the search begins with; borrowed. */
    const json_t *beginnings;

    /* Trains with the setting on all folds but `fold` and measures on that; `is_screening`: a single tree. *figures: an
     * array with an object for each radius of smoothing, with the members "radius", "pixel", "class", "iou" and, if
     * there is room for it, "confusion". CANCELLED ends the search; after MEMORY, LIMIT, ARGUMENT and UNSUPPORTED the
     * trial has failed, and the next one begins. */
    enum shw_result (*measure)(void *user, const json_t *setting, uint32_t fold, bool is_screening, json_t **figures);
    bool (*go_on)(void *user);                 /* before each measurement */
    void (*tell)(void *user, uint32_t number); /* after each line of a trial; or NULL */
    void *user;
};

/* Claims and measures trials until there are as many as the limit, or go_on() says no. Errors: those of the journal and
 * of measure(), except those above. */
enum shw_result shw_tuner_run(const struct shw_tuner *tuner);

#endif
