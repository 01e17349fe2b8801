/* How far training is, and how long it will take. */
#ifndef SHW_TRAIN_PROGRESS_H
#define SHW_TRAIN_PROGRESS_H

#include <shadewood/train.h>

/* Rounds of one depth take about equally long in all trees, so finished trees tell of those to come. */
struct shw_pace {
    double trees[SHW_DEPTH_MAX]; /* by depth: seconds of the rounds of all finished trees */
    double tree[SHW_DEPTH_MAX];  /* and of the one in progress */
    double fraction;             /* that was told last */
};

/* A round that is going on or has ended. */
struct shw_round {
    uint32_t tree, depth, open_nodes, splits;
    uint64_t samples; /* of the open nodes */
    uint64_t tree_samples;
    double begin, seconds;
};

struct shw_trainer;

/* Counts the round and tells it to the log and to the caller. False if the caller wants to stop. */
bool shw_progress_report(struct shw_trainer *trainer, const struct shw_round *round);

/* Seconds of a clock that only goes forward. */
double shw_trainer_clock(void);

#endif
