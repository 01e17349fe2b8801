/* The stage `evaluate` on a device: from integral images to leaves, distributions and the most probable class. */
#ifndef SHW_EVALUATE_EVALUATE_STAGE_H
#define SHW_EVALUATE_EVALUATE_STAGE_H

#include <shadewood/forest.h>
#include <shadewood/label.h>

#include "evaluate/tiles.h"
#include "shared/rectangle.h"
#include "vulkan/pipeline.h"
#include "vulkan/planes.h"

/* What the passes of one slot write. There is a leaf plane at least; the others exist only if they were asked for. */
struct shw_evaluate_slot {
    struct shw_planes leaves;       /* R32_UINT, one a tree (COMPUTE: only one where no output needs more) */
    struct shw_planes distribution; /* R16_UINT, one a class, rounded up to the classes of a pass */
    struct shw_planes argmax;       /* R16_UINT */
};

struct shw_evaluate_stage {
    struct shw_device *device;
    enum shw_technique technique; /* FRAGMENT: image forms, COMPUTE: buffer forms */
    uint32_t outputs, slots;
    uint32_t trees, classes; /* trees: that are walked */
    uint32_t texture_shift;
    const struct shw_planes *integrals; /* borrowed, one a slot */
    struct shw_evaluate_slot *slot;

    /* The forest: on the device, and what it is copied from at the first recording. */
    struct shw_vulkan_image forest_image;
    struct shw_buffer forest_buffer, forest_upload;
    struct shw_buffer nodes_buffer, nodes_upload; /* COMPUTE: the forest as it is walked */
    struct shw_rect reach;                        /* COMPUTE: what its rectangles span around a pixel */
    bool uploaded;

    uint32_t group_rows, group_trees; /* COMPUTE: threads of a work group beside each other, and one behind the other */
    bool keeps_leaves;                /* COMPUTE: leaf planes are written */
    bool in_passes;                   /* COMPUTE: too many trees for one pass to give more than leaves */
    struct shw_program leaves[2];     /* compute: the first; fragment: for one tree and for a group */
    struct shw_program distribution, argmax;
    VkDescriptorPool pools[4];   /* leaves 0, leaves 1, distribution, argmax */
    VkDescriptorSet *sets[4];    /* one a slot each */
    VkFramebuffer *framebuffers; /* fragment: a slot's passes in order of recording */
    VkImageView *views;          /* what they draw into */
    uint32_t framebuffers_per_slot, view_count;
};

/* `integrals`, one planes object a slot, are borrowed; tiles are at most `width` by `height`. Errors: MEMORY, DEVICE_MEMORY, UNSUPPORTED,
 * LIMIT. On failure the stage is zero. */
enum shw_result shw_evaluate_stage_create(struct shw_device *device, const struct shw_forest *forest,
                                          enum shw_technique technique, uint32_t outputs, const struct shw_planes *integrals,
                                          uint32_t slots, uint32_t width, uint32_t height, struct shw_evaluate_stage *stage);

/* Accepts a zero stage, and leaves one. */
void shw_evaluate_stage_destroy(struct shw_evaluate_stage *stage);

/* Records the evaluation of one tile into the slot's planes. The integral images must be ready for shw_use_fragment_sampled or
 * shw_use_compute_read. Afterwards the slot's planes are in use shw_use_copy_source. */
void shw_evaluate_stage_record(struct shw_evaluate_stage *stage, VkCommandBuffer commands, uint32_t slot,
                               const struct shw_tile *tile);

/* The technique's parts: programs, sets and framebuffers; the passes of a tile. */
enum shw_result shw_evaluate_fragment_create(struct shw_evaluate_stage *stage, enum shw_feature_type feature);
void shw_evaluate_fragment_record(struct shw_evaluate_stage *stage, VkCommandBuffer commands, uint32_t slot,
                                  const struct shw_tile *tile);
/* Chooses the shape of work groups, and which passes there are. */
void shw_evaluate_compute_plan(struct shw_evaluate_stage *stage);
enum shw_result shw_evaluate_compute_create(struct shw_evaluate_stage *stage, enum shw_feature_type feature);
void shw_evaluate_compute_record(struct shw_evaluate_stage *stage, VkCommandBuffer commands, uint32_t slot,
                                 const struct shw_tile *tile);

#endif
