/* A feature type: the sum of a channel over one rectangle. It is undefined at every third pixel of a row, like the
 * values of a sensor with gaps; the row and the channel determine at which ones.
 *
 * head: the channel. words: x, y: the rectangle in the form of shw_rect_place(). */
#ifndef SPARSE_SUM_H
#define SPARSE_SUM_H

#include "candidate.h"
#include "feature.h"
#include "rectangle.h"

#define SHW_FEATURE_READS            SHW_READS_INTEGRALS
#define SHW_FEATURE_MAY_BE_UNDEFINED 1

SHW_INLINE SHW_RESPONSE shw_feature_respond(SHW_CONTEXT_PARAMETER SHW_FEATURE feature, shw_int x, shw_int y,
                                            SHW_RECT image)
{
    SHW_RECT rect = shw_rect_place(feature.words.x, feature.words.y, x, y, image);
    shw_uint channel = feature.head & SHW_NODE_CHANNEL_MASK;
    SHW_RESPONSE response = shw_defined(SHW_AS_INT(
        shw_integral(SHW_CONTEXT channel, rect.x1, rect.y1) - shw_integral(SHW_CONTEXT channel, rect.x0, rect.y1) -
        shw_integral(SHW_CONTEXT channel, rect.x1, rect.y0) + shw_integral(SHW_CONTEXT channel, rect.x0, rect.y0)));
    shw_uint place = SHW_AS_UINT(x - image.x0) + SHW_AS_UINT(y - image.y0) + channel;

    response.undefined = SHW_AS_UINT(place % 3u == 0u);
    return response;
}

SHW_INLINE SHW_FEATURE shw_feature_draw(SHW_CANDIDATE_PARAMETER SHW_CANDIDATE_SPACE space, shw_uint place,
                                        shw_uint candidate)
{
    SHW_FEATURE feature;
    SHW_UINT2 rect;
    SHW_CANDIDATE_STATE draws;

    space = shw_candidate_narrow(space, place, candidate);
    draws.place = place;
    draws.candidate = candidate;
    draws.next = 0u;
    feature.head = shw_candidate_below(space, SHW_DRAWS_OF(draws), space.channels);
    rect = shw_candidate_rectangle(space, SHW_DRAWS_OF(draws), shw_channel_max(SHW_CANDIDATE feature.head));
    feature.words.x = rect.x;
    feature.words.y = rect.y;
    feature.words.z = 0u;
    feature.words.w = 0u;
    return feature;
}

#endif
