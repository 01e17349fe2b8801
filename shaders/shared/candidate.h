/* For feature types: draws candidates from addressed random numbers, equal for all techniques. */
#ifndef SHW_SHARED_CANDIDATE_H
#define SHW_SHARED_CANDIDATE_H

#include "forest_texture.h"
#include "random.h"
#include "types.h"

#define SHW_RECTANGLE_SUM_MAX 0x3fffffffu
#define SHW_REACHES           4u /* offset_max and its halves, quarters, ... */

#define SHW_DRAW_POWER    30u /* numbers of draws that no candidate has otherwise */
#define SHW_DRAW_IN_POWER 31u

/* The parameters from which candidates are drawn. With offset_min, `candidates` is the number of a place's candidates.
 * With shapes, rectangles are squares of so many sizes. */
struct shw_candidate_space {
    shw_uint key, channels, size_max, offset_max, single_percent, offset_min, candidates, shapes;
};

/* The candidate, and how many numbers were drawn for it so far. */
struct shw_candidate_draws {
    shw_uint place, candidate, next;
};

#ifdef SHW_GLSL
#define SHW_CANDIDATE_SPACE shw_candidate_space
#define SHW_CANDIDATE_STATE shw_candidate_draws
#define SHW_CANDIDATE_DRAWS inout shw_candidate_draws
#define SHW_DRAWS_OF(draws) draws
#define SHW_DRAWS(draws)    draws
#else
#define SHW_CANDIDATE_SPACE struct shw_candidate_space
#define SHW_CANDIDATE_STATE struct shw_candidate_draws
#define SHW_CANDIDATE_DRAWS struct shw_candidate_draws *
#define SHW_DRAWS_OF(draws) (&(draws))
#define SHW_DRAWS(draws)    (*(draws))
#endif

SHW_INLINE shw_uint shw_candidate_below(SHW_CANDIDATE_SPACE space, SHW_CANDIDATE_DRAWS draws, shw_uint bound)
{
    shw_uint counter = SHW_DRAWS(draws).candidate << 5u | SHW_DRAWS(draws).next;

    SHW_DRAWS(draws).next += 1u;
    return shw_random_below(shw_random(space.key, SHW_DRAWS(draws).place, counter), bound);
}

/* With offset_min, each candidate has a reach of its own: of all, each power of two of offset_min is equally common,
 * and the first candidates have the shortest, so that of tests that are as good as each other a near one wins. The
 * space becomes that of candidates with this reach; with shapes, rectangles keep their sizes. */
SHW_INLINE SHW_CANDIDATE_SPACE shw_candidate_narrow(SHW_CANDIDATE_SPACE space, shw_uint place, shw_uint candidate)
{
    SHW_CANDIDATE_STATE draws;
    shw_uint powers, power, low, high;

    if (space.offset_min == 0u)
        return space;
    draws.place = place;
    draws.candidate = candidate;
    draws.next = SHW_DRAW_POWER;
    powers = shw_highest_bit(space.offset_max / space.offset_min) + 1u;
    power = (candidate * powers + shw_candidate_below(space, SHW_DRAWS_OF(draws), powers)) / space.candidates;
    low = space.offset_min << power;
    high = SHW_AS_UINT(shw_min(SHW_AS_INT(2u * low - 1u), SHW_AS_INT(space.offset_max)));
    draws.next = SHW_DRAW_IN_POWER;
    space.offset_max = low + shw_candidate_below(space, SHW_DRAWS_OF(draws), high - low + 1u);
    if (space.shapes == 0u)
        space.size_max = SHW_AS_UINT(shw_min(SHW_AS_INT(space.size_max), SHW_AS_INT(2u * space.offset_max + 1u)));
    return space;
}

/* The side of shape `number`: the middle of so many equal parts of the powers of two up to size_max, straight lines
 * between two powers. */
SHW_INLINE shw_uint shw_candidate_side(SHW_CANDIDATE_SPACE space, shw_uint number)
{
    shw_uint powers = shw_highest_bit(space.size_max) + 1u;
    shw_uint place = (2u * number + 1u) * powers * 128u / space.shapes; /* 256 a power */
    shw_uint low = 1u << (place >> 8u);

    return SHW_AS_UINT(shw_min(SHW_AS_INT(low + (low * (place & 255u) >> 8u)), SHW_AS_INT(space.size_max)));
}

