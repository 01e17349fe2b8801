/* Counter-based random numbers: a keyed permutation of 64-bit counters, so that every draw is addressed and none
 * depends on the order of use. Philox 2x32 with ten rounds (Salmon et al., "Parallel random numbers: as easy as 1, 2,
 * 3", SC 2011). */
#ifndef SHW_SHARED_RANDOM_H
#define SHW_SHARED_RANDOM_H

#include "types.h"

SHW_INLINE SHW_UINT2 shw_random2(shw_uint key, shw_uint counter_x, shw_uint counter_y)
{
    SHW_UINT2 state;
    state.x = counter_x;
    state.y = counter_y;
    for (shw_uint round = 0u; round < 10u; ++round) {
        SHW_UINT2 product = shw_multiply_wide(0xd256d193u, state.x);
        state.x = product.x ^ key ^ state.y;
        state.y = product.y;
        key += 0x9e3779b9u;
    }
    return state;
}

SHW_INLINE shw_uint shw_random(shw_uint key, shw_uint counter_x, shw_uint counter_y)
{
    SHW_UINT2 pair = shw_random2(key, counter_x, counter_y);
    return pair.x;
}

/* 0..bound-1 from 32 random bits; bound > 0. */
SHW_INLINE shw_uint shw_random_below(shw_uint bits, shw_uint bound)
{
    SHW_UINT2 product = shw_multiply_wide(bits, bound);
    return product.x;
}

#endif
