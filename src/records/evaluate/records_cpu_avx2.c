#include "records/evaluate/records_cpu.h"

#if SHW_SIMD_X86
#include <immintrin.h>

#define BYTES                   32
#define TARGET                  __attribute__((target("avx2")))
#define SELECT(mask, a, b)      ((vector)_mm256_blendv_epi8((__m256i)(b), (__m256i)(a), (__m256i)(mask)))
#define IS_GREATER(a, b, width) is_greater(a, b, width)
#define ALL_BITS(mask, width)   (mask)
#define COUNT_LOWER(thresholds, code)                                                                                  \
    (uint32_t) __builtin_popcount(lower_of(thresholds, code) | lower_of((thresholds) + 8, code) << 8u)

/* A bit for each of eight thresholds. */
TARGET static inline uint32_t lower_of(const int32_t *thresholds, int32_t code)
{
    __m256i lower = _mm256_cmpgt_epi32(_mm256_set1_epi32(code), _mm256_loadu_si256((const void *)thresholds));

    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(lower));
}

#include "records/evaluate/records_cpu_code.h"

const struct shw_record_vectors shw_record_vectors_avx2 = {find_ranks, {find_8, find_16, find_32}};

#else

const struct shw_record_vectors shw_record_vectors_avx2 = {NULL, {NULL}};

#endif
