#include "dense/channels/weighted_sum.h"

#include "shared/types.h"

#define BLOCK 64u

static void weighted_sum_portable(const int16_t *const *rows, const int16_t *weights, uint32_t count, uint32_t width,
                                  uint32_t shift, int16_t *out)
{
    for (uint32_t begin = 0; begin < width; begin += BLOCK) {
        uint32_t size = width - begin < BLOCK ? width - begin : BLOCK;
        int32_t sums[BLOCK] = {0};

        for (uint32_t i = 0; i < count; i++) {
            const int16_t *row = rows[i] + begin;
            int32_t weight = weights[i];
            for (uint32_t x = 0; x < size; x++)
                sums[x] += weight * row[x];
        }
        for (uint32_t x = 0; x < size; x++)
            out[begin + x] = (int16_t)shw_round_shift(sums[x], shift);
    }
}

#if SHW_SIMD_X86

#include <immintrin.h>

#define LANES 16u

/* `pairs` holds weights 2i (low half) and 2i + 1 (high half). Interleaving two rows allows one multiply-add per pair of
 * taps; packing the two halves undoes the interleaving. */
__attribute__((target("avx2"))) static inline void sum_lanes(const int16_t *const *rows, const int32_t *pairs,
                                                             uint32_t pair_count, uint32_t x, __m128i shift,
                                                             __m256i bias, int16_t *out)
{
    __m256i low = bias, high = bias;

    for (uint32_t i = 0; i < pair_count; i++) {
        __m256i weight = _mm256_set1_epi32(pairs[i]);
        __m256i even = _mm256_loadu_si256((const __m256i *)(const void *)(rows[2 * i] + x));
        __m256i odd = _mm256_loadu_si256((const __m256i *)(const void *)(rows[2 * i + 1] + x));
        low = _mm256_add_epi32(low, _mm256_madd_epi16(_mm256_unpacklo_epi16(even, odd), weight));
        high = _mm256_add_epi32(high, _mm256_madd_epi16(_mm256_unpackhi_epi16(even, odd), weight));
    }
    _mm256_storeu_si256((__m256i *)(void *)(out + x),
                        _mm256_packs_epi32(_mm256_sra_epi32(low, shift), _mm256_sra_epi32(high, shift)));
}

__attribute__((target("avx2"))) static void weighted_sum_avx2(const int16_t *const *rows, const int16_t *weights,
                                                              uint32_t count, uint32_t width, uint32_t shift,
                                                              int16_t *out)
{
    const int16_t *even_rows[SHW_WEIGHTED_SUM_MAX + 1];
    int32_t pairs[(SHW_WEIGHTED_SUM_MAX + 1) / 2];
    uint32_t pair_count = (count + 1) / 2, x = 0;
    __m128i places = _mm_cvtsi32_si128((int)shift);
    __m256i bias = _mm256_set1_epi32((int)((1u << shift) >> 1));

    for (uint32_t i = 0; i < pair_count; i++) {
        uint32_t second = 2 * i + 1 < count ? 2 * i + 1 : 2 * i;
        uint32_t second_weight = second > 2 * i ? (uint16_t)weights[second] : 0u;
        even_rows[2 * i] = rows[2 * i];
        even_rows[2 * i + 1] = rows[second];
        pairs[i] = (int32_t)((uint16_t)weights[2 * i] | second_weight << 16);
    }
    for (; x + LANES <= width; x += LANES)
        sum_lanes(even_rows, pairs, pair_count, x, places, bias, out);
    if (x < width) /* the last vector again, overlapping the one before */
        sum_lanes(even_rows, pairs, pair_count, width - LANES, places, bias, out);
}

#endif

void shw_weighted_sum(const int16_t *const *rows, const int16_t *weights, uint32_t count, uint32_t width,
                      uint32_t shift, int16_t *out, enum shw_simd simd)
{
#if SHW_SIMD_X86
    if (simd >= SHW_SIMD_AVX2 && width >= LANES) {
        weighted_sum_avx2(rows, weights, count, width, shift, out);
        return;
    }
#endif
    (void)simd;
    weighted_sum_portable(rows, weights, count, width, shift, out);
}
