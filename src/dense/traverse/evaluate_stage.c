#include "dense/traverse/evaluate_stage.h"

#include <stdlib.h>

#include "base/integers.h"
#include "base/log.h"
#include "dense/stage/stage_technique.h"
#include "dense/traverse/forest_table.h"
#include "shared/evaluate_push.h"

static struct shw_forest_table_size table_size(const struct shw_evaluate_stage *stage)
{
    return stage->has_room
               ? shw_forest_table_size_for(stage->forest, stage->room_trees, stage->room_classes, stage->room_nodes)
               : shw_forest_table_size_of(stage->forest, stage->trees, stage->most);
}

static enum shw_result add_tables(struct shw_evaluate_stage *stage, struct shw_arena *arena)
{
    struct shw_forest_table_size size = table_size(stage);
    uint32_t range = stage->device->properties.limits.maxStorageBufferRange;

    if (stage->variant->form == SHW_PLANES_BUFFER &&
        !shw_forest_table_fits(stage->forest, stage->trees, range, &stage->device->log))
        return SHW_ERROR_LIMIT;
    stage->tables = calloc(stage->table_count, sizeof *stage->tables);
    if (stage->tables == NULL)
        return shw_fail_memory(&stage->device->log, "an evaluation");
    for (uint32_t t = 0; t < stage->table_count; t++)
        SHW_PROPAGATE(shw_forest_table_add(arena, stage->variant->form, size, &stage->tables[t]));
    return SHW_OK;
}

/* The number of leaf planes that the stage allocates itself. */
static uint32_t own_leaf_planes(const struct shw_evaluate_stage *stage)
{
    bool needed = stage->variant->needs_leaves == NULL || stage->variant->needs_leaves(stage);

    return !stage->owns_leaves ? 0 : needed ? stage->room_trees : 1;
}

static enum shw_result add_slots(struct shw_evaluate_stage *stage, const struct shw_stage_create *params,
                                 struct shw_arena *arena)
{
    stage->slot = calloc(stage->slots, sizeof *stage->slot);
    if (stage->slot == NULL)
        return shw_fail_memory(&stage->device->log, "an evaluation");
    for (uint32_t s = 0; stage->owns_leaves && s < stage->scratch_sets; s++) {
        struct shw_span span = shw_arena_scratch(arena, s);
        SHW_PROPAGATE(shw_planes_add(arena, span, span, VK_FORMAT_R32_UINT, params->width, params->height,
                                     own_leaf_planes(stage), stage->variant->form, SHW_LEAVES, &stage->slot[s].leaves));
    }
    return SHW_OK;
}

/* Borrows the planes that the previous stage writes, which are the first. */
static enum shw_result find_planes(struct shw_evaluate_stage *stage, const struct shw_stage_create *params)
{
    stage->integrals = shw_planes_borrow_slots(params, params->slot[0].planes[0].name);
    if (stage->integrals == NULL)
        return shw_fail_memory(&stage->device->log, "an evaluation");
    for (uint32_t s = 0; s < stage->slots; s++) {
        struct shw_evaluate_slot *slot = &stage->slot[s];
        slot->distribution = shw_planes_borrow(shw_stage_find(&params->slot[s], SHW_DISTRIBUTION));
        slot->argmax = shw_planes_borrow(shw_stage_find(&params->slot[s], SHW_ARGMAX));
        slot->leaves = stage->owns_leaves ? stage->slot[s % stage->scratch_sets].leaves
                                          : shw_planes_borrow(shw_stage_find(&params->slot[s], SHW_LEAVES));
    }
    return SHW_OK;
}

/* The number of trees to walk. */
static uint32_t trees_of(const struct shw_evaluate_stage *stage, const struct shw_forest *forest)
{
    return stage->outputs == SHW_OUTPUT_TREE_LEAF ? 1 : shw_forest_get_info(forest)->tree_count;
}

/* Whether a forest is evaluated as ferns: a table for other forests may have no room for them. */
static bool may_be_ferns(const struct shw_evaluate_stage *stage, const struct shw_forest *forest)
{
    return shw_forest_table_holds_ferns(forest, trees_of(stage, forest), stage->variant->form, table_size(stage),
                                        stage->most);
}

