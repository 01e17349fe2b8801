/* The response of a pixel to a feature: the one definition for every technique, in evaluation and in training.
 *
 * The including file defines, before:
 *   SHW_CONTEXT_PARAMETER, SHW_CONTEXT  a leading parameter, with its comma, of the functions here (empty in GLSL)
 *   shw_uint shw_integral(SHW_CONTEXT_PARAMETER shw_uint channel, shw_int x, shw_int y)
 *       the sum of the channel over all pixels left of x and above y, modulo 2^32
 *   SHW_FEATURE_IS_MEAN  0 or 1: sums or means */
#ifndef SHW_SHARED_RESPONSE_H
#define SHW_SHARED_RESPONSE_H

#include "forest_texture.h"
#include "rectangle.h"
#include "types.h"

SHW_INLINE shw_int shw_rect_sum(SHW_CONTEXT_PARAMETER shw_uint channel, SHW_RECT rect)
{
    return SHW_AS_INT(
        shw_integral(SHW_CONTEXT channel, rect.x1, rect.y1) - shw_integral(SHW_CONTEXT channel, rect.x0, rect.y1) -
        shw_integral(SHW_CONTEXT channel, rect.x1, rect.y0) + shw_integral(SHW_CONTEXT channel, rect.x0, rect.y0));
}

/* The response at pixel (x, y) to the feature in words `packed` (channels and flags) and `rects`. */
SHW_INLINE shw_int shw_response(SHW_CONTEXT_PARAMETER shw_uint packed, shw_uint4 rects, shw_int x, shw_int y,
                                SHW_RECT image)
{
    SHW_RECT rect0 = shw_rect_place(rects.x, rects.y, x, y, image);
    SHW_RECT rect1 = shw_rect_place(rects.z, rects.w, x, y, image);
    shw_int value0 = shw_rect_sum(SHW_CONTEXT packed & SHW_NODE_CHANNEL_MASK, rect0);
    shw_int value1 = shw_rect_sum(SHW_CONTEXT(packed >> SHW_NODE_CHANNEL_BITS) & SHW_NODE_CHANNEL_MASK, rect1);
#if SHW_FEATURE_IS_MEAN
    value0 = shw_mean(value0, shw_rect_area(rect0));
    value1 = shw_mean(value1, shw_rect_area(rect1));
#endif
    shw_uint second = 0u - ((packed >> SHW_NODE_SECOND_SHIFT) & 1u);
    return SHW_AS_INT(SHW_AS_UINT(value0) - (SHW_AS_UINT(value1) & second));
}

#endif
