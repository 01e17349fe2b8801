/* The filter bank's arithmetic, for C and GLSL, and the input of the technique `compute`: first all rows, then all
 * columns. */
#ifndef SHW_SHARED_FILTER_PUSH_H
#define SHW_SHARED_FILTER_PUSH_H

#include "types.h"

#define SHW_KERNEL_BITS 14u /* fraction bits of weights */

/* Shifts after sums: rows keep 7 fraction bits, columns end with 4, like the base planes. */
#define SHW_ROW_SHIFT    (SHW_KERNEL_BITS - 3u)
#define SHW_COLUMN_SHIFT (SHW_KERNEL_BITS + 3u)

#define SHW_FILTER_WEIGHTS_MAX 312 /* of all kernels, each padded to a multiple of four */

#define SHW_FILTER_INPUTS  0 /* bindings */
#define SHW_FILTER_OUTPUTS 1
#define SHW_FILTER_KERNELS 2
#define SHW_FILTER_GROUPS  3

#define SHW_FILTER_SIZES   3           /* radii per program */
#define SHW_FILTER_NOTHING 0xffffffffu /* no plane */

/* Rows: filters of one base plane, at most one per radius, which share what they read. Columns: one filter. */
struct shw_filter_group {
    shw_uint plane;                     /* rows: the plane to read */
    shw_uint kernels[SHW_FILTER_SIZES]; /* rows: by radius; columns: by term. Index of the first weight / 4 */
    shw_uint planes[SHW_FILTER_SIZES];  /* rows: planes to write, by radius; columns: planes to read, by term. Or
                                           NOTHING */
    shw_uint size;                      /* columns: index of the radius */
    shw_uint outputs[2];                /* columns: planes for the value and for its magnitude, or NOTHING */
};

struct shw_filter_push {
    shw_int last_x, last_y; /* last pixel of the region, to which coordinates are clamped */
    shw_uint row_words, plane_words;
};

#ifndef SHW_GLSL
_Static_assert(sizeof(struct shw_filter_group) == 10 * 4, "a group has ten words in GLSL");
#endif

#endif
