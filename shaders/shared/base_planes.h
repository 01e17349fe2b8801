/* From samples to fixed point: the values that filters and Lab read, and pixel positions as channels. */
#ifndef SHW_SHARED_BASE_PLANES_H
#define SHW_SHARED_BASE_PLANES_H

#include "types.h"

/* 4 fraction bits over an 8-bit sample: 0..4080. */
SHW_INLINE shw_uint shw_base_from_8(shw_uint value)
{
    return value * 16u;
}

/* The same for a 16-bit sample, rounded; 257 * v gives the value of the 8-bit sample v. */
SHW_INLINE shw_uint shw_base_from_16(shw_uint value)
{
    return (value * 16u + 128u) / 257u;
}

SHW_INLINE shw_uint shw_base_luma(shw_uint r, shw_uint g, shw_uint b)
{
    return (77u * r + 150u * g + 29u * b + 128u) >> 8u;
}

/* The centre of pixel `index` of `count` on a scale from 0 to 4080. */
SHW_INLINE shw_uint shw_position(shw_uint index, shw_uint count)
{
    return (2u * index + 1u) * 2040u / count;
}

#endif
