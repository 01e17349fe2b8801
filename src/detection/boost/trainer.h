/* The state of the training of a cascade. */
#ifndef SHW_DETECTION_BOOST_TRAINER_H
#define SHW_DETECTION_BOOST_TRAINER_H

#include <stdatomic.h>

#include <jansson.h>

#include "detection/boost/mine.h"
#include "detection/boost/object_patches.h"
#include "detection/boost/tree.h"

/* Stages of a round that has not ended: they reject nothing. */
#define SHW_STAGE_OPEN INT32_MIN

/* Copies of objects, or backgrounds, with their running scores. */
struct shw_scored_patches {
    uint16_t *patches;
    int32_t *scores;
    bool *rejected; /* by a stage that has a threshold; the score is then that of the last round */
    uint32_t count;
};

struct shw_cascade_trainer {
    struct shw_cascade_trainer_params params; /* with defaults; name and notes are the trainer's */
    const struct shw_cascade_dataset *dataset;
    char *name, *notes;
    struct shw_boosting_choice choice;
    struct shw_object_patches cutting;
    uint32_t points; /* of a patch */
    struct shw_thread_pool *pool;
    struct shw_boost *boost;
    struct shw_grey_images images;
    atomic_bool stop;
    double start;

    bool prepared, finished;
    uint64_t data_hash;
    struct shw_scored_patches samples;     /* copies of objects, then the round's backgrounds */
    struct shw_scored_patches calibration; /* copies of the objects that are held out */
    uint32_t object_samples;               /* of the samples */
    uint8_t *classes;                      /* these three: of the samples */
    uint32_t *weights;
    uint16_t *leaves;

    struct shw_cascade_stage *stages;
    struct shw_cascade_tree *trees;
    struct shw_cascade_node *nodes;
    uint32_t stage_count, node_count, stage_capacity, tree_capacity, node_capacity;

    uint32_t round;       /* from 1; 0: before the first */
    uint32_t round_first; /* its first stage */
    bool round_open;
    uint64_t scanned, passed; /* windows, by its mining */
    double backgrounds_left;

    struct shw_cascade_quality quality; /* of the finished cascade */
};

/* Reads the data and cuts the objects. */
enum shw_result shw_cascade_trainer_prepare(struct shw_cascade_trainer *trainer);

/* Mines for a round after all stages so far, whose number is `round`; finished is set if too little is found. */
enum shw_result shw_cascade_trainer_mine(struct shw_cascade_trainer *trainer);

/* Appends a stage. Errors: MEMORY. */
enum shw_result shw_cascade_trainer_add(struct shw_cascade_trainer *trainer, const struct shw_cascade_node *nodes,
                                        uint32_t node_count, int32_t threshold);

/* Adds the values of the stage's tree to the scores of patches from `first` on, and rejects by its threshold. */
void shw_cascade_trainer_score(const struct shw_cascade_trainer *trainer, uint32_t stage,
                               struct shw_scored_patches *patches, uint32_t first);

/* How many copies for calibration may be rejected by all stages so far, and by how many more. */
uint32_t shw_cascade_trainer_losses(const struct shw_cascade_trainer *trainer);

/* The thresholds of the round's stages if it ended now: `thresholds` has one for each of them. Errors: MEMORY. */
enum shw_result shw_cascade_trainer_thresholds(const struct shw_cascade_trainer *trainer, int32_t *thresholds);

/* Notes the share of backgrounds that is left, and ends the round if it is small enough, or `last`. */
enum shw_result shw_cascade_trainer_end_round(struct shw_cascade_trainer *trainer, bool last);

/* The cascade of the first `count` stages, with those thresholds from round_first on (NULL: as they are). One of no
 * stages passes all windows. */
enum shw_result shw_cascade_trainer_make(const struct shw_cascade_trainer *trainer, uint32_t count,
                                         const int32_t *thresholds, const char *record, struct shw_cascade **cascade);

/* Measures the finished cascade, once. Errors: those of shw_mine(). */
enum shw_result shw_cascade_trainer_measure(struct shw_cascade_trainer *trainer);

/* What was measured and what was asked for, for the training record. NULL if memory is exhausted. */
json_t *shw_cascade_trainer_quality_record(const struct shw_cascade_trainer *trainer);

/* The training record: all that affects the cascade. NULL if memory is exhausted. */
json_t *shw_cascade_trainer_record(const struct shw_cascade_trainer *trainer);

#endif
