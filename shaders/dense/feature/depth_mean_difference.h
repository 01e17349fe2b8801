/* The mean of a channel over a region minus that of another, or the former alone, with offsets and sizes divided by the
 * depth at the pixel (CURFIL, Eq. 2 and 5; Waldvogel 2013, Eq. 3.9 and 3.10).
 *
 * head: channel 0 in bits 0-11, channel 1 in bits 12-23, bit 25: side 1 counts, bits 26 and 27: side 0, side 1 is
 * counted. words: x: offset of region 0 as dx | dy << 16, y: its size as width | height << 16, z, w: region 1; all in
 * pixels at a depth of one metre.
 *
 * The sides of a region are from 1 to SHW_REGION_SIDE_MAX pixels; it begins half a side, rounded down, before the
 * offset. Only its pixels in the image count; without any, or if it is counted and its count is zero, the response is
 * undefined. */
#ifndef SHW_DENSE_FEATURE_DEPTH_MEAN_DIFFERENCE_H
#define SHW_DENSE_FEATURE_DEPTH_MEAN_DIFFERENCE_H

#include "depth_channels.h"
#include "depth_region.h"

#define SHW_FEATURE_READS            SHW_READS_INTEGRALS
#define SHW_FEATURE_MAY_BE_UNDEFINED 1
#define SHW_FEATURE_READS_DEPTH      1
#define SHW_FEATURE_READS_PIXELS     1

/* Far pixels have regions of one pixel: its value is a read of 16 bits, the four corners of its integral image are in
 * two rows. */
SHW_INLINE shw_uint shw_region_sum(SHW_CONTEXT_PARAMETER shw_uint channel, SHW_RECT rect)
{
#if SHW_PIXELS_AT_HAND
    if (shw_rect_area(rect) == 1u && shw_has_pixels())
        return SHW_AS_UINT(shw_channel(SHW_CONTEXT channel, rect.x0, rect.y0));
#endif
    return shw_integral(SHW_CONTEXT channel, rect.x1, rect.y1) - shw_integral(SHW_CONTEXT channel, rect.x0, rect.y1) -
           shw_integral(SHW_CONTEXT channel, rect.x1, rect.y0) + shw_integral(SHW_CONTEXT channel, rect.x0, rect.y0);
}

/* Over how many pixels of a region the mean is. If every pixel has a depth, its count is that of the pixels. Where code
 * may not branch, it is read all the same: without a count, the channel itself, whose sum is not used. */
SHW_INLINE shw_uint shw_region_count(SHW_CONTEXT_PARAMETER shw_uint channel, shw_uint is_counted, SHW_CENTRE centre,
                                     SHW_RECT region)
{
    shw_uint number = shw_rect_area(region);
#if SHW_MAY_BRANCH
    if ((is_counted & ~(centre.is_complete & SHW_AS_UINT(channel == 0u))) != 0u)
        number = shw_region_sum(SHW_CONTEXT channel + 1u, region);
    return number;
#else
    shw_uint count = shw_region_sum(SHW_CONTEXT channel + is_counted, region);
    SHW_UNUSED(centre);
    return (count & (0u - is_counted)) | (number & (is_counted - 1u));
#endif
}

SHW_INLINE SHW_RESPONSE shw_region_mean(SHW_CONTEXT_PARAMETER shw_uint channel, shw_uint is_counted, SHW_CENTRE centre,
                                        shw_uint offset, shw_uint size, SHW_RECT image)
{
    SHW_RESPONSE mean;
    SHW_RECT region = shw_region_place(centre, offset, size);
    shw_uint number;

    region.x0 = shw_clamp(region.x0, image.x0, image.x1);
    region.y0 = shw_clamp(region.y0, image.y0, image.y1);
    region.x1 = shw_clamp(region.x1, image.x0, image.x1);
    region.y1 = shw_clamp(region.y1, image.y0, image.y1);
    number = shw_region_count(SHW_CONTEXT channel, is_counted, centre, region);
    mean.undefined = SHW_AS_UINT(number == 0u);
    mean.value = shw_mean(SHW_AS_INT(shw_region_sum(SHW_CONTEXT channel, region)), number | mean.undefined);
    return mean;
}

SHW_INLINE SHW_RESPONSE shw_feature_respond_at(SHW_CONTEXT_PARAMETER SHW_FEATURE feature, SHW_CENTRE centre,
                                               SHW_RECT image)
{
    SHW_RESPONSE response, first, second;
    shw_uint has_second = feature.head >> SHW_NODE_SECOND_SHIFT & 1u;

    first = shw_region_mean(SHW_CONTEXT shw_node_channel(feature.head, 0u), shw_node_is_counted(feature.head, 0u),
                            centre, feature.words.x, feature.words.y, image);
    second = shw_region_mean(SHW_CONTEXT shw_node_channel(feature.head, 1u), shw_node_is_counted(feature.head, 1u),
                             centre, feature.words.z, feature.words.w, image);
    response.undefined = first.undefined | (second.undefined & has_second);
    response.value = SHW_AS_INT(SHW_AS_UINT(first.value) - (SHW_AS_UINT(second.value) & (0u - has_second)));
    return response;
}

/* The size of a region. */
SHW_INLINE shw_uint shw_region_draw(SHW_CANDIDATE_SPACE space, SHW_CANDIDATE_DRAWS draws)
{
    SHW_UINT2 sides = shw_candidate_size2(space, draws);
    return sides.x | sides.y << 16u;
}

/* Differences of depths are of one channel, heights come alone, and other channels in any pairs. */
SHW_INLINE SHW_FEATURE shw_feature_draw(SHW_CANDIDATE_PARAMETER SHW_CANDIDATE_SPACE space, shw_uint place,
                                        shw_uint candidate)
{
    SHW_FEATURE feature;
    SHW_CANDIDATE_STATE draws;
    shw_uint is_single, content, count, is_plain, number0, number1, channel0, channel1;

    space = shw_candidate_narrow(space, place, candidate);
    draws.place = place;
    draws.candidate = candidate;
    draws.next = 0u;
    is_single = SHW_AS_UINT(shw_candidate_below(space, SHW_DRAWS_OF(draws), 100u) < space.single_percent);
    content = shw_draw_content(SHW_CANDIDATE space, SHW_DRAWS_OF(draws));
    count = shw_count_content(SHW_CANDIDATE space.channels, content);
    number0 = shw_candidate_below(space, SHW_DRAWS_OF(draws), count);
    feature.words.x = shw_draw_offset(space, SHW_DRAWS_OF(draws));
    feature.words.y = shw_region_draw(space, SHW_DRAWS_OF(draws));
    number1 = shw_candidate_below(space, SHW_DRAWS_OF(draws), count);
    feature.words.z = shw_draw_offset(space, SHW_DRAWS_OF(draws));
    feature.words.w = shw_region_draw(space, SHW_DRAWS_OF(draws));
    is_plain = SHW_AS_UINT(content == SHW_CONTENT_PLAIN);
    is_single |= SHW_AS_UINT(content == SHW_CONTENT_HEIGHT);
    channel0 = shw_find_content(SHW_CANDIDATE space.channels, content, number0);
    channel1 = is_plain * shw_find_content(SHW_CANDIDATE space.channels, content, number1) + (1u - is_plain) * channel0;
    feature.head = channel0 | channel1 << SHW_NODE_CHANNEL_BITS | (1u - is_single) << SHW_NODE_SECOND_SHIFT |
                   (1u - is_plain) * (3u << SHW_NODE_COUNTED_SHIFT);
    return feature;
}

#endif
