/* Grouping of windows: which belong together, their order, and what becomes of them; for C and GLSL. Integers only, so
 * that the host and every device get the same groups. docs/detection.md says what it is for. */
#ifndef SHW_SHARED_DETECT_GROUP_H
#define SHW_SHARED_DETECT_GROUP_H

#include "depth_code.h" /* numbers of 64 bits */
#include "types.h"

#ifndef SHW_GLSL
#include <stdbool.h>
#endif

/* struct shw_detection. */
struct shw_group_item {
    shw_int x, y;
    shw_uint width, height;
    shw_int score;
    shw_uint level, angle, neighbours;
};

/* Parameters with nothing left to choose. */
struct shw_group_rule {
    shw_uint method; /* enum shw_group_method */
    shw_uint min_neighbours;
    shw_uint epsilon, overlap; /* in units of 1 / SHW_GROUP_EPSILON_ONE and 1 / SHW_GROUP_OVERLAP_ONE */
};
#define SHW_GROUP_BY_NONE      1u
#define SHW_GROUP_BY_MEAN      2u
#define SHW_GROUP_BY_CLUSTER   3u
#define SHW_GROUP_BY_SUPPRESS  4u
#define SHW_GROUP_EPSILON_ONE  0x10000000u
#define SHW_GROUP_OVERLAP_ONE  0x40000000u
#define SHW_GROUP_EPSILON_BITS 28u
#define SHW_GROUP_OVERLAP_BITS 30u

/* Of the windows of a group: positions and scores as shw_group_place() has them. */
struct shw_group_sums {
    SHW_UINT2 x, y, width, height, score;
    shw_uint count;
};

/* mantissa * 2^exponent: a number of single precision; the mantissa has 24 bits or is 0. */
struct shw_group_single {
    shw_uint mantissa;
    shw_int exponent;
};

#ifndef SHW_GLSL
#define SHW_GROUP_ITEM   struct shw_group_item
#define SHW_GROUP_RULE   struct shw_group_rule
#define SHW_GROUP_SUMS   struct shw_group_sums
#define SHW_GROUP_SINGLE struct shw_group_single
#else
#define SHW_GROUP_ITEM   shw_group_item
#define SHW_GROUP_RULE   shw_group_rule
#define SHW_GROUP_SUMS   shw_group_sums
#define SHW_GROUP_SINGLE shw_group_single
#endif

/* Whether `a` comes before `b`: by falling score, then x, y, width, and the other members. */
SHW_INLINE bool shw_group_precedes(SHW_GROUP_ITEM a, SHW_GROUP_ITEM b)
{
    if (a.score != b.score)
        return a.score > b.score;
    if (a.x != b.x)
        return a.x < b.x;
    if (a.y != b.y)
        return a.y < b.y;
    if (a.width != b.width)
        return a.width < b.width;
    if (a.height != b.height)
        return a.height < b.height;
    if (a.level != b.level)
        return a.level < b.level;
    if (a.angle != b.angle)
        return a.angle < b.angle;
    return a.neighbours > b.neighbours;
}

/* By x, then as by score. */
SHW_INLINE bool shw_group_precedes_in_columns(SHW_GROUP_ITEM a, SHW_GROUP_ITEM b)
{
    if (a.x != b.x)
        return a.x < b.x;
    return shw_group_precedes(a, b);
}

/* A number plus 2^31, so that none is negative. */
SHW_INLINE shw_uint shw_group_place(shw_int value)
{
    return SHW_AS_UINT(value) ^ 0x80000000u;
}

SHW_INLINE shw_uint shw_group_least(shw_uint a, shw_uint b)
{
    return a < b ? a : b;
}

SHW_INLINE bool shw_group_less(SHW_UINT2 a, SHW_UINT2 b)
{
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}

/* The sum of two words. */
SHW_INLINE SHW_UINT2 shw_group_sum(shw_uint a, shw_uint b)
{
    return shw_wide_add(shw_wide(0u, a), shw_wide(0u, b));
}

