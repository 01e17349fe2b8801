#include <stdlib.h>

#include "evaluate/evaluate_push.h"
#include "vulkan/barrier.h"

SHW_SHADER_DECLARE(evaluate_trees_sum_comp);
SHW_SHADER_DECLARE(evaluate_trees_mean_comp);
SHW_SHADER_DECLARE(evaluate_distribution_comp);
SHW_SHADER_DECLARE(evaluate_argmax_comp);

#define THREADS_MAX  256u /* of a work group; more gave nothing on the devices it was measured on */
#define ROWS_OF_CPU  4u
#define REACHED_SIZE 12288u /* bytes of shared memory for leaves: what Vulkan guarantees, without what the shader has beside */

/* As the constants of shaders/evaluate/evaluate_trees.comp. */
struct constants {
    uint32_t group_rows, group_trees, tree_count;
    VkBool32 makes_leaves, makes_argmax, makes_distribution;
};

/* Bytes of shared memory for the leaves of a work group's pixels. */
static uint32_t reached_size(const struct shw_evaluate_stage *stage)
{
    return stage->trees * stage->group_rows * 2 * SHW_EVALUATE_COLUMNS * (uint32_t)sizeof(uint32_t);
}

void shw_evaluate_compute_plan(struct shw_evaluate_stage *stage)
{
    const VkPhysicalDeviceLimits *limits = &stage->device->properties.limits;
    uint32_t threads =
        limits->maxComputeWorkGroupInvocations < THREADS_MAX ? limits->maxComputeWorkGroupInvocations : THREADS_MAX;
    uint32_t blocks = threads / SHW_EVALUATE_COLUMNS, rounds = (stage->trees + blocks - 1) / blocks;
    bool wants_results = (stage->outputs & (SHW_OUTPUT_ARGMAX | SHW_OUTPUT_DISTRIBUTION)) != 0;

    stage->group_trees = (stage->trees + rounds - 1) / rounds;
    stage->group_rows = blocks / stage->group_trees;
    if (stage->device->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU) {
        /* It has no memory to wait for, and loses by switching between threads. */
        stage->group_trees = 1;
        stage->group_rows = blocks < ROWS_OF_CPU ? blocks : ROWS_OF_CPU;
        while (stage->group_rows > 1 && reached_size(stage) > REACHED_SIZE)
            stage->group_rows--;
    }
    stage->in_passes = wants_results && reached_size(stage) > REACHED_SIZE;
    stage->keeps_leaves = stage->in_passes || (stage->outputs & (SHW_OUTPUT_TREE_LEAF | SHW_OUTPUT_FOREST_LEAVES)) != 0;
}