static void find_forest(struct shw_evaluate_stage *stage, const struct shw_forest *forest)
{
    stage->forest = forest;
    stage->trees = trees_of(stage, forest);
    stage->classes = shw_forest_get_info(forest)->class_count;
}

static void take_forest(struct shw_evaluate_stage *stage, const struct shw_forest *forest)
{
    stage->as_ferns = may_be_ferns(stage, forest);
    find_forest(stage, forest);
    stage->number++;
    if (stage->variant->take_forest != NULL)
        stage->variant->take_forest(stage);
}

static uint64_t count_nodes(const struct shw_forest *forest)
{
    uint64_t count = 0;

    for (uint32_t t = 0; t < shw_forest_get_info(forest)->tree_count; t++)
        count += shw_forest_get_tree(forest, t).node_count;
    return count;
}

static void make_room(struct shw_evaluate_stage *stage, const struct shw_forest_room *room)
{
    stage->has_room = room != NULL && (room->trees > 0 || room->classes > 0 || room->nodes > 0);
    stage->room_trees = stage->trees;
    stage->room_classes = stage->classes;
    stage->room_nodes = count_nodes(stage->forest);
    if (!stage->has_room)
        return;
    if (stage->outputs != SHW_OUTPUT_TREE_LEAF)
        stage->room_trees = shw_max_u32(stage->room_trees, room->trees);
    stage->room_classes = shw_max_u32(stage->room_classes, room->classes);
    if (stage->room_nodes < room->nodes)
        stage->room_nodes = room->nodes;
}

/* With room for other forests: the most that any of them can need. */
static void find_splits(struct shw_evaluate_stage *stage)
{
    struct shw_forest_table_size size = table_size(stage);

    stage->has_parts = size.leaves > stage->most;
    stage->group_max = size.nodes <= stage->most ? 1 : stage->room_trees;
}

/* Initialises everything that needs no allocation. */
static struct shw_evaluate_stage begin(const struct shw_evaluate_variant *variant,
                                       const struct shw_stage_create *params)
{
    const uint32_t leaves = SHW_OUTPUT_TREE_LEAF | SHW_OUTPUT_FOREST_LEAVES;
    struct shw_evaluate_stage stage = {.variant = variant,
                                       .device = params->owner,
                                       .outputs = params->outputs,
                                       .slots = params->slots,
                                       .scratch_sets = params->scratch_sets,
                                       .owns_leaves = (params->outputs & leaves) == 0};

    stage.most = shw_forest_table_most(stage.device->properties.limits.maxStorageBufferRange);
    find_forest(&stage, params->forest.forest);
    make_room(&stage, &params->room);
    find_splits(&stage);
    take_forest(&stage, params->forest.forest);
    stage.table_count = stage.has_room ? stage.slots : 1;
    return stage;
}

enum shw_result shw_evaluate_stage_add(void *user, const struct shw_stage_create *params, struct shw_arena *arena,
                                       void **out)
{
    struct shw_evaluate_stage *stage = malloc(sizeof *stage);
    enum shw_result result;

    if (stage == NULL)
        return shw_fail_memory(&params->log, "an evaluation");
    *stage = begin(user, params);
    SHW_TRY(add_tables(stage, arena));
    SHW_TRY(add_slots(stage, params, arena));
    *out = stage;
    return SHW_OK;

fail:
    shw_evaluate_stage_destroy(stage);
    return result;
}

enum shw_result shw_evaluate_stage_create(void *user, const struct shw_stage_create *params, void **out)
{
    struct shw_evaluate_stage *stage = *out;

    (void)user;
    SHW_PROPAGATE(find_planes(stage, params));
    return stage->variant->create(stage);
}

bool shw_evaluate_stage_has_room(void *instance, const struct shw_stage_forest *forest)
{
    const struct shw_evaluate_stage *stage = instance;

    return stage->has_room && trees_of(stage, forest->forest) <= stage->room_trees &&
           forest->info->class_count <= stage->room_classes && count_nodes(forest->forest) <= stage->room_nodes &&
           (stage->variant->form != SHW_PLANES_BUFFER ||
            shw_forest_table_fits(forest->forest, trees_of(stage, forest->forest),
                                  stage->device->properties.limits.maxStorageBufferRange, NULL));
}

