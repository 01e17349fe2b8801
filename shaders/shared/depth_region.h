/* Regions whose offset and size are divided by the depth at the pixel. */
#ifndef SHW_SHARED_DEPTH_REGION_H
#define SHW_SHARED_DEPTH_REGION_H

#include "centre.h"
#include "rectangle.h"

/* The square of that size holds 32761 values of at most 32767: the sum is less than 2^30. */
#define SHW_REGION_SIDE_MAX 181

SHW_INLINE shw_int shw_region_side(SHW_CENTRE centre, shw_uint length)
{
    shw_uint most = SHW_AS_UINT(shw_min(SHW_AS_INT(length), 32767));
    return shw_clamp(SHW_AS_INT(shw_centre_divide(centre, most)), 1, SHW_REGION_SIDE_MAX);
}

/* In the image's coordinates, not clipped. */
SHW_INLINE SHW_RECT shw_region_place(SHW_CENTRE centre, shw_uint offset, shw_uint size)
{
    SHW_RECT region;
    shw_int width = shw_region_side(centre, size & 0xffffu), height = shw_region_side(centre, size >> 16u);

    region.x0 = centre.x + shw_centre_offset(centre, shw_low16(offset)) - SHW_AS_INT(SHW_AS_UINT(width) >> 1u);
    region.y0 = centre.y + shw_centre_offset(centre, shw_high16(offset)) - SHW_AS_INT(SHW_AS_UINT(height) >> 1u);
    region.x1 = region.x0 + width;
    region.y1 = region.y0 + height;
    return region;
}

#endif
