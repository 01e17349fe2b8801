/* For feature types whose sides are computed from the sum over a rectangle.
 *
 * The including file defines, before:
 *   shw_int shw_rect_value(shw_int sum, SHW_RECT rect)     the value of a rectangle's side
 *   shw_int shw_value_inside(shw_int sum, shw_uint shift, shw_uint factor)  the same for a rectangle that is not
 * clipped */
#ifndef SHW_SHARED_RECTANGLE_SUM_H
#define SHW_SHARED_RECTANGLE_SUM_H

#include "feature.h"
#include "rectangle.h"

#define SHW_FEATURE_READS        SHW_READS_INTEGRALS
#define SHW_FEATURE_READS_PIXELS 1
#define SHW_FEATURE_HAS_MEANS    1
#define SHW_FEATURE_HAS_INSIDE   1

#if SHW_PIXELS_AT_HAND
/* Rectangles of up to so many pixels are read pixel by pixel: 16 bits each, where the four corners of an integral image
 * are 32 bits each in two rows. All samples of a work group have the same rectangle. */
#define SHW_RECT_PIXELS_MAX 3u

SHW_INLINE shw_int shw_pixel_sum(SHW_CONTEXT_PARAMETER shw_uint channel, SHW_RECT rect)
{
    shw_int sum = 0;

    for (shw_int y = rect.y0; y < rect.y1; ++y)
        for (shw_int x = rect.x0; x < rect.x1; ++x)
            sum += shw_channel(SHW_CONTEXT channel, x, y);
    return sum;
}
#endif

SHW_INLINE shw_int shw_rect_sum(SHW_CONTEXT_PARAMETER shw_uint channel, SHW_RECT rect)
{
#if SHW_PIXELS_AT_HAND
    if (shw_rect_area(rect) <= SHW_RECT_PIXELS_MAX && shw_has_pixels())
        return shw_pixel_sum(SHW_CONTEXT channel, rect);
#endif
    return SHW_AS_INT(
        shw_integral(SHW_CONTEXT channel, rect.x1, rect.y1) - shw_integral(SHW_CONTEXT channel, rect.x0, rect.y1) -
        shw_integral(SHW_CONTEXT channel, rect.x1, rect.y0) + shw_integral(SHW_CONTEXT channel, rect.x0, rect.y0));
}

SHW_INLINE shw_int shw_side_value(SHW_CONTEXT_PARAMETER shw_uint channel, SHW_RECT rect)
{
    return shw_rect_value(shw_rect_sum(SHW_CONTEXT channel, rect), rect);
}

#include "rectangle_difference.h"

SHW_INLINE SHW_FEATURE shw_feature_draw(SHW_CANDIDATE_PARAMETER SHW_CANDIDATE_SPACE space, shw_uint place,
                                        shw_uint candidate)
{
    return shw_sides_draw(SHW_CANDIDATE space, place, candidate);
}

/* The prepared form of a feature, for pixels around which no rectangle is clipped: one texel per rectangle. x: words
 * from the pixel's in plane 0 to the upper left corner, y: width and, from bit 16 on, shift, z: words from the upper
 * row to the lower, w: factor; 0 for a second rectangle that is not used. */
#define SHW_INSIDE_SHIFT 16u

#ifdef SHW_GLSL
int shw_rect_inside(uvec4 rect, uint word)
{
    uint upper = word + rect.x, lower = upper + rect.z, width = rect.y & ((1u << SHW_INSIDE_SHIFT) - 1u);
    int sum = int(shw_integral_at(lower + width) - shw_integral_at(lower) - shw_integral_at(upper + width) +
                  shw_integral_at(upper));
    return shw_value_inside(sum, rect.y >> SHW_INSIDE_SHIFT, rect.w);
}

/* The response at the pixel whose word in plane 0 is `word`. */
shw_response shw_feature_respond_inside(uvec4 first, uvec4 second, uint word)
{
    return shw_defined(int(uint(shw_rect_inside(first, word)) - uint(shw_rect_inside(second, word))));
}
#else
/* The shift and factor for shw_value_inside(). */
static inline void shw_inside_factor(uint32_t area, uint32_t *shift, uint32_t *factor);

static inline void shw_rect_prepare(uint32_t low, uint32_t high, uint32_t channel, uint32_t stride, uint32_t pitch,
                                    uint32_t words[4])
{
    uint32_t width = (uint32_t)(shw_low16(high) - shw_low16(low)),
             height = (uint32_t)(shw_high16(high) - shw_high16(low)), shift, factor;

    shw_inside_factor(width * height, &shift, &factor);
    words[0] = channel * pitch + (uint32_t)shw_high16(low) * stride + (uint32_t)shw_low16(low);
    words[1] = width | shift << SHW_INSIDE_SHIFT;
    words[2] = height * stride;
    words[3] = factor;
}

/* `stride` (from row to row) and `pitch` (from plane to plane) of the integral images are in words; `words` must be
 * zero. */
static inline void shw_feature_prepare(struct shw_feature_words feature, uint32_t stride, uint32_t pitch,
                                       uint32_t words[8])
{
    shw_rect_prepare(feature.words.x, feature.words.y, shw_node_channel(feature.head, 0), stride, pitch, words);
    if ((feature.head >> SHW_NODE_SECOND_SHIFT & 1) != 0)
        shw_rect_prepare(feature.words.z, feature.words.w, shw_node_channel(feature.head, 1), stride, pitch, words + 4);
}
#endif

#endif
