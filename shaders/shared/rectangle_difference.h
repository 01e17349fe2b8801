/* For feature types whose response is the value of one side minus that of an optional second one; a side is a channel
 * and a rectangle.
 *
 * head: channel 0 in bits 0-11, channel 1 in bits 12-23, bit 25: side 1 counts. words: x, y: rectangle 0 as
 * x0 | y0 << 16, x1 | y1 << 16, z, w: rectangle 1.
 *
 * The including file defines, before, SHW_FEATURE_READS and
 *   shw_int shw_side_value(SHW_CONTEXT_PARAMETER shw_uint channel, SHW_RECT rect)   the value of a side
 * and after it shw_feature_draw(), and
 *   SHW_FEATURE_HAS_INSIDE, with shw_feature_respond_inside() in GLSL and shw_feature_prepare() in C; or nothing */
#ifndef SHW_SHARED_RECTANGLE_DIFFERENCE_H
#define SHW_SHARED_RECTANGLE_DIFFERENCE_H

#include "candidate.h"
#include "feature.h"
#include "rectangle.h"

#define SHW_FEATURE_MAY_BE_UNDEFINED 0
#define SHW_FEATURE_HAS_SIDES        1

/* The response at pixel (x, y). */
SHW_INLINE SHW_RESPONSE shw_feature_respond(SHW_CONTEXT_PARAMETER SHW_FEATURE feature, shw_int x, shw_int y,
                                            SHW_RECT image)
{
    SHW_RECT rect0 = shw_rect_place(feature.words.x, feature.words.y, x, y, image);
    SHW_RECT rect1 = shw_rect_place(feature.words.z, feature.words.w, x, y, image);
    shw_int value0 = shw_side_value(SHW_CONTEXT shw_node_channel(feature.head, 0u), rect0);
    shw_int value1 = shw_side_value(SHW_CONTEXT shw_node_channel(feature.head, 1u), rect1);
    shw_uint second = 0u - ((feature.head >> SHW_NODE_SECOND_SHIFT) & 1u);
    return shw_defined(SHW_AS_INT(SHW_AS_UINT(value0) - (SHW_AS_UINT(value1) & second)));
}

/* Candidate `candidate` of `place`, which is the number of a node or of a round. */
SHW_INLINE SHW_FEATURE shw_sides_draw(SHW_CANDIDATE_PARAMETER SHW_CANDIDATE_SPACE space, shw_uint place,
                                      shw_uint candidate)
{
    SHW_FEATURE feature;
    SHW_UINT2 first, second;
    shw_uint is_single, channel0, channel1;
    SHW_CANDIDATE_STATE draws;

    space = shw_candidate_narrow(space, place, candidate);
    draws.place = place;
    draws.candidate = candidate;
    draws.next = 0u;
    is_single = SHW_AS_UINT(shw_candidate_below(space, SHW_DRAWS_OF(draws), 100u) < space.single_percent);
    channel0 = shw_candidate_below(space, SHW_DRAWS_OF(draws), space.channels);
    first = shw_candidate_rectangle(space, SHW_DRAWS_OF(draws), shw_channel_max(SHW_CANDIDATE channel0));
    channel1 = shw_candidate_below(space, SHW_DRAWS_OF(draws), space.channels);
    second = shw_candidate_rectangle(space, SHW_DRAWS_OF(draws), shw_channel_max(SHW_CANDIDATE channel1));
    feature.head = channel0 | channel1 << SHW_NODE_CHANNEL_BITS | (1u - is_single) << SHW_NODE_SECOND_SHIFT;
    feature.words.x = first.x;
    feature.words.y = first.y;
    feature.words.z = second.x;
    feature.words.w = second.y;
    return feature;
}

#endif
