/* Candidate features, their thresholds, and the best test of a histogram. */
#ifndef SHW_DENSE_SPLIT_SPLIT_H
#define SHW_DENSE_SPLIT_SPLIT_H

#include <shadewood/train.h>

#include "base/simd.h"
#include "dense/split/score.h"
#include "shared/feature.h"

/* Candidate `candidate` of `place`, which is the number of a node or of a round. */
struct shw_feature shw_candidate_draw(const struct shw_trainer_params *params, const struct shw_channel_list *set,
                                      uint32_t key, uint32_t place, uint32_t candidate);

/* The responses that bins divide, if the caller says so: low < high; otherwise thresholds follow from responses. */
struct shw_interval {
    int32_t low, high;
};

/* The thresholds of one candidate at one node. */
struct shw_thresholds {
    uint32_t count;          /* number of values: one less than the bins; 0 if the candidate cannot split the node */
    int32_t values[255];     /* ascending; a response's bin is the number of values that do not exceed it */
    int32_t low;             /* BEST, and RANDOM if the caller gives intervals: values[k - 1] = */
    uint32_t range;          /* low + ceil(range * k / bins) */
    uint32_t undefined_bins; /* 1: one more bin follows for undefined responses; otherwise 0 */
};

#define SHW_THRESHOLD_SAMPLES 64u

/* The number of bins in a histogram, including the one for undefined responses if there is one. */
static inline uint32_t shw_histogram_bins(const struct shw_trainer_params *params)
{
    return params->bins + params->feature->may_be_undefined;
}

/* How many samples of a node thresholds are made from, if there are so many; how many numbers follow from their
 * responses: the least and the greatest, or all. */
static inline uint32_t shw_threshold_probes(const struct shw_trainer_params *params)
{
    return params->thresholds == SHW_THRESHOLDS_BEST ? SHW_THRESHOLD_SAMPLES : params->bins - 1;
}

static inline uint32_t shw_threshold_values(const struct shw_trainer_params *params)
{
    return params->thresholds == SHW_THRESHOLDS_BEST ? 2 : params->bins - 1;
}

/* What number `n` is before a response is taken into account. */
static inline int32_t shw_threshold_neutral(const struct shw_trainer_params *params, uint32_t n)
{
    return params->thresholds == SHW_THRESHOLDS_BEST && n == 0 ? INT32_MAX : INT32_MIN;
}

/* Takes the response of sample `n` of those that thresholds are made from into account; number k of what follows from
 * them is at values[k * pitch]. */
static inline void shw_threshold_values_take(const struct shw_trainer_params *params, uint32_t n, int32_t response,
                                             int32_t *values, size_t pitch)
{
    if (response == SHW_UNDEFINED_RESPONSE) /* the smallest integer */
        return;
    if (params->thresholds != SHW_THRESHOLDS_BEST) {
        values[n * pitch] = response;
        return;
    }
    values[0] = response < values[0] ? response : values[0];
    values[pitch] = response > values[pitch] ? response : values[pitch];
}

/* Where none of the responses is defined, the least and the greatest of them that are there are neutral: says so. */
static inline void shw_threshold_values_settle(const struct shw_trainer_params *params, int32_t *values)
{
    if (params->thresholds == SHW_THRESHOLDS_BEST && values[0] > values[1])
        values[0] = values[1] = SHW_UNDEFINED_RESPONSE;
}

/* Chooses these samples among `count`; `place` is the number of the node, or of a fern's level. Returns their number.
 */
uint32_t shw_thresholds_choose(const struct shw_trainer_params *params, uint32_t key, uint32_t place, uint32_t count,
                               uint32_t chosen[256]);

/* Makes thresholds from the interval or, without one, from the responses of the node's threshold samples, in the order
 * in which they were drawn. Undefined ones are overwritten by the greatest defined one. */
void shw_thresholds_make(const struct shw_trainer_params *params, struct shw_interval interval, int32_t *responses,
                         uint32_t count, struct shw_thresholds *thresholds);

/* The same, but only what shw_thresholds_bin() reads. False if the candidate cannot split the node. */
bool shw_thresholds_bound(const struct shw_trainer_params *params, struct shw_interval interval, int32_t *responses,
                          uint32_t count, struct shw_thresholds *thresholds);

/* Threshold k (1..bins-1) of the scheme BEST. */
int32_t shw_threshold_even(int32_t low, uint32_t range, uint32_t bins, uint32_t k);

/* Computes the bins of responses. */
void shw_thresholds_bin(enum shw_threshold_scheme scheme, const struct shw_thresholds *thresholds,
                        const int32_t *responses, int32_t *bins, uint32_t count, enum shw_simd simd);

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
