/* From what a depth image stores to whole millimetres, 1 to 65535, or 0: nothing was drawn, or it is farther away; and
 * from what a plane stores to its place in a range, 0 to 65535.
 * Only integers: a float is taken apart, so that every technique and device gets the same. docs/channels.md has the
 * definition. */
#ifndef SHW_SHARED_DEPTH_CODE_H
#define SHW_SHARED_DEPTH_CODE_H

#include "source_code.h"
#include "types.h"

/* How it is scaled: the lower half of x of a `scale`, as enum shw_depth_kind. */
#define SHW_SCALE_STORED      0u /* codes of 8 or 16 bits are read as they are */
#define SHW_SCALE_LINEAR      1u /* y: the bits of a float, millimetres per unit */
#define SHW_SCALE_PERSPECTIVE 2u /* the upper half of x, and y: near plane / far plane, with 48 fraction bits; */
#define SHW_SCALE_REVERSED    3u /* z (high) and w (low): the near plane in millimetres, with 48 fraction bits */

#define SHW_SCALE_RANGE                                                                                                \
    4u /* the upper half of x: the exponent of the greater end of the range in magnitude, as a                         \
          float has it; y: the lower end, z: what is between both, as shw_float_in_range() */

#define SHW_FLOAT_ONE        0x3f800000u
#define SHW_FLOAT_INFINITY   0x7f800000u
#define SHW_FLOAT_SIGN       0x80000000u
#define SHW_FLOAT_LEAST_HALF 0x38800000u /* 2^-14, below which devices may read half floats as 0 */
#define SHW_DEPTH_CODE_MAX   65535u
#define SHW_FRACTION_ONE     0x10000u /* the high word of 1, with 48 fraction bits */

#ifndef SHW_LOOP
#ifdef SHW_GLSL
#define SHW_LOOP [[dont_unroll]] /* it is in many shaders, which are to compile fast */
#else
#define SHW_LOOP
#endif
#endif

SHW_INLINE SHW_UINT2 shw_wide(shw_uint high, shw_uint low)
{
    SHW_UINT2 number;
    number.x = high;
    number.y = low;
    return number;
}

SHW_INLINE SHW_UINT2 shw_wide_add(SHW_UINT2 a, SHW_UINT2 b)
{
    shw_uint low = a.y + b.y;

    return shw_wide(a.x + b.x + SHW_AS_UINT(low < a.y), low);
}

SHW_INLINE SHW_UINT2 shw_wide_subtract(SHW_UINT2 a, SHW_UINT2 b)
{
    return shw_wide(a.x - b.x - SHW_AS_UINT(a.y < b.y), a.y - b.y);
}

/* 24 bits; of numbers without a leading one it is not used. */
SHW_INLINE shw_uint shw_float_mantissa(shw_uint bits)
{
    return (bits & 0x7fffffu) | 0x800000u;
}

/* The bits of the float of this value, below 2^24. */
SHW_INLINE shw_uint shw_float_of_code(shw_uint code)
{
    shw_uint top = shw_highest_bit(code | 1u);

    return code == 0u ? 0u : ((127u + top) << 23u | (code << (23u - top) & 0x7fffffu));
}

/* The bits of the float of the same value as a half float; 0 below 2^-14. */
SHW_INLINE shw_uint shw_float_of_half(shw_uint bits)
{
    shw_uint sign = (bits & 0x8000u) << 16u, exponent = bits >> 10u & 31u, fraction = (bits & 1023u) << 13u;

    if (exponent == 0u)
        return sign;
    return sign | (exponent == 31u ? 255u : exponent + 112u) << 23u | fraction;
}

/* The product of two floats, neither negative nor infinite, rounded to the nearest integer, halves up; some number
 * above 2^28 if it is larger than that. Floats without a leading one count as 0. */
