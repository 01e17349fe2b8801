/* An attribute of a record, for src/record_train: column x of an image is a record, and the pixels of the column are
 * the ranks of its attributes.
 *
 * head: the channel. words: x: row, relative to the pixel's; y: what is asked; z, w: 0. */
#ifndef SHW_FEATURE_ATTRIBUTE_H
#define SHW_FEATURE_ATTRIBUTE_H

#include "attribute_ranks.h"
#include "candidate.h"
#include "rectangle.h"

#define SHW_FEATURE_READS            SHW_READS_CHANNELS
#define SHW_FEATURE_MAY_BE_UNDEFINED 1

SHW_INLINE SHW_RESPONSE shw_feature_respond(SHW_CONTEXT_PARAMETER SHW_FEATURE feature, shw_int x, shw_int y,
                                            SHW_RECT image)
{
    shw_int row = shw_min(y + SHW_AS_INT(feature.words.x), image.y1 - 1);

    return shw_attribute_response(shw_channel(SHW_CONTEXT feature.head & 0xffffffu, x, row), feature.words.y);
}

/* Attribute `slot` of those that a node draws: a partial Fisher-Yates shuffle of all, whose draw i exchanges entries i
 * and i + below(count - i), followed back from entry `slot` to where it came from. */
SHW_INLINE shw_uint shw_attribute_draw(SHW_CANDIDATE_SPACE space, shw_uint place, shw_uint slot, shw_uint count)
{
    SHW_CANDIDATE_STATE draws;
    shw_uint chosen;

    draws.place = place;
    draws.candidate = slot;
    draws.next = 0u;
    chosen = slot + shw_candidate_below(space, SHW_DRAWS_OF(draws), count - slot);
    for (shw_uint i = slot; i > 0u; i--) {
        draws.candidate = i - 1u;
        draws.next = 0u;
        if (i - 1u + shw_candidate_below(space, SHW_DRAWS_OF(draws), count - i + 1u) == chosen)
            chosen = i - 1u;
    }
    return chosen;
}

/* Of the space, offset_max is the number of rows, size_max those of them that the last channel uses, and single_percent
 * has two bits (shared/attribute_ranks.h). */
SHW_INLINE SHW_FEATURE shw_feature_draw(SHW_CANDIDATE_PARAMETER SHW_CANDIDATE_SPACE space, shw_uint place,
                                        shw_uint candidate)
{
    SHW_FEATURE feature;
    shw_uint asked = 1u + (SHW_ATTRIBUTE_ASKED - 1u) * (space.single_percent >> SHW_ATTRIBUTE_ABSENT_SHIFT & 1u);
    shw_uint chosen = candidate / asked;

    if ((space.single_percent >> SHW_ATTRIBUTE_ALL_SHIFT & 1u) == 0u)
        chosen = shw_attribute_draw(space, place, chosen, (space.channels - 1u) * space.offset_max + space.size_max);
    feature.head = chosen / space.offset_max;
    feature.words.x = chosen % space.offset_max;
    feature.words.y = candidate % asked;
    feature.words.z = 0u;
    feature.words.w = 0u;
    return feature;
}

#endif
