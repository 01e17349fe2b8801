/* As lanes_avx2.h, with AVX-512. */
#ifndef SHW_DENSE_FEATURE_LANES_AVX512_H
#define SHW_DENSE_FEATURE_LANES_AVX512_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#define LANES  16
#define TARGET __attribute__((target("avx512f")))
#define VECTOR __attribute__((target("avx512f"), always_inline)) static inline

#include "dense/feature/rows_avx2.h"

typedef __m512i lanes;

#define spread   _mm512_set1_epi32
#define add      _mm512_add_epi32
#define subtract _mm512_sub_epi32
#define multiply _mm512_mullo_epi32
#define minimum  _mm512_min_epi32
#define maximum  _mm512_max_epi32

VECTOR lanes load(const uint32_t *from)
{
    return _mm512_loadu_si512(from);
}

VECTOR lanes load_short(const int16_t *from)
{
    return _mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)from));
}

VECTOR lanes load_apart(const uint32_t *from, ptrdiff_t step)
{
    int32_t values[LANES];

    for (int i = 0; i < LANES; i++)
        values[i] = (int32_t)from[i * step];
    return _mm512_setr_epi32(values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[7],
                             values[8], values[9], values[10], values[11], values[12], values[13], values[14],
                             values[15]);
}

VECTOR lanes load_short_apart(const int16_t *from, ptrdiff_t step)
{
    int32_t values[LANES];

    for (int i = 0; i < LANES; i++)
        values[i] = from[i * step];
    return _mm512_setr_epi32(values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[7],
                             values[8], values[9], values[10], values[11], values[12], values[13], values[14],
                             values[15]);
}

VECTOR lanes gather(const uint32_t *from, lanes places)
{
    int32_t at[LANES];

    _mm512_storeu_si512(at, places);
    for (int i = 0; i < LANES; i++)
        at[i] = (int32_t)from[at[i]];
    return _mm512_loadu_si512(at);
}

VECTOR lanes gather_short(const int16_t *from, lanes places)
{
    int32_t at[LANES];

    _mm512_storeu_si512(at, places);
    for (int i = 0; i < LANES; i++)
        at[i] = from[at[i]];
    return _mm512_loadu_si512(at);
}

VECTOR lanes count_lanes(void)
{
    return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

VECTOR lanes clamp_lanes(int32_t first)
{
    __m512i place = _mm512_add_epi32(_mm512_set1_epi32(first), count_lanes());

    return _mm512_min_epi32(_mm512_max_epi32(place, _mm512_setzero_si512()), _mm512_set1_epi32(LANES - 1));
}

VECTOR lanes permute(lanes values, lanes from)
{
    return _mm512_permutexvar_epi32(from, values);
}

VECTOR lanes join(__m256i low, __m256i high)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

VECTOR lanes multiply_down(lanes values, double factor)
{
    __m512d low = _mm512_cvtepi32_pd(_mm512_castsi512_si256(values));
    __m512d high = _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(values, 1));

    low = _mm512_mul_pd(low, _mm512_set1_pd(factor));
    high = _mm512_mul_pd(high, _mm512_set1_pd(factor));
    return join(_mm512_cvttpd_epi32(low), _mm512_cvttpd_epi32(high));
}

VECTOR lanes divide(lanes values, lanes divisors)
{
    __m512d low = _mm512_cvtepi32_pd(_mm512_castsi512_si256(values));
    __m512d high = _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(values, 1));

    low = _mm512_div_pd(low, _mm512_cvtepi32_pd(_mm512_castsi512_si256(divisors)));
    high = _mm512_div_pd(high, _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(divisors, 1)));
    return join(_mm512_cvttpd_epi32(low), _mm512_cvttpd_epi32(high));
}

VECTOR uint32_t lies_between(lanes values, lanes low, lanes high)
{
    return _mm512_mask_cmplt_epi32_mask(_mm512_cmple_epi32_mask(low, values), values, high);
}

VECTOR void store_some(uint32_t *to, uint32_t mask, lanes values)
{
    _mm512_mask_storeu_epi32(to, (__mmask16)mask, values);
}

#define bits_and                  _mm512_and_si512
#define bits_or                   _mm512_or_si512
#define bits_xor                  _mm512_xor_si512
#define shift_left(values, bits)  _mm512_slli_epi32(values, (unsigned int)(bits))
#define shift_right(values, bits) _mm512_srli_epi32(values, (unsigned int)(bits))
#define shift_down(values, bits)  _mm512_srai_epi32(values, (unsigned int)(bits))
#define shift_right_each          _mm512_srlv_epi32

VECTOR lanes is_equal(lanes a, lanes b)
{
    return _mm512_maskz_set1_epi32(_mm512_cmpeq_epi32_mask(a, b), -1);
}

VECTOR lanes is_greater(lanes a, lanes b)
{
    return _mm512_maskz_set1_epi32(_mm512_cmpgt_epi32_mask(a, b), -1);
}

VECTOR lanes multiply_high(lanes a, lanes b)
{
    __m512i even = _mm512_mul_epu32(a, b);
    __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(a, 32), _mm512_srli_epi64(b, 32));

    return _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 32), odd);
}

VECTOR lanes highest_bit(lanes values)
{
    __m512i exponents = _mm512_srli_epi32(_mm512_castps_si512(_mm512_cvtepi32_ps(values)), 23);

    return _mm512_sub_epi32(exponents, _mm512_set1_epi32(127));
}

VECTOR lanes divide_scaled(lanes values, double factor, lanes divisors, double lift)
{
    __m512d low = _mm512_mul_pd(_mm512_cvtepi32_pd(_mm512_castsi512_si256(values)), _mm512_set1_pd(factor));
    __m512d high = _mm512_mul_pd(_mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(values, 1)), _mm512_set1_pd(factor));

    low = _mm512_div_pd(low, _mm512_cvtepi32_pd(_mm512_castsi512_si256(divisors)));
    high = _mm512_div_pd(high, _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(divisors, 1)));
    low = _mm512_add_pd(low, _mm512_set1_pd(lift));
    high = _mm512_add_pd(high, _mm512_set1_pd(lift));
    return join(_mm512_cvttpd_epi32(low), _mm512_cvttpd_epi32(high));
}

VECTOR uint32_t signs_of(lanes values)
{
    return _mm512_cmplt_epi32_mask(values, _mm512_setzero_si512());
}

VECTOR void load_rows(const uint32_t *from, lanes rows, lanes words[8])
{
    uint32_t at[LANES];
    __m256i low[8], high[8];

    _mm512_storeu_si512(at, rows);
    transpose_rows(from, at, low);
    transpose_rows(from, at + 8, high);
    for (int w = 0; w < 8; w++)
        words[w] = join(low[w], high[w]);
}

VECTOR void store(uint32_t *to, lanes values)
{
    _mm512_storeu_si512(to, values);
}

#endif
