/* Ranks, and the tops of trees, in vectors of BYTES bytes. A mask is a vector in which the sign of each value counts,
 * but no other bit. Files that include this define
 *     TARGET                          what goes before functions
 *     SELECT(mask, a, b)              the mask that is a where the first one is set and b elsewhere
 *     IS_GREATER(a, b, width)         the mask of where a > b; is_greater() is one
 *     ALL_BITS(mask, width)           -1 where the mask is set and 0 elsewhere
 *     COUNT_LOWER(thresholds, code)   how many of SHW_RECORD_NEAR thresholds are lower than a code. */
#include <string.h>

#include "records/evaluate/records_cpu.h"

#define VECTOR  TARGET __attribute__((always_inline)) static inline
#define VECTORS (SHW_RECORD_LINE / BYTES)

typedef int8_t int8_vector __attribute__((vector_size(BYTES)));
typedef int16_t int16_vector __attribute__((vector_size(BYTES)));
typedef int32_t vector __attribute__((vector_size(BYTES)));
typedef uint8_t uint8_vector __attribute__((vector_size(BYTES)));
typedef uint16_t uint16_vector __attribute__((vector_size(BYTES)));
typedef uint32_t uint32_vector __attribute__((vector_size(BYTES)));

/* The first steps of a search, and the last ones, are made by comparison with all thresholds that they could meet. */
TARGET static void find_ranks(const int32_t *thresholds, uint32_t steps, const int32_t *codes, uint32_t count,
                              uint32_t *ranks)
{
    const uint32_t pivot_steps = steps < SHW_RECORD_PIVOT_STEPS ? steps : SHW_RECORD_PIVOT_STEPS,
                   distance = 1u << (steps - pivot_steps);

    for (uint32_t i = 0; i < count; i += BYTES / sizeof(int32_t)) {
        vector code, rank = {0};
        memcpy(&code, codes + i, sizeof code);
        for (uint32_t p = 1; p < 1u << pivot_steps; p++)
            rank -= ((vector){0} + thresholds[(size_t)p * distance - 1]) < code;
        rank *= (vector){0} + (int32_t)distance;
        memcpy(ranks + i, &rank, sizeof rank);
    }
    for (uint32_t i = 0; distance > 1 && i < count; i++) {
        uint32_t rank = ranks[i];
        for (uint32_t half = distance / 2; half >= SHW_RECORD_NEAR; half >>= 1u)
            rank += thresholds[rank + half - 1] < codes[i] ? half : 0;
        ranks[i] = rank + COUNT_LOWER(thresholds + rank, codes[i]);
    }
}

/* Of a group's records. */
struct line {
    vector parts[VECTORS];
};

/* Places in a tree, which use all bits. */
VECTOR vector add(vector a, vector b, enum shw_record_width width)
{
    switch (width) {
    case SHW_RECORD_RANK_8: return (vector)((uint8_vector)a + (uint8_vector)b);
    case SHW_RECORD_RANK_16: return (vector)((uint16_vector)a + (uint16_vector)b);
    default: return (vector)((uint32_vector)a + (uint32_vector)b);
    }
}

VECTOR vector subtract(vector a, vector b, enum shw_record_width width)
{
    switch (width) {
    case SHW_RECORD_RANK_8: return (vector)((uint8_vector)a - (uint8_vector)b);
    case SHW_RECORD_RANK_16: return (vector)((uint16_vector)a - (uint16_vector)b);
    default: return (vector)((uint32_vector)a - (uint32_vector)b);
    }
}

VECTOR vector is_greater(vector a, vector b, enum shw_record_width width)
{
    switch (width) {
    case SHW_RECORD_RANK_8: return (vector)((int8_vector)a > (int8_vector)b);
    case SHW_RECORD_RANK_16: return (vector)((int16_vector)a > (int16_vector)b);
    default: return a > b;
    }
}

/* The records that pass a test to the left. */
VECTOR struct line test(const struct shw_record_top_node *node, const uint8_t *lines, enum shw_record_width width)
{
    const vector *values = (const vector *)(const void *)(lines + node->offset);
    const vector limit = (vector){0} + (int32_t)node->limit;
    struct line left;

    for (uint32_t i = 0; i < VECTORS; i++)
        left.parts[i] = IS_GREATER(limit, values[i], width);
    return left;
}

VECTOR struct line choose(struct line goes_left, struct line left, struct line right)
{
    struct line chosen;

    for (uint32_t i = 0; i < VECTORS; i++)
        chosen.parts[i] = SELECT(goes_left.parts[i], left.parts[i], right.parts[i]);
    return chosen;
}

/* Of the tests of two, four or eight successive nodes of a level, those that the tests above, from above[0] on, select.
 */
VECTOR struct line test_two(const struct shw_record_top_node *nodes, const uint8_t *lines, const struct line *above,
                            enum shw_record_width width)
{
    return choose(above[0], test(nodes, lines, width), test(nodes + 1, lines, width));
}

VECTOR struct line test_four(const struct shw_record_top_node *nodes, const uint8_t *lines, const struct line *above,
                             enum shw_record_width width)
{
    return choose(above[0], test_two(nodes, lines, above + 1, width), test_two(nodes + 2, lines, above + 1, width));
}

