#include "detection/boost/bins.h"

#include <stdbool.h>

#define THRESHOLDS 31u

/* Binary search in thresholds of which those that are missing exceed every response. */
static void find_bins(const uint16_t *first, const uint16_t *second, const int32_t *thresholds, uint32_t count,
                      uint8_t *bins)
{
    int32_t all[THRESHOLDS];

    for (uint32_t t = 0; t < THRESHOLDS; t++)
        all[t] = t < count ? thresholds[t] : INT32_MAX;
    for (uint32_t i = 0; i < SHW_BOOST_BLOCK; i++) {
        int32_t response = first[i] - second[i];
        uint32_t bin = 0;
        for (uint32_t step = (THRESHOLDS + 1) / 2; step > 0; step /= 2)
            bin += step & (0u - (uint32_t)(response > all[bin + step - 1])); /* without branches */
        bins[i] = (uint8_t)bin;
    }
}

#if SHW_SIMD_VECTORS
/* Responses have 17 bits. Saturated to 16, they compare with these thresholds as before. */
static bool is_narrow(const int32_t *thresholds, uint32_t count)
{
    return thresholds[0] >= INT16_MIN && thresholds[count - 1] < INT16_MAX;
}

#define COUNT(name) name##_portable
#define WIDTH       16
#define TARGET
#include "detection/boost/bins_vectors.h"
#endif

#if SHW_SIMD_X86
#define COUNT(name) name##_avx2
#define WIDTH       32
#define TARGET      __attribute__((target("avx2")))
#include "detection/boost/bins_vectors.h"
#endif

void shw_boost_bins(const uint16_t *first, const uint16_t *second, const int32_t *thresholds, uint32_t count,
                    enum shw_simd simd, uint8_t *bins)
{
#if SHW_SIMD_X86
    if (simd >= SHW_SIMD_AVX2 && is_narrow(thresholds, count)) {
        count_avx2(first, second, thresholds, count, bins);
        return;
    }
#endif
#if SHW_SIMD_VECTORS
    if (simd >= SHW_SIMD_PORTABLE && is_narrow(thresholds, count)) {
        count_portable(first, second, thresholds, count, bins);
        return;
    }
#endif
    (void)simd;
    find_bins(first, second, thresholds, count, bins);
}
