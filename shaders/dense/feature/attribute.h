/* An attribute of a record, for src/record_train: column x of an image is a record, and the pixels of the column are
 * the ranks of its attributes.
 *
 * An image has 2^s blocks of rows beside each other, each as wide as there are records. head: 0. words: x: row,
 * relative to the pixel's; y: what is asked; z: block; w: s. */
#ifndef SHW_DENSE_FEATURE_ATTRIBUTE_H
#define SHW_DENSE_FEATURE_ATTRIBUTE_H

#include "attribute_ranks.h"
#include "candidate.h"
#include "rectangle.h"

#define SHW_FEATURE_READS            SHW_READS_CHANNELS
#define SHW_FEATURE_MAY_BE_UNDEFINED 1

SHW_INLINE SHW_RESPONSE shw_feature_respond(SHW_CONTEXT_PARAMETER SHW_FEATURE feature, shw_int x, shw_int y,
                                            SHW_RECT image)
{
    shw_int column = x + SHW_AS_INT(feature.words.z * (SHW_AS_UINT(image.x1) >> feature.words.w));
    shw_int row = y + SHW_AS_INT(feature.words.x);

    /* beside and below the records there are none */
    return shw_attribute_response(
        shw_channel(SHW_CONTEXT 0u, shw_min(column, image.x1 - 1), shw_min(row, image.y1 - 1)), feature.words.y);
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

/* Of the space, offset_max is the number of rows, size_max one more than those of the last block that have no
 * attribute, and single_percent has bits (shared/attribute_ranks.h). */
SHW_INLINE SHW_FEATURE shw_feature_draw(SHW_CANDIDATE_PARAMETER SHW_CANDIDATE_SPACE space, shw_uint place,
                                        shw_uint candidate)
{
    SHW_FEATURE feature;
    shw_uint rows = space.offset_max, bits = space.single_percent;
    shw_uint shift = bits >> SHW_ATTRIBUTE_BLOCKS_SHIFT;
    shw_uint asked = 1u + (SHW_ATTRIBUTE_ASKED - 1u) * (bits >> SHW_ATTRIBUTE_ABSENT_SHIFT & 1u);
    shw_uint chosen = candidate / asked;

    if ((bits >> SHW_ATTRIBUTE_ALL_SHIFT & 1u) == 0u)
        chosen = shw_attribute_draw(space, place, chosen, (rows << shift) + 1u - space.size_max);
    feature.head = 0u;
    feature.words.x = chosen % rows;
    feature.words.y = candidate % asked;
    feature.words.z = chosen / rows;
    feature.words.w = shift;
    return feature;
}

#endif
