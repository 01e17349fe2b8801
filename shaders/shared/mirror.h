/* Reading the planes of a mirror image (left to right) from those of the image: coordinates are those of the mirror
 * image, so that features need not know. What a channel of the mirror image is, enum shw_channel_mirror
 * (shadewood/channels.h) says.
 *
 * It is read from the planes of its partner, for most channels itself.
 *
 * A channel is turned unless it is SHW_MIRRORED_FIXED, and negated if it is SHW_MIRRORED_NEGATED. The integral image of
 * a turned channel would be the sum of its row's end minus that at the turned column; as features only use differences,
 * the sum that is the same at all columns is left out. */
#ifndef SHW_SHARED_MIRROR_H
#define SHW_SHARED_MIRROR_H

#include "types.h"

/* Bit `channel` of two words. */
SHW_INLINE shw_uint shw_mirror_bit(shw_uint low, shw_uint high, shw_uint channel)
{
    return (((low & (0u - SHW_AS_UINT(channel < 32u))) | (high & (0u - SHW_AS_UINT(channel >= 32u)))) >>
            (channel & 31u)) &
           1u;
}

/* Column x of 0 to last, turned if `turned` is 1. */
SHW_INLINE shw_int shw_mirror_column(shw_int x, shw_int last, shw_uint turned)
{
    return (x ^ -SHW_AS_INT(turned)) + SHW_AS_INT(turned) * (last + 1);
}

/* The value, negated if `negated` is 1. */
SHW_INLINE shw_uint shw_mirror_value(shw_uint value, shw_uint negated)
{
    return (value ^ (0u - negated)) + negated;
}

#endif
