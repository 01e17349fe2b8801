#include "detection/detect/device.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "dense/input/inputs.h"
#include "vulkan/formats.h"

enum shw_result shw_detect_device_check(const struct shw_detector_params *params, const struct shw_log *log)
{
    const VkPhysicalDeviceLimits *limits = &params->device->properties.limits;

    if (limits->maxComputeWorkGroupInvocations < SHW_DETECT_GROUP ||
        limits->maxPerStageDescriptorStorageBuffers < SHW_DETECT_BINDINGS - 1)
        return shw_fail(log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                        "detection needs work groups of %u invocations and %u storage buffers in a shader; the device "
                        "has at most %u and %u: use the technique cpu",
                        SHW_DETECT_GROUP, SHW_DETECT_BINDINGS - 1u, limits->maxComputeWorkGroupInvocations,
                        limits->maxPerStageDescriptorStorageBuffers);
    return SHW_OK;
}

enum shw_result shw_detect_device_create(const struct shw_detector_params *params,
                                         const struct shw_detect_walker *walker, void **out)
{
    struct shw_detect_device *device = calloc(1, sizeof *device);
    enum shw_result result = SHW_OK;

    if (device == NULL)
        return shw_fail_memory(&params->log, "a detector");
    device->params = *params;
    device->info = shw_cascade_get_info(params->cascade);
    device->device = params->device;
    device->walker = walker;
    device->state = calloc(1, walker->size);
    if (device->state == NULL) {
        result = shw_fail_memory(&params->log, "a detector");
        goto fail;
    }
    shw_device_trees_measure(params->cascade, &params->scan, &device->trees);
    if (params->width > 0)
        SHW_TRY(shw_detect_device_resize(device, params->width, params->height));
    *out = device;
    return SHW_OK;

fail:
    shw_detect_device_destroy(device);
    return result;
}

static bool is_within(const struct shw_device_shelves *one, const struct shw_device_shelves *most)
{
    return one->width <= most->width && one->height <= most->height;
}

static bool fits(const struct shw_detect_device *device, const struct shw_device_tables *layout)
{
    const struct shw_device_tables *most = &device->most;

    return device->plan.level_count <= device->levels_most && device->plan.octave_count <= device->octaves_most &&
           layout->pairs <= most->pairs && layout->tiles <= most->tiles && layout->plane_words <= most->plane_words &&
           layout->value_words <= most->value_words && is_within(&layout->atlas, &most->atlas) &&
           is_within(&layout->mipmap, &most->mipmap);
}

/* Tables of the slot for images of a size. */
static enum shw_result update(struct shw_detect_device *device, struct shw_detect_slot *slot, VkExtent2D extent)
{
    const struct shw_detector_params *params = &device->params;

    if (device->plan.width != extent.width || device->plan.height != extent.height)
        SHW_PROPAGATE(shw_detect_plan_make(params->cascade, &params->scan, extent.width, extent.height, &params->log,
                                           &device->plan));
    if (slot->extent.width == extent.width && slot->extent.height == extent.height)
        return SHW_OK;
    slot->extent = (VkExtent2D){0};
    shw_device_tables_measure(params->cascade, &params->scan, &device->plan, &device->most, &slot->layout);
    if (!fits(device, &slot->layout))
        return shw_fail(&params->log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT,
                        "an image of %u x %u needs more memory than one of %u x %u: create the detector for its size",
                        extent.width, extent.height, device->width, device->height);
    shw_device_tables_write(params->cascade, &params->scan, &device->plan, &slot->layout, slot->entries,
                            slot->tables.mapped);
    memcpy(slot->levels.mapped, slot->entries, device->plan.level_count * sizeof *slot->entries);
    slot->extent = extent;
    return SHW_OK;
}

