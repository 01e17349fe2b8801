#include "dense/train/thresholds.h"

#include <string.h>

#include "shared/feature.h"

static void sort(int32_t *values, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        int32_t value = values[i];
        uint32_t j = i;
        for (; j > 0 && values[j - 1] > value; j--)
            values[j] = values[j - 1];
        values[j] = value;
    }
}

int32_t shw_threshold_even(int32_t low, uint32_t range, uint32_t bins, uint32_t k)
{
    return (int32_t)((uint32_t)low + (uint32_t)(((uint64_t)range * k + bins - 1) / bins));
}

/* Bin boundaries at equal distances between the smallest and the largest response, without values. */
static void space_evenly(const int32_t *responses, uint32_t count, uint32_t bins, struct shw_thresholds *thresholds)
{
    int32_t low = responses[0], high = responses[0];

    for (uint32_t i = 1; i < count; i++) {
        low = responses[i] < low ? responses[i] : low;
        high = responses[i] > high ? responses[i] : high;
    }
    if (low == high)
        return;
    thresholds->low = low;
    thresholds->range = (uint32_t)high - (uint32_t)low;
    thresholds->count = bins - 1;
}

/* False if none is defined. */
static bool replace_undefined(int32_t *responses, uint32_t count)
{
    int32_t greatest = SHW_UNDEFINED_RESPONSE; /* the smallest integer */

    for (uint32_t i = 0; i < count; i++)
        greatest = responses[i] > greatest ? responses[i] : greatest;
    for (uint32_t i = 0; i < count; i++)
        responses[i] = responses[i] == SHW_UNDEFINED_RESPONSE ? greatest : responses[i];
    return greatest != SHW_UNDEFINED_RESPONSE;
}

bool shw_thresholds_bound(const struct shw_trainer_params *params, int32_t *responses, uint32_t count,
                          struct shw_thresholds *thresholds)
{
    thresholds->count = 0;
    thresholds->undefined_bins = params->feature->may_be_undefined;
    if (params->feature->may_be_undefined && !replace_undefined(responses, count))
        return false;
    if (params->thresholds == SHW_THRESHOLDS_BEST) {
        space_evenly(responses, count, params->bins, thresholds);
        return thresholds->count > 0;
    }
    thresholds->count = params->bins - 1 < count ? params->bins - 1 : count;
    memcpy(thresholds->values, responses, thresholds->count * sizeof *responses);
    sort(thresholds->values, thresholds->count);
    return thresholds->count > 0;
}

void shw_thresholds_make(const struct shw_trainer_params *params, int32_t *responses, uint32_t count,
                         struct shw_thresholds *thresholds)
{
    if (!shw_thresholds_bound(params, responses, count, thresholds) || params->thresholds != SHW_THRESHOLDS_BEST)
        return;
    for (uint32_t k = 1; k <= thresholds->count; k++)
        thresholds->values[k - 1] = shw_threshold_even(thresholds->low, thresholds->range, params->bins, k);
}

/* floor((response - low) * bins / range) is the number of thresholds that do not exceed the response. All numbers are
 * below 2^41, so truncating the rounded quotient is exact. */
static inline void bin_evenly(const struct shw_thresholds *thresholds, const int32_t *responses, int32_t *bins,
                              uint32_t count)
{
    double low = thresholds->low, range = thresholds->range, last = thresholds->count, bin_count = last + 1;

    for (uint32_t i = 0; i < count; i++) {
        double bin = ((double)responses[i] - low) * bin_count / range;
        bin = bin < 0 ? 0 : bin;
        bin = bin > last ? last : bin;
        bins[i] = (int32_t)bin;
    }
}

#if SHW_SIMD_X86
__attribute__((target("avx2"))) static void bin_evenly_avx2(const struct shw_thresholds *thresholds,
                                                            const int32_t *responses, int32_t *bins, uint32_t count)
{
    bin_evenly(thresholds, responses, bins, count);
}
#endif

static void bin_defined(enum shw_threshold_scheme scheme, const struct shw_thresholds *thresholds,
                        const int32_t *responses, int32_t *bins, uint32_t count, enum shw_simd simd)
{
    (void)simd;
    if (scheme == SHW_THRESHOLDS_BEST) {
#if SHW_SIMD_X86
        if (simd >= SHW_SIMD_AVX2) {
            bin_evenly_avx2(thresholds, responses, bins, count);
            return;
        }
#endif
        bin_evenly(thresholds, responses, bins, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t low = 0,
                 high = thresholds
                            ->count; /* thresholds before `low` do not exceed the response, those from `high` on do */
        while (low < high) {
            uint32_t middle = (low + high) / 2;
            if (thresholds->values[middle] <= responses[i])
                low = middle + 1;
            else
                high = middle;
        }
        bins[i] = (int32_t)low;
    }
}

void shw_thresholds_bin(enum shw_threshold_scheme scheme, const struct shw_thresholds *thresholds,
                        const int32_t *responses, int32_t *bins, uint32_t count, enum shw_simd simd)
{
    bin_defined(scheme, thresholds, responses, bins, count, simd);
    for (uint32_t i = 0; thresholds->undefined_bins > 0 && i < count; i++)
        bins[i] = responses[i] == SHW_UNDEFINED_RESPONSE ? (int32_t)thresholds->count + 1 : bins[i];
}
