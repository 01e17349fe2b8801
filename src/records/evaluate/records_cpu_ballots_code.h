/* Ballots in vectors. Files that include this define
 *     BYTES                      of a vector
 *     TARGET                     what goes before functions
 *     load_first()               the first numbers of a vector, as many as are there, and zeros
 *     store_8(), store_16()      the lower bits of the numbers of a vector
 *     add_lower()                numbers, more by one where the thresholds are lower than the codes
 *     COUNT_LOWER()              how many of SHW_RECORD_NEAR thresholds are lower than a code
 *     LANES_OF_8(), _16(), _32() unsigned numbers of as many bits in memory, one a lane of 64 bits
 *     VALUES_OF_TABLE(width)     how many values of a record one table has
 *     load_tables()              1, 2 or 4 tables with all values of a record, in struct tables
 *     ballot_8(), half_of_16()   the results of 64 or 32 tests, a bit each, by tables of ranks of 8 or 16 bits. */
#include <string.h>

#include "records/evaluate/records_cpu_ballots.h"

#define INLINE TARGET __attribute__((always_inline)) static inline

#define LANES   (BYTES / 8)
#define NUMBERS (BYTES / 4)

typedef uint64_t lanes __attribute__((vector_size(BYTES)));
typedef int32_t vector __attribute__((vector_size(BYTES)));

/* From attributes to ranks. */

INLINE vector load(const int32_t *numbers)
{
    vector loaded;

    memcpy(&loaded, numbers, sizeof loaded);
    return loaded;
}

/* shw_record_code() in vectors. A number that is declared to mean missing has a code, too. */
INLINE vector find_codes(vector bits, int32_t missing)
{
    const vector magnitude = bits & INT32_MAX, is_nan = magnitude > 0x7f800000;
    const vector code = magnitude ^ (bits >> 31 & (magnitude != 0)), is_missing = is_nan | (code == missing);

    return (code & ~is_missing) | (is_missing & SHW_RECORD_MISSING);
}

/* Few thresholds are all compared. */
INLINE vector compare_all(const struct shw_record_ballots *ballots, vector codes, uint32_t lane)
{
    const int32_t *thresholds = ballots->few_thresholds + lane;
    vector ranks = {0};

#pragma GCC unroll 4
    for (uint32_t t = 0; t < ballots->few; t++, thresholds += ballots->lane_count)
        ranks = add_lower(ranks, thresholds, codes);
    return ranks;
}

/* Otherwise the first and last steps of a search are made by comparison. */
INLINE void search(const struct shw_record_ballots *ballots, const int32_t *codes, int32_t *ranks)
{
    const struct shw_record_ballot_search *one = ballots->searches, *end = one + ballots->tops->axes->count;
    const int32_t *pivots = ballots->pivots;

    memset(ranks, 0, ballots->lane_count * sizeof *ranks);
    for (; one < end; one++, pivots += SHW_RECORD_NEAR) {
        const int32_t code = codes[one->lane], *thresholds = one->thresholds;
        uint32_t rank = COUNT_LOWER(pivots, code) << one->shift;
        for (uint32_t half = 1u << one->shift >> 1u; half >= SHW_RECORD_NEAR; half >>= 1u)
            rank += thresholds[rank + half - 1] < code ? half : 0;
        ranks[one->lane] = (int32_t)(rank + COUNT_LOWER(thresholds + rank, code));
    }
}

/* The ranks as tests with the flags of a plane see them. */
INLINE vector ranks_in(const struct shw_record_ballots *ballots, const struct shw_record_column *plane, vector codes,
                       vector ranks, uint32_t lane)
{
    const int32_t *counts = ballots->threshold_counts + lane;
    int32_t code[NUMBERS], rank[NUMBERS];

    if (!plane->missing_right && !plane->zero_missing)
        return ranks;
    memcpy(code, &codes, sizeof code);
    memcpy(rank, &ranks, sizeof rank);
    for (uint32_t i = 0; i < NUMBERS; i++) {
        const int32_t of_missing = plane->missing_right ? counts[i] : 0;
        rank[i] = shw_record_code_for(code[i], plane->zero_missing) == SHW_RECORD_MISSING ? of_missing : rank[i];
    }
    return load(rank);
}

INLINE void write_values(const struct shw_record_ballots *ballots, vector codes, vector ranks, uint32_t lane,
                         void *values)
{
    const enum shw_record_width width = ballots->tops->axes->width;

    for (uint32_t p = 0; p < ballots->plane_count; p++) {
        const vector seen = ranks_in(ballots, &ballots->planes[p], codes, ranks, lane);
        const size_t at = (size_t)p * ballots->lane_count + lane;
        if (width == SHW_RECORD_RANK_8)
            store_8((int8_t *)values + at, seen + INT8_MIN);
        else
            store_16((int16_t *)values + at, seen + INT16_MIN);
    }
}

