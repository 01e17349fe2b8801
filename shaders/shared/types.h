/* The common subset of C and GLSL. Everything in shaders/shared/ is written in it, so that arithmetic has one
 * definition.
 *
 * Rules: no signed % or /, no shift of a negative number (in GLSL it is defined), no shift by 32 or more, no `&&`,
 * `||`, `?:` and no `if` in what the traversal loop calls. Names are prefixed in both languages. */
#ifndef SHW_SHARED_TYPES_H
#define SHW_SHARED_TYPES_H

#ifdef GL_core_profile
#define SHW_GLSL  1
#define shw_int   int
#define shw_uint  uint
#define shw_uint4 uvec4
#define SHW_INLINE
#define SHW_AS_INT(value)  int(value)
#define SHW_AS_UINT(value) uint(value)
#define SHW_UNUSED(value)
#else
#include <stdint.h>
typedef int32_t shw_int;
typedef uint32_t shw_uint;
typedef struct shw_uint4 {
    uint32_t x, y, z, w;
} shw_uint4;
#define SHW_INLINE         static inline
#define SHW_AS_INT(value)  ((int32_t)(value))
#define SHW_AS_UINT(value) ((uint32_t)(value))
#define SHW_UNUSED(value)  (void)(value)
#endif

SHW_INLINE shw_int shw_min(shw_int a, shw_int b)
{
#ifdef SHW_GLSL
    return min(a, b);
#else
    return a < b ? a : b;
#endif
}

SHW_INLINE shw_int shw_max(shw_int a, shw_int b)
{
#ifdef SHW_GLSL
    return max(a, b);
#else
    return a > b ? a : b;
#endif
}

SHW_INLINE shw_int shw_clamp(shw_int value, shw_int low, shw_int high)
{
    return shw_min(shw_max(value, low), high);
}

/* The position of the highest set bit; value > 0. */
SHW_INLINE shw_uint shw_highest_bit(shw_uint value)
{
#ifdef SHW_GLSL
    return SHW_AS_UINT(findMSB(value));
#else
    return 31u - (shw_uint)__builtin_clz(value);
#endif
}

struct shw_uint2 {
    shw_uint x, y;
};

#ifndef SHW_GLSL
#define SHW_UINT2 struct shw_uint2
#else
#define SHW_UINT2 shw_uint2
#endif

SHW_INLINE SHW_UINT2 shw_multiply_wide(shw_uint a, shw_uint b) /* x: high word, y: low word */
{
    SHW_UINT2 product;
#ifdef SHW_GLSL
    umulExtended(a, b, product.x, product.y);
#else
    uint64_t wide = (uint64_t)a * b;
    product.x = (uint32_t)(wide >> 32);
    product.y = (uint32_t)wide;
#endif
    return product;
}

/* floor((value + 2^(shift-1)) / 2^shift): halves go up. |value| < 2^30, 0 <= shift <= 29. */
SHW_INLINE shw_int shw_round_shift(shw_int value, shw_uint shift)
{
#ifdef SHW_GLSL
    return (value + SHW_AS_INT((1u << shift) >> 1u)) >> shift;
#else
    shw_uint biased = SHW_AS_UINT(value) + 0x40000000u + ((1u << shift) >> 1u);
    return SHW_AS_INT(biased >> shift) - SHW_AS_INT(0x40000000u >> shift);
#endif
}

/* A 16-bit two's complement number in the low half of `word`. */
SHW_INLINE shw_int shw_low16(shw_uint word)
{
#ifdef SHW_GLSL
    return bitfieldExtract(SHW_AS_INT(word), 0, 16);
#else
    return SHW_AS_INT((word & 0xffffu) ^ 0x8000u) - 0x8000;
#endif
}

/* The same in the high half. */
SHW_INLINE shw_int shw_high16(shw_uint word)
{
#ifdef SHW_GLSL
    return SHW_AS_INT(word) >> 16;
#else
    return SHW_AS_INT((word >> 16u) ^ 0x8000u) - 0x8000;
#endif
}

#endif
