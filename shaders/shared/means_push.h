/* Push constants and bindings of shaders/dense/means/means.comp, for C and GLSL. */
#ifndef SHW_SHARED_MEANS_PUSH_H
#define SHW_SHARED_MEANS_PUSH_H

#include "types.h"

#define SHW_MEANS_INTEGRALS 0 /* bindings */
#define SHW_MEANS_PLANES    1 /* SHW_MEANS_WORDS per plane */
#define SHW_MEANS_MEANS     2

/* channel, width | height << 16, multiplier and shift of shw_mean_by() for a rectangle that is not clipped */
#define SHW_MEANS_WORDS 4u

/* Of a work group: columns of pairs of elements, and rows, each so many times. */
#define SHW_MEANS_COLUMNS 32
#define SHW_MEANS_ROWS    8
#define SHW_MEANS_ROUNDS  4

struct shw_means_push {
    shw_int held_x0, held_y0, held_x1, held_y1; /* the part of the image that the planes of channels hold */
    shw_uint width, height;                     /* of the planes, in elements */
    shw_uint margin;
    shw_uint integral_stride, integral_pitch; /* words */
    shw_uint means_stride, means_pitch;       /* words */
    shw_uint is_sum;
};

#ifndef SHW_GLSL
_Static_assert(sizeof(struct shw_means_push) == 12 * 4, "push constants are 12 words in GLSL");
#endif

#endif
