/* Integral images by compute, in two passes over tiles: one sums each tile's rows and columns, the other adds, inside
 * its tile, what lies to the left and above. Tiles that stand one above the other form a group, which is one work
 * group's. */
#ifndef SHW_SHARED_INTEGRAL_PUSH_H
#define SHW_SHARED_INTEGRAL_PUSH_H

#include "types.h"

#define SHW_INTEGRAL_CHANNELS  0 /* bindings */
#define SHW_INTEGRAL_SUMS      1
#define SHW_INTEGRAL_INTEGRALS 2

#define SHW_INTEGRAL_TILE_WIDTH  64
#define SHW_INTEGRAL_TILE_HEIGHT 32

/* Sums, all in words: of plane p, from p * sums_pitch on,
 *   rows     of tile column i and pixel row y: i * rows_pitch + y
 *   columns  of group g and pixel column x: columns_first + g * columns_pitch + x
 *   totals   of group g and tile column i: totals_first + g * tile_columns + i */
struct shw_integral_push {
    shw_uint width, height;                                   /* of the region, in pixels */
    shw_uint channel_stride, channel_pitch;                   /* in eighths of a row's and a plane's pixels */
    shw_uint integral_stride, integral_pitch, integral_first; /* words */
    shw_uint tile_columns, group_tiles;                       /* tiles beside each other; tiles of a group */
    shw_uint sums_pitch, rows_pitch, columns_first, columns_pitch, totals_first;
};

#ifndef SHW_GLSL
_Static_assert(sizeof(struct shw_integral_push) == 14 * 4, "push constants are 14 words in GLSL");
#endif

#endif
