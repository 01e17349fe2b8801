#include "evaluate/evaluate_stage.h"

#include <stdlib.h>
#include <string.h>

#include "evaluate/walk_nodes.h"
#include "shared/evaluate_push.h"

static enum shw_result create_tables(struct shw_evaluate_stage *stage)
{
    struct shw_forest_table_size size =
        stage->has_room ? shw_forest_table_size_for(stage->room_trees, stage->room_classes, stage->room_nodes)
                        : shw_forest_table_size_of(stage->forest, stage->trees);

    stage->table_count = stage->has_room ? stage->slots : 1;
    stage->tables = calloc(stage->table_count, sizeof *stage->tables);
    if (stage->tables == NULL)
        return shw_fail_memory(&stage->device->log, "an evaluation");
    for (uint32_t t = 0; t < stage->table_count; t++)
        SHW_PROPAGATE(shw_forest_table_create(stage->device, stage->technique, size, &stage->tables[t]));
    return SHW_OK;
}

/* Whether any number of trees that there is room for needs planes of leaves. */
static bool needs_leaves(const struct shw_evaluate_stage *stage)
{
    bool needed = stage->technique == SHW_TECHNIQUE_FRAGMENT || stage->plan.keeps_leaves;

    for (uint32_t trees = 1; stage->has_room && !needed && trees <= stage->room_trees; trees++)
        needed = shw_evaluate_compute_plan(stage, trees).keeps_leaves;
    return needed;
}

static enum shw_result create_slots(struct shw_evaluate_stage *stage, uint32_t width, uint32_t height)
{
    uint32_t form = stage->technique == SHW_TECHNIQUE_COMPUTE ? SHW_PLANES_BUFFER : SHW_PLANES_IMAGE;
    uint32_t classes = (stage->room_classes + SHW_EVALUATE_GROUP - 1) / SHW_EVALUATE_GROUP * SHW_EVALUATE_GROUP;
    uint32_t leaf_planes = needs_leaves(stage) ? stage->room_trees : 1;

    stage->slot = calloc(stage->slots, sizeof *stage->slot);
    if (stage->slot == NULL)
        return shw_fail_memory(&stage->device->log, "an evaluation");
    for (uint32_t s = 0; s < stage->slots; s++) {
        struct shw_evaluate_slot *slot = &stage->slot[s];
        SHW_PROPAGATE(shw_planes_create(stage->device, VK_FORMAT_R32_UINT, width, height, leaf_planes, form, "leaves",
                                        &slot->leaves));
        if ((stage->outputs & SHW_OUTPUT_DISTRIBUTION) != 0)
            SHW_PROPAGATE(shw_planes_create(stage->device, VK_FORMAT_R16_UINT, width, height, classes, form,
                                            "distribution", &slot->distribution));
        if ((stage->outputs & SHW_OUTPUT_ARGMAX) != 0)
            SHW_PROPAGATE(
                shw_planes_create(stage->device, VK_FORMAT_R16_UINT, width, height, 1, form, "argmax", &slot->argmax));
    }
    return SHW_OK;
}

/* Trees that are walked. */
static uint32_t trees_of(const struct shw_evaluate_stage *stage, const struct shw_forest *forest)
{
    return stage->outputs == SHW_OUTPUT_TREE_LEAF ? 1 : shw_forest_get_info(forest)->tree_count;
}

static void take_forest(struct shw_evaluate_stage *stage, const struct shw_forest *forest)
{
    stage->forest = forest;
    stage->trees = trees_of(stage, forest);
    stage->classes = shw_forest_get_info(forest)->class_count;
    stage->number++;
    if (stage->technique != SHW_TECHNIQUE_COMPUTE)
        return;
    stage->plan = shw_evaluate_compute_plan(stage, stage->trees);
    stage->reach = shw_walk_nodes_measure(forest, stage->trees).reach;
}

static uint64_t count_nodes(const struct shw_forest *forest)
{
    uint64_t count = 0;

    for (uint32_t t = 0; t < shw_forest_get_info(forest)->tree_count; t++)
        count += shw_forest_get_tree(forest, t).node_count;
    return count;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
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
        stage->room_trees = larger(stage->room_trees, room->trees);
    stage->room_classes = larger(stage->room_classes, room->classes);
    if (stage->room_nodes < room->nodes)
        stage->room_nodes = room->nodes;
}

enum shw_result shw_evaluate_stage_create(struct shw_device *device, const struct shw_forest *forest,
                                          enum shw_technique technique, uint32_t outputs,
                                          const struct shw_forest_room *room, const struct shw_planes *integrals,
                                          uint32_t slots, uint32_t width, uint32_t height,
                                          struct shw_evaluate_stage *stage)
{
    enum shw_result result;

