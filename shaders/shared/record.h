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

#endif
