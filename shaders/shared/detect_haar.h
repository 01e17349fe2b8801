/* Haar features relative to the deviation of the window (Viola and Jones 2001, section 2 and 5; Lienhart 2002), as
 * OpenCV tests them, in integers. */
#ifndef SHW_SHARED_DETECT_HAAR_H
#define SHW_SHARED_DETECT_HAAR_H

#include "types.h"

#ifndef SHW_GLSL
#include <math.h>
#endif

/* The square root of high * 2^32 + low < 2^62, rounded down. */
SHW_INLINE shw_uint shw_haar_root(shw_uint high, shw_uint low)
{
    shw_uint root = 0u;
#ifdef SHW_GLSL
    for (shw_uint bit = 1u << 30u; bit != 0u; bit >>= 1u) {
        SHW_UINT2 square = shw_multiply_wide(root | bit, root | bit);
        bool fits = square.x < high || (square.x == high && square.y <= low);
        root |= fits ? bit : 0u;
    }
#else
    uint64_t value = (uint64_t)high << 32 | low;

    root = (uint32_t)sqrt((double)value);
    root -= (uint64_t)root * root > value;
    root += ((uint64_t)root + 1) * ((uint64_t)root + 1) <= value;
#endif
    return root;
}

/* The area, below 2^16, times the deviation of the grey values in it, in 1/256 and rounded down: below 2^31. 0 if the
 * deviation is at most 10: such windows are rejected. */
SHW_INLINE shw_uint shw_haar_norm(shw_uint area, shw_uint sum, shw_uint squares)
{
    SHW_UINT2 all = shw_multiply_wide(area, squares);
    SHW_UINT2 mean = shw_multiply_wide(sum, sum);
    SHW_UINT2 least = shw_multiply_wide(100u * area, area);
    shw_uint low = all.y - mean.y;
    shw_uint high = all.x - mean.x - SHW_AS_UINT(all.y < mean.y);

    if (high < least.x || (high == least.x && low <= least.y))
        return 0u;
    return shw_haar_root((high << 16u) | (low >> 16u), low << 16u);
}

/* Whether a feature's weighted sum, in 1/256, is not less than a threshold in 2^-24 of what the norm is of. */
SHW_INLINE bool shw_haar_is_right(shw_int response, shw_int threshold, shw_uint norm)
{
#ifdef SHW_GLSL
    shw_int high, low, response_high = response >> 8;
    shw_uint response_low = SHW_AS_UINT(response) << 24u;

    imulExtended(threshold, SHW_AS_INT(norm), high, low);
    return response_high > high || (response_high == high && response_low >= SHW_AS_UINT(low));
#else
    return (int64_t)response * (1 << 24) >= (int64_t)threshold * norm;
#endif
}

#endif
