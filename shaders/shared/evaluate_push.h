/* Push constants and bindings of the evaluation shaders, for C and GLSL. */
#ifndef SHW_SHARED_EVALUATE_PUSH_H
#define SHW_SHARED_EVALUATE_PUSH_H

#include "types.h"

#define SHW_EVALUATE_FOREST       0 /* texture or buffer */
#define SHW_EVALUATE_INTEGRALS    1 /* leaf passes */
#define SHW_EVALUATE_LEAVES       2 /* written by the compute leaf pass, read by the passes after it */
#define SHW_EVALUATE_RESULT       3 /* written by the compute passes after the leaf pass */
#define SHW_EVALUATE_NODES        3 /* read by the compute pass over the trees, which writes the two below */
#define SHW_EVALUATE_ARGMAX       4
#define SHW_EVALUATE_DISTRIBUTION 5
#define SHW_EVALUATE_FOREST_MORE  6 /* parts of the forest after the first, where one binding does not take it all */
#define SHW_EVALUATE_FOREST_PARTS 4

#define SHW_EVALUATE_GROUP     4 /* trees or classes per fragment pass: Vulkan guarantees four attachments */
#define SHW_EVALUATE_WORKGROUP 8 /* width and height of a work group of the passes after the leaf pass */

struct shw_evaluate_push {
    shw_int image_x0, image_y0, image_x1, image_y1; /* the whole image in the region's coordinates */
    shw_int region_width, region_height;            /* whose planes can be read */
    shw_int tile_x, tile_y;                         /* the tile's first pixel in the region */
    shw_uint tile_width, tile_height;               /* results */
    shw_uint first;                                 /* first tree of the pass, or first class (fragment) */
    shw_uint trees, classes;                        /* of the forest; of a pass over a group of trees, of the group */
    shw_uint texture_shift;   /* log2 of the forest texture's width, or of the texels of a part (compute) */
    shw_uint integral_stride; /* compute: words from row to row */
    shw_uint integral_pitch;  /* words from plane to plane */
    shw_uint leaf_stride, leaf_pitch;
    shw_uint argmax_stride; /* half-words */
    shw_uint distribution_stride, distribution_pitch;
    shw_int reach_x0, reach_y0, reach_x1, reach_y1; /* what the forest's features read around a pixel */
    shw_uint step;                                  /* from the pixel of a result to that of the next */
    shw_uint has_intervals;                         /* compute: some tests have an upper threshold */
};

#ifndef SHW_GLSL
_Static_assert(sizeof(struct shw_evaluate_push) == 27 * 4, "push constants are 27 words in GLSL");
#endif

#endif
