/* The pixel that is classified, and division by its depth. */
#ifndef SHW_SHARED_CENTRE_H
#define SHW_SHARED_CENTRE_H

#include "types.h"

/* Feature parameters in pixels at a depth of one metre are multiplied by this and divided by the depth in
 * millimetres. */
#define SHW_METRE      1000u
#define SHW_OFFSET_MAX 32767 /* after division */

/* `factor` and `shift` divide by the depth; `is_void` is 1 if the pixel has none, `is_complete` is 1 if all pixels
 * whose planes are at hand are known to have one: those of the image, or of a tile and what features read around it.
 * Types that read no depth leave them zero. */
struct shw_centre {
    shw_int x, y;
    shw_uint depth, factor, shift, is_void, is_complete;
};

#ifdef SHW_GLSL
#define SHW_CENTRE shw_centre
#else
#define SHW_CENTRE struct shw_centre
#endif

SHW_INLINE SHW_CENTRE shw_centre_without_depth(shw_int x, shw_int y)
{
    SHW_CENTRE centre;
    centre.x = x;
    centre.y = y;
    centre.depth = 0u;
    centre.factor = 0u;
    centre.shift = 0u;
    centre.is_void = 0u;
    centre.is_complete = 0u;
    return centre;
}

/* `depth` is in millimetres, at most 65535; 0: there is none. shift = ceil(log2(depth)), factor = ceil(2^(25 + shift) /
 * depth) <= 2^26, in two steps because the dividend has up to 42 bits. */
SHW_INLINE SHW_CENTRE shw_centre_with_depth(shw_int x, shw_int y, shw_uint depth)
{
    SHW_CENTRE centre;
    shw_uint divisor = SHW_AS_UINT(shw_max(SHW_AS_INT(depth), 1));
    shw_uint shift = shw_highest_bit(2u * divisor - 1u);
    shw_uint later = SHW_AS_UINT(shw_max(SHW_AS_INT(shift), 6)) - 6u; /* bits of the second step */
    shw_uint dividend = 1u << (25u + shift - later), quotient = dividend / divisor;
    shw_uint rest = dividend - quotient * divisor;

    centre.x = x;
    centre.y = y;
    centre.depth = depth;
    centre.factor = (quotient << later) + ((rest << later) + divisor - 1u) / divisor;
    centre.shift = shift;
    centre.is_void = SHW_AS_UINT(depth == 0u);
    centre.is_complete = 0u;
    return centre;
}

/* floor(1000 length / depth), length <= 32768. As factor * depth exceeds 2^(25 + shift) by less than 2^shift and 1000
 * length is less than 2^25, the product exceeds the quotient by less than 1 / depth. */
SHW_INLINE shw_uint shw_centre_divide(SHW_CENTRE centre, shw_uint length)
{
    return shw_multiply_wide((SHW_METRE * length) << 7u, centre.factor).x >> centre.shift;
}

/* 1000 offset / depth for -32768 <= offset <= 32767, rounded towards zero and clamped to SHW_OFFSET_MAX. */
SHW_INLINE shw_int shw_centre_offset(SHW_CENTRE centre, shw_int offset)
{
    shw_uint negative = SHW_AS_UINT(offset) >> 31u;
    shw_uint quotient = shw_centre_divide(centre, (SHW_AS_UINT(offset) ^ (0u - negative)) + negative);
    shw_uint magnitude = SHW_AS_UINT(shw_min(SHW_AS_INT(quotient), SHW_OFFSET_MAX));
    return SHW_AS_INT((magnitude ^ (0u - negative)) + negative);
}

/* The same rounded towards minus infinity. */
SHW_INLINE shw_int shw_centre_offset_down(SHW_CENTRE centre, shw_int offset)
{
    shw_uint negative = SHW_AS_UINT(offset) >> 31u;
    shw_uint length = (SHW_AS_UINT(offset) ^ (0u - negative)) + negative;
    shw_uint quotient = shw_centre_divide(centre, length);
    shw_uint rest = SHW_AS_UINT(quotient * centre.depth != SHW_METRE * length);
    shw_uint magnitude = SHW_AS_UINT(shw_min(SHW_AS_INT(quotient + (negative & rest)), SHW_OFFSET_MAX));
    return SHW_AS_INT((magnitude ^ (0u - negative)) + negative);
}

#endif
