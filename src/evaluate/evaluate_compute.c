#include <stdlib.h>

#include "evaluate/evaluate_push.h"
#include "vulkan/barrier.h"

SHW_SHADER_DECLARE(evaluate_leaves_sum_comp);
SHW_SHADER_DECLARE(evaluate_leaves_mean_comp);
SHW_SHADER_DECLARE(evaluate_distribution_comp);
SHW_SHADER_DECLARE(evaluate_argmax_comp);

/* A program and a set of its own for every slot. Buffers: the forest, then `reads`, then `writes`. */
static enum shw_result create_program(struct shw_evaluate_stage *stage, const char *name, struct shw_shader shader,
                                      const struct shw_binding bindings[3], int number, struct shw_program *program)
{
    struct shw_program_params params = {.name = name,
                                        .compute = shader,
                                        .bindings = bindings,
                                        .binding_count = 3,
                                        .push_bytes = sizeof(struct shw_evaluate_push)};
    enum shw_result result;

    SHW_TRY(shw_program_create(stage->device, &params, program));
    stage->sets[number] = calloc(stage->slots, sizeof *stage->sets[number]);
    if (stage->sets[number] == NULL)
        return shw_fail_memory(&stage->device->log, "descriptor sets");
    SHW_TRY(shw_sets_create(stage->device, program, stage->slots, &stage->pools[number], stage->sets[number]));

fail:
    return result;
}

static void write_set(struct shw_evaluate_stage *stage, const struct shw_program *program, VkDescriptorSet set, VkBuffer first,
                      VkBuffer second)
{
    VkDescriptorBufferInfo buffers[3] = {
        {stage->forest_buffer.handle, 0, VK_WHOLE_SIZE}, {first, 0, VK_WHOLE_SIZE}, {second, 0, VK_WHOLE_SIZE}};
    struct shw_resource resources[3] = {{.buffers = &buffers[0]}, {.buffers = &buffers[1]}, {.buffers = &buffers[2]}};

    shw_set_write(stage->device, program, set, resources);
}

enum shw_result shw_evaluate_compute_create(struct shw_evaluate_stage *stage, enum shw_feature_type feature)
{
    static const VkDescriptorType buffer = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    const struct shw_binding leaf_bindings[3] = {
        {SHW_EVALUATE_FOREST, buffer, 1}, {SHW_EVALUATE_INTEGRALS, buffer, 1}, {SHW_EVALUATE_LEAVES, buffer, 1}};
    const struct shw_binding result_bindings[3] = {
        {SHW_EVALUATE_FOREST, buffer, 1}, {SHW_EVALUATE_LEAVES, buffer, 1}, {SHW_EVALUATE_RESULT, buffer, 1}};
    struct shw_shader leaves =
        feature == SHW_FEATURE_MEAN_DIFFERENCE ? SHW_SHADER(evaluate_leaves_mean_comp) : SHW_SHADER(evaluate_leaves_sum_comp);
    enum shw_result result;

    SHW_TRY(create_program(stage, "evaluate leaves", leaves, leaf_bindings, 0, &stage->leaves[0]));
    if ((stage->outputs & SHW_OUTPUT_DISTRIBUTION) != 0)
        SHW_TRY(create_program(stage, "evaluate distribution", SHW_SHADER(evaluate_distribution_comp), result_bindings, 2,
                               &stage->distribution));
    if ((stage->outputs & SHW_OUTPUT_ARGMAX) != 0)
        SHW_TRY(create_program(stage, "evaluate argmax", SHW_SHADER(evaluate_argmax_comp), result_bindings, 3, &stage->argmax));
    for (uint32_t s = 0; s < stage->slots; s++) {
        const struct shw_evaluate_slot *slot = &stage->slot[s];
        write_set(stage, &stage->leaves[0], stage->sets[0][s], stage->integrals[s].buffer.handle, slot->leaves.buffer.handle);
        if (stage->distribution.pipeline != VK_NULL_HANDLE)
            write_set(stage, &stage->distribution, stage->sets[2][s], slot->leaves.buffer.handle,
                      slot->distribution.buffer.handle);
        if (stage->argmax.pipeline != VK_NULL_HANDLE)
            write_set(stage, &stage->argmax, stage->sets[3][s], slot->leaves.buffer.handle, slot->argmax.buffer.handle);
    }

fail:
    return result;
}

static uint32_t groups(uint32_t length)
{
    return (length + SHW_EVALUATE_WORKGROUP - 1) / SHW_EVALUATE_WORKGROUP;
}

void shw_evaluate_compute_record(struct shw_evaluate_stage *stage, VkCommandBuffer commands, uint32_t slot,
                                 const struct shw_tile *tile)
{
    struct shw_evaluate_push push = shw_evaluate_push_of(stage, slot, tile);
    const struct shw_device *device = stage->device;
    uint32_t rows = groups(tile->height), pairs = groups((tile->width + 1) / 2);

    shw_memory_barrier(device, commands, shw_use_nothing, shw_use_compute_write);
    shw_program_dispatch(device, commands, &stage->leaves[0], stage->sets[0][slot], &push, groups(tile->width), rows,
                         stage->trees);
    if ((stage->outputs & (SHW_OUTPUT_DISTRIBUTION | SHW_OUTPUT_ARGMAX)) != 0)
        shw_memory_barrier(device, commands, shw_use_compute_write, shw_use_compute_read);
    if ((stage->outputs & SHW_OUTPUT_DISTRIBUTION) != 0)
        shw_program_dispatch(device, commands, &stage->distribution, stage->sets[2][slot], &push, pairs, rows,
                             (stage->classes + 7) / 8);
    if ((stage->outputs & SHW_OUTPUT_ARGMAX) != 0)
        shw_program_dispatch(device, commands, &stage->argmax, stage->sets[3][slot], &push, pairs, rows, 1);
    shw_memory_barrier(device, commands, shw_use_compute_write, shw_use_copy_source);
}