static enum shw_result check(const struct shw_detect_device *device, const struct shw_image_use *image,
                             const struct shw_detect_target *target)
{
    const struct shw_log *log = &device->params.log;
    const struct shw_source_reading *reading = shw_source_reading_of(image->format);
    VkDeviceSize alignment = device->device->properties.limits.minStorageBufferOffsetAlignment;

    if (image->image == VK_NULL_HANDLE || image->view == VK_NULL_HANDLE || image->extent.width == 0 ||
        image->extent.height == 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the image needs an image, a view and an extent");
    if (reading == NULL || reading->format.bits > 16)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "the image has %s, from which no grey values are made (shw_source_format_get() lists "
                        "formats; those of more than 16 bits are for depth)",
                        shw_vk_format_text(image->format).text);
    SHW_PROPAGATE(shw_use_check(image, "the image", log));
    if (target->buffer == VK_NULL_HANDLE || target->offset % alignment != 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "the target needs a buffer, and an offset that is a multiple of %llu",
                        (unsigned long long)alignment);
    if (target->capacity > (UINT32_MAX - SHW_DETECT_HEADER_WORDS) / SHW_DETECT_FOUND_WORDS / 4)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the target's capacity of %u is too large",
                        target->capacity);
    if (target->before_stage == 0 || target->after_stage == 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "the target: the stages that use it before and after must be given "
                        "(VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT: none)");
    return SHW_OK;
}

void shw_detect_device_bind(struct shw_detect_device *device, uint32_t s, VkImageView source, VkDescriptorSet set)
{
    const struct shw_detect_slot *slot = &device->slots[s];
    const struct shw_detect_target *target = &slot->target;
    struct shw_resource resources[SHW_DETECT_BINDINGS] = {
        [SHW_DETECT_SOURCE] = {.view = source},
        [SHW_DETECT_LEVELS] = {.buffer = slot->levels.handle},
        [SHW_DETECT_TABLES] = {.buffer = slot->tables.handle},
        [SHW_DETECT_CASCADE] = {.buffer = device->cascade.handle},
        [SHW_DETECT_PLANES] = {.buffer = device->planes.handle},
        [SHW_DETECT_VALUES] = {.buffer = device->values.handle},
        [SHW_DETECT_SURVIVORS] = {.buffer = device->survivors.handle},
        [SHW_DETECT_COUNTERS] = {.buffer = device->counters.handle},
        [SHW_DETECT_FOUND] = {.buffer = target->buffer,
                              .offset = target->offset,
                              .size = sizeof(uint32_t) * (SHW_DETECT_HEADER_WORDS +
                                                          (VkDeviceSize)SHW_DETECT_FOUND_WORDS * target->capacity)},
    };

    for (uint32_t b = 0; b < SHW_DETECT_BINDINGS; b++) /* what a technique or a kind has not is not used */
        if (b != SHW_DETECT_SOURCE && resources[b].buffer == VK_NULL_HANDLE)
            resources[b].buffer = device->values.handle;
    shw_set_write(device->device, &device->grey[0], set, resources);
}

void shw_detect_device_barrier(const struct shw_detect_device *device, VkCommandBuffer commands, bool indirect)
{
    struct shw_use after = shw_use_compute_write;

    if (indirect) {
        after.stages |= VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;
        after.access |= VK_ACCESS_INDIRECT_COMMAND_READ_BIT;
    }
    shw_memory_barrier(device->device, commands, shw_use_compute_write, after);
}

/* Before the first pass: earlier recordings have finished with what this one writes. */
static void wait_for_earlier(const struct shw_detect_device *device, VkCommandBuffer commands)
{
    struct shw_use before = shw_use_compute_write;

    before.stages |= VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;
    shw_memory_barrier(device->device, commands, before, shw_use_compute_write);
}

