/* The techniques of the stage `evaluate`: from integral images to leaves, distributions and the most probable class. */
#ifndef SHW_DENSE_TRAVERSE_EVALUATE_STAGE_H
#define SHW_DENSE_TRAVERSE_EVALUATE_STAGE_H

#include <shadewood/forest.h>
#include <shadewood/label.h>
#include <shadewood/stage.h>

#include "dense/stage/tiles.h"
#include "dense/traverse/forest_table.h"
#include "shared/evaluate_push.h"
#include "vulkan/commands.h"
#include "vulkan/planes.h"

extern const struct shw_stage_technique shw_evaluate_cpu_technique, shw_evaluate_fragment_technique,
    shw_evaluate_compute_technique;

/* The largest number of layers of the forest's image and of the result planes. */
uint32_t shw_evaluate_layers(const struct shw_forest *forest, uint32_t outputs);

/* Whether the forest fits the storage buffers of compute, if a binding takes `range` bytes. */
bool shw_evaluate_fits(const struct shw_forest *forest, uint32_t outputs, uint32_t range);

/* Shared by the device techniques of the stage `evaluate`: planes, the forest on the device, and room for other
   forests. */

/* What the passes of one slot write. There is at least one leaf plane; the other planes exist only on request. */
struct shw_evaluate_slot {
    struct shw_planes leaves;       /* R32_UINT, one per tree (compute: a single one if no output needs more) */
    struct shw_planes distribution; /* R16_UINT, one per class, rounded up to the classes of a pass */
    struct shw_planes argmax;       /* R16_UINT */
};

/* How compute evaluates a given number of trees. */
struct shw_evaluate_plan {
    /* Threads per work group: columns of pixels, pairs of their rows, and trees walked in parallel. */
    uint32_t group_columns, group_rows, group_trees;
    bool keeps_leaves; /* leaf planes are written */
    bool in_passes;    /* too many trees for one pass: it writes leaves, further passes the results */
};

struct shw_evaluate_stage;

/* What differs between techniques. */
struct shw_evaluate_variant {
    enum shw_planes_form form;
    enum shw_result (*create)(struct shw_evaluate_stage *stage); /* programs, sets and framebuffers */
    void (*record)(struct shw_evaluate_stage *stage, struct shw_recording *recording, uint32_t slot,
                   const struct shw_tile *tile);
    /* For techniques whose programs depend on the number of trees; all three or none. take_forest() updates what
     * follows from the stage's forest; needs_leaves() says whether leaves are written although no output asks for them
     * (without it they always are); prepare() creates what `trees` trees, or ferns, need unless it exists. */
    void (*take_forest)(struct shw_evaluate_stage *stage);
    bool (*needs_leaves)(const struct shw_evaluate_stage *stage);
    enum shw_result (*prepare)(struct shw_evaluate_stage *stage, uint32_t trees, bool as_ferns);
    void (*bind)(struct shw_evaluate_stage *stage, uint32_t slot); /* another forest is in the table; or NULL */
};

struct shw_evaluate_stage {
    const struct shw_evaluate_variant *variant;
    struct shw_device *device;
    uint32_t outputs, slots, scratch_sets;
    struct shw_planes *integrals; /* input, one per slot */
    struct shw_evaluate_slot *slot;
    bool owns_leaves; /* no output asks for leaves */

    /* The forest, borrowed, and what follows from it. */
    const struct shw_forest *forest;
    uint32_t trees, classes; /* trees: the number to walk */
    bool as_ferns;           /* one test per level is evaluated; compute: all trees in one group */
    uint64_t number;         /* of forests so far, this one included */
    struct shw_reach reach;  /* compute: of the forest's features */
    bool has_intervals;      /* compute: some of its tests have an upper threshold */
    struct shw_evaluate_plan plan;

    /* The forest on the device: one table for all slots, or one per slot if the forest can be replaced. A table is
     * filled by the first recording that needs it. */
    bool has_room;
    uint32_t room_trees, room_classes; /* maxima */
    uint64_t room_nodes;
    struct shw_forest_table *tables;
    uint32_t table_count;
    uint64_t most;      /* compute: texels that a binding takes */
    bool has_parts;     /* leaves are in several bindings */
    uint32_t group_max; /* the most groups in which trees are walked; 1: all together */

