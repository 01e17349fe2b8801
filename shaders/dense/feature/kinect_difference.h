/* The depth at one position minus that at another, as Kinect's body-part forests compute it: offsets divided by the
 * depth at the pixel are rounded towards minus infinity, positions are moved into the image, and where depth is missing
 * it is 32767, as of a far background. */
#ifndef SHW_DENSE_FEATURE_KINECT_DIFFERENCE_H
#define SHW_DENSE_FEATURE_KINECT_DIFFERENCE_H

#include "depth_pixels.h"

#define SHW_FEATURE_MAY_BE_UNDEFINED 0

#define SHW_BACKGROUND 32767

SHW_INLINE shw_int shw_depth_look(SHW_CONTEXT_PARAMETER SHW_CENTRE centre, shw_uint offset, SHW_RECT image)
{
    shw_int x = centre.x + shw_centre_offset_down(centre, shw_low16(offset));
    shw_int y = centre.y + shw_centre_offset_down(centre, shw_high16(offset));
    shw_int depth =
        shw_channel(SHW_CONTEXT 0u, shw_clamp(x, image.x0, image.x1 - 1), shw_clamp(y, image.y0, image.y1 - 1));

    return depth + SHW_BACKGROUND * SHW_AS_INT(SHW_AS_UINT(depth == 0));
}

SHW_INLINE SHW_RESPONSE shw_feature_respond_at(SHW_CONTEXT_PARAMETER SHW_FEATURE feature, SHW_CENTRE centre,
                                               SHW_RECT image)
{
    shw_int first = shw_depth_look(SHW_CONTEXT centre, feature.words.x, image);
    shw_int second = shw_depth_look(SHW_CONTEXT centre, feature.words.z, image);
    shw_uint has_second = feature.head >> SHW_NODE_SECOND_SHIFT & 1u;

    return shw_defined(first - (second & SHW_AS_INT(0u - has_second)));
}

#endif
