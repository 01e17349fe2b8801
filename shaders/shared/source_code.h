/* From what an image stores to codes of 8 or 16 bits, which channels are made from. */
#ifndef SHW_SHARED_SOURCE_CODE_H
#define SHW_SHARED_SOURCE_CODE_H

#include "types.h"

/* How the texels of a view relate to codes. Codes of the first three have 8 bits, those of the last two more than 16,
 * which only depth_code.h reads; the others have 16. */
#define SHW_SOURCE_UNORM8  0u /* code / 255 */
#define SHW_SOURCE_SRGB8   1u /* the same, decoded to linear light by the device */
#define SHW_SOURCE_UINT8   2u /* the code */
#define SHW_SOURCE_UINT16  3u /* the code */
#define SHW_SOURCE_UNORM16 4u /* code / 65535 */
#define SHW_SOURCE_HALF    5u /* a half float, or a float of fewer bits that is one, too; shw_code_of_half() */
#define SHW_SOURCE_UNORM10 6u /* 10 bits, divided by 1023; shw_code_of_10() */
#define SHW_SOURCE_UNORM24 7u /* code / (2^24 - 1) */
#define SHW_SOURCE_FLOAT   8u /* a float */

/* 0 to 1023 becomes 0 to 65535, rounded to the nearest; there are no ties, because 65535 / 1023 = 21845 / 341. */
SHW_INLINE shw_uint shw_code_of_10(shw_uint value)
{
    return (value * 65535u + 511u) / 1023u;
}

/* 0 to 65535 becomes 0 to 255, rounded to the nearest; there are no ties, because 65535 / 255 = 257. */
SHW_INLINE shw_uint shw_code8_of_16(shw_uint code)
{
    return (255u * code + 32767u) / 65535u;
}

/* The bits of the half float nearest to code / 65535. Only 0 and 65535 are exact, and there are no ties: twice the
 * product, an even number, would have to be an odd multiple of 65535. */
SHW_INLINE shw_uint shw_half_of_16(shw_uint code)
{
    shw_uint high = shw_highest_bit(code | 1u);
    /* The half is (product / 65535) times 2^(high - 26); below 2^-14, with high < 2, times 2^-24. */
    shw_uint shift = high < 2u ? 24u : 26u - high;
    shw_uint rounded = ((code << shift) + 32767u) / 65535u;

    return high < 2u ? rounded : ((high - 2u) << 10u) + rounded;
}

/* The half float with these bits, clamped to 0..1 (NaN is 0), times 65535, rounded to the nearest code, and to the even
 * one of two that are equally near. */
SHW_INLINE shw_uint shw_code_of_half(shw_uint bits)
{
    shw_uint exponent = bits >> 10u & 31u, fraction = bits & 1023u;
    /* The value is product / (65535 * 2^shift). */
    shw_uint product = (exponent == 0u ? fraction : fraction + 1024u) * 65535u;
    shw_uint shift = exponent == 0u ? 24u : 25u - exponent;
    shw_uint code = product >> (shift & 31u), rest = product & ((1u << (shift & 31u)) - 1u);
    shw_uint half_of_one = 1u << ((shift - 1u) & 31u);

    if ((bits & 0x8000u) != 0u)
        return 0u;
    if (exponent == 31u)
        return fraction != 0u ? 0u : 65535u;
    if (exponent >= 15u)
        return 65535u;
    if (rest > half_of_one)
        return code + 1u;
    return rest == half_of_one ? code + (code & 1u) : code;
}

/* The bits of a half float from those of an unsigned float with a fraction of 6 or 5 bits, and an exponent like a half
 * float's. */
SHW_INLINE shw_uint shw_half_of_11(shw_uint bits)
{
    return bits << 4u;
}

SHW_INLINE shw_uint shw_half_of_10(shw_uint bits)
{
    return bits << 5u;
}

/* The bits of a half float from those of the float of the same value. */
SHW_INLINE shw_uint shw_half_of_float(shw_uint bits)
{
    shw_uint sign = bits >> 16u & 0x8000u, exponent = bits >> 23u & 255u, fraction = bits & 0x7fffffu;

    if (exponent == 255u)
        return sign | 0x7c00u | (fraction != 0u ? 0x200u : 0u);
    if (exponent >= 113u)
        return sign | (exponent - 112u) << 10u | fraction >> 13u;
    if (exponent >= 103u) /* halves without a leading one */
        return sign | (fraction | 0x800000u) >> (126u - exponent);
    return sign;
}

#endif
