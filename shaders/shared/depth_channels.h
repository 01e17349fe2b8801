/* For feature types that divide by the depth at the pixel (SHW_FEATURE_READS_DEPTH): what they read of a channel, and
 * candidates.
 *
 * The channel list begins with the depth in millimetres, 0 where it is missing, and its count: 1 where it is there,
 * otherwise 0. So does every other channel with missing values: its count follows it, and it is 0 where it is missing
 * (docs/channels.md). */
#ifndef SHW_SHARED_DEPTH_CHANNELS_H
#define SHW_SHARED_DEPTH_CHANNELS_H

#include "candidate.h"
#include "feature.h"

/* The channels of a list that have a given content, of `all`. */
SHW_INLINE shw_uint shw_count_content(SHW_CANDIDATE_PARAMETER shw_uint all, shw_uint content)
{
    shw_uint count = 0u;
    for (shw_uint c = 0u; c < all; ++c)
        count += SHW_AS_UINT(shw_channel_content(SHW_CANDIDATE c) == content);
    return count;
}

/* The channel with that content that `number` others precede. */
SHW_INLINE shw_uint shw_find_content(SHW_CANDIDATE_PARAMETER shw_uint all, shw_uint content, shw_uint number)
{
    shw_uint found = 0u, passed = 0u;
    for (shw_uint c = 0u; c < all; ++c) {
        shw_uint is_one = SHW_AS_UINT(shw_channel_content(SHW_CANDIDATE c) == content);
        found += c * (is_one & SHW_AS_UINT(passed == number));
        passed += is_one;
    }
    return found;
}

/* What a candidate compares: of eight, one is of heights, and of the rest one half each is of depths and of other
 * channels, as far as the list has them. */
SHW_INLINE shw_uint shw_draw_content(SHW_CANDIDATE_PARAMETER SHW_CANDIDATE_SPACE space, SHW_CANDIDATE_DRAWS draws)
{
    shw_uint first = shw_candidate_below(space, draws, 8u), second = shw_candidate_below(space, draws, 2u);
    shw_uint has_plain = SHW_AS_UINT(shw_count_content(SHW_CANDIDATE space.channels, SHW_CONTENT_PLAIN) > 0u);
    shw_uint has_depth = SHW_AS_UINT(shw_count_content(SHW_CANDIDATE space.channels, SHW_CONTENT_DEPTH) > 0u);
    shw_uint has_height = SHW_AS_UINT(shw_count_content(SHW_CANDIDATE space.channels, SHW_CONTENT_HEIGHT) > 0u);
    shw_uint is_height = has_height & (SHW_AS_UINT(first == 0u) | (1u - (has_plain | has_depth)));
    shw_uint is_plain = has_plain & (second | (1u - has_depth)) & (1u - is_height);

    return is_height * SHW_CONTENT_HEIGHT + (1u - is_height) * (1u - is_plain) * SHW_CONTENT_DEPTH +
           is_plain * SHW_CONTENT_PLAIN;
}

/* A position within `reach` of the pixel, in two's complement: x | y << 16. */
SHW_INLINE shw_uint shw_draw_offset(SHW_CANDIDATE_SPACE space, SHW_CANDIDATE_DRAWS draws)
{
    shw_uint reach = shw_candidate_reach(space, draws, 1u, 1u);
    shw_uint x = shw_candidate_begin(space, draws, reach, 1u);
    shw_uint y = shw_candidate_begin(space, draws, reach, 1u);
    return (x & 0xffffu) | y << 16u;
}

#endif
