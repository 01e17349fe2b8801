/* The technique `blend` (Sharp 2008, section 4): histograms by the graphics pipeline. Points, one a sample and
 * candidate, are scattered over a texture by a vertex shader, and additive blending counts them. What is counted is
 * what histogram.comp counts. */
#ifndef SHW_TRAIN_HISTOGRAM_BLEND_H
#define SHW_TRAIN_HISTOGRAM_BLEND_H

#include "shared/blend_push.h"
#include "train/backend_compute.h"
#include "vulkan/target.h"

#define SHW_BLEND_LAYERS_MAX   16u /* candidates whose responses are there at once */
#define SHW_BLEND_TEXTURES_MAX 8u  /* that a histogram is spread over at once */

/* What the technique `blend` keeps to; results do not depend on it. */
struct shw_blend_limits {
    uint32_t points; /* that a cell of a texture may count: floats are exact up to SHW_BLEND_POINTS */
    uint32_t side;   /* of a texture */
    uint64_t bytes;  /* of all textures of a sweep */
    bool half;       /* textures of 16-bit floats, which are exact up to 2048 only: for tests */
};
#define SHW_BLEND_POINTS (1u << 24)
#define SHW_BLEND_BYTES  ((uint64_t)256 << 20)

/* Samples that are counted together; push constants and SHW_BLEND_SLOT_MAX tell how they are packed. */
struct shw_blend_group {
    uint32_t chunk, first, begins[4], count;
};

/* How a batch's histogram lies in textures: row by row, texture by texture. What does not fit is counted by further
 * sweeps. */
struct shw_blend_tiling {
    uint32_t width_shift, height; /* of a texture */
    uint32_t textures;
    size_t sweep_cells;
};

enum shw_blend_program {
    SHW_BLEND_LEAF_PASS,
    SHW_BLEND_RESPOND_PASS,
    SHW_BLEND_SCATTER_FIRST, /* clears the texture before */
    SHW_BLEND_SCATTER_MORE,
    SHW_BLEND_FLUSH_PASS,
    SHW_BLEND_PROGRAM_COUNT
};

struct shw_histogram_blend {
    struct shw_blend_limits limits;
    struct shw_program programs[SHW_BLEND_PROGRAM_COUNT];
    struct shw_sets sets[SHW_BLEND_PROGRAM_COUNT]; /* one a place of integral images */

    struct shw_blend_group *groups;
    uint32_t group_count, group_capacity, image_count;
    struct shw_buffer points, nodes;             /* samples in the order of images, which never changes; the tree */
    struct shw_buffer point_upload, node_upload; /* what is to be copied there first */
    VkDeviceSize point_bytes, node_bytes;        /* to be copied; zero when that is done */
    struct shw_vulkan_image leaves, responses, counts;
    uint32_t layers; /* of responses */
    struct shw_target leaf_target, respond_targets[SHW_BLEND_LAYERS_MAX / SHW_BLEND_TOGETHER];
    struct shw_target count_targets[SHW_BLEND_TEXTURES_MAX];
    uint32_t slot_max, width_max; /* of samples in a component; of a texture of counts */
    struct shw_blend_tiling tiling;
    uint32_t depth; /* of the tree */
};

/* Counts by blending. */
extern const struct shw_histogram_counter shw_counter_blend;

/* How `cells` cells are to lie; `width_max` is a power of two. */
struct shw_blend_tiling shw_blend_tile(size_t cells, uint32_t width_max, uint32_t layers_max, VkDeviceSize bytes_max);

#endif