/* A number of 96 bits: x, y and z, from the highest word on. */
SHW_INLINE shw_uint4 shw_group_times(SHW_UINT2 a, shw_uint b)
{
    SHW_UINT2 high = shw_multiply_wide(a.x, b), low = shw_multiply_wide(a.y, b);
    shw_uint4 product;

    product.w = 0u;
    product.z = low.y;
    product.y = low.x + high.y;
    product.x = high.x + SHW_AS_UINT(product.y < low.x);
    return product;
}

SHW_INLINE bool shw_group_times_less(shw_uint4 a, shw_uint4 b)
{
    if (a.x != b.x)
        return a.x < b.x;
    return shw_group_less(shw_wide(a.y, a.z), shw_wide(b.y, b.z));
}

/* The length that two intervals have in common. */
SHW_INLINE shw_uint shw_group_common(shw_int a, shw_uint a_size, shw_int b, shw_uint b_size)
{
    shw_uint a_begin = shw_group_place(a), b_begin = shw_group_place(b);
    SHW_UINT2 begin = shw_wide(0u, a_begin > b_begin ? a_begin : b_begin);
    SHW_UINT2 a_end = shw_group_sum(a_begin, a_size), end = shw_group_sum(b_begin, b_size);

    if (shw_group_less(a_end, end))
        end = a_end;
    return shw_group_less(begin, end) ? shw_wide_subtract(end, begin).y : 0u;
}

/* Whether intersection over union is above `overlap`: both * (1 + overlap) > overlap * (a + b), with a and b the
 * areas. */
SHW_INLINE bool shw_group_overlaps(SHW_GROUP_ITEM a, SHW_GROUP_ITEM b, shw_uint overlap)
{
    shw_uint across = shw_group_common(a.x, a.width, b.x, b.width);
    shw_uint down = across > 0u ? shw_group_common(a.y, a.height, b.y, b.height) : 0u;
    SHW_UINT2 both = shw_multiply_wide(across, down), a_area, b_area;
    shw_uint4 left, sum, right;
    shw_uint low;

    if (down == 0u)
        return false;
    a_area = shw_wide_subtract(shw_multiply_wide(a.width, a.height), both);
    b_area = shw_multiply_wide(b.width, b.height);
    left = shw_group_times(a_area, overlap);
    right = shw_group_times(b_area, overlap);
    sum.w = 0u;
    sum.z = left.z + right.z;
    low = left.y + right.y;
    sum.y = low + SHW_AS_UINT(sum.z < left.z);
    sum.x = left.x + right.x + SHW_AS_UINT(low < left.y) + SHW_AS_UINT(sum.y < low);
    return shw_group_times_less(sum, shw_group_times(both, SHW_GROUP_OVERLAP_ONE));
}

/* Whether a difference is at most this part of half the sum of two sides. */
SHW_INLINE bool shw_group_is_near(SHW_UINT2 a, SHW_UINT2 b, SHW_UINT2 sides, shw_uint epsilon)
{
    SHW_UINT2 apart = shw_group_less(a, b) ? shw_wide_subtract(b, a) : shw_wide_subtract(a, b);

    return !shw_group_times_less(shw_group_times(sides, epsilon),
                                 shw_group_times(shw_wide_add(apart, apart), SHW_GROUP_EPSILON_ONE));
}

/* Whether all sides are near (OpenCV's SimilarRects). */
SHW_INLINE bool shw_group_is_similar(SHW_GROUP_ITEM a, SHW_GROUP_ITEM b, shw_uint epsilon)
{
    SHW_UINT2 sides = shw_group_sum(shw_group_least(a.width, b.width), shw_group_least(a.height, b.height));
    shw_uint a_x = shw_group_place(a.x), a_y = shw_group_place(a.y);
    shw_uint b_x = shw_group_place(b.x), b_y = shw_group_place(b.y);

    return shw_group_is_near(shw_wide(0u, a_x), shw_wide(0u, b_x), sides, epsilon) &&
           shw_group_is_near(shw_wide(0u, a_y), shw_wide(0u, b_y), sides, epsilon) &&
           shw_group_is_near(shw_group_sum(a_x, a.width), shw_group_sum(b_x, b.width), sides, epsilon) &&
           shw_group_is_near(shw_group_sum(a_y, a.height), shw_group_sum(b_y, b.height), sides, epsilon);
}

