/* The best test of one candidate, from its histogram. */
#ifndef SHW_TRAIN_SPLIT_H
#define SHW_TRAIN_SPLIT_H

#include "train/score.h"
#include "train/thresholds.h"

/* The best test that was found for an open node. */
struct shw_split {
    bool found;
    uint32_t candidate;
    uint32_t bin_first, bin_last; /* on the host: the run of bins that goes right */
    int32_t t0, t1;
    struct shw_score_value score;
    struct shw_feature feature;
};

/* A histogram's view on a node: its classes, renumbered so that absent ones take no room. */
struct shw_node_counts {
    uint32_t class_count;    /* present in the node */
    const uint32_t *weights; /* of those */
    const uint32_t *totals;  /* samples of each */
    uint32_t samples;
    struct shw_score_side all; /* of them, weighted */
    struct shw_score_value unsplit;
};

/* Takes the best test of one candidate from its histogram (bins * class_count counts) if it beats *best; thresholds
 * must not be empty. `scratch` has room for 4 * class_count numbers. */
void shw_split_choose(const struct shw_trainer_params *params, const struct shw_node_counts *node,
                      const struct shw_thresholds *thresholds, const uint32_t *histogram, uint32_t candidate,
                      uint32_t *scratch, struct shw_split *best);

#endif