INLINE void read_values(const struct shw_record_ballots *ballots, const struct shw_records *records, uint64_t record,
                        void *values)
{
    const int32_t missing = records->has_missing ? shw_record_code_of(records->missing) : SHW_RECORD_MISSING;
    const int32_t *row = (const int32_t *)(const void *)(records->values + record * records->record_stride);
    const bool is_direct = ballots->is_direct && records->attribute_stride == 1;
    _Alignas(SHW_RECORD_LINE) int32_t codes[SHW_RECORD_BALLOT_VALUES], ranks[SHW_RECORD_BALLOT_VALUES];

    if (!is_direct)
        shw_record_ballots_copy(ballots, records, record, (uint32_t *)codes);
    for (uint32_t l = 0; l < ballots->lane_count; l += NUMBERS) {
        const vector numbers = is_direct ? load_first(row + l, (int32_t)(ballots->used_lanes - l)) : load(codes + l);
        const vector code = find_codes(numbers, missing);
        if (ballots->few > 0)
            write_values(ballots, code, compare_all(ballots, code, l), l, values);
        else
            memcpy(codes + l, &code, sizeof code);
    }
    if (ballots->few > 0)
        return;
    search(ballots, codes, ranks);
    for (uint32_t l = 0; l < ballots->lane_count; l += NUMBERS)
        write_values(ballots, load(codes + l), load(ranks + l), l, values);
}

/* From ranks to places. */

INLINE uint64_t ballot_16(const struct tables *table, uint32_t tables, const uint8_t *numbers, const int16_t *limits)
{
    return half_of_16(table, tables, numbers, limits) | (uint64_t)half_of_16(table, tables, numbers + 32, limits + 32)
                                                            << 32u;
}

/* The results of `count` times 64 tests. */
INLINE void vote(const uint8_t *numbers, const void *limits, uint32_t count, const void *values, uint32_t tables,
                 enum shw_record_width width, uint64_t *ballots)
{
    struct tables table;

    load_tables(values, tables, width, &table);
    for (uint32_t w = 0; w < count; w++, numbers += SHW_RECORD_BALLOT_TESTS)
        ballots[w] = width == SHW_RECORD_RANK_8
                         ? ballot_8(&table, tables, numbers, (const int8_t *)limits + (size_t)w * 64)
                         : ballot_16(&table, tables, numbers, (const int16_t *)limits + (size_t)w * 64);
}

/* The compiler makes a loop for each. */
INLINE void find_ballots(const struct shw_record_ballots *ballots, size_t first, uint32_t count, const void *values,
                         uint64_t *to)
{
    const enum shw_record_width width = ballots->tops->axes->width;
    const uint8_t *numbers = ballots->values + first * SHW_RECORD_BALLOT_TESTS;
    const void *limits = (const uint8_t *)ballots->limits + first * SHW_RECORD_BALLOT_TESTS * (size_t)width;
    const uint32_t value_count = ballots->plane_count * ballots->lane_count, of_table = VALUES_OF_TABLE(width);
    const uint32_t tables = value_count <= of_table ? 1 : value_count <= 2 * of_table ? 2 : 4;

    switch ((uint32_t)width * 8 + tables) {
    case 9: vote(numbers, limits, count, values, 1, SHW_RECORD_RANK_8, to); break;
    case 10: vote(numbers, limits, count, values, 2, SHW_RECORD_RANK_8, to); break;
    case 12: vote(numbers, limits, count, values, 4, SHW_RECORD_RANK_8, to); break;
    case 17: vote(numbers, limits, count, values, 1, SHW_RECORD_RANK_16, to); break;
    case 18: vote(numbers, limits, count, values, 2, SHW_RECORD_RANK_16, to); break;
    default: vote(numbers, limits, count, values, 4, SHW_RECORD_RANK_16, to); break;
    }
}

INLINE lanes load_lanes(const uint64_t *words)
{
    lanes loaded;

    memcpy(&loaded, words, sizeof loaded);
    return loaded;
}

/* The results of the upper levels of some of eight trees, those of each in the lowest bits of its lane. */
INLINE lanes upper_of(const uint64_t *ballots, uint32_t levels, uint32_t first)
{
    const uint8_t *bytes = (const uint8_t *)ballots + ((size_t)first << (levels - SHW_RECORD_BALLOT_LEVELS_LEAST));

    switch (levels) {
    case 3: return (lanes)LANES_OF_8(bytes);
    case 4: return (lanes)LANES_OF_16(bytes);
    case 5: return (lanes)LANES_OF_32(bytes);
    default: return load_lanes(ballots + first);
    }
}

/* The results of level 6 or 7, which has 64 tests or 128. `number` is that of the test. */
INLINE lanes side_in_lower(const uint64_t *ballots, uint32_t level, lanes number)
{
    const lanes first = load_lanes(ballots + SHW_RECORD_BALLOT_LANES);
    lanes results = first;

    if (level == 7) {
        const lanes second = load_lanes(ballots + 2 * SHW_RECORD_BALLOT_LANES),
                    third = load_lanes(ballots + 3 * SHW_RECORD_BALLOT_LANES), in_third = -(number >> 6 & 1);
        results = (second & ~in_third) | (third & in_third);
    }
    return results >> (number & 63) & 1;
}

