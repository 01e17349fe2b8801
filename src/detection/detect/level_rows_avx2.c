#include "detection/detect/level_rows.h"

#if SHW_SIMD_X86
#include <immintrin.h>
#include <string.h>

#define ROWS __attribute__((target("avx2")))
#include "detection/detect/level_rows_code.h"

#define LANES 8u

/* Both values, of 12 bits. */
ROWS static inline int32_t load_pair(const uint16_t *from)
{
    int32_t pair;

    memcpy(&pair, from, sizeof pair);
    return pair;
}

ROWS static void mix_across(const uint16_t *row, const uint32_t *places, const uint32_t *weights, uint32_t count,
                            uint32_t *out)
{
    uint32_t x = 0;

    for (; x + LANES <= count; x += LANES) {
        const uint32_t *at = places + x;
        __m256i pairs = _mm256_setr_epi32(load_pair(row + at[0]), load_pair(row + at[1]), load_pair(row + at[2]),
                                          load_pair(row + at[3]), load_pair(row + at[4]), load_pair(row + at[5]),
                                          load_pair(row + at[6]), load_pair(row + at[7]));
        __m256i parts = _mm256_loadu_si256((const __m256i *)(const void *)(weights + x));
        _mm256_storeu_si256((__m256i *)(void *)(out + x), _mm256_madd_epi16(pairs, parts));
    }
    for (; x < count; x++)
        out[x] = shw_detect_between_columns(row[places[x]], row[places[x] + 1], weights[x] >> 16);
}

const struct shw_level_rows shw_level_rows_avx2 = {blur_grey, blur_level, halve, mix_across, mix_down, shrink_row};

#endif
