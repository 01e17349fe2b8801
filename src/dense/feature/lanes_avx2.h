/* Vectors of 32-bit numbers with AVX2, and their operations. The same for AVX-512 (lanes_avx512.h) and with the
 * compiler's own vectors for any processor (lanes_vectors.h): what is written with them is compiled three times. LANES:
 * numbers in a vector; TARGET: the attribute of functions with those instructions; VECTOR: the same, and inline. */
#ifndef SHW_DENSE_FEATURE_LANES_AVX2_H
#define SHW_DENSE_FEATURE_LANES_AVX2_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#define LANES  8
#define TARGET __attribute__((target("avx2")))
#define VECTOR __attribute__((target("avx2"), always_inline)) static inline

#include "dense/feature/rows_avx2.h"

typedef __m256i lanes; /* of 32 bits */

#define spread   _mm256_set1_epi32
#define add      _mm256_add_epi32
#define subtract _mm256_sub_epi32
#define multiply _mm256_mullo_epi32
#define minimum  _mm256_min_epi32
#define maximum  _mm256_max_epi32

VECTOR lanes load(const uint32_t *from)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

VECTOR lanes load_short(const int16_t *from)
{
    return _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)from));
}

/* Lane i: from[i * step]. The processor's own gathering takes longer. */
VECTOR lanes load_apart(const uint32_t *from, ptrdiff_t step)
{
    int32_t values[LANES];

    for (int i = 0; i < LANES; i++)
        values[i] = (int32_t)from[i * step];
    return _mm256_setr_epi32(values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[7]);
}

VECTOR lanes load_short_apart(const int16_t *from, ptrdiff_t step)
{
    int32_t values[LANES];

    for (int i = 0; i < LANES; i++)
        values[i] = from[i * step];
    return _mm256_setr_epi32(values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[7]);
}

/* Lane i: from[places[i]]. */
VECTOR lanes gather(const uint32_t *from, lanes places)
{
    int32_t at[LANES];

    _mm256_storeu_si256((__m256i *)(void *)at, places);
    for (int i = 0; i < LANES; i++)
        at[i] = (int32_t)from[at[i]];
    return _mm256_loadu_si256((const __m256i *)(const void *)at);
}

VECTOR lanes gather_short(const int16_t *from, lanes places)
{
    int32_t at[LANES];

    _mm256_storeu_si256((__m256i *)(void *)at, places);
    for (int i = 0; i < LANES; i++)
        at[i] = from[at[i]];
    return _mm256_loadu_si256((const __m256i *)(const void *)at);
}

/* Lane i: i. */
VECTOR lanes count_lanes(void)
{
    return _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
}

/* Lane i: first + i, clamped to 0..LANES - 1. */
VECTOR lanes clamp_lanes(int32_t first)
{
    __m256i place = _mm256_add_epi32(_mm256_set1_epi32(first), count_lanes());

    return _mm256_min_epi32(_mm256_max_epi32(place, _mm256_setzero_si256()), _mm256_set1_epi32(LANES - 1));
}

/* Lane i: values[from[i]]. */
VECTOR lanes permute(lanes values, lanes from)
{
    return _mm256_permutevar8x32_epi32(values, from);
}

/* Rounded towards zero. */
VECTOR lanes multiply_down(lanes values, double factor)
{
    __m256d low = _mm256_cvtepi32_pd(_mm256_castsi256_si128(values));
    __m256d high = _mm256_cvtepi32_pd(_mm256_extracti128_si256(values, 1));

    low = _mm256_mul_pd(low, _mm256_set1_pd(factor));
    high = _mm256_mul_pd(high, _mm256_set1_pd(factor));
    return _mm256_set_m128i(_mm256_cvttpd_epi32(high), _mm256_cvttpd_epi32(low));
}

/* Rounded towards zero. Doubles hold both operands exactly, and a quotient below 2^30 is never rounded up to the next
 * integer. */
