/* Regions of CURFIL's features. */
#ifndef SHW_SHARED_CURFIL_REGION_H
#define SHW_SHARED_CURFIL_REGION_H

#include "centre.h"
#include "forest_texture.h"
#include "rectangle.h"

#define SHW_CURFIL_AHEAD_SHIFT 28u /* of a feature's head: the depth is that of the pixel to the right and below */
#define SHW_CURFIL_HALF_MAX    127 /* after division: a region has at most 254 x 254 pixels */
#define SHW_CURFIL_MEAN_BITS   4u  /* fraction bits of means */

SHW_INLINE shw_uint shw_curfil_is_ahead(shw_uint head)
{
    return head >> SHW_CURFIL_AHEAD_SHIFT & 1u;
}

/* In the image's coordinates, not clipped. Without depth, offsets are zero and halves of sizes one. */
SHW_INLINE SHW_RECT shw_curfil_place(SHW_CENTRE centre, shw_uint offset, shw_uint half_size)
{
    SHW_RECT region;
    shw_uint has_depth = 1u - centre.is_void;
    shw_int x = centre.x + shw_centre_offset(centre, shw_low16(offset) * SHW_AS_INT(has_depth));
    shw_int y = centre.y + shw_centre_offset(centre, shw_high16(offset) * SHW_AS_INT(has_depth));
    shw_uint width = shw_centre_divide(centre, (half_size & 0xffffu) * has_depth);
    shw_uint height = shw_centre_divide(centre, (half_size >> 16u) * has_depth);
    shw_int half_width = shw_clamp(SHW_AS_INT(width), 1, SHW_CURFIL_HALF_MAX);
    shw_int half_height = shw_clamp(SHW_AS_INT(height), 1, SHW_CURFIL_HALF_MAX);

    region.x0 = x - half_width + 1;
    region.y0 = y - half_height + 1;
    region.x1 = x + half_width + 1;
    region.y1 = y + half_height + 1;
    return region;
}

#endif
