/* The technique `blend` (Sharp 2008, section 4): histograms by the graphics pipeline. A vertex shader scatters one
 * point per sample and candidate over a texture, and additive blending counts them. The counts are those of
 * histogram.comp. */
#ifndef SHW_DENSE_GROW_DEVICE_BLEND_H
#define SHW_DENSE_GROW_DEVICE_BLEND_H

#include "dense/grow_device/round.h"
#include "shared/blend_push.h"
#include "vulkan/planes.h"

#define SHW_BLEND_LAYERS_MAX   16u /* candidates whose responses exist at once */
#define SHW_BLEND_TEXTURES_MAX 8u  /* that hold a histogram at once */

/* Limits of the technique `blend`; results do not depend on them. */
struct shw_blend_limits {
    uint32_t points; /* per cell of a texture: 32-bit floats are exact up to SHW_BLEND_POINTS */
    uint32_t side;   /* of a texture */
    uint64_t bytes;  /* of all textures of a sweep */
    bool half;       /* for tests: textures of 16-bit floats, which are exact only up to 2048 */
};
#define SHW_BLEND_POINTS (1u << 24)
#define SHW_BLEND_BYTES  ((uint64_t)256 << 20)

/* Samples that are counted together; the push constants and SHW_BLEND_SLOT_MAX describe how they are packed. */
struct shw_blend_group {
    uint32_t chunk, first, begins[4], count;
};

/* Layout of a batch's histogram: row by row, texture by texture. Further sweeps count cells that do not fit. */
struct shw_blend_tiling {
    uint32_t width_shift, height; /* of a texture */
    uint32_t textures;
    size_t sweep_cells;
};

enum shw_blend_program {
    SHW_BLEND_LEAF_PASS,
    SHW_BLEND_RESPOND_PASS,
    SHW_BLEND_SCATTER_FIRST, /* clears the texture first */
    SHW_BLEND_SCATTER_MORE,
    SHW_BLEND_FLUSH_PASS,
    SHW_BLEND_PROGRAM_COUNT
};

struct shw_histogram_blend {
    struct shw_blend_limits limits;
    struct shw_program programs[SHW_BLEND_PROGRAM_COUNT];
    struct shw_sets sets[SHW_BLEND_PROGRAM_COUNT]; /* one per place of integral images */

    struct shw_blend_group *groups;
    uint32_t group_count, group_capacity, image_count;
    struct shw_buffer points, nodes;             /* samples sorted by image for the whole tree; the tree */
    struct shw_buffer point_upload, node_upload; /* staging buffers for these */
    VkDeviceSize point_bytes, node_bytes;        /* still to be copied */
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

/* The layout of `cells` cells; `width_max` is a power of two. */
struct shw_blend_tiling shw_blend_tile(size_t cells, uint32_t width_max, uint32_t layers_max, VkDeviceSize bytes_max);

/* The push constants of a batch and a group. */
struct shw_blend_push shw_blend_push_of(const struct shw_histogram_blend *blend, const struct shw_train_push *push,
                                        const struct shw_blend_group *group);

/* Record leaf images of a group; responses to `layers` candidates from push->candidate on; points for these. */
void shw_blend_record_leaves(struct shw_train_compute *training, VkCommandBuffer commands,
                             const struct shw_blend_push *push);
void shw_blend_record_responses(struct shw_train_compute *training, VkCommandBuffer commands,
                                struct shw_blend_push push, uint32_t layers);
void shw_blend_record_points(struct shw_train_compute *training, VkCommandBuffer commands,
                             const struct shw_program *program, VkDescriptorSet set, const struct shw_blend_push *push,
                             uint32_t layers);

/* As record in struct shw_histogram_counter. */
bool shw_blend_record(struct shw_train_compute *training, VkCommandBuffer commands, struct shw_train_push *push,
                      const struct shw_compute_batch *batch, uint32_t *piece, uint64_t *work);

#endif
