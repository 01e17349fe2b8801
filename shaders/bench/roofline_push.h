/* The micro-benchmarks of the roofline: push constants, bindings and the addresses read or written, for C and GLSL. */
#ifndef SHW_BENCH_ROOFLINE_PUSH_H
#define SHW_BENCH_ROOFLINE_PUSH_H

#include "../shared/types.h"

#define SHW_ROOFLINE_SOURCE 0 /* texture or buffer */
#define SHW_ROOFLINE_RESULT 1

/* A frame of pixels. Planes are larger than the frame by the window in which offsets lie. */
#define SHW_ROOFLINE_WIDTH        1024u
#define SHW_ROOFLINE_HEIGHT       512u
#define SHW_ROOFLINE_WINDOW_SHIFT 7u
#define SHW_ROOFLINE_WINDOW       (1u << SHW_ROOFLINE_WINDOW_SHIFT)
#define SHW_ROOFLINE_STRIDE       (SHW_ROOFLINE_WIDTH + SHW_ROOFLINE_WINDOW)
#define SHW_ROOFLINE_ROWS         (SHW_ROOFLINE_HEIGHT + SHW_ROOFLINE_WINDOW)
#define SHW_ROOFLINE_LAYERS_SHIFT 3u
#define SHW_ROOFLINE_LAYERS       (1u << SHW_ROOFLINE_LAYERS_SHIFT)

#define SHW_ROOFLINE_UNROLL       8u /* accesses per invocation in one step */
#define SHW_ROOFLINE_WORKGROUP    256u
#define SHW_ROOFLINE_SHARED_SHIFT 11u  /* log2 of the counters in shared memory */
#define SHW_ROOFLINE_GLOBAL_SHIFT 20u  /* log2 of the counters in device memory */
#define SHW_ROOFLINE_TARGET_SHIFT 11u  /* log2 of the width and height of the blend target */
#define SHW_ROOFLINE_FILL_COLUMNS 256u /* work groups per row of a fill */

struct shw_roofline_push {
    shw_uint steps;
    shw_uint seed;
    shw_uint shift; /* scattered loads: 32 - log2 of the words */
    shw_uint mask;  /* for draws of coherent loads and fetches: SHW_ROOFLINE_FAR or SHW_ROOFLINE_NEAR */
};

/* The next draw, from a linear congruential generator; its high bits are good. */
SHW_INLINE shw_uint shw_roofline_next(shw_uint state)
{
    return state * 1664525u + 1013904223u;
}

/* The first draw of an invocation or of a point (the finaliser of MurmurHash3). */
SHW_INLINE shw_uint shw_roofline_begin(shw_uint number, shw_uint seed)
{
    shw_uint state = number + seed * 0x9e3779b9u;
    state = (state ^ (state >> 16u)) * 0x85ebca6bu;
    state = (state ^ (state >> 13u)) * 0xc2b2ae35u;
    return state ^ (state >> 16u);
}

/* Masks of draws: offsets in the whole window and all planes; offsets in eight rows and columns of one plane. */
#define SHW_ROOFLINE_FAR  0xffffffffu
#define SHW_ROOFLINE_NEAR ((7u << (32u - SHW_ROOFLINE_WINDOW_SHIFT)) | (7u << (32u - 2u * SHW_ROOFLINE_WINDOW_SHIFT)))

/* The contents of word `index` of the source. */
SHW_INLINE shw_uint shw_roofline_word(shw_uint index)
{
    return (index ^ (index >> 15u)) * 0x9e3779b1u;
}

/* Column and row in the window, and a plane, from one draw. */
SHW_INLINE shw_uint shw_roofline_column(shw_uint draw)
{
    return draw >> (32u - SHW_ROOFLINE_WINDOW_SHIFT);
}

SHW_INLINE shw_uint shw_roofline_row(shw_uint draw)
{
    return (draw >> (32u - 2u * SHW_ROOFLINE_WINDOW_SHIFT)) & (SHW_ROOFLINE_WINDOW - 1u);
}

SHW_INLINE shw_uint shw_roofline_layer(shw_uint draw)
{
    return (draw >> (32u - 2u * SHW_ROOFLINE_WINDOW_SHIFT - SHW_ROOFLINE_LAYERS_SHIFT)) & (SHW_ROOFLINE_LAYERS - 1u);
}

#ifndef SHW_GLSL
_Static_assert(sizeof(struct shw_roofline_push) == 4 * 4, "push constants are 4 words in GLSL");
#endif

#endif
