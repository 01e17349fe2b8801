/* How long the training of a cascade will take. Mining takes most of it, once a round and once more to measure, and
 * longer each time, by as much as the last time; stages take about equally long. */
#ifndef SHW_FILES_DATASET_CASCADE_PACE_H
#define SHW_FILES_DATASET_CASCADE_PACE_H

#include <shadewood/detect_train.h>

/* Zero-initialise it. */
struct shw_cascade_pace {
    struct shw_cascade_progress last; /* before the step that has ended */
    double stages;                    /* seconds of stages that did not wait for mining */
    uint32_t stage_count;             /* their number */
    double mined;                     /* seconds of the last mining */
    double longer;                    /* than the one before it took; 0: not */
    uint32_t rounds;                  /* that have ended */
    uint32_t round_begin;             /* the stage with which the round in progress begins */
    uint32_t ended_stages;            /* of the rounds that have ended */
};

/* Takes the progress after each step. Returns the estimated seconds left. `round_stages`: the most of a round. */
double shw_cascade_pace_take(struct shw_cascade_pace *pace, const struct shw_cascade_progress *progress,
                             uint32_t round_stages);

#endif
