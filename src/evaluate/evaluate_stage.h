/* The stage `evaluate` on a device: from integral images to leaves, distributions and the most probable class. */
#ifndef SHW_EVALUATE_EVALUATE_STAGE_H
#define SHW_EVALUATE_EVALUATE_STAGE_H

#include <shadewood/forest.h>
#include <shadewood/label.h>

#include "evaluate/forest_table.h"
#include "evaluate/tiles.h"
#include "vulkan/planes.h"
#include "vulkan/recording.h"

/* What the passes of one slot write. There is a leaf plane at least; the others exist only if they were asked for. */
struct shw_evaluate_slot {
    struct shw_planes leaves;       /* R32_UINT, one a tree (COMPUTE: only one where no output needs more) */
    struct shw_planes distribution; /* R16_UINT, one a class, rounded up to the classes of a pass */
    struct shw_planes argmax;       /* R16_UINT */
};

/* How compute evaluates a number of trees. */
struct shw_evaluate_plan {
    uint32_t group_rows, group_trees; /* threads of a work group beside each other, and one behind the other */
    bool keeps_leaves;                /* leaf planes are written */
    bool in_passes;                   /* too many trees for one pass to give more than leaves */
};

struct shw_evaluate_stage {
    struct shw_device *device;
    enum shw_technique technique; /* FRAGMENT: image forms, COMPUTE: buffer forms */
    uint32_t outputs, slots;
    const struct shw_planes *integrals; /* borrowed, one a slot */
    struct shw_evaluate_slot *slot;

    /* The forest, borrowed, and what follows from it. */
    const struct shw_forest *forest;
    uint32_t trees, classes; /* trees: that are walked */
    uint64_t number;         /* how many forests there were, with this one */
    struct shw_reach reach;  /* COMPUTE: of its features */
    struct shw_evaluate_plan plan;

    /* Where it lies on the device: in one table for all slots, or, where it can be replaced, in one for each. A table
     * is filled by the first recording that needs it. */
    bool has_room;
    uint32_t room_trees, room_classes; /* the most there can be */
    uint64_t room_nodes;
    struct shw_forest_table *tables;
    uint32_t table_count;

    struct shw_program *walks;    /* compute: by the number of trees, up to room_trees; those that were needed */
    struct shw_program leaves[2]; /* fragment: for one tree and for a group */
    struct shw_program distribution, argmax;
    VkDescriptorPool pools[4];   /* leaves 0 or walks, leaves 1, distribution, argmax */
    VkDescriptorSet *sets[4];    /* one a slot each */
    VkFramebuffer *framebuffers; /* fragment: a slot's groups of trees, single trees, groups of classes, argmax */
    VkImageView *views;          /* what they draw into */
    uint32_t framebuffers_per_slot, view_count;
};

/* `integrals`, one planes object a slot, are borrowed, and so is the forest; tiles are at most `width` by `height`.
 * `room` may be NULL: the forest stays. Errors: MEMORY, DEVICE_MEMORY, UNSUPPORTED, LIMIT. On failure the stage is
 * zero. */
enum shw_result shw_evaluate_stage_create(struct shw_device *device, const struct shw_forest *forest,
                                          enum shw_technique technique, uint32_t outputs,
                                          const struct shw_forest_room *room, const struct shw_planes *integrals,
                                          uint32_t slots, uint32_t width, uint32_t height,
                                          struct shw_evaluate_stage *stage);

/* Accepts a zero stage, and leaves one. */
void shw_evaluate_stage_destroy(struct shw_evaluate_stage *stage);

/* Whether there is room for a forest of the same kind. */
bool shw_evaluate_stage_has_room(const struct shw_evaluate_stage *stage, const struct shw_forest *forest);

/* Evaluates by a forest that there is room for, from the next recording on; what was recorded may still run. Errors:
 * MEMORY, DEVICE_MEMORY, UNSUPPORTED; then nothing has changed. */
enum shw_result shw_evaluate_stage_set_forest(struct shw_evaluate_stage *stage, const struct shw_forest *forest);

/* The slot's table. */
const struct shw_forest_table *shw_evaluate_stage_table(const struct shw_evaluate_stage *stage, uint32_t slot);

/* Records the forest's way into the slot's table, if it is not there yet. */
void shw_evaluate_stage_record_forest(struct shw_evaluate_stage *stage, VkCommandBuffer commands, uint32_t slot);

/* What was recorded last is not submitted: tables hold nothing. */
void shw_evaluate_stage_forget(struct shw_evaluate_stage *stage);

/* Records the evaluation of one tile into the slot's planes. The integral images must be ready for
 * shw_use_fragment_sampled or shw_use_compute_read. Afterwards the slot's planes are in use shw_use_copy_source. */
void shw_evaluate_stage_record(struct shw_evaluate_stage *stage, struct shw_recording *recording, uint32_t slot,
                               const struct shw_tile *tile);

/* The technique's parts: programs, sets and framebuffers; the passes of a tile. */
enum shw_result shw_evaluate_fragment_create(struct shw_evaluate_stage *stage);
void shw_evaluate_fragment_record(struct shw_evaluate_stage *stage, struct shw_recording *recording, uint32_t slot,
                                  const struct shw_tile *tile);
/* Chooses the shape of work groups, and which passes there are. */
struct shw_evaluate_plan shw_evaluate_compute_plan(const struct shw_evaluate_stage *stage, uint32_t trees);
/* Makes the program for so many trees, unless there is one. Errors: MEMORY, DEVICE_MEMORY, UNSUPPORTED. */
enum shw_result shw_evaluate_compute_need_walk(struct shw_evaluate_stage *stage, uint32_t trees);
enum shw_result shw_evaluate_compute_create(struct shw_evaluate_stage *stage);
void shw_evaluate_compute_record(struct shw_evaluate_stage *stage, struct shw_recording *recording, uint32_t slot,
                                 const struct shw_tile *tile);

#endif
