/* Integral images by compute, in two passes over tiles: the first sums rows and columns of each tile; the second
 * computes each tile from these sums. Tiles stacked vertically form a group, which is processed by one work group. */
#ifndef SHW_SHARED_INTEGRAL_PUSH_H
#define SHW_SHARED_INTEGRAL_PUSH_H

#include "types.h"

#define SHW_INTEGRAL_CHANNELS  0 /* bindings */
#define SHW_INTEGRAL_SUMS      1
#define SHW_INTEGRAL_INTEGRALS 2
#define SHW_INTEGRAL_MORE      3 /* windows after the first, where one binding does not take all integral images */

#define SHW_INTEGRAL_TILE_WIDTH  64
#define SHW_INTEGRAL_TILE_HEIGHT 32

/* Sums, in words, from p * sums_pitch on for plane p:
 *   rows     of tile column i and pixel row y: i * rows_pitch + y
 *   columns  of group g and pixel column x: columns_first + g * columns_pitch + x
 *   totals   of group g and tile column i: totals_first + g * tile_columns + i */
struct shw_integral_push {
    shw_uint width, height;                                   /* of the region, in pixels */
    shw_uint channel_stride, channel_pitch;                   /* from row to row and from plane to plane, in units of
                                                                 eight pixels */
    shw_uint integral_stride, integral_pitch, integral_first; /* words */
    shw_uint tile_columns, group_tiles;                       /* tiles per row; tiles per group */
    shw_uint sums_pitch, rows_pitch, columns_first, columns_pitch, totals_first;
};

#ifndef SHW_GLSL
_Static_assert(sizeof(struct shw_integral_push) == 14 * 4, "push constants are 14 words in GLSL");
#endif

#endif
