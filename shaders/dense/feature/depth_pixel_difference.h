/* The depth at one position minus that at another, with offsets divided by the depth at the pixel and rounded towards
 * zero (Shotton et al. 2011, Eq. 1). Undefined if a position is outside the image, or has no depth. */
#ifndef SHW_DENSE_FEATURE_DEPTH_PIXEL_DIFFERENCE_H
#define SHW_DENSE_FEATURE_DEPTH_PIXEL_DIFFERENCE_H

#include "depth_pixels.h"

#define SHW_FEATURE_MAY_BE_UNDEFINED 1

SHW_INLINE SHW_RESPONSE shw_depth_look(SHW_CONTEXT_PARAMETER SHW_CENTRE centre, shw_uint offset, SHW_RECT image)
{
    SHW_RESPONSE depth;
    shw_int x = centre.x + shw_centre_offset(centre, shw_low16(offset));
    shw_int y = centre.y + shw_centre_offset(centre, shw_high16(offset));
    shw_int inside_x = shw_clamp(x, image.x0, image.x1 - 1), inside_y = shw_clamp(y, image.y0, image.y1 - 1);

    depth.value = shw_channel(SHW_CONTEXT 0u, inside_x, inside_y);
    depth.undefined = SHW_AS_UINT(depth.value == 0) | SHW_AS_UINT(x != inside_x) | SHW_AS_UINT(y != inside_y);
    return depth;
}

SHW_INLINE SHW_RESPONSE shw_feature_respond_at(SHW_CONTEXT_PARAMETER SHW_FEATURE feature, SHW_CENTRE centre,
                                               SHW_RECT image)
{
    SHW_RESPONSE response;
    SHW_RESPONSE first = shw_depth_look(SHW_CONTEXT centre, feature.words.x, image);
    SHW_RESPONSE second = shw_depth_look(SHW_CONTEXT centre, feature.words.z, image);
    shw_uint has_second = feature.head >> SHW_NODE_SECOND_SHIFT & 1u;

    response.undefined = first.undefined | (second.undefined & has_second);
    response.value = first.value - (second.value & SHW_AS_INT(0u - has_second));
    return response;
}

#endif
