#include "evaluate/custom_stage.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "vulkan/barrier.h"

enum shw_result shw_custom_technique_check(const struct shw_custom_technique *technique, const struct shw_log *log)
{
    bool on_device = technique->create != NULL && technique->record != NULL && technique->destroy != NULL;
    bool any_of_device = technique->create != NULL || technique->record != NULL || technique->destroy != NULL;

    if (technique->version != SHW_CUSTOM_TECHNIQUE_VERSION)
        return shw_fail(log, SHW_ERROR_VERSION, SHW_LOG_ARGUMENT,
                        "a technique of version %u is not understood: build it for version %u", technique->version,
                        SHW_CUSTOM_TECHNIQUE_VERSION);
    if (technique->name == NULL || technique->name[0] == '\0' ||
        technique->name[strspn(technique->name, "abcdefghijklmnopqrstuvwxyz0123456789-")] != '\0')
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "a technique needs a name of lower-case letters, digits and '-'");
    for (int t = 0; t <= (int)SHW_TECHNIQUE_CUSTOM; t++)
        if (strcmp(technique->name, shw_technique_name((enum shw_technique)t)) == 0)
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the name %s is taken", technique->name);
    if (shw_stage_name(technique->stage) == NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the technique %s is for no stage", technique->name);
    if ((technique->run != NULL) == on_device || any_of_device != on_device)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "the technique %s must have either create, record and destroy, or run", technique->name);
    return SHW_OK;
}

enum shw_technique shw_custom_form(const struct shw_custom_technique *technique)
{
    return technique->run != NULL ? SHW_TECHNIQUE_CPU : SHW_TECHNIQUE_COMPUTE;
}

struct shw_custom_forest shw_custom_forest_of(const struct shw_forest *forest)
{
    struct shw_custom_forest custom = {.info = shw_forest_get_info(forest), .texture = shw_forest_get_texture(forest)};

    custom.size = (VkDeviceSize)custom.texture.width * custom.texture.height * custom.texture.layers * 16;
    return custom;
}

static struct shw_custom_planes describe(const struct shw_planes *planes, uint32_t count)
{
    if (planes == NULL || planes->buffer.handle == VK_NULL_HANDLE)
        return (struct shw_custom_planes){0};
    return (struct shw_custom_planes){.buffer = planes->buffer.handle,
                                      .offset = (VkDeviceSize)planes->first * planes->element,
                                      .size = planes->buffer.size - (VkDeviceSize)planes->first * planes->element,
                                      .width = planes->width,
                                      .height = planes->height,
                                      .count = count,
                                      .element = planes->element,
                                      .stride = planes->stride,
                                      .pitch = planes->stride * planes->height};
}

static void describe_slot(const struct shw_custom_stage_params *params, uint32_t s, struct shw_custom_slot *slot)
{
    enum shw_stage stage = params->technique->stage;
    uint32_t channels = shw_forest_get_info(params->forest)->channel_list->channel_count;

    if (stage != SHW_STAGE_EVALUATE)
        slot->channels = describe(&params->channels[s], channels);
    if (stage != SHW_STAGE_CHANNELS)
        slot->integrals = describe(&params->integrals[s], channels);
    if (stage == SHW_STAGE_EVALUATE) {
        const struct shw_evaluate_slot *results = &params->evaluate->slot[s];
        slot->leaves = describe(&results->leaves, results->leaves.count);
        slot->distribution = describe(&results->distribution, shw_forest_get_info(params->forest)->class_count);
        slot->argmax = describe(&results->argmax, 1);
    }
}

enum shw_result shw_custom_stage_create(const struct shw_custom_stage_params *params, struct shw_custom_stage *stage)
{
    struct shw_device *device = params->device;
    struct shw_custom_create create = {.physical_device = device->physical,
                                       .device = device->handle,
                                       .get_device_proc_addr = device->vk.GetDeviceProcAddr,
                                       .properties = &device->properties,
                                       .memory = &device->memory,
                                       .features = &device->features,
                                       .allocator = device->allocator,
                                       .pipeline_cache = device->pipeline_cache,
                                       .forest = shw_custom_forest_of(params->forest),
                                       .outputs = params->outputs,
                                       .width = params->width,
                                       .height = params->height,
                                       .slots = params->slots,
                                       .log = device->log};
    enum shw_result result;

    *stage = (struct shw_custom_stage){.technique = params->technique, .device = device};
    stage->slot = calloc(params->slots, sizeof *stage->slot);
    if (stage->slot == NULL) {
        result = shw_fail_memory(&device->log, "a technique");
        goto fail;
    }
    for (uint32_t s = 0; s < params->slots; s++)
        describe_slot(params, s, &stage->slot[s]);
    create.slot = stage->slot;
    if (params->evaluate != NULL)
        create.forest.buffer = params->evaluate->tables[0].buffer.handle;
    SHW_TRY(params->technique->create(params->technique->user, &create, &stage->instance));
    return SHW_OK;

fail:
    free(stage->slot);
    *stage = (struct shw_custom_stage){0};
    return result;
}