VECTOR struct line test_eight(const struct shw_record_top_node *nodes, const uint8_t *lines, const struct line *above,
                              enum shw_record_width width)
{
    return choose(above[0], test_four(nodes, lines, above + 1, width), test_four(nodes + 4, lines, above + 1, width));
}

/* A level with eight nodes or more: eight at a time, of which those without tests pass all to the left. */
VECTOR struct line test_many(const struct shw_record_top_node *nodes, uint32_t level, uint32_t eights,
                             const uint8_t *lines, const struct line *above, enum shw_record_width width)
{
    struct line parts[1u << (SHW_RECORD_TOP_MAX - 4)];

    eights >>= SHW_RECORD_EIGHT(level, 0);
    for (uint32_t i = 0; i < 1u << (level - 3); i++, eights >>= 1u)
        if (eights & 1u)
            parts[i] = test_eight(nodes + 8 * (size_t)i, lines, above + level - 3, width);
        else
            memset(&parts[i], 0xff, sizeof parts[i]);
    for (uint32_t l = level - 3; l > 0; l--)
        for (uint32_t i = 0; i < 1u << (l - 1); i++)
            parts[i] = choose(above[l - 1], parts[2 * i], parts[2 * i + 1]);
    return parts[0];
}

VECTOR struct line test_level(const struct shw_record_top_node *nodes, uint32_t level, uint32_t eights,
                              const uint8_t *lines, const struct line *above, enum shw_record_width width)
{
    switch (level) {
    case 0: return test(nodes, lines, width);
    case 1: return test_two(nodes, lines, above, width);
    case 2: return test_four(nodes, lines, above, width);
    default: return test_many(nodes, level, eights, lines, above, width);
    }
}

VECTOR void write_places(const struct line *line, uint32_t *places, enum shw_record_width width)
{
    uint8_t bytes[SHW_RECORD_LINE];
    uint16_t words[SHW_RECORD_LINE / 2];

    switch (width) {
    case SHW_RECORD_RANK_8:
        memcpy(bytes, line, sizeof bytes);
        for (uint32_t i = 0; i < SHW_RECORD_LINE; i++)
            places[i] = bytes[i];
        break;
    case SHW_RECORD_RANK_16:
        memcpy(words, line, sizeof words);
        for (uint32_t i = 0; i < SHW_RECORD_LINE / 2; i++)
            places[i] = words[i];
        break;
    default: memcpy(places, line, sizeof *line); break;
    }
}

/* Right turns as bits, the uppermost level's first. */
VECTOR void find_places(const struct shw_record_top *top, const struct shw_record_top_node *nodes, uint32_t levels,
                        const uint8_t *lines, size_t stride, uint32_t count, uint32_t *places,
                        enum shw_record_width width)
{
    for (uint32_t g = 0; g < count; g++) {
        struct line left[SHW_RECORD_TOP_MAX], place = {0};
        for (uint32_t level = 0; level < levels; level++) {
            left[level] = test_level(nodes + (1u << level) - 1, level, top->eights, lines + g * stride, left, width);
            for (uint32_t i = 0; i < VECTORS; i++)
                place.parts[i] =
                    subtract(add(place.parts[i], place.parts[i], width), ~ALL_BITS(left[level].parts[i], width), width);
        }
        write_places(&place, places + (size_t)g * SHW_RECORD_LINE / width, width);
    }
}

/* The compiler makes a function for each number of levels. */
VECTOR void find_by_levels(const struct shw_record_top *top, const struct shw_record_top_node *nodes,
                           const uint8_t *lines, size_t stride, uint32_t count, uint32_t *places,
                           enum shw_record_width width)
{
    switch (top->levels) {
    case 1: find_places(top, nodes, 1, lines, stride, count, places, width); break;
    case 2: find_places(top, nodes, 2, lines, stride, count, places, width); break;
    case 3: find_places(top, nodes, 3, lines, stride, count, places, width); break;
    case 4: find_places(top, nodes, 4, lines, stride, count, places, width); break;
    case 5: find_places(top, nodes, 5, lines, stride, count, places, width); break;
    case 6: find_places(top, nodes, 6, lines, stride, count, places, width); break;
    case 7: find_places(top, nodes, 7, lines, stride, count, places, width); break;
    case 8: find_places(top, nodes, 8, lines, stride, count, places, width); break;
    default: memset(places, 0, count * SHW_RECORD_LINE / width * sizeof *places); break;
    }
}

TARGET static void find_8(const struct shw_record_top *top, const struct shw_record_top_node *nodes,
                          const uint8_t *lines, size_t stride, uint32_t count, uint32_t *places)
{
    find_by_levels(top, nodes, lines, stride, count, places, SHW_RECORD_RANK_8);
}

TARGET static void find_16(const struct shw_record_top *top, const struct shw_record_top_node *nodes,
                           const uint8_t *lines, size_t stride, uint32_t count, uint32_t *places)
{
    find_by_levels(top, nodes, lines, stride, count, places, SHW_RECORD_RANK_16);
}

TARGET static void find_32(const struct shw_record_top *top, const struct shw_record_top_node *nodes,
                           const uint8_t *lines, size_t stride, uint32_t count, uint32_t *places)
{
    find_by_levels(top, nodes, lines, stride, count, places, SHW_RECORD_CODE_32);
}