SHW_INLINE bool shw_group_belong_together(SHW_GROUP_RULE rule, SHW_GROUP_ITEM a, SHW_GROUP_ITEM b)
{
    if (rule.method == SHW_GROUP_BY_MEAN)
        return shw_group_is_similar(a, b, rule.epsilon);
    return shw_group_overlaps(a, b, rule.overlap);
}

/* Whether `b`, which is not to the left of `a`, is so near that it can belong together with it; if not, nothing further
 * to the right can. */
SHW_INLINE bool shw_group_reaches(SHW_GROUP_RULE rule, SHW_GROUP_ITEM a, SHW_GROUP_ITEM b)
{
    shw_uint a_x = shw_group_place(a.x), b_x = shw_group_place(b.x);

    if (rule.method == SHW_GROUP_BY_MEAN)
        return shw_group_is_near(shw_wide(0u, a_x), shw_wide(0u, b_x), shw_group_sum(a.width, a.height), rule.epsilon);
    return shw_group_less(shw_wide(0u, b_x), shw_group_sum(a_x, a.width));
}

/* The quotient, rounded down. */
SHW_INLINE SHW_UINT2 shw_group_divide(SHW_UINT2 number, shw_uint divisor)
{
    SHW_UINT2 quotient = shw_wide(0u, 0u);
    shw_uint rest = 0u;

    for (shw_uint bit = 0u; bit < 64u; bit++) {
        shw_uint carry = rest >> 31u;
        rest = rest << 1u | number.x >> 31u;
        number = shw_wide_add(number, number);
        quotient = shw_wide_add(quotient, quotient);
        if (carry != 0u || rest >= divisor) {
            rest -= divisor;
            quotient.y |= 1u;
        }
    }
    return quotient;
}

/* Rounded, halves up. The mean of places is the place of the mean. */
SHW_INLINE shw_uint shw_group_mean(SHW_UINT2 sum, shw_uint count)
{
    return shw_group_divide(shw_wide_add(sum, shw_wide(0u, count >> 1u)), count).y;
}

/* number * 2^exponent in single precision: halves to the even number. */
SHW_INLINE SHW_GROUP_SINGLE shw_group_round(SHW_UINT2 number, shw_int exponent)
{
    SHW_GROUP_SINGLE single;
    shw_uint rest;

    single.mantissa = 0u;
    single.exponent = 0;
    if ((number.x | number.y) == 0u)
        return single;
    while (number.x != 0u || number.y >= 0x4000000u) { /* what is shifted out stays in the last bit */
        number = shw_wide(number.x >> 1u, number.x << 31u | number.y >> 1u | (number.y & 1u));
        exponent++;
    }
    while (number.y < 0x2000000u) {
        number.y <<= 1u;
        exponent--;
    }
    rest = number.y & 3u;
    single.mantissa = number.y >> 2u;
    single.mantissa += SHW_AS_UINT(rest + (single.mantissa & 1u) > 2u);
    single.exponent = exponent + 2;
    if (single.mantissa == 0x1000000u) {
        single.mantissa = 0x800000u;
        single.exponent++;
    }
    return single;
}

SHW_INLINE SHW_GROUP_SINGLE shw_group_reciprocal(SHW_GROUP_SINGLE single)
{
    shw_uint rest = 1u, quotient = 0u;

    for (shw_uint bit = 0u; bit < 49u; bit++) {
        rest <<= 1u;
        quotient <<= 1u;
        if (rest >= single.mantissa) {
            rest -= single.mantissa;
            quotient |= 1u;
        }
    }
    return shw_group_round(shw_wide(0u, quotient | SHW_AS_UINT(rest != 0u)), -49 - single.exponent);
}

