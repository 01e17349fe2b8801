/* Progress of training and the estimated time left. */
#ifndef SHW_TRAIN_PROGRESS_H
#define SHW_TRAIN_PROGRESS_H

#include <shadewood/train.h>

/* Rounds of the same depth take about equally long in all trees, so finished trees predict later ones. */
struct shw_pace {
    double trees[SHW_DEPTH_MAX]; /* by depth: seconds of the rounds of all finished trees */
    double tree[SHW_DEPTH_MAX];  /* the same of the tree in progress */
    double fraction;             /* reported last */
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