static void record_grey(const struct shw_detect_device *device, VkCommandBuffer commands, uint32_t s,
                        const struct shw_image_use *image)
{
    const struct shw_source_reading *reading = shw_source_reading_of(image->format);
    uint32_t octaves = device->plan.octave_count;
    struct shw_detect_grey_push push = {.width = image->extent.width,
                                        .height = image->extent.height,
                                        .octaves = octaves < SHW_DETECT_OCTAVES ? octaves : SHW_DETECT_OCTAVES,
                                        .source = reading->code | (reading->format.grey ? 128u : 0),
                                        .counter_words = (uint32_t)(device->counters.size / sizeof(uint32_t))};

    shw_program_dispatch(device->device, commands, &device->grey[reading->is_uint], device->sets.handles[s], &push,
                         (push.width + SHW_DETECT_IMAGE_TILE - 1) / SHW_DETECT_IMAGE_TILE,
                         (push.height + SHW_DETECT_IMAGE_TILE - 1) / SHW_DETECT_IMAGE_TILE, 1);
    while (octaves > SHW_DETECT_OCTAVES) {
        shw_detect_device_barrier(device, commands, false);
        for (uint32_t o = 0; o < SHW_DETECT_OCTAVES; o++) {
            push.first += shw_detect_plane_words(push.width, push.height);
            push.width /= 2;
            push.height /= 2;
        }
        octaves -= SHW_DETECT_OCTAVES;
        push.octaves = octaves < SHW_DETECT_OCTAVES ? octaves : SHW_DETECT_OCTAVES;
        shw_program_dispatch(device->device, commands, &device->again, device->sets.handles[s], &push,
                             (push.width + SHW_DETECT_IMAGE_TILE - 1) / SHW_DETECT_IMAGE_TILE,
                             (push.height + SHW_DETECT_IMAGE_TILE - 1) / SHW_DETECT_IMAGE_TILE, 1);
    }
}

void shw_detect_device_levels(const struct shw_detect_device *device, VkCommandBuffer commands, uint32_t slot,
                              uint32_t first, uint32_t count)
{
    uint32_t most = device->device->properties.limits.maxComputeWorkGroupCount[0], tiles = 0;
    struct shw_detect_levels_push push = {.first_tile = device->slots[slot].layout.first_level_tile};

    for (uint32_t l = 0; l < first; l++)
        push.first_tile += shw_device_tables_level_tiles(&device->plan.levels[l]);
    for (uint32_t l = first; l < first + count; l++)
        tiles += shw_device_tables_level_tiles(&device->plan.levels[l]);
    for (uint32_t part; tiles > 0; tiles -= part, push.first_tile += part) {
        part = tiles < most ? tiles : most;
        shw_program_dispatch(device->device, commands, &device->levels, device->sets.handles[slot], &push, part, 1, 1);
        if (part < tiles)
            shw_detect_device_barrier(device, commands, false);
    }
}

struct shw_detect_walk_push shw_detect_device_push(const struct shw_detect_device *device, uint32_t slot)
{
    return (struct shw_detect_walk_push){
        .tiles = device->slots[slot].layout.first_tile,
        .end_tree = device->info->tree_count,
        .tree_count = device->info->tree_count,
        .leaves_at = device->trees.leaves_at,
        .tests_at = device->trees.tests_at,
        .tests = device->trees.tests,
        .windows = 1,
        .next_windows = 1,
        .capacity = device->slots[slot].target.capacity,
        .score_base = device->info->score_base,
        .plane_words = (uint32_t)device->slots[slot].layout.integral_words,
    };
}

enum shw_result shw_detect_device_record(void *state, VkCommandBuffer commands, uint32_t s,
                                         const struct shw_image_use *image, const struct shw_detect_target *target)
{
    struct shw_detect_device *device = state;
    struct shw_use before = {.stages = target->before_stage, .access = target->before_access};
    struct shw_use after = {.stages = target->after_stage, .access = target->after_access};

    SHW_PROPAGATE(check(device, image, target));
    SHW_PROPAGATE(update(device, &device->slots[s], image->extent));
    device->slots[s].target = *target;
    shw_detect_device_bind(device, s, image->view, device->sets.handles[s]);
    wait_for_earlier(device, commands);
    shw_buffer_barrier(device->device, commands, target->buffer, before, shw_use_compute_write);
    shw_part_barrier(device->device, commands, image, shw_use_before(image), shw_use_compute_sampled);
    record_grey(device, commands, s, image);
    shw_part_barrier(device->device, commands, image, shw_use_compute_sampled, shw_use_after(image));
    if (device->slots[s].layout.tiles > 0)
        device->walker->record(device, device->state, commands, s);
    shw_buffer_barrier(device->device, commands, target->buffer, shw_use_compute_write, after);
    return SHW_OK;
}