enum shw_result shw_evaluate_stage_set_forest(void *instance, const struct shw_stage_forest *forest)
{
    struct shw_evaluate_stage *stage = instance;

    if (stage->variant->prepare != NULL)
        SHW_PROPAGATE(
            stage->variant->prepare(stage, trees_of(stage, forest->forest), may_be_ferns(stage, forest->forest)));
    take_forest(stage, forest->forest);
    return SHW_OK;
}

void shw_evaluate_stage_destroy(void *instance)
{
    struct shw_evaluate_stage *stage = instance;
    struct shw_device *device = stage->device;

    for (uint32_t i = 0; stage->framebuffers != NULL && i < stage->framebuffers_per_slot * stage->slots; i++)
        if (stage->framebuffers[i] != VK_NULL_HANDLE)
            device->vk.DestroyFramebuffer(device->handle, stage->framebuffers[i], device->allocator);
    for (uint32_t i = 0; stage->views != NULL && i < stage->view_count; i++)
        if (stage->views[i] != VK_NULL_HANDLE)
            device->vk.DestroyImageView(device->handle, stage->views[i], device->allocator);
    for (int i = 0; i < 4; i++)
        shw_sets_destroy(device, &stage->sets[i]);
    for (uint32_t t = 0; stage->walks != NULL && t <= shw_evaluate_walk_number(stage, stage->room_trees, true); t++)
        shw_program_destroy(device, &stage->walks[t]);
    for (int i = 0; i < 4; i++)
        shw_program_destroy(device, &stage->leaves[i]);
    shw_program_destroy(device, &stage->distribution);
    shw_program_destroy(device, &stage->argmax);
    free(stage->tables);
    free(stage->walks);
    free(stage->framebuffers);
    free(stage->views);
    free(stage->slot);
    free(stage->integrals);
    free(stage);
}

const struct shw_forest_table *shw_evaluate_stage_table(const struct shw_evaluate_stage *stage, uint32_t slot)
{
    return &stage->tables[stage->has_room ? slot : 0];
}

/* Creation must not submit, so the forest is copied by the first recording that uses it. */
static void record_forest(struct shw_evaluate_stage *stage, VkCommandBuffer commands, uint32_t slot)
{
    struct shw_forest_table *table = &stage->tables[stage->has_room ? slot : 0];
    const struct shw_planes *integrals = stage->integrals;

    if (table->number == stage->number)
        return;
    /* Without room it is the forest that the staging buffers already have, from which a copy may be pending. */
    if (stage->has_room || table->number == 0)
        shw_forest_table_fill(table, stage->forest, stage->trees, stage->as_ferns, integrals->stride,
                              integrals->stride * integrals->height);
    shw_forest_table_record(stage->device, commands, table);
    table->number = stage->number;
    if (stage->variant->bind != NULL)
        stage->variant->bind(stage, slot);
}

void shw_evaluate_stage_record(void *instance, VkCommandBuffer commands, uint32_t slot,
                               const struct shw_stage_frame *frame, struct shw_stage_stretch *stretch)
{
    struct shw_evaluate_stage *stage = instance;
    struct shw_recording recording = {stage->device, commands, *stretch};
    struct shw_tile tile = shw_stage_tile(frame);

    tile.width = shw_tile_columns(&tile);
    tile.height = shw_tile_rows(&tile);
    if (shw_recording_step(&recording, 1))
        record_forest(stage, commands, slot);
    stage->variant->record(stage, &recording, slot, &tile);
    *stretch = recording.stretch;
}

uint32_t shw_evaluate_layers(const struct shw_forest *forest, uint32_t outputs)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    uint32_t layers = shw_max_u32(shw_forest_get_texture(forest).layers, info->tree_count);

    return (outputs & SHW_OUTPUT_DISTRIBUTION) != 0 ? shw_max_u32(layers, info->class_count + 3) : layers;
}

bool shw_evaluate_fits(const struct shw_forest *forest, uint32_t outputs, uint32_t range)
{
    uint32_t trees = outputs == SHW_OUTPUT_TREE_LEAF ? 1 : shw_forest_get_info(forest)->tree_count;

    return shw_forest_table_fits(forest, trees, range, NULL);
}