/* One side of a rectangle: 1..size_max, each power of two equally likely and uniform between them, so that small sides
 * are as common as large ones. With shapes, the side of one of these. */
SHW_INLINE shw_uint shw_candidate_size(SHW_CANDIDATE_SPACE space, SHW_CANDIDATE_DRAWS draws)
{
    shw_uint powers, low, high;

    if (space.shapes > 0u)
        return shw_candidate_side(space, shw_candidate_below(space, draws, space.shapes));
    powers = shw_highest_bit(space.size_max) + 1u;
    low = 1u << shw_candidate_below(space, draws, powers);
    high = SHW_AS_UINT(shw_min(SHW_AS_INT(2u * low - 1u), SHW_AS_INT(space.size_max)));

    return low + shw_candidate_below(space, draws, high - low + 1u);
}

/* Both sides. */
SHW_INLINE SHW_UINT2 shw_candidate_size2(SHW_CANDIDATE_SPACE space, SHW_CANDIDATE_DRAWS draws)
{
    SHW_UINT2 sides;

    sides.x = shw_candidate_size(space, draws);
    sides.y = sides.x;
    if (space.shapes == 0u)
        sides.y = shw_candidate_size(space, draws);
    return sides;
}

/* How far from the pixel a rectangle may be: near positions, though fewer, get as many rectangles as far ones. In a
 * narrowed space, as far as the space says. */
SHW_INLINE shw_uint shw_candidate_reach(SHW_CANDIDATE_SPACE space, SHW_CANDIDATE_DRAWS draws, shw_uint width,
                                        shw_uint height)
{
    shw_uint reaches = space.offset_min == 0u ? SHW_REACHES : 1u;
    shw_int reach = SHW_AS_INT(space.offset_max >> shw_candidate_below(space, draws, reaches));

    return SHW_AS_UINT(shw_max(reach, shw_max(SHW_AS_INT(width), SHW_AS_INT(height)) >> 1u));
}

/* Where a side of that length begins, uniformly over all positions within `reach` of the pixel, in two's complement. */
SHW_INLINE shw_uint shw_candidate_begin(SHW_CANDIDATE_SPACE space, SHW_CANDIDATE_DRAWS draws, shw_uint reach,
                                        shw_uint size)
{
    return shw_candidate_below(space, draws, 2u * reach + 2u - size) - reach;
}

/* The sides of a rectangle, the larger halved until its sum cannot exceed SHW_RECTANGLE_SUM_MAX. */
SHW_INLINE SHW_UINT2 shw_candidate_sides(shw_uint width, shw_uint height, shw_uint max_abs)
{
    SHW_UINT2 sum = shw_multiply_wide(width * height, max_abs);
    SHW_UINT2 sides;

    while ((sum.x | SHW_AS_UINT(sum.y > SHW_RECTANGLE_SUM_MAX)) != 0u) {
        shw_uint wide = SHW_AS_UINT(width > height);
        width = (width + wide) >> wide;
        height = (height + 1u - wide) >> (1u - wide);
        sum = shw_multiply_wide(width * height, max_abs);
    }
    sides.x = width;
    sides.y = height;
    return sides;
}

/* The words of a rectangle: x0 | y0 << 16, x1 | y1 << 16. */
SHW_INLINE SHW_UINT2 shw_candidate_rectangle(SHW_CANDIDATE_SPACE space, SHW_CANDIDATE_DRAWS draws, shw_uint max_abs)
{
    SHW_UINT2 drawn = shw_candidate_size2(space, draws);
    SHW_UINT2 sides = shw_candidate_sides(drawn.x, drawn.y, max_abs);
    shw_uint reach = shw_candidate_reach(space, draws, sides.x, sides.y);
    shw_uint x = shw_candidate_begin(space, draws, reach, sides.x);
    shw_uint y = shw_candidate_begin(space, draws, reach, sides.y);
    SHW_UINT2 words;

    words.x = (x & 0xffffu) | y << 16u;
    words.y = ((x + sides.x) & 0xffffu) | (y + sides.y) << 16u;
    return words;
}

#endif
