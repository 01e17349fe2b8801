/* sum(R0, c0) - sum(R1, c1) (Sharp 2008, 2.1). */
#ifndef SHW_DENSE_FEATURE_SUM_DIFFERENCE_H
#define SHW_DENSE_FEATURE_SUM_DIFFERENCE_H

#include "rectangle.h"

SHW_INLINE shw_int shw_rect_value(shw_int sum, SHW_RECT rect)
{
    SHW_UNUSED(rect);
    return sum;
}

SHW_INLINE shw_int shw_value_inside(shw_int sum, shw_uint shift, shw_uint factor)
{
    SHW_UNUSED(shift);
    return sum & SHW_AS_INT(factor); /* all ones, or 0 for a rectangle that is not used */
}

#include "rectangle_sum.h"

#ifndef SHW_GLSL
static inline void shw_inside_factor(uint32_t area, uint32_t *shift, uint32_t *factor)
{
    (void)area;
    *shift = 0;
    *factor = 0xffffffffu;
}
#endif

#endif
