#include "base/simd.h"
#include "shared/types.h"

#if SHW_SIMD_X86
#include <immintrin.h>

#define PATCH(kind) shw_##kind##_patch_avx512
#define LANES       16
#define TARGET      __attribute__((target("avx512f")))
#define VECTOR      __attribute__((target("avx512f"), always_inline)) static inline

typedef __m512i lanes;

#define spread   _mm512_set1_epi32
#define add      _mm512_add_epi32
#define subtract _mm512_sub_epi32
#define multiply _mm512_mullo_epi32

VECTOR lanes load(const uint32_t *from)
{
    return _mm512_loadu_si512(from);
}

VECTOR lanes load_short(const int16_t *from)
{
    return _mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)from));
}

VECTOR lanes clamp_lanes(int32_t first)
{
    __m512i place = _mm512_add_epi32(_mm512_set1_epi32(first),
                                     _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));

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

#include "feature/rectangle_patch.h"

#endif
