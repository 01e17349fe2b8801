/* Evaluation on the CPU. */
#ifndef SHW_DENSE_FEATURE_EVALUATE_CPU_H
#define SHW_DENSE_FEATURE_EVALUATE_CPU_H

#include <shadewood/forest.h>
#include <shadewood/label.h>

#include "base/thread_pool.h"
#include "shared/rectangle.h"

/* A tree whose nodes of one level share a test. The results of the tests, the first in the highest bit, are the place
 * of the pixel's leaf. */
struct shw_fern {
    uint32_t levels;
    const uint32_t *tests;  /* [level]: eight words, those of a node in the forest texture */
    const uint32_t *leaves; /* [2^levels]: numbers of leaves in the tree */
};

/* One tile of an image. */
struct shw_evaluate_tile {
    const struct shw_forest *forest;
    const void *planes;     /* of a region, one plane after the other: integral images of (height + 1) rows of (width +
                               1) values, or channels, whichever the feature type reads */
    uint32_t width, height; /* of the region in pixels */
    struct shw_rect image;  /* the whole image in the region's coordinates */
    uint32_t x, y;          /* the tile's first pixel in the region */
    uint32_t tile_width, tile_height;
    uint32_t step; /* only every step-th of its pixels in both directions is evaluated */
    struct shw_labelling out;
    uint32_t out_width, out_height; /* of the results' planes */
    uint32_t out_x, out_y;          /* the first pixel's place there; the others follow without gaps */
    /* shw_evaluate_cpu() fills these in: */
    const uint32_t *texels;       /* of the forest texture */
    const struct shw_fern *ferns; /* [tree], or NULL */
};

/* Errors: MEMORY. `pool` may be NULL. */
enum shw_result shw_evaluate_cpu(const struct shw_evaluate_tile *tile, struct shw_thread_pool *pool);

#define SHW_PATCH_WIDTH_PORTABLE 4u /* at least */
#define SHW_PATCH_WIDTH_AVX2     8u
#define SHW_PATCH_WIDTH_AVX512   16u
#define SHW_PATCH_WIDTH          64u
#define SHW_PATCH_HEIGHT         16u

/* Pixels that are evaluated together, a step of the tile apart: width <= SHW_PATCH_WIDTH, height <= SHW_PATCH_HEIGHT.
 */
struct shw_evaluate_patch {
    const struct shw_evaluate_tile *tile;
    uint32_t x, y; /* its first pixel in the region */
    uint32_t width, height;
};

/* Elements of `blocks` that evaluation with vector instructions needs for a tree of that depth. */
static inline size_t shw_evaluate_block_count(uint32_t depth)
{
    return (depth + 2) * (size_t)(SHW_PATCH_HEIGHT * (SHW_PATCH_WIDTH / SHW_PATCH_WIDTH_PORTABLE));
}

#endif
