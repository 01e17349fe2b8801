/* Rectangles on integral images. */
#ifndef SHW_SHARED_RECTANGLE_H
#define SHW_SHARED_RECTANGLE_H

#include "types.h"

/* Pixels x0 <= x < x1, y0 <= y < y1. */
struct shw_rect {
    shw_int x0, y0, x1, y1;
};

#ifndef SHW_GLSL
#define SHW_RECT struct shw_rect
#else
#define SHW_RECT shw_rect
#endif

/* Moves a rectangle to the pixel (x, y) and clips it to `image`. At least one pixel remains: the nearest one if the
 * rectangle is outside. */
SHW_INLINE SHW_RECT shw_rect_move(SHW_RECT rect, shw_int x, shw_int y, SHW_RECT image)
{
    SHW_RECT moved;
    moved.x0 = shw_clamp(x + rect.x0, image.x0, image.x1 - 1);
    moved.y0 = shw_clamp(y + rect.y0, image.y0, image.y1 - 1);
    moved.x1 = shw_clamp(x + rect.x1, moved.x0 + 1, image.x1);
    moved.y1 = shw_clamp(y + rect.y1, moved.y0 + 1, image.y1);
    return moved;
}

/* The same for a rectangle in the words of a feature: x0 | y0 << 16, x1 | y1 << 16. */
SHW_INLINE SHW_RECT shw_rect_place(shw_uint low, shw_uint high, shw_int x, shw_int y, SHW_RECT image)
{
    SHW_RECT rect;
    rect.x0 = shw_low16(low);
    rect.y0 = shw_high16(low);
    rect.x1 = shw_low16(high);
    rect.y1 = shw_high16(high);
    return shw_rect_move(rect, x, y, image);
}

/* The part of `image` that the planes of a region of width x height pixels hold, in the region's coordinates. */
SHW_INLINE SHW_RECT shw_rect_held(SHW_RECT image, shw_int width, shw_int height)
{
    SHW_RECT held;
    held.x0 = shw_max(image.x0, 0);
    held.y0 = shw_max(image.y0, 0);
    held.x1 = shw_min(image.x1, width);
    held.y1 = shw_min(image.y1, height);
    return held;
}

SHW_INLINE shw_uint shw_rect_area(SHW_RECT rect)
{
    return SHW_AS_UINT(rect.x1 - rect.x0) * SHW_AS_UINT(rect.y1 - rect.y0);
}

/* sum / area, rounded towards zero. |sum| < 2^30; as the sum of that many 16-bit values, |sum / area| <= 2^15. */
SHW_INLINE shw_int shw_mean(shw_int sum, shw_uint area)
{
    shw_uint negative = SHW_AS_UINT(sum) >> 31u; /* 0 or 1 */
    shw_uint magnitude = (SHW_AS_UINT(sum) ^ (0u - negative)) + negative;
#ifdef SHW_GLSL
    /* An estimate that is at most the quotient and at least the quotient minus one: each of its operations has a
     * relative error below 2^-22, and 2^-19 is subtracted. Faster than integer division. */
    shw_uint quotient = uint(float(magnitude) * ((1.0 - 1.0 / 524288.0) / float(area)));
    quotient += SHW_AS_UINT(magnitude - quotient * area >= area);
#else
    shw_uint quotient = magnitude / area;
#endif
    return SHW_AS_INT((quotient ^ (0u - negative)) + negative);
}

/* ceil(log2(area)); 0 < area < 2^30. */
SHW_INLINE shw_uint shw_mean_shift(shw_uint area)
{
    return shw_highest_bit(2u * area - 1u);
}

#ifndef SHW_GLSL
/* ceil(2^(30 + shift) / area): at least 2^30 and below 2^31. */
static inline shw_uint shw_mean_multiplier(shw_uint area)
{
    return (shw_uint)((((uint64_t)1 << (30 + shw_mean_shift(area))) + area - 1) / area);
}
#endif

/* shw_mean() for an area known in advance, without division: with its shw_mean_multiplier() m and shw_mean_shift() s.
 * Since m area exceeds 2^(30 + s) by less than area <= 2^s, and |sum| < 2^30, |sum| m / 2^(30 + s) exceeds |sum| / area
 * by less than 1 / area. */
SHW_INLINE shw_int shw_mean_by(shw_int sum, shw_uint multiplier, shw_uint shift)
{
    shw_uint negative = SHW_AS_UINT(sum) >> 31u;
#ifdef SHW_GLSL
    shw_uint magnitude = SHW_AS_UINT(abs(sum));
#else
    shw_uint magnitude = (SHW_AS_UINT(sum) ^ (0u - negative)) + negative;
#endif
    shw_uint quotient = shw_multiply_wide(magnitude << 2u, multiplier).x >> shift;
    return SHW_AS_INT((quotient ^ (0u - negative)) + negative);
}

#endif
