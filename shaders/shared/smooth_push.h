/* Smoothing on a device, for C and GLSL: passes over planes. Those of windows sum along rows, then along columns; the
 * classes are done in groups, so that what they need of cells takes limited memory. */
#ifndef SHW_SHARED_SMOOTH_PUSH_H
#define SHW_SHARED_SMOOTH_PUSH_H

#include "types.h"

/* Passes. Planes of cells begin with the first cell of a range around the tile (shw_smooth_range_of()) of so many
 * windows: those of GUIDE and SHARES with two, of *_ROWS with one less in x than in y, and so on. */
#define SHW_SMOOTH_GUIDE        0  /* cells of two windows: guide values */
#define SHW_SMOOTH_GUIDE_ROWS   1  /* their sums over windows along rows: three parts of three */
#define SHW_SMOOTH_GUIDE_SUMS   2  /* and over whole windows */
#define SHW_SMOOTH_NEAR         3  /* pixels of the tile: guide values of what is near */
#define SHW_SMOOTH_SHARES       4  /* a class's shares of cells */
#define SHW_SMOOTH_SHARE_ROWS   5  /* their sums, with and without the guide, along rows */
#define SHW_SMOOTH_MODELS       6  /* cells of one window: models */
#define SHW_SMOOTH_MODEL_ROWS   7  /* their sums along rows */
#define SHW_SMOOTH_MEANS        8  /* cells of the tile: mean models */
#define SHW_SMOOTH_VALUES       9  /* pixels of the tile: values, not normalised */
#define SHW_SMOOTH_TOTALS       10 /* of all classes at a pixel: sum, largest class, what is missing to 65535, label */
#define SHW_SMOOTH_DISTRIBUTION 11 /* the result */
#define SHW_SMOOTH_LABELS       12 /* the result */
#define SHW_SMOOTH_PASSES       13

/* Bindings: up to three kinds of planes that a pass reads; in buffers, those that it writes. */
#define SHW_SMOOTH_INPUTS 3
#define SHW_SMOOTH_OUTPUT SHW_SMOOTH_INPUTS

#define SHW_SMOOTH_RUN 4 /* neighbouring windows whose sums a compute invocation makes one from the other */

struct shw_smooth_push {
    shw_int full_width, full_height;   /* of the whole image, pixels */
    shw_int x, y, width, height;       /* of the tile in it */
    shw_int base_x, base_y;            /* where base planes begin in it */
    shw_int given_x, given_y;          /* where the distributions that are smoothed begin in it */
    shw_uint bits, cells, epsilon;     /* struct shw_smooth_windows */
    shw_uint class_count, first_class; /* of all, and of the group */
    shw_uint item;                     /* fragment: which class of the group, or which part */
    shw_uint a_row, a_plane;           /* in buffers: words from row to row and from plane to plane */
    shw_uint b_row, b_plane, c_row, c_plane;
    shw_uint out_row, out_plane;
};

#endif