/* The nearest whole number, halves to the even one. */
SHW_INLINE SHW_UINT2 shw_group_nearest(SHW_GROUP_SINGLE single)
{
    SHW_UINT2 number = shw_wide(0u, single.mantissa);
    shw_uint drop, rest;

    for (; single.exponent > 0; single.exponent--)
        number = shw_wide_add(number, number);
    if (single.exponent == 0)
        return number;
    if (single.exponent < -25)
        return shw_wide(0u, 0u);
    drop = SHW_AS_UINT(-single.exponent);
    number.y = single.mantissa >> drop;
    rest = (single.mantissa & ((1u << drop) - 1u)) << 1u;
    number.y += SHW_AS_UINT(rest + (number.y & 1u) > 1u << drop);
    return number;
}

/* A mean in OpenCV's arithmetic, which is single precision: the sum times the reciprocal of the count. */
SHW_INLINE SHW_UINT2 shw_group_single_mean(SHW_UINT2 sum, shw_uint count)
{
    SHW_GROUP_SINGLE a = shw_group_round(sum, 0);
    SHW_GROUP_SINGLE b = shw_group_reciprocal(shw_group_round(shw_wide(0u, count), 0));

    return shw_group_nearest(shw_group_round(shw_multiply_wide(a.mantissa, b.mantissa), a.exponent + b.exponent));
}

SHW_INLINE shw_uint shw_group_word(SHW_UINT2 number)
{
    return number.x != 0u ? 0xffffffffu : number.y;
}

/* A magnitude with a sign as a number of 32 bits, the nearest that there is. */
SHW_INLINE shw_int shw_group_signed(SHW_UINT2 magnitude, bool is_negative)
{
    shw_uint most = is_negative ? 0x80000000u : 0x7fffffffu, word = shw_group_word(magnitude);

    word = shw_group_least(word, most);
    return SHW_AS_INT(is_negative ? 0u - word : word);
}

/* From a sum of places, the sum, or if `single` is true, the mean of shw_group_single_mean(). */
SHW_INLINE shw_int shw_group_of_places(SHW_UINT2 sum, shw_uint count, bool single)
{
    SHW_UINT2 zero = shw_wide(count >> 1u, count << 31u), magnitude;
    bool is_negative = shw_group_less(sum, zero);

    magnitude = is_negative ? shw_wide_subtract(zero, sum) : shw_wide_subtract(sum, zero);
    if (single)
        magnitude = shw_group_single_mean(magnitude, count);
    return shw_group_signed(magnitude, is_negative);
}

/* What becomes of windows, of which `group` is the best: MEAN and CLUSTER. */
SHW_INLINE SHW_GROUP_ITEM shw_group_make(SHW_GROUP_RULE rule, SHW_GROUP_ITEM group, SHW_GROUP_SUMS sums)
{
    if (rule.method == SHW_GROUP_BY_MEAN) {
        group.x = shw_group_of_places(sums.x, sums.count, true);
        group.y = shw_group_of_places(sums.y, sums.count, true);
        group.width = shw_group_word(shw_group_single_mean(sums.width, sums.count));
        group.height = shw_group_word(shw_group_single_mean(sums.height, sums.count));
    } else {
        group.x = SHW_AS_INT(shw_group_mean(sums.x, sums.count) ^ 0x80000000u);
        group.y = SHW_AS_INT(shw_group_mean(sums.y, sums.count) ^ 0x80000000u);
        group.width = shw_group_mean(sums.width, sums.count);
        group.height = shw_group_mean(sums.height, sums.count);
        group.score = shw_group_of_places(sums.score, sums.count, false);
    }
    group.neighbours = sums.count;
    return group;
}

/* size * epsilon, rounded, halves to the even number: what is above a half by less than the rounding up of epsilon can
 * have made it counts as one. */
SHW_INLINE SHW_UINT2 shw_group_margin(shw_uint size, shw_uint epsilon)
{
    SHW_UINT2 product = shw_multiply_wide(size, epsilon), margin;
    shw_uint rest = product.y & (SHW_GROUP_EPSILON_ONE - 1u), one_half = SHW_GROUP_EPSILON_ONE >> 1u;

    margin = shw_wide(product.x >> SHW_GROUP_EPSILON_BITS,
                      product.x << (32u - SHW_GROUP_EPSILON_BITS) | product.y >> SHW_GROUP_EPSILON_BITS);
    if (rest < one_half || (rest - one_half < size && (margin.y & 1u) == 0u))
        return margin;
    return shw_wide_add(margin, shw_wide(0u, 1u));
}