    struct shw_program *walks;    /* compute: [shw_evaluate_walk_number()], created when first needed */
    struct shw_program leaves[4]; /* fragment: for one tree and for a group of trees, then the same for ferns */
    struct shw_program distribution, argmax;
    struct shw_sets sets[4];     /* leaves 0 and 2 or walks, leaves 1 and 3, distribution, argmax; one per slot each, of
                                    walks     one per group in each slot */
    VkFramebuffer *framebuffers; /* fragment, per slot: groups of trees, single trees, groups of classes, argmax */
    VkImageView *views;          /* of the framebuffers */
    uint32_t framebuffers_per_slot, view_count;
};

/* The functions of a device technique; `user` is its struct shw_evaluate_variant. */
enum shw_result shw_evaluate_stage_add(void *user, const struct shw_stage_create *params, struct shw_arena *arena,
                                       void **stage);
enum shw_result shw_evaluate_stage_create(void *user, const struct shw_stage_create *params, void **stage);
void shw_evaluate_stage_record(void *stage, VkCommandBuffer commands, uint32_t slot,
                               const struct shw_stage_frame *frame, struct shw_stage_stretch *stretch);
void shw_evaluate_stage_destroy(void *stage);
bool shw_evaluate_stage_has_room(void *stage, const struct shw_stage_forest *forest);
enum shw_result shw_evaluate_stage_set_forest(void *stage, const struct shw_stage_forest *forest);

/* The number of the program that walks `trees` trees, at most room_trees. */
static inline uint32_t shw_evaluate_walk_number(const struct shw_evaluate_stage *stage, uint32_t trees, bool as_ferns)
{
    return trees + (as_ferns ? stage->room_trees + 1 : 0);
}

const struct shw_forest_table *shw_evaluate_stage_table(const struct shw_evaluate_stage *stage, uint32_t slot);

#define SHW_EVALUATE_TECHNIQUE(name_, form_, variant_)                                                                 \
    {                                                                                                                  \
        .version = SHW_STAGE_TECHNIQUE_VERSION, .name = name_, .stage = SHW_STAGE_EVALUATE, .form = form_,             \
        .user = variant_, .create = shw_evaluate_stage_create, .record = shw_evaluate_stage_record,                    \
        .destroy = shw_evaluate_stage_destroy, .has_room = shw_evaluate_stage_has_room,                                \
        .set_forest = shw_evaluate_stage_set_forest                                                                    \
    }

/* Push constants of one tile, whose width and height count results. */

static inline struct shw_evaluate_push shw_evaluate_push_of(const struct shw_evaluate_stage *stage, uint32_t slot,
                                                            const struct shw_tile *tile)
{
    const struct shw_region *region = &tile->region;
    const struct shw_planes *integrals = &stage->integrals[slot], *leaves = &stage->slot[slot].leaves;
    const struct shw_planes *distribution = &stage->slot[slot].distribution;

    return (struct shw_evaluate_push){.image_x0 = -(int32_t)region->x,
                                      .image_y0 = -(int32_t)region->y,
                                      .image_x1 = (int32_t)region->full_width - (int32_t)region->x,
                                      .image_y1 = (int32_t)region->full_height - (int32_t)region->y,
                                      .region_width = (int32_t)region->width,
                                      .region_height = (int32_t)region->height,
                                      .tile_x = (int32_t)tile->x,
                                      .tile_y = (int32_t)tile->y,
                                      .tile_width = tile->width,
                                      .tile_height = tile->height,
                                      .trees = stage->trees,
                                      .classes = stage->classes,
                                      .texture_shift = shw_evaluate_stage_table(stage, slot)->texture_shift,
                                      .integral_stride = integrals->stride,
                                      .integral_pitch = integrals->stride * integrals->height,
                                      .leaf_stride = leaves->stride,
                                      .leaf_pitch = leaves->stride * leaves->height,
                                      .argmax_stride = stage->slot[slot].argmax.stride,
                                      .distribution_stride = distribution->stride,
                                      .distribution_pitch = distribution->stride * distribution->height,
                                      .reach_x0 = stage->reach.x0,
                                      .reach_y0 = stage->reach.y0,
                                      .reach_x1 = stage->reach.x1,
                                      .reach_y1 = stage->reach.y1,
                                      .step = tile->results.step,
                                      .has_intervals = stage->has_intervals};
}

#endif
