/* The response of CURFIL's forests as its programs compute it (docs/exchange.md): the sum of a channel over a region
 * minus that of another; or, of channels with a count, the difference of the means in sixteenths. Offsets and sizes are
 * divided by the depth at the pixel and rounded towards zero.
 *
 * head: channel 0 in bits 0-11, channel 1 in bits 12-23, bit 25: side 1 counts, bits 26 and 27: side 0, side 1 is
 * counted, bit 28: the depth is that of the pixel to the right and below. words: x: offset of region 0 as dx | dy <<
 * 16, y: half its size as width | height << 16, z, w: region 1; all in pixels at a depth of one metre.
 *
 * A region extends by half its size, which is 1 to SHW_CURFIL_HALF_MAX pixels, to both sides of the offset, of which
 * the first column and row do not belong to it. If they or the region are not inside the image, or it is counted and
 * its count is zero, the response is undefined. A pixel without depth is not void: with bit 28, offsets are then zero
 * and halves of sizes one; without, the response is undefined. */
#ifndef SHW_DENSE_FEATURE_CURFIL_DIFFERENCE_H
#define SHW_DENSE_FEATURE_CURFIL_DIFFERENCE_H

#include "curfil_region.h"
#include "depth_channels.h"

#define SHW_FEATURE_READS            SHW_READS_INTEGRALS
#define SHW_FEATURE_MAY_BE_UNDEFINED 1
#define SHW_FEATURE_READS_DEPTH      1
#define SHW_FEATURE_LABELS_ALL       1

SHW_INLINE shw_uint shw_region_sum(SHW_CONTEXT_PARAMETER shw_uint channel, SHW_RECT rect)
{
    return shw_integral(SHW_CONTEXT channel, rect.x1, rect.y1) - shw_integral(SHW_CONTEXT channel, rect.x0, rect.y1) -
           shw_integral(SHW_CONTEXT channel, rect.x1, rect.y0) + shw_integral(SHW_CONTEXT channel, rect.x0, rect.y0);
}

/* The depth at the pixel itself or, `ahead`, at the one to the right and below; 0 where there is none. */
SHW_INLINE shw_uint shw_curfil_depth(SHW_CONTEXT_PARAMETER SHW_CENTRE centre, shw_int ahead, SHW_RECT image)
{
    SHW_RECT pixel;

    pixel.x0 = shw_min(centre.x + ahead, image.x1);
    pixel.y0 = shw_min(centre.y + ahead, image.y1);
    pixel.x1 = shw_min(pixel.x0 + 1, image.x1);
    pixel.y1 = shw_min(pixel.y0 + 1, image.y1);
    return shw_region_sum(SHW_CONTEXT 0u, pixel);
}

SHW_INLINE SHW_RESPONSE shw_curfil_side(SHW_CONTEXT_PARAMETER shw_uint channel, shw_uint is_counted, SHW_CENTRE centre,
                                        shw_uint offset, shw_uint half_size, SHW_RECT image)
{
    SHW_RESPONSE side;
    SHW_RECT region = shw_curfil_place(centre, offset, half_size);
    shw_uint outside = SHW_AS_UINT(region.x0 <= image.x0) | SHW_AS_UINT(region.y0 <= image.y0) |
                       SHW_AS_UINT(region.x1 > image.x1) | SHW_AS_UINT(region.y1 > image.y1);
    shw_uint sum, count, mean, rest;

    region.x0 = shw_clamp(region.x0, image.x0, image.x1);
    region.y0 = shw_clamp(region.y0, image.y0, image.y1);
    region.x1 = shw_clamp(region.x1, image.x0, image.x1);
    region.y1 = shw_clamp(region.y1, image.y0, image.y1);
    sum = shw_region_sum(SHW_CONTEXT channel, region);
    count = shw_region_sum(SHW_CONTEXT channel + is_counted, region) & (0u - is_counted);
    side.undefined = outside | (is_counted & SHW_AS_UINT(count == 0u));
    count += SHW_AS_UINT(count == 0u);
    mean = sum / count;
    rest = sum - mean * count;
    mean = (mean << SHW_CURFIL_MEAN_BITS) + (rest << SHW_CURFIL_MEAN_BITS) / count;
    side.value = SHW_AS_INT((mean & (0u - is_counted)) | (sum & (is_counted - 1u)));
    return side;
}

