#include "detection/detect/grey_rows.h"

#if SHW_SIMD_X86
#include <immintrin.h>
#include <string.h>

#include "shared/detect.h"

#define LANES  8u
#define TARGET __attribute__((target("avx2")))
#define VECTOR __attribute__((target("avx2"), always_inline)) static inline

/* Four pixels to 32 bits each; reads 16 bytes. */
VECTOR __m128i load_pixels(const uint8_t *from, uint32_t step)
{
    const __m128i apart = _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)from);

    return step == 3 ? _mm_shuffle_epi8(bytes, apart) : bytes;
}

/* A sample of each pixel times its weight in the grey value. */
VECTOR __m256i weigh(__m256i pixels, uint32_t sample, uint32_t weight)
{
    __m256i values =
        _mm256_and_si256(_mm256_srl_epi32(pixels, _mm_cvtsi32_si128((int)(8 * sample))), _mm256_set1_epi32(0xff));

    return _mm256_mullo_epi32(values, _mm256_set1_epi32((int32_t)weight));
}

/* As shw_detect_grey(). */
VECTOR __m256i grey_of(__m256i pixels, const struct shw_grey_layout *layout)
{
    __m256i sum =
        _mm256_add_epi32(weigh(pixels, layout->red, SHW_DETECT_RED), weigh(pixels, layout->green, SHW_DETECT_GREEN));

    sum = _mm256_add_epi32(sum, weigh(pixels, layout->blue, SHW_DETECT_BLUE));
    return _mm256_srli_epi32(_mm256_add_epi32(sum, _mm256_set1_epi32(32768)), 16);
}

TARGET uint32_t shw_grey_row_avx2(const struct shw_grey_layout *layout, const uint8_t *from, uint32_t count,
                                  uint8_t *to)
{
    const __m256i lowest = _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 4, 8, 12,
                                            -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    uint32_t x = 0;

    for (; x + LANES + 2 <= count; x += LANES) { /* the last load may reach two pixels further */
        const uint8_t *at = from + (size_t)x * layout->step;
        __m128i low = load_pixels(at, layout->step), high = load_pixels(at + 4 * layout->step, layout->step);
        __m256i grey = grey_of(_mm256_set_m128i(high, low), layout);
        __m256i bytes = _mm256_shuffle_epi8(grey, lowest);
        int32_t words[2] = {_mm256_cvtsi256_si32(bytes), _mm256_extract_epi32(bytes, 4)};
        memcpy(to + x, words, sizeof words);
    }
    return x;
}

#endif
