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
    VkDescriptorPool pools[SHW_BLEND_PROGRAM_COUNT];
    VkDescriptorSet *sets[SHW_BLEND_PROGRAM_COUNT]; /* one a place of integral images */

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

/* Bytes of device memory that it takes, beside what comes with each sample. */
VkDeviceSize shw_histogram_blend_bytes(const struct shw_train_compute *training);

/* The trainer has this technique. Errors: MEMORY, DEVICE_MEMORY, UNSUPPORTED. On failure training->blend is NULL. */
enum shw_result shw_histogram_blend_create(struct shw_train_compute *training, const struct shw_trainer *trainer);
void shw_histogram_blend_destroy(struct shw_train_compute *training);

/* Takes the samples of a new tree. Errors: MEMORY, DEVICE_MEMORY, LIMIT. */
enum shw_result shw_histogram_blend_samples(struct shw_train_compute *training, const struct shw_samples *samples);

/* Prepares a round, when its tables and buffers are ready. Errors: MEMORY, DEVICE_MEMORY, LIMIT. */
enum shw_result shw_histogram_blend_round(struct shw_train_compute *training, const struct shw_trainer *trainer);

/* Makes the descriptor sets refer to the buffers and textures as they are now. */
void shw_histogram_blend_bind(struct shw_train_compute *training);

/* Records the addition of samples in the chunk push->chunk to the batch's histogram, from the piece *piece on, as much
 * as counts for about *work responses, and at least one piece even if *work is 0; writes there what was recorded.
 * Returns true if that was the last piece, else false, and writes the next one to *piece. */
bool shw_histogram_blend_record(struct shw_train_compute *training, VkCommandBuffer commands,
                                const struct shw_train_push *push, const struct shw_compute_batch *batch,
                                uint32_t *piece, uint64_t *work);

/* The parts. */

/* How `cells` cells are to lie; `width_max` is a power of two. */
struct shw_blend_tiling shw_blend_tile(size_t cells, uint32_t width_max, uint32_t layers_max, VkDeviceSize bytes_max);

/* The push constants of a batch and a group. */
struct shw_blend_push shw_blend_push_of(const struct shw_histogram_blend *blend, const struct shw_train_push *push,
                                        const struct shw_blend_group *group);

/* Records leaf images of a group; responses to `layers` candidates from push->candidate on; points for these. */
void shw_blend_record_leaves(struct shw_train_compute *training, VkCommandBuffer commands,
                             const struct shw_blend_push *push);
void shw_blend_record_responses(struct shw_train_compute *training, VkCommandBuffer commands,
                                struct shw_blend_push push, uint32_t layers);
void shw_blend_record_points(struct shw_train_compute *training, VkCommandBuffer commands,
                             const struct shw_program *program, VkDescriptorSet set, const struct shw_blend_push *push,
                             uint32_t layers);

#endif
