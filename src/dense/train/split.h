/* The best test of one candidate, from its histogram. */
#ifndef SHW_DENSE_TRAIN_SPLIT_H
#define SHW_DENSE_TRAIN_SPLIT_H

#include "dense/train/score.h"
#include "dense/train/thresholds.h"
#include "shared/feature.h"

/* The best test found for an open node. */
struct shw_split {
    bool found;
    uint32_t candidate;
    uint32_t bin_first, bin_last; /* on the host: range of bins that go right */
    int32_t t0, t1;
    struct shw_score_value score;
    struct shw_feature feature;
};

/* Whether a sample with this response goes right. */
static inline bool shw_split_side(const struct shw_split *split, int32_t response)
{
    return (split->t0 <= response && response < split->t1) || response == SHW_UNDEFINED_RESPONSE;
}

/* The classes of a node as its histograms see them, renumbered to leave out absent ones. */
struct shw_node_counts {
    uint32_t class_count;    /* present in the node */
    const uint32_t *weights; /* of those classes */
    const uint32_t *totals;  /* number of samples of each */
    uint32_t samples;
    struct shw_score_side all; /* weighted */
    struct shw_score_value unsplit;
};

/* The counts of a node with these classes; `weights` and `totals` are borrowed, `scratch` has room for class_count
 * numbers. */
struct shw_node_counts shw_node_counts_make(enum shw_score score, uint32_t samples, uint32_t class_count,
                                            const uint32_t *weights, const uint32_t *totals, uint32_t *scratch);

/* Whether a histogram (bins * class_count counts) holds the samples of its node, `totals` of each class. */
bool shw_histogram_is_complete(const uint32_t *histogram, uint32_t bins, uint32_t class_count, const uint32_t *totals);

/* Finds the best test of one candidate in its histogram (bins * class_count counts) and replaces *best if it is better;
 * there must be at least one threshold. `scratch` has room for 4 * class_count numbers. */
void shw_split_choose(const struct shw_trainer_params *params, const struct shw_node_counts *node,
                      const struct shw_thresholds *thresholds, const uint32_t *histogram, uint32_t candidate,
                      uint32_t *scratch, struct shw_split *best);

/* The number of tests of a candidate. */
static inline uint32_t shw_split_tests(const struct shw_trainer_params *params)
{
    uint32_t bins = params->bins;

    return params->thresholds == SHW_THRESHOLDS_BEST ? bins - 1 : bins - 1 + bins * (bins - 1) / 2;
}

/* Adds what a node gains by each test of one candidate, weighted with the node's mass (shw_score_weigh()), to
 * sums[test]; tests that leave fewer than samples_min samples on a side gain nothing. Histogram and scratch as above;
 * the tests are in the order in which ties are broken. */
void shw_split_add_gains(const struct shw_trainer_params *params, const struct shw_node_counts *node,
                         const uint32_t *histogram, uint32_t *scratch, int64_t *sums);

#endif