INLINE void follow(const uint64_t *ballots, const uint64_t *first_places, const uint64_t *shifts, uint32_t groups,
                   uint32_t levels, uint64_t *places)
{
    for (uint32_t g = 0; g < groups; g++) {
        for (uint32_t l = 0; l < SHW_RECORD_BALLOT_LANES; l += LANES) {
            const lanes upper = upper_of(ballots, levels, l);
            lanes number = (lanes){0} + 1;
            for (uint32_t level = 0; level < levels; level++) {
                const lanes side = level < 6 ? upper >> number & 1 : side_in_lower(ballots + l, level, number);
                number = (number + number) | side;
            }
            number >>= load_lanes(shifts + l);
            number += load_lanes(first_places + l);
            memcpy(places + l, &number, sizeof number);
        }
        ballots += SHW_RECORD_BALLOT_WORDS(levels);
        first_places += SHW_RECORD_BALLOT_LANES;
        shifts += SHW_RECORD_BALLOT_LANES;
        places += SHW_RECORD_BALLOT_LANES;
    }
}

INLINE void find_places(const struct shw_record_ballots *ballots, const struct shw_record_ballot_part *part,
                        uint32_t first_group, uint32_t groups, const void *values, uint64_t *places)
{
    const size_t first = part->first + (size_t)first_group * SHW_RECORD_BALLOT_LANES;
    const uint64_t *first_places = ballots->places + first, *shifts = ballots->shifts + first;
    const uint32_t words = part->levels > 0 ? SHW_RECORD_BALLOT_WORDS(part->levels) : 0;
    _Alignas(SHW_RECORD_LINE) uint64_t results[SHW_RECORD_BALLOT_WORDS_AT_ONCE];

    if (words > 0)
        find_ballots(ballots, part->word + (size_t)first_group * words, groups * words, values, results);
    switch (part->levels) {
    case 0: memcpy(places, first_places, (size_t)groups * SHW_RECORD_BALLOT_LANES * sizeof *places); break;
    case 3: follow(results, first_places, shifts, groups, 3, places); break;
    case 4: follow(results, first_places, shifts, groups, 4, places); break;
    case 5: follow(results, first_places, shifts, groups, 5, places); break;
    case 6: follow(results, first_places, shifts, groups, 6, places); break;
    case 7: follow(results, first_places, shifts, groups, 7, places); break;
    default: follow(results, first_places, shifts, groups, 8, places); break;
    }
}

/* Sums that do not wait for each other. */
INLINE int64_t sum_of(const int32_t *values, const uint64_t *places, uint32_t groups)
{
    int64_t sums[4] = {0};

    for (uint32_t g = 0; g < groups; g++, places += SHW_RECORD_BALLOT_LANES)
        for (uint32_t i = 0; i < 4; i++)
            sums[i] += (int64_t)values[places[i]] + values[places[i + 4]];
    return sums[0] + sums[1] + sums[2] + sums[3];
}

INLINE void evaluate_part(const struct shw_record_ballots *ballots, const struct shw_record_ballot_part *part,
                          const void *values, int64_t *sums, uint32_t *leaves)
{
    const bool is_simple = leaves == NULL && ballots->tops->info->output_count == 1;
    _Alignas(SHW_RECORD_LINE) uint64_t places[SHW_RECORD_BALLOT_TREES_AT_ONCE];

    for (uint32_t g = 0; g < part->groups; g += part->groups_at_once) {
        const uint32_t groups = part->groups - g < part->groups_at_once ? part->groups - g : part->groups_at_once;
        const uint32_t first = g * SHW_RECORD_BALLOT_LANES, left = part->count - first;
        const uint32_t count = left < groups * SHW_RECORD_BALLOT_LANES ? left : groups * SHW_RECORD_BALLOT_LANES;
        find_places(ballots, part, g, groups, values, places);
        if (part->steps > 0)
            shw_record_ballots_descend(ballots, part, groups, values, places);
        if (is_simple)
            sums[0] += sum_of(ballots->tops->values, places, groups);
        else
            shw_record_ballots_add(ballots, ballots->trees + part->first + first, places, count, sums, leaves);
    }
}

TARGET static void evaluate(const struct shw_record_ballots *ballots, const struct shw_records *records,
                            uint64_t record, int64_t *sums, uint32_t *leaves)
{
    const struct shw_record_forest_info *info = ballots->tops->info;
    _Alignas(SHW_RECORD_LINE) uint8_t values[SHW_RECORD_BALLOT_BYTES];

    for (uint32_t o = 0; o < info->output_count; o++)
        sums[o] = ballots->base[o];
    for (uint32_t t = 0; leaves != NULL && t < info->tree_count; t++)
        leaves[t] = 0;
    read_values(ballots, records, record, values);
    for (uint32_t p = 0; p < ballots->part_count; p++)
        evaluate_part(ballots, &ballots->parts[p], values, sums, leaves);
}
