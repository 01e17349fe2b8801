/* The test of a node of a record forest, defined once for all techniques (docs/records.md).
 *
 * An attribute is a float32. It is compared as its code, a signed integer with the same order, so that comparisons are
 * exact on every device: the bits of a positive number, and those of a negative number with all but the sign inverted.
 * Both zeros have the code 0, and what is missing has the lowest one. */
#ifndef SHW_SHARED_RECORD_H
#define SHW_SHARED_RECORD_H

#include "types.h"

#define SHW_RECORD_MISSING SHW_AS_INT(0x80000000u)

/* The code of 1e-35, up to which in magnitude a number is zero for tests that treat zero as missing (LightGBM). */
#define SHW_RECORD_ZERO_CODE 89435438

/* The code of the float32 with these bits. NaN is missing. */
SHW_INLINE shw_int shw_record_code(shw_uint bits)
{
    shw_uint negative = bits >> 31u;
    shw_uint magnitude = bits & 0x7fffffffu;
    shw_uint missing = SHW_AS_UINT(magnitude > 0x7f800000u);
    /* -0 becomes 0, other negative numbers -1 - magnitude. */
    negative &= SHW_AS_UINT(magnitude != 0u);
    return SHW_AS_INT(((magnitude ^ (0u - negative)) & (missing - 1u)) | (missing << 31u));
}

/* 1 if a test that treats zero as missing does so with this code, otherwise 0. */
SHW_INLINE shw_uint shw_record_is_zero(shw_int code)
{
    return SHW_AS_UINT(-1 - SHW_RECORD_ZERO_CODE <= code) & SHW_AS_UINT(code <= SHW_RECORD_ZERO_CODE);
}

/* The code as a test sees it: missing instead of zero if zero_missing is 1. */
SHW_INLINE shw_int shw_record_code_for(shw_int code, shw_uint zero_missing)
{
    shw_uint missing = 0u - (shw_record_is_zero(code) & zero_missing);
    return SHW_AS_INT((SHW_AS_UINT(code) & ~missing) | (0x80000000u & missing));
}

/* What is missing has the lowest code, so that it goes left; with missing_right = 1, one less than the lowest code
 * wraps to the highest, while the order of all others stays. A test compares codes and thresholds of this order. */
SHW_INLINE shw_int shw_record_ordered(shw_int code, shw_uint missing_right)
{
    return SHW_AS_INT(SHW_AS_UINT(code) - missing_right);
}

/* 1: right, 0: left. `threshold` must be above SHW_RECORD_MISSING if missing_right is 1. */
SHW_INLINE shw_uint shw_record_goes_right(shw_int code, shw_int threshold, shw_uint missing_right)
{
    return SHW_AS_UINT(shw_record_ordered(code, missing_right) > shw_record_ordered(threshold, missing_right));
}

/* A set of categories, in words: head (flags and the number of its first word of members), how many words of members,
 * and these, of which each bit is a category. */
#define SHW_RECORD_SET_MEMBERS     2u /* where these begin */
#define SHW_RECORD_SET_FIRST_MASK  0x7ffffu
#define SHW_RECORD_SET_BELOW_SHIFT 29u /* 1: numbers between -1 and 0 are category 0 */
#define SHW_RECORD_SET_WHOLE_SHIFT 30u /* 1: numbers with a fraction are of no category */
#define SHW_RECORD_SET_RIGHT_SHIFT 31u /* 1: members go right, and all else left; otherwise the reverse */

#define SHW_RECORD_MINUS_ONE_CODE (-0x3f800001)

/* The bit of a code among those of the members of a set with that head; what is of no category, or of one before the
 * first word, has one from 2^24 on, which no set has. Any code but that of what is missing. */
SHW_INLINE shw_uint shw_record_set_bit(shw_int code, shw_uint head)
{
    shw_uint bits = SHW_AS_UINT(code);
    shw_uint exponent = bits >> 23u;                       /* 256 and more: a negative number */
    shw_uint is_below_end = SHW_AS_UINT(exponent <= 150u); /* 0 up to below 2^24 */
    shw_uint shift = SHW_AS_UINT(shw_clamp(150 - SHW_AS_INT(exponent), 0, 24));
    shw_uint mantissa = (bits & 0x7fffffu) | (SHW_AS_UINT(bits != 0u) << 23u);
    shw_uint category = mantissa >> shift;
    shw_uint is_fraction = SHW_AS_UINT((category << shift) != mantissa) & (head >> SHW_RECORD_SET_WHOLE_SHIFT);
    shw_uint is_zero = SHW_AS_UINT(code < 0) & SHW_AS_UINT(code > SHW_RECORD_MINUS_ONE_CODE);
    is_zero &= head >> SHW_RECORD_SET_BELOW_SHIFT;
    category &= 0u - is_below_end;
    category |= (((is_below_end & ~is_fraction) | is_zero) & 1u) - 1u;
    return category - ((head & SHW_RECORD_SET_FIRST_MASK) << 5u);
}

/* 1: right, 0: left; `member`: whether the bit is set. */
SHW_INLINE shw_uint shw_record_set_side(shw_uint member, shw_uint head)
{
    return (member ^ 1u) ^ (head >> SHW_RECORD_SET_RIGHT_SHIFT);
}

#endif
