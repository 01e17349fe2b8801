/* What the techniques of the stage `evaluate` on a device share: planes, the forest on the device, and room for others.
 */
#ifndef SHW_EVALUATE_EVALUATE_STAGE_H
#define SHW_EVALUATE_EVALUATE_STAGE_H

#include <shadewood/forest.h>
#include <shadewood/label.h>

#include "evaluate/forest_table.h"
#include "pipeline/tiles.h"
#include "vulkan/planes.h"
#include "vulkan/recording.h"

/* What the passes of one slot write. There is a leaf plane at least; the others exist only if they were asked for. */
struct shw_evaluate_slot {
    struct shw_planes leaves;       /* R32_UINT, one a tree (compute: only one where no output needs more) */
    struct shw_planes distribution; /* R16_UINT, one a class, rounded up to the classes of a pass */
    struct shw_planes argmax;       /* R16_UINT */
};

/* How compute evaluates a number of trees. */
struct shw_evaluate_plan {
    uint32_t group_rows, group_trees; /* threads of a work group beside each other, and one behind the other */
    bool keeps_leaves;                /* leaf planes are written */
    bool in_passes;                   /* too many trees for one pass to give more than leaves */
};

struct shw_evaluate_stage;

/* What each technique does in its own way. */
struct shw_evaluate_way {
    enum shw_planes_form form;
    enum shw_result (*create)(struct shw_evaluate_stage *stage); /* programs, sets and framebuffers */
    void (*record)(struct shw_evaluate_stage *stage, struct shw_recording *recording, uint32_t slot,
                   const struct shw_tile *tile);
    /* Of a way that depends on the number of trees; all or none. What follows from the stage's forest; whether leaves
     * are written though nobody asks for them, otherwise always; what a number of trees needs, unless it is there. */
    void (*take_forest)(struct shw_evaluate_stage *stage);
    bool (*needs_leaves)(const struct shw_evaluate_stage *stage);
    enum shw_result (*prepare)(struct shw_evaluate_stage *stage, uint32_t trees);
};

struct shw_evaluate_stage {
    const struct shw_evaluate_way *way;
    struct shw_device *device;
    uint32_t outputs, slots;
    struct shw_planes *integrals; /* what is read, one a slot */
    struct shw_evaluate_slot *slot;
    bool owns_leaves; /* nobody has asked for leaves */

    /* The forest, borrowed, and what follows from it. */
    const struct shw_forest *forest;
    uint32_t trees, classes; /* trees: that are walked */
    uint64_t number;         /* how many forests there were, with this one */
    struct shw_reach reach;  /* compute: of its features */
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
    struct shw_sets sets[4];     /* leaves 0 or walks, leaves 1, distribution, argmax; one a slot each */
    VkFramebuffer *framebuffers; /* fragment: a slot's groups of trees, single trees, groups of classes, argmax */
    VkImageView *views;          /* what they draw into */
    uint32_t framebuffers_per_slot, view_count;
};

/* The functions of a technique on the device, whose `user` is its way. */
uint64_t shw_evaluate_stage_get_memory(void *user, const struct shw_stage_create *params);
enum shw_result shw_evaluate_stage_create(void *user, const struct shw_stage_create *params, void **stage);
void shw_evaluate_stage_record(void *stage, VkCommandBuffer commands, uint32_t slot,
                               const struct shw_stage_frame *frame, struct shw_stage_stretch *stretch);
void shw_evaluate_stage_destroy(void *stage);
bool shw_evaluate_stage_has_room(void *stage, const struct shw_stage_forest *forest);
enum shw_result shw_evaluate_stage_set_forest(void *stage, const struct shw_stage_forest *forest);

/* The slot's table. */
const struct shw_forest_table *shw_evaluate_stage_table(const struct shw_evaluate_stage *stage, uint32_t slot);

#define SHW_EVALUATE_TECHNIQUE(name_, form_, way_)                                                                     \
    {                                                                                                                  \
        .version = SHW_STAGE_TECHNIQUE_VERSION, .name = name_, .stage = SHW_STAGE_EVALUATE, .form = form_,             \
        .user = way_, .get_memory = shw_evaluate_stage_get_memory, .create = shw_evaluate_stage_create,                \
        .record = shw_evaluate_stage_record, .destroy = shw_evaluate_stage_destroy,                                    \
        .has_room = shw_evaluate_stage_has_room, .set_forest = shw_evaluate_stage_set_forest                           \
    }

#endif
