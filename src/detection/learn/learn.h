/* A detector from the few rectangles that somebody has drawn in a session: settings of training that suit them, what it
 * is worth on pictures that were held out, and the least score chosen by that. */
#ifndef SHW_DETECTION_LEARN_LEARN_H
#define SHW_DETECTION_LEARN_LEARN_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/cascade.h>
#include <shadewood/image.h>

#include "detection/metrics/detections.h"

#define SHW_LEARN_FOLDS   3u   /* of the pictures, each held out once */
#define SHW_LEARN_OVERLAP 0.5  /* by which a detection finds an object that was held out */
#define SHW_LEARN_WRONG   0.1  /* false alarms per picture that are aimed at */
#define SHW_LEARN_STAGES  250u /* at most */

struct shw_learn_picture {
    struct shw_image image; /* of a format of the host; borrowed, like the next two */
    const struct shw_true_object *objects;
    const struct shw_true_object *wrong; /* where a cascade has seen objects that are none */
    uint32_t object_count, wrong_count;
    /* All of its objects are known. Otherwise only places that are known to be wrong are backgrounds, and it is not
     * measured. */
    bool is_complete;
};

struct shw_learn_progress {
    uint32_t part, part_count; /* cascades: of the folds, then the one of all pictures; from 0 */
    bool measures;             /* all are trained, and what was held out is searched */
    double done;               /* of everything, 0 to 1 */
    uint32_t stages;           /* of the part's cascade */
};

struct shw_learn_params {
    const char *name; /* of the objects */
    uint32_t threads; /* 0: one per processor */
    uint32_t folds;   /* 0: SHW_LEARN_FOLDS; 1: none is held out */
    uint32_t stages;  /* at most; 0: SHW_LEARN_STAGES */
    uint32_t seed;    /* of all draws */
    double wrong;     /* 0: SHW_LEARN_WRONG */
    struct shw_log log;
    void *user; /* of the next two */
    /* From now on, interrupt(subject), by any thread, makes shw_learn() return CANCELLED soon; NULL: nothing is to be
     * interrupted any more. False: it is to end at once. Or NULL: nobody interrupts. */
    bool (*may_interrupt)(void *user, void (*interrupt)(void *subject), void *subject);
    void (*report)(void *user, const struct shw_learn_progress *progress); /* or NULL */
};

struct shw_learned {
    struct shw_cascade *cascade; /* with the least score that was chosen */
    /* Of cascades without the picture's fold, by falling score; empty if nothing could be held out. Their scores are
     * given as those at which the final cascade has as many false alarms in the same turned pictures. */
    struct shw_detection_curve curve;
    uint32_t folds;    /* 1: none */
    uint32_t objects;  /* that were learned from, in that many pictures */
    uint32_t pictures; /* with objects */
    uint32_t wrong;    /* false alarms that were learned from */
    int32_t min_score; /* that of the cascade */
};

/* The size of the window for objects of such sizes: about 400 pixels of their usual shape, and no larger than nearly
 * all of them. */
void shw_learn_window(const uint32_t *widths, const uint32_t *heights, uint32_t count, uint32_t *width,
                      uint32_t *height);

/* The point of a curve, by its number, with the most objects found among those with at most `wrong` false alarms per
 * picture; UINT32_MAX: there is none. */
uint32_t shw_learn_choose(const struct shw_detection_curve *curve, double wrong);

/* The last point of a curve whose detections all have the score or a better one; UINT32_MAX: there is none. */
uint32_t shw_learn_point_at(const struct shw_detection_curve *curve, int32_t score);

/* Trains. The same pictures in the same order give the same cascade with any number of threads. Errors: FORMAT (too few
 * objects or backgrounds: the message says what helps), CANCELLED, MEMORY, and those of training and detection;
 * `learned` is empty then. */
enum shw_result shw_learn(const struct shw_learn_params *params, const struct shw_learn_picture *pictures,
                          uint32_t count, struct shw_learned *learned);

/* Accepts zero-initialised and freed ones. */
void shw_learned_free(struct shw_learned *learned);

#endif
