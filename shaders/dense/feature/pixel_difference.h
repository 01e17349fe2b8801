/* A channel at one pixel minus a channel at another, or the former alone (Lepetit and Fua 2006; Shotton 2008; Sharp
 * 2008, 2.5): sides are rectangles of one pixel, of which the first corner is read. */
#ifndef SHW_DENSE_FEATURE_PIXEL_DIFFERENCE_H
#define SHW_DENSE_FEATURE_PIXEL_DIFFERENCE_H

#include "feature.h"
#include "rectangle.h"

#define SHW_FEATURE_READS      SHW_READS_CHANNELS
#define SHW_FEATURE_HAS_INSIDE 1
#define SHW_FEATURE_HAS_PLACES 1 /* the prepared form is two places and a mask */

SHW_INLINE shw_int shw_side_value(SHW_CONTEXT_PARAMETER shw_uint channel, SHW_RECT rect)
{
    return shw_channel(SHW_CONTEXT channel, rect.x0, rect.y0);
}

#include "rectangle_difference.h"

SHW_INLINE SHW_FEATURE shw_feature_draw(SHW_CANDIDATE_PARAMETER SHW_CANDIDATE_SPACE space, shw_uint place,
                                        shw_uint candidate)
{
    space.size_max = 1u;
    space.shapes = 0u; /* one pixel is the only shape */
    return shw_sides_draw(SHW_CANDIDATE space, place, candidate);
}

/* The prepared form, for pixels around which nothing is clipped, is one texel: x, y: elements from the pixel's in plane
 * 0 to those of the sides, z: a mask of ones, or 0 if there is no second side. */
#ifdef SHW_GLSL
shw_response shw_feature_respond_inside(uvec4 first, uvec4 second, uint place)
{
    return shw_defined(shw_channel_at(place + first.x) - (shw_channel_at(place + first.y) & int(first.z)));
}
#else
static inline void shw_feature_prepare(struct shw_feature_words feature, uint32_t stride, uint32_t pitch,
                                       uint32_t words[8])
{
    const uint32_t corners[] = {feature.words.x, feature.words.z};

    for (uint32_t i = 0; i < 2; i++)
        words[i] = shw_node_channel(feature.head, i) * pitch + (uint32_t)shw_high16(corners[i]) * stride +
                   (uint32_t)shw_low16(corners[i]);
    words[2] = 0u - (feature.head >> SHW_NODE_SECOND_SHIFT & 1u);
    words[1] = words[2] != 0 ? words[1] : words[0];
}
#endif

#endif