VECTOR lanes divide(lanes values, lanes divisors)
{
    __m256d low = _mm256_cvtepi32_pd(_mm256_castsi256_si128(values));
    __m256d high = _mm256_cvtepi32_pd(_mm256_extracti128_si256(values, 1));

    low = _mm256_div_pd(low, _mm256_cvtepi32_pd(_mm256_castsi256_si128(divisors)));
    high = _mm256_div_pd(high, _mm256_cvtepi32_pd(_mm256_extracti128_si256(divisors, 1)));
    return _mm256_set_m128i(_mm256_cvttpd_epi32(high), _mm256_cvttpd_epi32(low));
}

/* Bit i: low <= values[i] < high. */
VECTOR uint32_t lies_between(lanes values, lanes low, lanes high)
{
    __m256i both = _mm256_andnot_si256(_mm256_cmpgt_epi32(low, values), _mm256_cmpgt_epi32(high, values));

    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(both));
}

/* Stores only the lanes whose bits are set. */
VECTOR void store_some(uint32_t *to, uint32_t mask, lanes values)
{
    const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    __m256i chosen = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int32_t)mask), bits), bits);

    _mm256_storeu_si256((__m256i *)(void *)to, _mm256_blendv_epi8(load(to), values, chosen));
}

#define bits_and         _mm256_and_si256
#define bits_or          _mm256_or_si256
#define bits_xor         _mm256_xor_si256
#define shift_left       _mm256_slli_epi32
#define shift_right      _mm256_srli_epi32  /* zeros come in */
#define shift_down       _mm256_srai_epi32  /* the sign comes in */
#define shift_right_each _mm256_srlv_epi32  /* each lane by another number */
#define is_equal         _mm256_cmpeq_epi32 /* all bits set or none, as of the next */
#define is_greater       _mm256_cmpgt_epi32

/* The high words of the products. */
VECTOR lanes multiply_high(lanes a, lanes b)
{
    __m256i even = _mm256_mul_epu32(a, b);
    __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(a, 32), _mm256_srli_epi64(b, 32));

    return _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
}

/* The position of the highest set bit of numbers from 1 to 2^24, which floats hold exactly. */
VECTOR lanes highest_bit(lanes values)
{
    __m256i exponents = _mm256_srli_epi32(_mm256_castps_si256(_mm256_cvtepi32_ps(values)), 23);

    return _mm256_sub_epi32(exponents, _mm256_set1_epi32(127));
}

/* values * factor / divisors + lift, rounded towards zero. */
VECTOR lanes divide_scaled(lanes values, double factor, lanes divisors, double lift)
{
    __m256d low = _mm256_mul_pd(_mm256_cvtepi32_pd(_mm256_castsi256_si128(values)), _mm256_set1_pd(factor));
    __m256d high = _mm256_mul_pd(_mm256_cvtepi32_pd(_mm256_extracti128_si256(values, 1)), _mm256_set1_pd(factor));

    low = _mm256_div_pd(low, _mm256_cvtepi32_pd(_mm256_castsi256_si128(divisors)));
    high = _mm256_div_pd(high, _mm256_cvtepi32_pd(_mm256_extracti128_si256(divisors, 1)));
    low = _mm256_add_pd(low, _mm256_set1_pd(lift));
    high = _mm256_add_pd(high, _mm256_set1_pd(lift));
    return _mm256_set_m128i(_mm256_cvttpd_epi32(high), _mm256_cvttpd_epi32(low));
}

/* Bit i: the sign of values[i]. */
VECTOR uint32_t signs_of(lanes values)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(values));
}

/* Lane i of words[w]: word w of row rows[i], of eight words each. */
VECTOR void load_rows(const uint32_t *from, lanes rows, lanes words[8])
{
    uint32_t at[LANES];

    _mm256_storeu_si256((__m256i *)(void *)at, rows);
    transpose_rows(from, at, words);
}

VECTOR void store(uint32_t *to, lanes values)
{
    _mm256_storeu_si256((__m256i *)(void *)to, values);
}

#endif
