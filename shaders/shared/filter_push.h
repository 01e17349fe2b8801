/* The filter bank's arithmetic, for C and GLSL, and how the technique `compute` is told what to do: first all rows,
 * then all columns. */
#ifndef SHW_SHARED_FILTER_PUSH_H
#define SHW_SHARED_FILTER_PUSH_H

#include "types.h"

#define SHW_KERNEL_BITS 14u /* fraction bits of weights */

/* Shifts that follow the sums: rows keep 7 fraction bits, columns end with 4, like the base planes. */
#define SHW_ROW_SHIFT    (SHW_KERNEL_BITS - 3u)
#define SHW_COLUMN_SHIFT (SHW_KERNEL_BITS + 3u)

#define SHW_FILTER_WEIGHTS_MAX 312 /* of all kernels, each padded to a multiple of four */

#define SHW_FILTER_INPUTS  0 /* bindings */
#define SHW_FILTER_OUTPUTS 1
#define SHW_FILTER_KERNELS 2
#define SHW_FILTER_GROUPS  3

#define SHW_FILTER_SIZES   3           /* radii that one program knows */
#define SHW_FILTER_NOTHING 0xffffffffu /* no plane */

/* Of rows: filters of one base plane, at most one of each radius, which share what they read.
 * Of columns: one filter. */
struct shw_filter_group {
    shw_uint plane;                     /* rows: that is read */
    shw_uint kernels[SHW_FILTER_SIZES]; /* rows: by radius; columns: by term. The first weight's number / 4 */
    shw_uint planes[SHW_FILTER_SIZES];  /* rows: written, by radius; columns: read, by term. Or NOTHING */
    shw_uint size;                      /* columns: number of the radius */
    shw_uint outputs[2];                /* columns: the planes of its value and of its magnitude, or NOTHING */
};

struct shw_filter_push {
    shw_int last_x, last_y; /* pixel of the region, to which the border is clamped */
    shw_uint row_words, plane_words;
};

#ifndef SHW_GLSL
_Static_assert(sizeof(struct shw_filter_group) == 10 * 4, "a group has ten words in GLSL");
#endif

#endif
