/* For feature types that compare the depths at two positions, or read one, with offsets divided by the depth at the
 * pixel (Shotton et al. 2011, Eq. 1).
 *
 * head: bit 25: position 1 counts. words: x: position 0 as dx | dy << 16, z: position 1, in pixels at a depth of one
 * metre; y, w: 0. */
#ifndef SHW_SHARED_DEPTH_PIXELS_H
#define SHW_SHARED_DEPTH_PIXELS_H

#include "centre.h"
#include "depth_channels.h"
#include "rectangle.h"

#define SHW_FEATURE_READS       SHW_READS_CHANNELS
#define SHW_FEATURE_READS_DEPTH 1

/* Of single candidates the second position is the pixel itself (Shotton et al. 2011: v = 0). */
SHW_INLINE SHW_FEATURE shw_feature_draw(SHW_CANDIDATE_PARAMETER SHW_CANDIDATE_SPACE space, shw_uint place,
                                        shw_uint candidate)
{
    SHW_FEATURE feature;
    SHW_CANDIDATE_STATE draws;
    shw_uint is_single;

    space = shw_candidate_narrow(space, place, candidate);
    draws.place = place;
    draws.candidate = candidate;
    draws.next = 0u;
    is_single = SHW_AS_UINT(shw_candidate_below(space, SHW_DRAWS_OF(draws), 100u) < space.single_percent);
    feature.head = 1u << SHW_NODE_SECOND_SHIFT;
    feature.words.x = shw_draw_offset(space, SHW_DRAWS_OF(draws));
    feature.words.y = 0u;
    feature.words.z = shw_draw_offset(space, SHW_DRAWS_OF(draws)) & (is_single - 1u);
    feature.words.w = 0u;
    return feature;
}

#endif
