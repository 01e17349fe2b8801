#include <stdlib.h>

#include "base/log.h"
#include "dense/feature/feature_code.h"
#include "dense/traverse/evaluate_stage.h"
#include "dense/traverse/forest_table.h"
#include "vulkan/commands.h"

SHW_SHADER_DECLARE(evaluate_distribution_comp);
SHW_SHADER_DECLARE(evaluate_argmax_comp);
SHW_SHADER_DECLARE(evaluate_distribution_parts_comp);
SHW_SHADER_DECLARE(evaluate_argmax_parts_comp);
SHW_SHADER_DECLARE(pixel_difference_evaluate_trees_halves);

#define TEXEL        16u /* bytes */
#define COLUMNS      32u
#define THREADS_MAX  256u /* per work group; more were no faster on any device measured, except for wide groups */
#define COLUMNS_WIDE 64u
#define THREADS_WIDE 512u
#define TREES_WIDE   16u
#define ROWS_OF_CPU  4u
#define TREE_WORK    8u /* per pixel: the cost of walking a tree, in units of adding a leaf's values for eight classes */
#define REACHED_SIZE                                                                                                   \
    12288u /* bytes of shared memory for leaves: what Vulkan guarantees less what else the shader uses */

/* The specialization constants of shaders/dense/traverse/evaluate_trees.comp. */
struct constants {
    uint32_t group_rows, group_trees, tree_count;
    VkBool32 makes_leaves, makes_argmax, makes_distribution, is_ferns;
    uint32_t group_columns;
    VkBool32 may_have_intervals;
};

/* Bytes of shared memory for the leaves of a work group's pixels; of a wide group at most 8192. */
static uint32_t reached_size(uint32_t trees, const struct shw_evaluate_plan *plan)
{
    return trees * plan->group_rows * 2 * plan->group_columns * (uint32_t)sizeof(uint32_t);
}

/* Wide groups share more of the lines that adjacent pixels read. This pays for rectangles at the same place around
 * every pixel, and for as many trees as leave the shared memory to several groups. */
static bool is_wide(const struct shw_evaluate_stage *stage, uint32_t trees, bool as_ferns)
{
    const VkPhysicalDeviceProperties *properties = &stage->device->properties;
    const struct shw_feature_type *type = shw_forest_get_info(stage->forest)->feature;

    return properties->deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU && !as_ferns && trees <= TREES_WIDE &&
           type->reads == SHW_FEATURE_READS_INTEGRALS && !type->code->reads_depth &&
           properties->limits.maxComputeWorkGroupInvocations >= THREADS_WIDE &&
           properties->limits.maxComputeWorkGroupSize[0] >= COLUMNS_WIDE;
}

static struct shw_evaluate_plan plan_of(const struct shw_evaluate_stage *stage, uint32_t trees, bool as_ferns)
{
    const VkPhysicalDeviceProperties *properties = &stage->device->properties;
    uint32_t limit = properties->limits.maxComputeWorkGroupInvocations;
    bool wide = is_wide(stage, trees, as_ferns);
    uint32_t columns = wide ? COLUMNS_WIDE : COLUMNS;
    uint32_t threads = wide && trees > 1 ? THREADS_WIDE : limit < THREADS_MAX ? limit : THREADS_MAX;
    uint32_t blocks = threads / columns, rounds = (trees + blocks - 1) / blocks;
    bool wants_results = (stage->outputs & (SHW_OUTPUT_ARGMAX | SHW_OUTPUT_DISTRIBUTION)) != 0;
    struct shw_evaluate_plan plan = {.group_columns = columns, .group_trees = (trees + rounds - 1) / rounds};

    plan.group_rows = blocks / plan.group_trees;
    if (properties->deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU) {
        /* A CPU has no memory latency to hide, and switching between threads costs time. */
        plan.group_trees = 1;
        plan.group_rows = blocks < ROWS_OF_CPU ? blocks : ROWS_OF_CPU;
        while (plan.group_rows > 1 && reached_size(trees, &plan) > REACHED_SIZE)
            plan.group_rows--;
    }
    plan.in_passes =
        wants_results && (stage->has_parts || stage->group_max > 1 || reached_size(trees, &plan) > REACHED_SIZE);
    plan.keeps_leaves = plan.in_passes || (stage->outputs & (SHW_OUTPUT_TREE_LEAF | SHW_OUTPUT_FOREST_LEAVES)) != 0;
    return plan;
}