void shw_custom_stage_destroy(struct shw_custom_stage *stage)
{
    if (stage->technique != NULL)
        stage->technique->destroy(stage->instance);
    free(stage->slot);
    *stage = (struct shw_custom_stage){0};
}

struct shw_custom_frame shw_custom_frame_of(const struct shw_tile *tile)
{
    return (struct shw_custom_frame){.width = tile->region.width,
                                     .height = tile->region.height,
                                     .x = tile->region.x,
                                     .y = tile->region.y,
                                     .full_width = tile->region.full_width,
                                     .full_height = tile->region.full_height,
                                     .tile_x = tile->x,
                                     .tile_y = tile->y,
                                     .tile_width = tile->width,
                                     .tile_height = tile->height};
}

void shw_custom_stage_record(struct shw_custom_stage *stage, VkCommandBuffer commands, uint32_t slot,
                             const struct shw_custom_frame *frame)
{
    const struct shw_custom_slot *planes = &stage->slot[slot];
    VkBuffer output =
        stage->technique->stage == SHW_STAGE_CHANNELS ? planes->channels.buffer : planes->integrals.buffer;

    shw_buffer_barrier(stage->device, commands, output, shw_use_nothing, shw_use_compute_write);
    stage->technique->record(stage->instance, commands, slot, frame);
}

static enum shw_result create_results(struct shw_evaluate_stage *stage, uint32_t width, uint32_t height)
{
    bool leaves = (stage->outputs & (SHW_OUTPUT_TREE_LEAF | SHW_OUTPUT_FOREST_LEAVES)) != 0;

    stage->slot = calloc(stage->slots, sizeof *stage->slot);
    if (stage->slot == NULL)
        return shw_fail_memory(&stage->device->log, "an evaluation");
    for (uint32_t s = 0; s < stage->slots; s++) {
        struct shw_evaluate_slot *slot = &stage->slot[s];
        if (leaves)
            SHW_PROPAGATE(shw_planes_create(stage->device, VK_FORMAT_R32_UINT, width, height, stage->trees,
                                            SHW_PLANES_BUFFER, "leaves", &slot->leaves));
        if ((stage->outputs & SHW_OUTPUT_DISTRIBUTION) != 0)
            SHW_PROPAGATE(shw_planes_create(stage->device, VK_FORMAT_R16_UINT, width, height, stage->classes,
                                            SHW_PLANES_BUFFER, "distribution", &slot->distribution));
        if ((stage->outputs & SHW_OUTPUT_ARGMAX) != 0)
            SHW_PROPAGATE(shw_planes_create(stage->device, VK_FORMAT_R16_UINT, width, height, 1, SHW_PLANES_BUFFER,
                                            "argmax", &slot->argmax));
    }
    return SHW_OK;
}

enum shw_result shw_evaluate_custom_create(struct shw_device *device, const struct shw_forest *forest, uint32_t outputs,
                                           uint32_t slots, uint32_t width, uint32_t height,
                                           struct shw_evaluate_stage *stage)
{
    struct shw_custom_forest custom = shw_custom_forest_of(forest);
    enum shw_result result;

    *stage = (struct shw_evaluate_stage){.device = device,
                                         .technique = SHW_TECHNIQUE_COMPUTE,
                                         .outputs = outputs,
                                         .slots = slots,
                                         .forest = forest,
                                         .number = 1,
                                         .trees = outputs == SHW_OUTPUT_TREE_LEAF ? 1 : custom.info->tree_count,
                                         .classes = custom.info->class_count,
                                         .table_count = 1};
    stage->tables = calloc(1, sizeof *stage->tables);
    if (stage->tables == NULL) {
        result = shw_fail_memory(&device->log, "an evaluation");
        goto fail;
    }
    SHW_TRY(shw_forest_table_create(device, stage->technique, (struct shw_forest_table_size){custom.size / 16, 0},
                                    &stage->tables[0]));
    SHW_TRY(create_results(stage, width, height));
    return SHW_OK;

fail:
    shw_evaluate_stage_destroy(stage);
    return result;
}

void shw_evaluate_custom_record(struct shw_evaluate_stage *stage, struct shw_custom_stage *custom,
                                VkCommandBuffer commands, uint32_t slot, const struct shw_tile *tile)
{
    const struct shw_device *device = stage->device;
    struct shw_custom_frame frame = shw_custom_frame_of(tile);

    shw_evaluate_stage_record_forest(stage, commands, slot);
    shw_memory_barrier(device, commands, shw_use_nothing, shw_use_compute_write);
    custom->technique->record(custom->instance, commands, slot, &frame);
    shw_memory_barrier(device, commands, shw_use_compute_write, shw_use_copy_source);
}
