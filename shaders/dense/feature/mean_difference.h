/* mean(R0, c0) - mean(R1, c1): means over the clipped areas, rounded towards zero. */
#ifndef SHW_DENSE_FEATURE_MEAN_DIFFERENCE_H
#define SHW_DENSE_FEATURE_MEAN_DIFFERENCE_H

#include "rectangle.h"

SHW_INLINE shw_int shw_rect_value(shw_int sum, SHW_RECT rect)
{
    return shw_mean(sum, shw_rect_area(rect));
}

SHW_INLINE shw_int shw_value_inside(shw_int sum, shw_uint shift, shw_uint factor)
{
    return shw_mean_by(sum, factor, shift);
}

#include "rectangle_sum.h"

#ifndef SHW_GLSL
static inline void shw_inside_factor(uint32_t area, uint32_t *shift, uint32_t *factor)
{
    *shift = shw_mean_shift(area);
    *factor = shw_mean_multiplier(area);
}
#endif

#endif
