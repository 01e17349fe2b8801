/* Attributes of records as training sees them: ranks in a channel (docs/record-training.md). */
#ifndef SHW_SHARED_ATTRIBUTE_RANKS_H
#define SHW_SHARED_ATTRIBUTE_RANKS_H

#include "feature.h"

/* A rank, from 0 on, is the channel value SHW_ATTRIBUTE_FIRST + rank. */
#define SHW_ATTRIBUTE_MISSING (-32767)
#define SHW_ATTRIBUTE_FIRST   (-32766)
#define SHW_ATTRIBUTE_RANKS   65534u

/* What a test asks. Undefined responses go right, with every threshold. */
#define SHW_ATTRIBUTE_RISING  0u /* the value: what is missing goes with the greater values */
#define SHW_ATTRIBUTE_FALLING 1u /* the negated value: what is missing goes with the lesser values */
#define SHW_ATTRIBUTE_ABSENT  2u /* whether it is missing: 1 or 0, never undefined */
#define SHW_ATTRIBUTE_ASKED   3u

/* Bits of shw_candidate_space.single_percent, which has no other meaning for attributes. */
#define SHW_ATTRIBUTE_ALL_SHIFT    0u /* 1: every node looks at all attributes, in their order */
#define SHW_ATTRIBUTE_ABSENT_SHIFT 1u /* 1: a node asks an attribute all three questions; 0: the first alone */
#define SHW_ATTRIBUTE_BLOCKS_SHIFT 2u /* and above: s, of 2^s blocks of rows */

SHW_INLINE SHW_RESPONSE shw_attribute_response(shw_int value, shw_uint asked)
{
    SHW_RESPONSE response;
    shw_uint missing = SHW_AS_UINT(value == SHW_ATTRIBUTE_MISSING);
    shw_uint of_absence = SHW_AS_UINT(asked == SHW_ATTRIBUTE_ABSENT);
    shw_int sign = 1 - 2 * SHW_AS_INT(SHW_AS_UINT(asked == SHW_ATTRIBUTE_FALLING));
    shw_int of_value = sign * value;

    response.value = (of_value & SHW_AS_INT(of_absence - 1u)) | SHW_AS_INT(missing & of_absence);
    response.undefined = missing & (1u - of_absence);
    return response;
}

#endif