SHW_INLINE SHW_RESPONSE shw_feature_respond_at(SHW_CONTEXT_PARAMETER SHW_FEATURE feature, SHW_CENTRE centre,
                                               SHW_RECT image)
{
    SHW_RESPONSE response, first, second;
    shw_uint has_second = feature.head >> SHW_NODE_SECOND_SHIFT & 1u, ahead = shw_curfil_is_ahead(feature.head);
    SHW_CENTRE scale =
        shw_centre_with_depth(centre.x, centre.y, shw_curfil_depth(SHW_CONTEXT centre, SHW_AS_INT(ahead), image));

    first = shw_curfil_side(SHW_CONTEXT shw_node_channel(feature.head, 0u), shw_node_is_counted(feature.head, 0u),
                            scale, feature.words.x, feature.words.y, image);
    second = shw_curfil_side(SHW_CONTEXT shw_node_channel(feature.head, 1u), shw_node_is_counted(feature.head, 1u),
                             scale, feature.words.z, feature.words.w, image);
    response.undefined = first.undefined | (second.undefined & has_second) | (scale.is_void & (1u - ahead));
    response.value = SHW_AS_INT(SHW_AS_UINT(first.value) - (SHW_AS_UINT(second.value) & (0u - has_second)));
    return response;
}

SHW_INLINE shw_uint shw_curfil_half(shw_uint side)
{
    return SHW_AS_UINT(shw_min(SHW_AS_INT((side + 1u) >> 1u), SHW_CURFIL_HALF_MAX));
}

SHW_INLINE shw_uint shw_curfil_draw_halves(SHW_CANDIDATE_SPACE space, SHW_CANDIDATE_DRAWS draws)
{
    SHW_UINT2 sides = shw_candidate_size2(space, draws);
    return shw_curfil_half(sides.x) | shw_curfil_half(sides.y) << 16u;
}

/* Half of them differences of depths, half of other channels in any pairs, as far as the list has them. */
SHW_INLINE SHW_FEATURE shw_feature_draw(SHW_CANDIDATE_PARAMETER SHW_CANDIDATE_SPACE space, shw_uint place,
                                        shw_uint candidate)
{
    SHW_FEATURE feature;
    SHW_CANDIDATE_STATE draws;
    shw_uint plain = shw_count_content(SHW_CANDIDATE space.channels, SHW_CONTENT_PLAIN);
    shw_uint has_depth = SHW_AS_UINT(shw_count_content(SHW_CANDIDATE space.channels, SHW_CONTENT_DEPTH) > 0u);
    shw_uint depth = shw_find_content(SHW_CANDIDATE space.channels, SHW_CONTENT_DEPTH, 0u);
    shw_uint is_plain, number0, number1, channel0, channel1;

    space = shw_candidate_narrow(space, place, candidate);
    draws.place = place;
    draws.candidate = candidate;
    draws.next = 0u;
    is_plain = SHW_AS_UINT(plain > 0u) & (shw_candidate_below(space, SHW_DRAWS_OF(draws), 2u) | (1u - has_depth));
    number0 = shw_candidate_below(space, SHW_DRAWS_OF(draws), plain + SHW_AS_UINT(plain == 0u));
    number1 = shw_candidate_below(space, SHW_DRAWS_OF(draws), plain + SHW_AS_UINT(plain == 0u));
    feature.words.x = shw_draw_offset(space, SHW_DRAWS_OF(draws));
    feature.words.y = shw_curfil_draw_halves(space, SHW_DRAWS_OF(draws));
    feature.words.z = shw_draw_offset(space, SHW_DRAWS_OF(draws));
    feature.words.w = shw_curfil_draw_halves(space, SHW_DRAWS_OF(draws));
    channel0 =
        is_plain * shw_find_content(SHW_CANDIDATE space.channels, SHW_CONTENT_PLAIN, number0) + (1u - is_plain) * depth;
    channel1 =
        is_plain * shw_find_content(SHW_CANDIDATE space.channels, SHW_CONTENT_PLAIN, number1) + (1u - is_plain) * depth;
    feature.head = channel0 | channel1 << SHW_NODE_CHANNEL_BITS | 1u << SHW_NODE_SECOND_SHIFT |
                   (1u - is_plain) * (3u << SHW_NODE_COUNTED_SHIFT);
    return feature;
}

#endif