/* Creates a program with `count` storage buffers. */
static enum shw_result create_program(struct shw_evaluate_stage *stage, struct shw_program_params *params,
                                      const uint32_t *numbers, uint32_t count, struct shw_program *program)
{
    struct shw_binding bindings[SHW_BINDINGS_MAX];

    for (uint32_t i = 0; i < count; i++)
        bindings[i] = (struct shw_binding){numbers[i], VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    params->bindings = bindings;
    params->binding_count = count;
    params->push_bytes = sizeof(struct shw_evaluate_push);
    params->in_pieces = true;
    return shw_program_create(stage->device, params, program);
}

static enum shw_result find_shader(const struct shw_evaluate_stage *stage, struct shw_shader *shader)
{
    const struct shw_feature_type *type = shw_forest_get_info(stage->forest)->feature;
    const enum shw_feature_role role = SHW_ROLE_EVALUATE_TREES;

    if (type == &shw_feature_pixel_difference && stage->device->enabled.storage_16bit) {
        *shader = SHW_SHADER(pixel_difference_evaluate_trees_halves);
        return SHW_OK;
    }
    return shw_feature_shaders(type, 1, &role, &stage->device->log, shader);
}

/* Without places the constant makes no difference, and must not make another program. */
static bool may_have_intervals(const struct shw_evaluate_stage *stage)
{
    return stage->has_room || stage->has_intervals || !shw_forest_get_info(stage->forest)->feature->code->has_places;
}

static enum shw_result need_walk(struct shw_evaluate_stage *stage, uint32_t trees, bool as_ferns)
{
    static const uint32_t bindings[] = {SHW_EVALUATE_FOREST, SHW_EVALUATE_INTEGRALS, SHW_EVALUATE_LEAVES,
                                        SHW_EVALUATE_NODES,  SHW_EVALUATE_ARGMAX,    SHW_EVALUATE_DISTRIBUTION};
    struct shw_evaluate_plan plan = plan_of(stage, trees, as_ferns);
    const struct constants constants = {.group_rows = plan.group_rows,
                                        .group_trees = plan.group_trees,
                                        .tree_count = plan.in_passes ? 1 : trees,
                                        .makes_leaves = plan.keeps_leaves,
                                        .makes_argmax = !plan.in_passes && (stage->outputs & SHW_OUTPUT_ARGMAX) != 0,
                                        .makes_distribution =
                                            !plan.in_passes && (stage->outputs & SHW_OUTPUT_DISTRIBUTION) != 0,
                                        .is_ferns = as_ferns,
                                        .group_columns = plan.group_columns,
                                        .may_have_intervals = may_have_intervals(stage)};
    struct shw_program *program = &stage->walks[shw_evaluate_walk_number(stage, trees, as_ferns)];
    VkSpecializationMapEntry entries[sizeof constants / sizeof(uint32_t)];
    const VkSpecializationInfo specialization = {sizeof constants / sizeof(uint32_t), entries, sizeof constants,
                                                 &constants};
    struct shw_program_params params = {.name = "evaluate trees", .specialization = &specialization};

    if (program->pipeline != VK_NULL_HANDLE)
        return SHW_OK;
    SHW_PROPAGATE(find_shader(stage, &params.compute));
    for (uint32_t i = 0; i < specialization.mapEntryCount; i++)
        entries[i] = (VkSpecializationMapEntry){i, i * (uint32_t)sizeof(uint32_t), sizeof(uint32_t)};
    return create_program(stage, &params, bindings, 6, program);
}

static const struct shw_program *walk_of(const struct shw_evaluate_stage *stage)
{
    return &stage->walks[shw_evaluate_walk_number(stage, stage->trees, stage->as_ferns)];
}

/* The group that follows `previous`; ferns are one. */
static struct shw_walk_group next_group(const struct shw_evaluate_stage *stage, struct shw_walk_group previous)
{
    uint32_t texels = shw_walk_node_texels(shw_forest_get_info(stage->forest)->feature, true);

    if (!stage->as_ferns)
        return shw_walk_group_next(stage->forest, stage->trees, stage->most, previous);
    if (previous.count > 0)
        return (struct shw_walk_group){0};
    return (struct shw_walk_group){.count = stage->trees,
                                   .texels = shw_fern_table_texels(stage->forest, stage->trees, texels)};
}

static struct shw_resource whole(const struct shw_planes *planes)
{
    return (struct shw_resource){.buffer = planes->buffer.handle};
}

/* Every binding needs a buffer: `instead` is bound for planes that are not written. */
static struct shw_resource resource_of(const struct shw_planes *planes, const struct shw_planes *instead)
{
    return whole(planes->buffer.handle != VK_NULL_HANDLE ? planes : instead);
}

/* A part of the forest's leaves; of those that it does not have, the first. */
static struct shw_resource part_of(const struct shw_evaluate_stage *stage, const struct shw_forest_table *forest,
                                   uint32_t number)
{
    VkDeviceSize size = TEXEL * shw_forest_table_part(stage->most), offset = number * size;

    if (!stage->has_parts)
        return (struct shw_resource){.buffer = forest->buffer.handle};
    offset = offset < forest->buffer.size ? offset : 0;
    size = size < forest->buffer.size - offset ? size : forest->buffer.size - offset;
    return (struct shw_resource){.buffer = forest->buffer.handle, .offset = offset, .size = size};
}

static void write_walk_sets(struct shw_evaluate_stage *stage, uint32_t number)
{
    const struct shw_evaluate_slot *slot = &stage->slot[number];
    const struct shw_forest_table *forest = shw_evaluate_stage_table(stage, number);
    VkDescriptorSet *sets = stage->sets[0].handles + (size_t)number * stage->group_max;
    struct shw_walk_group group = {0};

    while (group = next_group(stage, group), group.count > 0) {
        const struct shw_resource resources[] = {part_of(stage, forest, 0),
                                                 whole(&stage->integrals[number]),
                                                 whole(&slot->leaves),
                                                 {VK_NULL_HANDLE, forest->nodes.handle, TEXEL * group.begin,
                                                  stage->group_max > 1 ? TEXEL * group.texels : 0},
                                                 resource_of(&slot->argmax, &slot->leaves),
                                                 resource_of(&slot->distribution, &slot->leaves)};
        shw_set_write(stage->device, walk_of(stage), *sets++, resources);
    }
}

static void write_result_set(struct shw_evaluate_stage *stage, uint32_t number, const struct shw_program *program,
                             VkDescriptorSet set, const struct shw_planes *result)
{
    const struct shw_forest_table *forest = shw_evaluate_stage_table(stage, number);
    struct shw_resource resources[2 + SHW_EVALUATE_FOREST_PARTS] = {part_of(stage, forest, 0),
                                                                    whole(&stage->slot[number].leaves), whole(result)};

    for (uint32_t part = 1; part < SHW_EVALUATE_FOREST_PARTS; part++)
        resources[2 + part] = part_of(stage, forest, part);
    shw_set_write(stage->device, program, set, resources);
}

static void write_sets(struct shw_evaluate_stage *stage, uint32_t number)
{
    const struct shw_evaluate_slot *slot = &stage->slot[number];

    write_walk_sets(stage, number);
    if (stage->distribution.pipeline != VK_NULL_HANDLE)
        write_result_set(stage, number, &stage->distribution, stage->sets[2].handles[number], &slot->distribution);
    if (stage->argmax.pipeline != VK_NULL_HANDLE)
        write_result_set(stage, number, &stage->argmax, stage->sets[3].handles[number], &slot->argmax);
}

/* Another forest may have other groups. */
static void bind(struct shw_evaluate_stage *stage, uint32_t slot)
{
    if (stage->group_max > 1)
        write_walk_sets(stage, slot);
}

/* Whether there is a tree count within the reserved room that does not fit one pass. */
static bool needs_passes(const struct shw_evaluate_stage *stage)
{
    bool needed = stage->plan.in_passes;

    for (uint32_t trees = 1; stage->has_room && !needed && trees <= stage->room_trees; trees++)
        needed = plan_of(stage, trees, false).in_passes || plan_of(stage, trees, true).in_passes;
    return needed;
}

static enum shw_result create(struct shw_evaluate_stage *stage)
{
    static const uint32_t bindings[] = {SHW_EVALUATE_FOREST,          SHW_EVALUATE_LEAVES,
                                        SHW_EVALUATE_RESULT,          SHW_EVALUATE_FOREST_MORE,
                                        SHW_EVALUATE_FOREST_MORE + 1, SHW_EVALUATE_FOREST_MORE + 2};
    uint32_t count = stage->has_parts ? 2 + SHW_EVALUATE_FOREST_PARTS : 3;
    struct shw_program_params distribution = {.name = "evaluate distribution",
                                              .compute = stage->has_parts ? SHW_SHADER(evaluate_distribution_parts_comp)
                                                                          : SHW_SHADER(evaluate_distribution_comp)};
    struct shw_program_params argmax = {.name = "evaluate argmax",
                                        .compute = stage->has_parts ? SHW_SHADER(evaluate_argmax_parts_comp)
                                                                    : SHW_SHADER(evaluate_argmax_comp)};
    bool in_passes = needs_passes(stage);

    stage->walks = calloc((size_t)shw_evaluate_walk_number(stage, stage->room_trees, true) + 1, sizeof *stage->walks);
    if (stage->walks == NULL)
        return shw_fail_memory(&stage->device->log, "an evaluation");
    SHW_PROPAGATE(need_walk(stage, stage->trees, stage->as_ferns));
    SHW_PROPAGATE(shw_sets_create(stage->device, walk_of(stage), stage->slots * stage->group_max, &stage->sets[0]));
    if (in_passes && (stage->outputs & SHW_OUTPUT_DISTRIBUTION) != 0) {
        SHW_PROPAGATE(create_program(stage, &distribution, bindings, count, &stage->distribution));
        SHW_PROPAGATE(shw_sets_create(stage->device, &stage->distribution, stage->slots, &stage->sets[2]));
    }
    if (in_passes && (stage->outputs & SHW_OUTPUT_ARGMAX) != 0) {
        SHW_PROPAGATE(create_program(stage, &argmax, bindings, count, &stage->argmax));
        SHW_PROPAGATE(shw_sets_create(stage->device, &stage->argmax, stage->slots, &stage->sets[3]));
    }
    for (uint32_t s = 0; s < stage->slots; s++)
        write_sets(stage, s);
    return SHW_OK;
}

static uint32_t groups(uint32_t length, uint32_t size)
{
    return (length + size - 1) / size;
}

static void record_walk(struct shw_evaluate_stage *stage, struct shw_recording *recording, uint32_t slot,
                        const struct shw_tile *tile)
{
    struct shw_evaluate_push push = shw_evaluate_push_of(stage, slot, tile);
    const VkDescriptorSet *sets = stage->sets[0].handles + (size_t)slot * stage->group_max;
    uint32_t columns = groups(tile->width, stage->plan.group_columns),
             rows = groups(tile->height, 2 * stage->plan.group_rows);
    struct shw_walk_group group = {0};

    while (group = next_group(stage, group), group.count > 0) {
        push.first = group.first;
        push.trees = group.count;
        shw_recording_dispatch(recording, walk_of(stage), *sets++, &push, columns, rows, 1,
                               (uint64_t)TREE_WORK * group.count * 2 * stage->plan.group_rows * tile->width);
    }
}

static void record(struct shw_evaluate_stage *stage, struct shw_recording *recording, uint32_t slot,
                   const struct shw_tile *tile)
{
    struct shw_evaluate_push push = shw_evaluate_push_of(stage, slot, tile);
    uint32_t rows = groups(tile->height, SHW_EVALUATE_WORKGROUP),
             pairs = groups(tile->width, 2 * SHW_EVALUATE_WORKGROUP);
    uint64_t row_work = (uint64_t)stage->trees * SHW_EVALUATE_WORKGROUP * tile->width;

    record_walk(stage, recording, slot, tile);
    if (stage->plan.in_passes) {
        shw_recording_memory_barrier(recording, shw_use_compute_write, shw_use_compute_read);
        if (stage->distribution.pipeline != VK_NULL_HANDLE)
            shw_recording_dispatch(recording, &stage->distribution, stage->sets[2].handles[slot], &push, pairs, rows,
                                   (stage->classes + 7) / 8, row_work);
        if (stage->argmax.pipeline != VK_NULL_HANDLE)
            shw_recording_dispatch(recording, &stage->argmax, stage->sets[3].handles[slot], &push, pairs, rows, 1,
                                   (stage->classes + 7) / 8 * row_work);
    }
    shw_recording_memory_barrier(recording, shw_use_compute_write, shw_use_copy_source);
}

static void take_forest(struct shw_evaluate_stage *stage)
{
    stage->plan = plan_of(stage, stage->trees, stage->as_ferns);
    const struct shw_walk_nodes nodes = shw_walk_nodes_measure(stage->forest, stage->trees, stage->most);

    stage->reach = nodes.reach;
    stage->has_intervals = nodes.has_intervals;
}

/* Whether leaf planes are needed for any tree count within the reserved room. */
static bool needs_leaves(const struct shw_evaluate_stage *stage)
{
    bool needed = stage->plan.keeps_leaves;

    for (uint32_t trees = 1; stage->has_room && !needed && trees <= stage->room_trees; trees++)
        needed = plan_of(stage, trees, false).keeps_leaves || plan_of(stage, trees, true).keeps_leaves;
    return needed;
}

static struct shw_evaluate_variant variant = {.form = SHW_PLANES_BUFFER,
                                              .take_forest = take_forest,
                                              .needs_leaves = needs_leaves,
                                              .create = create,
                                              .prepare = need_walk,
                                              .bind = bind,
                                              .record = record};

const struct shw_stage_technique shw_evaluate_compute_technique =
    SHW_EVALUATE_TECHNIQUE("compute", SHW_PLANES_BUFFER, &variant);
