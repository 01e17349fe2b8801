/* The stage `smooth`: class distributions, filtered so that they are smooth where the image is and change where its
 * colours do (shaders/shared/smooth.h). Forests say whether they are smoothed, and how far. */
#ifndef SHW_DENSE_SMOOTH_SMOOTH_H
#define SHW_DENSE_SMOOTH_SMOOTH_H

#include <stdint.h>

#include <shadewood/forest.h>
#include <shadewood/stage.h>

#include "base/thread_pool.h"

/* How distributions are smoothed; zero: not at all. */
struct shw_smoothing {
    uint32_t bits;    /* a cell has 2^bits x 2^bits pixels */
    uint32_t cells;   /* a window extends so many cells from its centre; 0: no smoothing */
    uint32_t epsilon; /* variance of the guide that counts as texture, in (1/4)^2 of an 8-bit sample */
};

/* For windows that extend `radius` pixels from their centre, 0 for none, rounded to whole cells. `epsilon` is the
 * variance of colours, in squares of an 8-bit sample, below which they are texture. */
struct shw_smoothing shw_smoothing_of(uint32_t radius, uint32_t epsilon);

/* The distance in pixels within which distributions and colours influence a pixel. */
static inline uint32_t shw_smoothing_reach(const struct shw_smoothing *smoothing)
{
    return smoothing->cells > 0 ? (2 * smoothing->cells + 2) << smoothing->bits : 0;
}

/* A rectangle of pixels or cells in the whole image. */
struct shw_smooth_rect {
    uint32_t x, y, width, height;
};

/* The cells whose distributions and colours influence the pixels of a tile, and those whose models do. */
struct shw_smooth_rect shw_smooth_cells(const struct shw_smoothing *smoothing, const struct shw_smooth_rect *tile,
                                        uint32_t full_width, uint32_t full_height, uint32_t windows);

/* A tile for shw_smooth_cpu(). */
struct shw_smooth_tile {
    struct shw_smoothing smoothing;
    uint32_t full_width, full_height; /* the whole image, pixels */
    struct shw_smooth_rect given;     /* what `image` and `distribution` have of it: at least all pixels within reach */
    const struct shw_image *image;
    const uint16_t *distribution; /* classes planes; all zero where a pixel is void */
    uint32_t classes;
    struct shw_smooth_rect tile;
    /* The result of every step-th pixel of the tile in both directions goes to (out_x + i, out_y + j) of planes of
     * out_width * out_height elements; NULL: not wanted. */
    uint16_t *out_distribution, *out_argmax;
    uint32_t out_x, out_y, out_width, out_height, step;
};

/* Errors: MEMORY. */
enum shw_result shw_smooth_cpu(const struct shw_smooth_tile *tile, struct shw_thread_pool *pool);

#endif
