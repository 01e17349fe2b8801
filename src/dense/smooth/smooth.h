/* The stage `smooth`: class distributions, filtered so that they are smooth where the image is and change where its
 * colours do (shaders/shared/smooth.h). */
#ifndef SHW_DENSE_SMOOTH_SMOOTH_H
#define SHW_DENSE_SMOOTH_SMOOTH_H

#include <stdint.h>

#include <shadewood/label.h>

#include "base/thread_pool.h"
#include "dense/stage/tiles.h"
#include "vulkan/commands.h"
#include "vulkan/planes.h"

/* How distributions are smoothed; zero: not at all. */
struct shw_smooth_windows {
    uint32_t bits;    /* a cell has 2^bits x 2^bits pixels */
    uint32_t cells;   /* a window extends so many cells from its centre; 0: no smoothing */
    uint32_t epsilon; /* variance of the guide that counts as texture, in (1/4)^2 of an 8-bit sample */
};

/* The radius becomes whole cells, of which it has 4 to 7 if it has as many pixels, and up to 15 of the
 * largest cells. */
struct shw_smooth_windows shw_smooth_windows_of(const struct shw_smoothing *smoothing);

/* The distance in pixels within which distributions and colours influence a pixel. */
static inline uint32_t shw_smooth_reach(const struct shw_smooth_windows *windows)
{
    return windows->cells > 0 ? (2 * windows->cells + 2) << windows->bits : 0;
}

/* What must be evaluated for outputs (enum shw_output) that are smoothed: labels are made from distributions. */
static inline uint32_t shw_smooth_needs(uint32_t outputs)
{
    return (outputs & ~(uint32_t)SHW_OUTPUT_ARGMAX) | SHW_OUTPUT_DISTRIBUTION;
}

/* A rectangle of pixels or cells in the whole image. */
struct shw_smooth_rect {
    uint32_t x, y, width, height;
};

/* The cells within `times` windows of those between which the pixels of a tile lie: with 0 those whose mean models are
 * needed, with 1 the models, with 2 the distributions and colours. */
struct shw_smooth_rect shw_smooth_cells(const struct shw_smooth_windows *windows, const struct shw_smooth_rect *tile,
                                        uint32_t full_width, uint32_t full_height, uint32_t times);

/* A tile for shw_smooth_cpu(). */
struct shw_smooth_tile {
    struct shw_smooth_windows windows;
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

/* The memory for a tile with sides of so many pixels, with the distributions that are smoothed. */
uint64_t shw_smooth_cpu_bytes(const struct shw_smooth_windows *windows, uint32_t side, uint32_t classes,
                              uint32_t threads);

/* Errors: MEMORY. */
enum shw_result shw_smooth_cpu(const struct shw_smooth_tile *tile, struct shw_thread_pool *pool);

/* Passes on a device, with the same bits: fragment passes over images, or compute on buffers. */

struct shw_smooth_passes;

/* Planes are arrays of one per slot, borrowed; when passes are added, only their sizes need to be known. */
struct shw_smooth_params {
    struct shw_smooth_windows windows;
    enum shw_planes_form form;
    uint32_t width, height, classes; /* the most pixels of a region, and classes */
    uint32_t slots, sets;            /* `sets` of scratch planes, which the slots share in turn */
    const struct shw_planes *given;  /* R16_UINT, one per class: at least all pixels within reach of the tile */
    const struct shw_planes *distribution, *argmax; /* R16_UINT, one per class and one; NULL: not wanted */
    /* The steps of a frame (struct shw_span): the guide is made in the first, and the rest in the last. */
    uint32_t first, last;
};

/* Bytes of scratch planes for each pixel of a region, and the most in a single buffer. */
struct shw_smooth_bytes {
    uint64_t total, widest;
};
struct shw_smooth_bytes shw_smooth_bytes(const struct shw_smooth_windows *windows, uint32_t classes);

/* Adds scratch planes to an arena. Errors: MEMORY, DEVICE_MEMORY, UNSUPPORTED, LIMIT. */
enum shw_result shw_smooth_passes_add(struct shw_arena *arena, const struct shw_smooth_params *params,
                                      struct shw_smooth_passes **passes);

/* Creates everything that recording needs, once the arena and the planes are made. Errors: as above; the passes are
 * then to be destroyed. */
enum shw_result shw_smooth_passes_create(struct shw_smooth_passes *passes);

/* Accepts a pointer to NULL. */
void shw_smooth_passes_destroy(struct shw_smooth_passes **passes);

/* Records what reads the frame's first source, which is ready for shw_use_fragment_sampled or shw_use_compute_sampled,
 * by form. */
void shw_smooth_passes_record_guide(struct shw_smooth_passes *passes, struct shw_recording *recording, uint32_t slot,
                                    const struct shw_stage_frame *frame);

/* Records smoothing of the tile of a frame whose guide has been recorded, to (0, 0) of the results. `given` begins at
 * pixel (given_x, given_y) of the region, and is in use shw_use_copy_source, as results are afterwards. */
void shw_smooth_passes_record(struct shw_smooth_passes *passes, struct shw_recording *recording, uint32_t slot,
                              const struct shw_stage_frame *frame, uint32_t given_x, uint32_t given_y,
                              uint32_t classes);

#endif