SHW_INLINE shw_uint shw_float_product(shw_uint a, shw_uint b)
{
    shw_uint exponents = (a >> 23u) + (b >> 23u), shift = 299u - exponents; /* of twice the product */
    SHW_UINT2 product = shw_multiply_wide(shw_float_mantissa(a), shw_float_mantissa(b));

    if (shw_min(SHW_AS_INT(a), SHW_AS_INT(b)) < 0x800000 || exponents < 252u) /* the product is below 1/2 */
        return 0u;
    if (exponents > 282u)
        return 0x7fffffffu;
    if (shift >= 32u)
        return ((product.x >> (shift - 32u)) + 1u) >> 1u;
    return ((product.x << (32u - shift) | product.y >> shift) + 1u) >> 1u;
}

/* A float of 0 to 1 with 48 fraction bits, rounded down. */
SHW_INLINE SHW_UINT2 shw_fraction_of_float(shw_uint bits)
{
    shw_uint exponent = bits >> 23u, mantissa = shw_float_mantissa(bits);

    if (exponent > 102u)
        return shw_wide(mantissa >> (134u - exponent), mantissa << (exponent - 102u));
    return shw_wide(0u, exponent < 78u ? 0u : mantissa >> (102u - exponent));
}

/* code / 65535 and code / (2^24 - 1) with 48 fraction bits, rounded down. */
SHW_INLINE SHW_UINT2 shw_fraction_of_16(shw_uint code)
{
    return code == 0xffffu ? shw_wide(SHW_FRACTION_ONE, 0u) : shw_wide(code, code * 0x10001u);
}

SHW_INLINE SHW_UINT2 shw_fraction_of_24(shw_uint code)
{
    return code == 0xffffffu ? shw_wide(SHW_FRACTION_ONE, 0u) : shw_wide(code >> 8u, code << 24u | code);
}

/* floor(a b / 2^48) of numbers below 2^48. */
SHW_INLINE SHW_UINT2 shw_fraction_product(SHW_UINT2 a, SHW_UINT2 b)
{
    SHW_UINT2 sum = shw_wide(a.x * b.x, shw_multiply_wide(a.y, b.y).x);

    sum = shw_wide_add(sum, shw_multiply_wide(a.x, b.y));
    sum = shw_wide_add(sum, shw_multiply_wide(a.y, b.x));
    return shw_wide(sum.x >> 16u, sum.x << 16u | sum.y >> 16u);
}

/* number / divisor, rounded to the nearest integer, halves up; at least 65536 if that is more than 65535.
 * 0 < divisor <= 2^48. */
SHW_INLINE shw_uint shw_wide_divide(SHW_UINT2 number, SHW_UINT2 divisor)
{
#ifdef SHW_GLSL
    SHW_UINT2 rest = shw_wide(number.x >> 16u, number.x << 16u | number.y >> 16u), less;
    shw_uint quotient = 0u, left = number.y << 16u; /* what is brought down bit by bit, and one more for the half */

    less = shw_wide_subtract(rest, divisor);
    if (less.x < SHW_FLOAT_SIGN) /* not below 0 */
        return 65536u;
    SHW_LOOP for (int i = 0; i < 17; i++)
    {
        rest = shw_wide(rest.x << 1u | rest.y >> 31u, rest.y << 1u | left >> 31u);
        left <<= 1u;
        less = shw_wide_subtract(rest, divisor);
        quotient = quotient << 1u | SHW_AS_UINT(less.x < SHW_FLOAT_SIGN);
        if (less.x < SHW_FLOAT_SIGN)
            rest = less;
    }
    return (quotient + 1u) >> 1u;
#else
    uint64_t n = (uint64_t)number.x << 32 | number.y, d = (uint64_t)divisor.x << 32 | divisor.y;
    uint64_t quotient = n / d + (n % d * 2 >= d);
    return quotient > 65536u ? 65536u : (uint32_t)quotient;
#endif
}

/* `fraction`: as an attachment stores it, with 48 fraction bits. */
SHW_INLINE shw_uint shw_depth_between_planes(SHW_UINT2 fraction, shw_uint4 scale)
{
    SHW_UINT2 rest = shw_wide_subtract(shw_wide(SHW_FRACTION_ONE, 0u), fraction), swapped = rest;

    if ((scale.x & 0xffffu) == SHW_SCALE_REVERSED) {
        rest = fraction;
        fraction = swapped;
    }
    if (fraction.x >= SHW_FRACTION_ONE) /* at the far plane nothing was drawn */
        return 0u;
    return shw_wide_divide(shw_wide(scale.z, scale.w),
                           shw_wide_add(rest, shw_fraction_product(fraction, shw_wide(scale.x >> 16u, scale.y))));
}