    *stage = (struct shw_evaluate_stage){
        .device = device, .technique = technique, .outputs = outputs, .slots = slots, .integrals = integrals};
    take_forest(stage, forest);
    make_room(stage, room);
    SHW_TRY(create_tables(stage));
    SHW_TRY(create_slots(stage, width, height));
    SHW_TRY(technique == SHW_TECHNIQUE_COMPUTE ? shw_evaluate_compute_create(stage)
                                               : shw_evaluate_fragment_create(stage));
    return SHW_OK;

fail:
    shw_evaluate_stage_destroy(stage);
    return result;
}

bool shw_evaluate_stage_has_room(const struct shw_evaluate_stage *stage, const struct shw_forest *forest)
{
    return stage->has_room && trees_of(stage, forest) <= stage->room_trees &&
           shw_forest_get_info(forest)->class_count <= stage->room_classes && count_nodes(forest) <= stage->room_nodes;
}

enum shw_result shw_evaluate_stage_set_forest(struct shw_evaluate_stage *stage, const struct shw_forest *forest)
{
    if (stage->technique == SHW_TECHNIQUE_COMPUTE)
        SHW_PROPAGATE(shw_evaluate_compute_need_walk(stage, trees_of(stage, forest)));
    take_forest(stage, forest);
    return SHW_OK;
}

void shw_evaluate_stage_destroy(struct shw_evaluate_stage *stage)
{
    struct shw_device *device = stage->device;

    if (device == NULL)
        return;
    for (uint32_t i = 0; stage->framebuffers != NULL && i < stage->framebuffers_per_slot * stage->slots; i++)
        if (stage->framebuffers[i] != VK_NULL_HANDLE)
            device->vk.DestroyFramebuffer(device->handle, stage->framebuffers[i], device->allocator);
    for (uint32_t i = 0; stage->views != NULL && i < stage->view_count; i++)
        if (stage->views[i] != VK_NULL_HANDLE)
            device->vk.DestroyImageView(device->handle, stage->views[i], device->allocator);
    for (int i = 0; i < 4; i++) {
        if (stage->pools[i] != VK_NULL_HANDLE)
            device->vk.DestroyDescriptorPool(device->handle, stage->pools[i], device->allocator);
        free(stage->sets[i]);
    }
    for (uint32_t t = 0; stage->walks != NULL && t <= stage->room_trees; t++)
        shw_program_destroy(device, &stage->walks[t]);
    shw_program_destroy(device, &stage->leaves[0]);
    shw_program_destroy(device, &stage->leaves[1]);
    shw_program_destroy(device, &stage->distribution);
    shw_program_destroy(device, &stage->argmax);
    for (uint32_t s = 0; stage->slot != NULL && s < stage->slots; s++) {
        shw_planes_destroy(device, &stage->slot[s].leaves);
        shw_planes_destroy(device, &stage->slot[s].distribution);
        shw_planes_destroy(device, &stage->slot[s].argmax);
    }
    for (uint32_t t = 0; stage->tables != NULL && t < stage->table_count; t++)
        shw_forest_table_destroy(device, &stage->tables[t]);
    free(stage->tables);
    free(stage->walks);
    free(stage->framebuffers);
    free(stage->views);
    free(stage->slot);
    *stage = (struct shw_evaluate_stage){0};
}

const struct shw_forest_table *shw_evaluate_stage_table(const struct shw_evaluate_stage *stage, uint32_t slot)
{
    return &stage->tables[stage->has_room ? slot : 0];
}

/* The forest travels with the first recording, since creation must not submit. */
void shw_evaluate_stage_record_forest(struct shw_evaluate_stage *stage, VkCommandBuffer commands, uint32_t slot)
{
    struct shw_forest_table *table = &stage->tables[stage->has_room ? slot : 0];
    const struct shw_planes *integrals = stage->integrals;

    if (table->number == stage->number)
        return;
    shw_forest_table_fill(table, stage->forest, stage->trees, integrals != NULL ? integrals->stride : 0,
                          integrals != NULL ? integrals->stride * integrals->height : 0);
    shw_forest_table_record(stage->device, commands, table);
    table->number = stage->number;
}

void shw_evaluate_stage_forget(struct shw_evaluate_stage *stage)
{
    for (uint32_t t = 0; t < stage->table_count; t++)
        stage->tables[t].number = 0;
}

void shw_evaluate_stage_record(struct shw_evaluate_stage *stage, struct shw_recording *recording, uint32_t slot,
                               const struct shw_tile *tile)
{
    if (shw_recording_step(recording, 1))
        shw_evaluate_stage_record_forest(stage, recording->commands, slot);
    if (stage->technique == SHW_TECHNIQUE_COMPUTE)
        shw_evaluate_compute_record(stage, recording, slot, tile);
    else
        shw_evaluate_fragment_record(stage, recording, slot, tile);
}
