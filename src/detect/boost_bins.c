#include "detect/boost_bins.h"

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
            bin += response > all[bin + step - 1] ? step : 0;
        bins[i] = (uint8_t)bin;
    }
}

#if SHW_SIMD_VECTORS
typedef uint16_t words __attribute__((vector_size(32), may_alias));
typedef int16_t signed_words __attribute__((vector_size(32)));
typedef uint8_t bytes __attribute__((vector_size(16), may_alias));

#define LANES (sizeof(words) / sizeof(uint16_t))

/* Responses have 17 bits. Saturated to 16, they compare with these thresholds as before. */
static bool is_narrow(const int32_t *thresholds, uint32_t count)
{
    return thresholds[0] >= INT16_MIN && thresholds[count - 1] < INT16_MAX;
}

__attribute__((always_inline)) static inline void count_thresholds(const uint16_t *first, const uint16_t *second,
                                                                   const int32_t *thresholds, uint32_t count,
                                                                   uint8_t *bins)
{
    for (uint32_t i = 0; i < SHW_BOOST_BLOCK; i += LANES) {
        words a = *(const words *)(const void *)(first + i), b = *(const words *)(const void *)(second + i);
        signed_words wrapped = (signed_words)(a - b), below = (signed_words)(a < b), bin = {0};
        /* The sign of the wrapped difference is wrong where it has overflown. */
        signed_words overflown = below ^ (wrapped < 0), most = below ^ INT16_MAX;
        signed_words response = (wrapped & ~overflown) | (most & overflown);
        for (uint32_t t = 0; t < count; t++)
            bin -= response > (int16_t)thresholds[t];
        *(bytes *)(void *)(bins + i) = __builtin_convertvector(bin, bytes);
    }
}

static void count_portable(const uint16_t *first, const uint16_t *second, const int32_t *thresholds, uint32_t count,
                           uint8_t *bins)
{
    count_thresholds(first, second, thresholds, count, bins);
}
#endif

#if SHW_SIMD_X86
__attribute__((target("avx2"))) static void count_avx2(const uint16_t *first, const uint16_t *second,
                                                       const int32_t *thresholds, uint32_t count, uint8_t *bins)
{
    count_thresholds(first, second, thresholds, count, bins);
}
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
