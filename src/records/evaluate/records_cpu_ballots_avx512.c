#include "records/evaluate/records_cpu_ballots.h"

#if SHW_SIMD_X86
#include <immintrin.h>

#define BYTES                  64
#define TARGET                 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,popcnt")))
#define VALUES_OF_TABLE(width) (64u / (uint32_t)(width))
#define LANES_OF_8(from)       _mm512_cvtepu8_epi64(_mm_loadl_epi64((const void *)(from)))
#define LANES_OF_16(from)      _mm512_cvtepu16_epi64(_mm_loadu_si128((const void *)(from)))
#define LANES_OF_32(from)      _mm512_cvtepu32_epi64(_mm256_loadu_si256((const void *)(from)))
#define COUNT_LOWER(thresholds, code)                                                                                  \
    (uint32_t) __builtin_popcount(_mm512_cmplt_epi32_mask(_mm512_loadu_si512(thresholds), _mm512_set1_epi32(code)))

TARGET static inline __m512i load_first_of(const int32_t *numbers, int32_t count)
{
    return count >= 16 ? _mm512_loadu_si512(numbers)
                       : _mm512_maskz_loadu_epi32((__mmask16)((1u << (count > 0 ? count : 0)) - 1), numbers);
}

TARGET static inline __m512i add_lower_of(__m512i numbers, const int32_t *thresholds, __m512i codes)
{
    return _mm512_mask_add_epi32(numbers, _mm512_cmplt_epi32_mask(_mm512_loadu_si512(thresholds), codes), numbers,
                                 _mm512_set1_epi32(1));
}

#define add_lower(numbers, thresholds, codes) ((vector)add_lower_of((__m512i)(numbers), thresholds, (__m512i)(codes)))
#define load_first(numbers, count)            ((vector)load_first_of(numbers, count))
#define store_8(to, numbers)                  _mm_storeu_si128((void *)(to), _mm512_cvtepi32_epi8((__m512i)(numbers)))
#define store_16(to, numbers)                 _mm256_storeu_si256((void *)(to), _mm512_cvtepi32_epi16((__m512i)(numbers)))

struct tables {
    __m512i parts[4];
};

TARGET static inline void load_tables(const void *values, uint32_t tables, enum shw_record_width width,
                                      struct tables *table)
{
    (void)width;
    for (uint32_t t = 0; t < tables; t++)
        table->parts[t] = _mm512_loadu_si512((const uint8_t *)values + (size_t)t * 64);
}

TARGET static inline uint64_t ballot_8(const struct tables *table, uint32_t tables, const uint8_t *numbers,
                                       const int8_t *limits)
{
    const __m512i number = _mm512_loadu_si512(numbers), *parts = table->parts;
    __m512i value;

    if (tables == 1)
        value = _mm512_permutexvar_epi8(number, parts[0]);
    else
        value = _mm512_permutex2var_epi8(parts[0], number, parts[1]);
    if (tables == 4)
        value = _mm512_mask_blend_epi8(_mm512_movepi8_mask(number), value,
                                       _mm512_permutex2var_epi8(parts[2], number, parts[3]));
    return _mm512_cmpge_epi8_mask(value, _mm512_loadu_si512(limits));
}

TARGET static inline uint32_t half_of_16(const struct tables *table, uint32_t tables, const uint8_t *numbers,
                                         const int16_t *limits)
{
    const __m512i number = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const void *)numbers)), *parts = table->parts;
    __m512i value;

    if (tables == 1)
        value = _mm512_permutexvar_epi16(number, parts[0]);
    else
        value = _mm512_permutex2var_epi16(parts[0], number, parts[1]);
    if (tables == 4)
        value = _mm512_mask_blend_epi16(_mm512_test_epi16_mask(number, _mm512_set1_epi16(64)), value,
                                        _mm512_permutex2var_epi16(parts[2], number, parts[3]));
    return _mm512_cmpge_epi16_mask(value, _mm512_loadu_si512(limits));
}

#include "records/evaluate/records_cpu_ballots_code.h"

const struct shw_record_ballot_vectors shw_record_ballots_avx512 = {256, 128, evaluate};

#else

const struct shw_record_ballot_vectors shw_record_ballots_avx512 = {0, 0, NULL};

#endif
