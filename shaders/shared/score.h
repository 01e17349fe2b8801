/* n log2 n in integers, for information gain. */
#ifndef SHW_SHARED_SCORE_H
#define SHW_SHARED_SCORE_H

#include "random.h"

#define SHW_LOG2_FRACTION_BITS 24u

/* log2(value) with 24 fraction bits, rounded down (at most one unit low), by repeated squaring of the mantissa; value >
 * 0. */
SHW_INLINE shw_uint shw_log2(shw_uint value)
{
    shw_uint exponent = shw_highest_bit(value);
    shw_uint mantissa = value << (31u - exponent); /* 1 <= mantissa / 2^31 < 2 */
    shw_uint fraction = 0u;

    for (shw_uint i = 0u; i < SHW_LOG2_FRACTION_BITS; ++i) {
        SHW_UINT2 square = shw_multiply_wide(mantissa, mantissa); /* of 2^62 */
        shw_uint bit = square.x >> 31u;                           /* 1: the square is 2 or more */
        mantissa = (square.x << (1u - bit)) | ((square.y >> 31u) & (1u - bit));
        fraction = fraction << 1u | bit;
    }
    return exponent << SHW_LOG2_FRACTION_BITS | fraction;
}

/* value * log2(value) with 24 fraction bits as a 64-bit number (x: high word), at most 2^60; 0 for 0. value < 2^31. */
SHW_INLINE SHW_UINT2 shw_times_log2(shw_uint value)
{
    return shw_multiply_wide(value, shw_log2(value | SHW_AS_UINT(value == 0u)));
}

#endif
