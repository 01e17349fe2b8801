/* Square roots of integers, rounded down. */
#ifndef SHW_SHARED_ROOT_H
#define SHW_SHARED_ROOT_H

#include "types.h"

SHW_INLINE shw_uint shw_root(shw_uint value)
{
    shw_uint root = 0u;

    for (shw_uint bit = 0x8000u; bit != 0u; bit >>= 1u) {
        shw_uint next = root | bit;
        if (next * next <= value)
            root = next;
    }
    return root;
}

/* The root of a^2 + b^2; a and b < 2^26. */
SHW_INLINE shw_uint shw_hypotenuse(shw_uint a, shw_uint b)
{
    SHW_UINT2 first = shw_multiply_wide(a, a), sum = shw_multiply_wide(b, b);
    shw_uint root = 0u;

    sum.y += first.y;
    sum.x += first.x;
    if (sum.y < first.y)
        sum.x += 1u;
    for (shw_uint bit = 0x4000000u; bit != 0u; bit >>= 1u) {
        shw_uint next = root | bit;
        SHW_UINT2 square = shw_multiply_wide(next, next);
        if (square.x < sum.x || (square.x == sum.x && square.y <= sum.y))
            root = next;
    }
    return root;
}

#endif
