/* Push constants and bindings of shaders/dense/means/means.comp, for C and GLSL. */
#ifndef SHW_SHARED_MEANS_PUSH_H
#define SHW_SHARED_MEANS_PUSH_H

#include "types.h"

#define SHW_MEANS_CHANNELS 0 /* bindings */
#define SHW_MEANS_TABLE    1 /* SHW_MEANS_WORDS per channel that has planes, then per plane */
#define SHW_MEANS_MEANS    2

/* Of a channel: its number, its first plane, the plane after its last, 0. Of a plane: width, height, multiplier and
 * shift of shw_mean_by() for a rectangle that is not clipped. */
#define SHW_MEANS_WORDS 4u

/* Of a work group: elements in a row of its tile, and threads. */
#define SHW_MEANS_COLUMNS 64u
#define SHW_MEANS_THREADS 256u

/* What the rectangles of a tile cover: pairs of columns, with one column to the left if the margin is odd, and rows. */
#define SHW_MEANS_PAIRS(margin)        ((SHW_MEANS_COLUMNS + (margin) + 1u) / 2u)
#define SHW_MEANS_HEIGHT(margin, rows) ((rows) + (margin))

/* The integral image of that: in a row first the even columns, then the odd ones, so that the threads of neighbouring
 * pairs use different banks of shared memory. A row has one column more, thus an odd number, so that those of
 * neighbouring rows do, too. */
#define SHW_MEANS_HALF(margin)       (SHW_MEANS_PAIRS(margin) + 1u)
#define SHW_MEANS_PITCH(margin)      (2u * SHW_MEANS_PAIRS(margin) + 1u)
#define SHW_MEANS_SUMS(margin, rows) (SHW_MEANS_PITCH(margin) * (SHW_MEANS_HEIGHT(margin, rows) + 1u))

/* Shared memory beside it, in words: sums of parts of columns, two columns for each thread, and of parts of rows. */
#define SHW_MEANS_COLUMN_SUMS (2u * SHW_MEANS_THREADS)
#define SHW_MEANS_ROW_SUMS    SHW_MEANS_THREADS

#define SHW_MEANS_ROW_PARTS 4u /* into which a row is divided */

struct shw_means_push {
    shw_int held_x0, held_y0, held_x1, held_y1; /* the part of the image that the planes of channels hold */
    shw_uint width, height;                     /* of the planes, in elements */
    shw_uint channel_stride, channel_pitch;     /* words, of two pixels */
    shw_uint means_stride, means_pitch;         /* the same */
    shw_uint means_first;                       /* word of the first plane */
    shw_uint channels;                          /* that have planes */
    shw_uint is_sum;
};

#ifndef SHW_GLSL
_Static_assert(sizeof(struct shw_means_push) == 13 * 4, "push constants are 13 words in GLSL");
#endif

#endif
