/* Luma and chroma to R, G and B, for C and GLSL (docs/channels.md). */
#ifndef SHW_SHARED_YCBCR_H
#define SHW_SHARED_YCBCR_H

#include "types.h"

/* How a frame is converted; the same for all its pixels. */
struct shw_ycbcr_push {
    shw_int width, height, chroma_width, chroma_height;
    shw_uint x_halved, y_halved;   /* chroma has half the width, half the height */
    shw_uint x_between, y_between; /* and is between columns, between rows */
    shw_int luma_zero, luma;       /* the code of black, and what a step above it adds */
    shw_int chroma_zero;           /* the sum of chroma of grey */
    shw_int r_cr, g_cb, g_cr, b_cb;
    shw_uint chroma_shift, shift; /* of sums of 16 chroma codes; of the results */
    shw_uint sample_shift;        /* from a word to a code */
    shw_int sample_most, most;    /* the greatest code that is read, and that is made */
    shw_uint interleaved;
};

#ifdef SHW_GLSL
#define SHW_YCBCR shw_ycbcr_push
#else
#define SHW_YCBCR struct shw_ycbcr_push
#endif

/* A word as a code. */
SHW_INLINE shw_int shw_ycbcr_code(SHW_YCBCR push, shw_uint word)
{
    return shw_min(SHW_AS_INT(word >> push.sample_shift), push.sample_most);
}

/* Along an axis a pixel lies between two chroma samples, or at one of them: the first of the two, which may be -1, and
 * its share out of 4. */
SHW_INLINE shw_int shw_ycbcr_first(shw_int at, shw_uint halved, shw_uint between)
{
    if (halved == 0u)
        return at;
    return ((at + SHW_AS_INT(between)) >> 1u) - SHW_AS_INT(between);
}

SHW_INLINE shw_int shw_ycbcr_share(shw_int at, shw_uint halved, shw_uint between)
{
    shw_int odd = at & 1;

    if (halved == 0u)
        return 4;
    return between == 0u ? 4 - 2 * odd : 1 + 2 * odd;
}

/* Chroma at a pixel, of which black, white and grey have 0, from the four codes around it: a and b above, c and d
 * below. */
SHW_INLINE shw_int shw_ycbcr_chroma(SHW_YCBCR push, shw_int a, shw_int b, shw_int c, shw_int d, shw_int x_share,
                                    shw_int y_share)
{
    shw_int above = a * x_share + b * (4 - x_share), below = c * x_share + d * (4 - x_share);
    shw_int sum = above * y_share + below * (4 - y_share);

    return ((sum + SHW_AS_INT((1u << push.chroma_shift) >> 1u)) >> push.chroma_shift) - push.chroma_zero;
}

/* R, G or B, of a code of luma and chroma. */
SHW_INLINE shw_uint shw_ycbcr_component(SHW_YCBCR push, shw_int luma, shw_int cb, shw_int cr, shw_int of_cb,
                                        shw_int of_cr)
{
    shw_int sum = (luma - push.luma_zero) * push.luma + cb * of_cb + cr * of_cr + SHW_AS_INT((1u << push.shift) >> 1u);

    return SHW_AS_UINT(shw_min(shw_max(sum, 0) >> push.shift, push.most));
}

#endif
