/* Progress of training and the estimated time left. */
#ifndef SHW_DENSE_TRAIN_PROGRESS_H
#define SHW_DENSE_TRAIN_PROGRESS_H

#include <shadewood/train.h>

/* Rounds of the same depth take about equally long in all trees, so finished trees predict later ones. What the first
 * round of a trainer does once, as reading images and compiling shaders, does not count: the second round, which has no
 * more samples, tells how long the first would have taken without. */
struct shw_pace {
    double trees[SHW_DEPTH_MAX]; /* by depth: seconds of the rounds of all finished trees */
    double tree[SHW_DEPTH_MAX];  /* the same of the tree in progress */
    double fraction;             /* reported last */

    uint32_t rounds; /* of this trainer, which may have continued from a checkpoint */
    double first;    /* seconds of the first of them */
    double once;     /* of these, what was done once */
    uint32_t first_tree, first_depth;
    uint64_t first_samples;
};

/* A round in progress or finished. */
struct shw_round {
    uint32_t tree, depth, open_nodes, splits;
    uint64_t samples; /* of the open nodes */
    uint64_t tree_samples;
    double begin, seconds;
};

struct shw_trainer;

/* Counts the round and reports it to the log and to the caller. False if the caller wants to stop. */
bool shw_progress_report(struct shw_trainer *trainer, const struct shw_round *round);

/* Seconds of a monotonic clock. */
double shw_trainer_clock(void);

#endif