/* A float in units of 2^-30 of the power of two above the floats with that exponent, truncated; |result| <= 2^30. That
 * of a greater exponent is not for this. */
SHW_INLINE shw_int shw_float_in_range(shw_uint bits, shw_uint exponent)
{
    shw_uint own = bits >> 23u & 255u, less = exponent - own, magnitude = shw_float_mantissa(bits);

    magnitude = less <= 6u ? magnitude << (6u - less) : less < 30u ? magnitude >> (less - 6u) : 0u;
    if (own == 0u)
        magnitude = 0u;
    return (bits & SHW_FLOAT_SIGN) != 0u ? -SHW_AS_INT(magnitude) : SHW_AS_INT(magnitude);
}

/* The place of what is stored in a range: 0 at its lower end and below, 65535 at its upper end and above; 0 for what is
 * no number. Otherwise as shw_depth_code(). */
SHW_INLINE shw_uint shw_range_code(shw_uint source, shw_uint stored, shw_uint4 scale)
{
    shw_uint bits = stored, exponent = scale.x >> 16u, above;
    shw_int value;

    if (source != SHW_SOURCE_HALF && source != SHW_SOURCE_FLOAT)
        bits = shw_float_of_code(stored);
    else if ((stored & ~SHW_FLOAT_SIGN) < (source == SHW_SOURCE_HALF ? SHW_FLOAT_LEAST_HALF : 1u))
        bits = 0u;
    if ((bits & ~SHW_FLOAT_SIGN) > SHW_FLOAT_INFINITY)
        return 0u;
    if ((bits >> 23u & 255u) > exponent)
        return (bits & SHW_FLOAT_SIGN) != 0u ? 0u : SHW_DEPTH_CODE_MAX;
    value = shw_float_in_range(bits, exponent);
    if (value <= SHW_AS_INT(scale.y))
        return 0u;
    above = SHW_AS_UINT(value) - scale.y;
    if (above >= scale.z)
        return SHW_DEPTH_CODE_MAX;
    return shw_wide_divide(shw_multiply_wide(above, SHW_DEPTH_CODE_MAX), shw_wide(0u, scale.z));
}

/* `stored`: what an image stores that is read by `source`, SHW_SOURCE_HALF and so on: for halves and floats, the bits
 * of a float of that value, else the code. The kind of `scale` is not SHW_SCALE_STORED. */
SHW_INLINE shw_uint shw_depth_code(shw_uint source, shw_uint stored, shw_uint4 scale)
{
    SHW_UINT2 fraction;
    shw_uint depth, bits = stored, magnitude = stored & ~SHW_FLOAT_SIGN;

    if (source != SHW_SOURCE_HALF && source != SHW_SOURCE_FLOAT)
        bits = shw_float_of_code(stored);
    else if (magnitude < (source == SHW_SOURCE_HALF ? SHW_FLOAT_LEAST_HALF : 1u))
        bits = 0u;
    if ((scale.x & 0xffffu) == SHW_SCALE_RANGE)
        return shw_range_code(source, stored, scale);
    if (bits >= SHW_FLOAT_INFINITY) /* or negative, or no number */
        return 0u;
    if (scale.x == SHW_SCALE_LINEAR) {
        depth = shw_float_product(bits, scale.y);
    } else {
        if (source == SHW_SOURCE_UNORM24)
            fraction = shw_fraction_of_24(stored);
        else if (source != SHW_SOURCE_HALF && source != SHW_SOURCE_FLOAT)
            fraction = shw_fraction_of_16(stored);
        else if (bits > SHW_FLOAT_ONE)
            return 0u;
        else
            fraction = shw_fraction_of_float(bits);
        depth = shw_depth_between_planes(fraction, scale);
    }
    return depth > SHW_DEPTH_CODE_MAX ? 0u : depth;
}

#endif
