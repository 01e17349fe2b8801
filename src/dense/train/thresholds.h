/* Thresholds, and the bins between them. */
#ifndef SHW_DENSE_TRAIN_THRESHOLDS_H
#define SHW_DENSE_TRAIN_THRESHOLDS_H

#include <shadewood/train.h>

#include "base/simd.h"

/* The thresholds of one candidate at one node. */
struct shw_thresholds {
    uint32_t count;      /* number of values: one less than the bins; 0 if the candidate cannot split the node */
    int32_t values[255]; /* ascending; a response's bin is the number of values that do not exceed it */
    int32_t low;         /* BEST: values[k - 1] = low + ceil(range * k / bins) */
    uint32_t range;
    uint32_t undefined_bins; /* 1: one more bin follows for undefined responses; otherwise 0 */
};

#define SHW_THRESHOLD_SAMPLES 64u

/* The number of bins in a histogram, including the one for undefined responses if there is one. */
static inline uint32_t shw_histogram_bins(const struct shw_trainer_params *params)
{
    return params->bins + params->feature->may_be_undefined;
}

/* Makes thresholds from the responses of the node's threshold samples, in the order in which they were drawn. Undefined
 * ones are overwritten by the greatest defined one. */
void shw_thresholds_make(const struct shw_trainer_params *params, int32_t *responses, uint32_t count,
                         struct shw_thresholds *thresholds);

/* Makes no more of them than shw_thresholds_bin() reads. False if the candidate cannot split the node. */
bool shw_thresholds_bound(const struct shw_trainer_params *params, int32_t *responses, uint32_t count,
                          struct shw_thresholds *thresholds);

/* Threshold k (1..bins-1) of the scheme BEST. */
int32_t shw_threshold_even(int32_t low, uint32_t range, uint32_t bins, uint32_t k);

/* Computes the bins of responses. */
void shw_thresholds_bin(enum shw_threshold_scheme scheme, const struct shw_thresholds *thresholds,
                        const int32_t *responses, int32_t *bins, uint32_t count, enum shw_simd simd);

#endif