/* A program with `count` storage buffers, and a set of its own for every slot. */
static enum shw_result create_program(struct shw_evaluate_stage *stage, struct shw_program_params *params,
                                      const uint32_t *numbers, uint32_t count, int set, struct shw_program *program)
{
    struct shw_binding bindings[SHW_BINDINGS_MAX];
    enum shw_result result;

    for (uint32_t i = 0; i < count; i++)
        bindings[i] = (struct shw_binding){numbers[i], VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
    params->bindings = bindings;
    params->binding_count = count;
    params->push_bytes = sizeof(struct shw_evaluate_push);
    SHW_TRY(shw_program_create(stage->device, params, program));
    stage->sets[set] = calloc(stage->slots, sizeof *stage->sets[set]);
    if (stage->sets[set] == NULL)
        return shw_fail_memory(&stage->device->log, "descriptor sets");
    SHW_TRY(shw_sets_create(stage->device, program, stage->slots, &stage->pools[set], stage->sets[set]));

fail:
    return result;
}

static enum shw_result create_trees(struct shw_evaluate_stage *stage, enum shw_feature_type feature)
{
    static const uint32_t bindings[] = {SHW_EVALUATE_FOREST, SHW_EVALUATE_INTEGRALS, SHW_EVALUATE_LEAVES,
                                        SHW_EVALUATE_NODES,  SHW_EVALUATE_ARGMAX,    SHW_EVALUATE_DISTRIBUTION};
    const struct constants constants = {.group_rows = stage->group_rows,
                                        .group_trees = stage->group_trees,
                                        .tree_count = stage->in_passes ? 1 : stage->trees,
                                        .makes_leaves = stage->keeps_leaves,
                                        .makes_argmax = !stage->in_passes && (stage->outputs & SHW_OUTPUT_ARGMAX) != 0,
                                        .makes_distribution =
                                            !stage->in_passes && (stage->outputs & SHW_OUTPUT_DISTRIBUTION) != 0};
    VkSpecializationMapEntry entries[sizeof constants / sizeof(uint32_t)];
    const VkSpecializationInfo specialization = {sizeof constants / sizeof(uint32_t), entries, sizeof constants, &constants};
    struct shw_program_params params = {.name = "evaluate trees",
                                        .compute = feature == SHW_FEATURE_MEAN_DIFFERENCE ? SHW_SHADER(evaluate_trees_mean_comp)
                                                                                          : SHW_SHADER(evaluate_trees_sum_comp),
                                        .specialization = &specialization};

    for (uint32_t i = 0; i < specialization.mapEntryCount; i++)
        entries[i] = (VkSpecializationMapEntry){i, i * (uint32_t)sizeof(uint32_t), sizeof(uint32_t)};
    return create_program(stage, &params, bindings, 6, 0, &stage->leaves[0]);
}

static void write_set(struct shw_evaluate_stage *stage, const struct shw_program *program, VkDescriptorSet set,
                      const VkBuffer *handles)
{
    VkDescriptorBufferInfo buffers[SHW_BINDINGS_MAX];
    struct shw_resource resources[SHW_BINDINGS_MAX];

    for (uint32_t i = 0; i < program->binding_count; i++) {
        buffers[i] = (VkDescriptorBufferInfo){handles[i], 0, VK_WHOLE_SIZE};
        resources[i] = (struct shw_resource){.buffers = &buffers[i]};
    }
    shw_set_write(stage->device, program, set, resources);
}

/* What is not made has a buffer all the same, which nothing touches. */
static VkBuffer buffer_of(const struct shw_planes *planes, const struct shw_planes *instead)
{
    return planes->buffer.handle != VK_NULL_HANDLE ? planes->buffer.handle : instead->buffer.handle;
}

static void write_sets(struct shw_evaluate_stage *stage, uint32_t number)
{
    const struct shw_evaluate_slot *slot = &stage->slot[number];
    const VkBuffer trees[] = {
        stage->forest_buffer.handle, stage->integrals[number].buffer.handle,  slot->leaves.buffer.handle,
        stage->nodes_buffer.handle,  buffer_of(&slot->argmax, &slot->leaves), buffer_of(&slot->distribution, &slot->leaves)};
    const VkBuffer distribution[] = {stage->forest_buffer.handle, slot->leaves.buffer.handle, slot->distribution.buffer.handle};
    const VkBuffer argmax[] = {stage->forest_buffer.handle, slot->leaves.buffer.handle, slot->argmax.buffer.handle};

    write_set(stage, &stage->leaves[0], stage->sets[0][number], trees);
    if (stage->distribution.pipeline != VK_NULL_HANDLE)
        write_set(stage, &stage->distribution, stage->sets[2][number], distribution);
    if (stage->argmax.pipeline != VK_NULL_HANDLE)
        write_set(stage, &stage->argmax, stage->sets[3][number], argmax);
}

enum shw_result shw_evaluate_compute_create(struct shw_evaluate_stage *stage, enum shw_feature_type feature)
{
    static const uint32_t bindings[] = {SHW_EVALUATE_FOREST, SHW_EVALUATE_LEAVES, SHW_EVALUATE_RESULT};
    struct shw_program_params distribution = {.name = "evaluate distribution", .compute = SHW_SHADER(evaluate_distribution_comp)};
    struct shw_program_params argmax = {.name = "evaluate argmax", .compute = SHW_SHADER(evaluate_argmax_comp)};
    enum shw_result result;

    SHW_TRY(create_trees(stage, feature));
    if (stage->in_passes && (stage->outputs & SHW_OUTPUT_DISTRIBUTION) != 0)
        SHW_TRY(create_program(stage, &distribution, bindings, 3, 2, &stage->distribution));
    if (stage->in_passes && (stage->outputs & SHW_OUTPUT_ARGMAX) != 0)
        SHW_TRY(create_program(stage, &argmax, bindings, 3, 3, &stage->argmax));
    for (uint32_t s = 0; s < stage->slots; s++)
        write_sets(stage, s);

fail:
    return result;
}

static uint32_t groups(uint32_t length, uint32_t size)
{
    return (length + size - 1) / size;
}

void shw_evaluate_compute_record(struct shw_evaluate_stage *stage, VkCommandBuffer commands, uint32_t slot,
                                 const struct shw_tile *tile)
{
    struct shw_evaluate_push push = shw_evaluate_push_of(stage, slot, tile);
    const struct shw_device *device = stage->device;
    uint32_t rows = groups(tile->height, SHW_EVALUATE_WORKGROUP), pairs = groups(tile->width, 2 * SHW_EVALUATE_WORKGROUP);

    shw_memory_barrier(device, commands, shw_use_nothing, shw_use_compute_write);
    shw_program_dispatch(device, commands, &stage->leaves[0], stage->sets[0][slot], &push,
                         groups(tile->width, SHW_EVALUATE_COLUMNS), groups(tile->height, 2 * stage->group_rows), 1);
    if (stage->in_passes)
        shw_memory_barrier(device, commands, shw_use_compute_write, shw_use_compute_read);
    if (stage->distribution.pipeline != VK_NULL_HANDLE)
        shw_program_dispatch(device, commands, &stage->distribution, stage->sets[2][slot], &push, pairs, rows,
                             (stage->classes + 7) / 8);
    if (stage->argmax.pipeline != VK_NULL_HANDLE)
        shw_program_dispatch(device, commands, &stage->argmax, stage->sets[3][slot], &push, pairs, rows, 1);
    shw_memory_barrier(device, commands, shw_use_compute_write, shw_use_copy_source);
}