/* Whether an interval is inside another one that is longer by `margin` on both sides. */
SHW_INLINE bool shw_group_is_between(shw_int a, shw_uint a_size, shw_int b, shw_uint b_size, SHW_UINT2 margin)
{
    shw_uint a_begin = shw_group_place(a), b_begin = shw_group_place(b);

    return !shw_group_less(shw_wide_add(shw_wide(0u, a_begin), margin), shw_wide(0u, b_begin)) &&
           !shw_group_less(shw_wide_add(shw_group_sum(b_begin, b_size), margin), shw_group_sum(a_begin, a_size));
}

/* Whether a group is inside another one that has clearly more windows (OpenCV). */
SHW_INLINE bool shw_group_is_inside(SHW_GROUP_ITEM a, SHW_GROUP_ITEM b, shw_uint epsilon)
{
    return shw_group_is_between(a.x, a.width, b.x, b.width, shw_group_margin(b.width, epsilon)) &&
           shw_group_is_between(a.y, a.height, b.y, b.height, shw_group_margin(b.height, epsilon)) &&
           ((b.neighbours > 3u && b.neighbours > a.neighbours) || a.neighbours < 3u);
}

/* The grouper on a device: its bindings and push constants. */
#define SHW_GROUPER_WINDOWS  0 /* the caller's: struct shw_detect_target */
#define SHW_GROUPER_GROUPS   1 /* the caller's: struct shw_group_target */
#define SHW_GROUPER_SCRATCH  2
#define SHW_GROUPER_BINDINGS 3

#define SHW_GROUPER_LANES        256u
#define SHW_GROUPER_HEADER_WORDS 8u /* struct shw_group_header */

/* Places in the scratch memory, in words for each window. */
#define SHW_GROUPER_ORDER  0u
#define SHW_GROUPER_LABELS 1u  /* CLUSTER, MEAN: parents; SUPPRESS: whether it is dropped */
#define SHW_GROUPER_COUNTS 2u  /* windows of a group; MEAN: afterwards whether it is inside another one */
#define SHW_GROUPER_SCORES 3u  /* places of the best scores */
#define SHW_GROUPER_BEST   4u  /* the first window that has it */
#define SHW_GROUPER_SUMS   5u  /* of the lower and the upper 16 bits of x, y, width, height and score */
#define SHW_GROUPER_MADE   15u /* groups, not in order */
#define SHW_GROUPER_WORDS  23u /* behind them one word: how many groups are made */

/* The steps, one dispatch each: BEGIN and END of one work group for every method, AVERAGE for MEAN and CLUSTER. */
#define SHW_GROUPER_BEGIN   0u /* sorts; NONE, SUPPRESS: makes groups */
#define SHW_GROUPER_CONNECT 1u /* MEAN, CLUSTER: by many work groups, each of which takes some windows */
#define SHW_GROUPER_AVERAGE 2u
#define SHW_GROUPER_INSIDE  3u  /* MEAN: an invocation for each group */
#define SHW_GROUPER_END     4u  /* sorts groups and writes them */
#define SHW_GROUPER_ROWS    16u /* windows that a work group takes in CONNECT */

struct shw_grouper_push {
    shw_uint step;
    shw_uint method, min_neighbours, epsilon, overlap; /* struct shw_group_rule */
    shw_uint has_min_score;
    shw_int min_score;
    shw_uint room;            /* windows for which there is scratch memory */
    shw_uint windows, groups; /* capacities */
    shw_uint vertex_count;
};

#ifndef SHW_GLSL
_Static_assert(sizeof(struct shw_group_item) == 8 * 4, "items are 8 words in GLSL");
_Static_assert(sizeof(struct shw_grouper_push) == 11 * 4, "push constants are 11 words in GLSL");
#endif

#endif
