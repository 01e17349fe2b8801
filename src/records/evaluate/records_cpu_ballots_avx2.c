#include "records/evaluate/records_cpu_ballots.h"

#if SHW_SIMD_X86
#include <immintrin.h>

#define BYTES                  32
#define TARGET                 __attribute__((target("avx2,popcnt")))
#define VALUES_OF_TABLE(width) 16u
#define LANES_OF_8(from)       _mm256_cvtepu8_epi64(load_four(from))
#define LANES_OF_16(from)      _mm256_cvtepu16_epi64(_mm_loadl_epi64((const void *)(from)))
#define LANES_OF_32(from)      _mm256_cvtepu32_epi64(_mm_loadu_si128((const void *)(from)))
#define COUNT_LOWER(thresholds, code)                                                                                  \
    (uint32_t) __builtin_popcount(lower_of(thresholds, code) | lower_of((thresholds) + 8, code) << 8u)

/* A bit for each of eight thresholds. */
TARGET static inline uint32_t lower_of(const int32_t *thresholds, int32_t code)
{
    __m256i lower = _mm256_cmpgt_epi32(_mm256_set1_epi32(code), _mm256_loadu_si256((const void *)thresholds));

    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(lower));
}

TARGET static inline __m128i load_four(const uint8_t *bytes)
{
    int32_t four;

    memcpy(&four, bytes, sizeof four);
    return _mm_cvtsi32_si128(four);
}

TARGET static inline __m256i load_first_of(const int32_t *numbers, int32_t count)
{
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);

    return count >= 8 ? _mm256_loadu_si256((const void *)numbers)
                      : _mm256_maskload_epi32(numbers, _mm256_cmpgt_epi32(_mm256_set1_epi32(count), lane));
}

TARGET static inline __m128i narrow(__m256i numbers)
{
    return _mm_packs_epi32(_mm256_castsi256_si128(numbers), _mm256_extracti128_si256(numbers, 1));
}

TARGET static inline __m256i add_lower_of(__m256i numbers, const int32_t *thresholds, __m256i codes)
{
    return _mm256_sub_epi32(numbers, _mm256_cmpgt_epi32(codes, _mm256_loadu_si256((const void *)thresholds)));
}

#define add_lower(numbers, thresholds, codes) ((vector)add_lower_of((__m256i)(numbers), thresholds, (__m256i)(codes)))
#define load_first(numbers, count)            ((vector)load_first_of(numbers, count))
#define store_8(to, numbers)                                                                                           \
    _mm_storel_epi64((void *)(to), _mm_packs_epi16(narrow((__m256i)(numbers)), _mm_setzero_si128()))
#define store_16(to, numbers) _mm_storeu_si128((void *)(to), narrow((__m256i)(numbers)))

/* Sixteen bytes each, twice: of ranks of 16 bits the lower ones and the upper ones. */
struct tables {
    __m256i lower[4], upper[4];
};

TARGET static inline void load_tables(const void *values, uint32_t tables, enum shw_record_width width,
                                      struct tables *table)
{
    const __m128i *from = values, low_byte = _mm_set1_epi16(0xff);

    for (uint32_t t = 0; t < tables; t++)
        if (width == SHW_RECORD_RANK_8)
            table->lower[t] = _mm256_broadcastsi128_si256(_mm_loadu_si128(from + t));
        else {
            const __m128i a = _mm_loadu_si128(from + 2 * (size_t)t), b = _mm_loadu_si128(from + 2 * (size_t)t + 1);
            table->lower[t] =
                _mm256_broadcastsi128_si256(_mm_packus_epi16(_mm_and_si128(a, low_byte), _mm_and_si128(b, low_byte)));
            table->upper[t] = _mm256_broadcastsi128_si256(_mm_packus_epi16(_mm_srli_epi16(a, 8), _mm_srli_epi16(b, 8)));
        }
}

/* The bytes of 32 numbers: bits 4 and 5 of a number select the table. */
TARGET static inline __m256i look_up(const __m256i *parts, uint32_t tables, __m256i number)
{
    const __m256i bit_4 = _mm256_slli_epi16(number, 3);
    __m256i value = _mm256_shuffle_epi8(parts[0], number);

    if (tables > 1)
        value = _mm256_blendv_epi8(value, _mm256_shuffle_epi8(parts[1], number), bit_4);
    if (tables > 2)
        value = _mm256_blendv_epi8(
            value,
            _mm256_blendv_epi8(_mm256_shuffle_epi8(parts[2], number), _mm256_shuffle_epi8(parts[3], number), bit_4),
            _mm256_slli_epi16(number, 2));
    return value;
}

TARGET static inline uint32_t half_of_8(const struct tables *table, uint32_t tables, const uint8_t *numbers,
                                        const int8_t *limits)
{
    const __m256i number = _mm256_loadu_si256((const void *)numbers);
    const __m256i left =
        _mm256_cmpgt_epi8(_mm256_loadu_si256((const void *)limits), look_up(table->lower, tables, number));

    return ~(uint32_t)_mm256_movemask_epi8(left);
}

TARGET static inline uint64_t ballot_8(const struct tables *table, uint32_t tables, const uint8_t *numbers,
                                       const int8_t *limits)
{
    return half_of_8(table, tables, numbers, limits) | (uint64_t)half_of_8(table, tables, numbers + 32, limits + 32)
                                                           << 32u;
}

/* Limits as the halves of lanes that values are unpacked to. */
TARGET static inline __m256i load_apart(const int16_t *limits)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const void *)limits)),
                                   _mm_loadu_si128((const void *)(limits + 16)), 1);
}

TARGET static inline uint32_t half_of_16(const struct tables *table, uint32_t tables, const uint8_t *numbers,
                                         const int16_t *limits)
{
    const __m256i number = _mm256_loadu_si256((const void *)numbers);
    const __m256i lower = look_up(table->lower, tables, number), upper = look_up(table->upper, tables, number);
    const __m256i first = _mm256_cmpgt_epi16(load_apart(limits), _mm256_unpacklo_epi8(lower, upper)),
                  second = _mm256_cmpgt_epi16(load_apart(limits + 8), _mm256_unpackhi_epi8(lower, upper));

    return ~(uint32_t)_mm256_movemask_epi8(_mm256_packs_epi16(first, second));
}

#include "records/evaluate/records_cpu_ballots_code.h"

const struct shw_record_ballot_vectors shw_record_ballots_avx2 = {64, 64, evaluate};

#else

const struct shw_record_ballot_vectors shw_record_ballots_avx2 = {0, 0, NULL};

#endif
