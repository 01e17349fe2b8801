#include "bench/roofline_gathers.h"

#include "bench/roofline_push.h"

#define SHIFT (32u - SHW_GATHERS_BITS)

static uint32_t gather_words(const uint32_t *table, uint32_t seed, uint32_t steps)
{
    uint32_t draws[SHW_GATHERS_LANES], sum = 0;

    for (uint32_t lane = 0; lane < SHW_GATHERS_LANES; lane++)
        draws[lane] = shw_roofline_begin(lane, seed);
    for (uint32_t step = 0; step < steps; step++)
        for (uint32_t lane = 0; lane < SHW_GATHERS_LANES; lane++) {
            draws[lane] = shw_roofline_next(draws[lane]);
            sum += table[draws[lane] >> SHIFT];
        }
    return sum;
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define VECTORS (SHW_GATHERS_LANES / 8u)

__attribute__((target("avx2"))) static uint32_t gather_vectors(const uint32_t *table, uint32_t seed, uint32_t steps)
{
    const __m256i factor = _mm256_set1_epi32(1664525), addend = _mm256_set1_epi32(1013904223);
    __m256i draws[VECTORS], sums[VECTORS];
    uint32_t words[8], sum = 0;

    for (uint32_t v = 0; v < VECTORS; v++) {
        for (uint32_t lane = 0; lane < 8; lane++)
            words[lane] = shw_roofline_begin(8 * v + lane, seed);
        draws[v] = _mm256_loadu_si256((const __m256i *)words);
        sums[v] = _mm256_setzero_si256();
    }
    for (uint32_t step = 0; step < steps; step++)
        for (uint32_t v = 0; v < VECTORS; v++) {
            draws[v] = _mm256_add_epi32(_mm256_mullo_epi32(draws[v], factor), addend);
            sums[v] = _mm256_add_epi32(
                sums[v], _mm256_i32gather_epi32((const int *)table, _mm256_srli_epi32(draws[v], SHIFT), 4));
        }
    for (uint32_t v = 0; v < VECTORS; v++) {
        _mm256_storeu_si256((__m256i *)words, sums[v]);
        for (uint32_t lane = 0; lane < 8; lane++)
            sum += words[lane];
    }
    return sum;
}

bool shw_gathers_have_vector(void)
{
    return __builtin_cpu_supports("avx2");
}

uint32_t shw_gathers(const uint32_t *table, uint32_t seed, uint32_t steps, bool vector)
{
    return vector && shw_gathers_have_vector() ? gather_vectors(table, seed, steps) : gather_words(table, seed, steps);
}

#else

bool shw_gathers_have_vector(void)
{
    return false;
}

uint32_t shw_gathers(const uint32_t *table, uint32_t seed, uint32_t steps, bool vector)
{
    (void)vector;
    return gather_words(table, seed, steps);
}

#endif
