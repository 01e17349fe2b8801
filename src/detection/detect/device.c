/* Detection on a device: memory, images from the host, recording. */
#include "detection/detect/device.h"

#include <stdlib.h>
#include <string.h>

#include "base/image.h"
#include "base/integers.h"
#include "base/log.h"
#include "dense/channels/pixels.h"
#include "dense/input/inputs.h"
#include "vulkan/commands.h"
#include "vulkan/formats.h"

SHW_SHADER_DECLARE(detect_grey_pixels_float_comp);
SHW_SHADER_DECLARE(detect_grey_pixels_uint_comp);
SHW_SHADER_DECLARE(detect_grey_scaled_float_comp);
SHW_SHADER_DECLARE(detect_grey_scaled_uint_comp);
SHW_SHADER_DECLARE(detect_octaves_comp);
SHW_SHADER_DECLARE(detect_levels_comp);

static enum shw_result check_size(const struct shw_detect_device *device, uint64_t bytes, const char *name)
{
    uint64_t most = device->device->properties.limits.maxStorageBufferRange;

    if (bytes <= most)
        return SHW_OK;
    return shw_fail(&device->params.log, SHW_ERROR_LIMIT, SHW_LOG_REQUIREMENT,
                    "%s of images of %u x %u need a storage buffer of %llu bytes; the device has at most %llu: use the "
                    "technique cpu",
                    name, device->width, device->height, (unsigned long long)bytes, (unsigned long long)most);
}

enum shw_result shw_detect_device_add(struct shw_detect_device *device, uint64_t bytes, VkBufferUsageFlags usage,
                                      const char *name, struct shw_buffer *buffer)
{
    SHW_PROPAGATE(check_size(device, bytes, name));
    return shw_arena_add_buffer(&device->arena, shw_span_always, shw_max_u64(bytes, 16),
                                VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | usage, SHW_MEMORY_DEVICE, name, buffer);
}

/* One that the host writes. */
static enum shw_result add_table(struct shw_detect_device *device, uint64_t bytes, const char *name,
                                 struct shw_buffer *buffer)
{
    SHW_PROPAGATE(check_size(device, bytes, name));
    return shw_arena_add_buffer(&device->arena, shw_span_always, shw_max_u64(bytes, 16),
                                VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, SHW_MEMORY_TABLE, name, buffer);
}

static enum shw_result add_slots(struct shw_detect_device *device)
{
    device->slots = calloc(device->params.slots, sizeof *device->slots);
    if (device->slots == NULL)
        return shw_fail_memory(&device->params.log, "a detector");
    for (uint32_t s = 0; s < device->params.slots; s++) {
        device->slots[s].entries = calloc(shw_max_u32(device->levels_most, 1), sizeof *device->slots[s].entries);
        if (device->slots[s].entries == NULL)
            return shw_fail_memory(&device->params.log, "a detector");
        SHW_PROPAGATE(add_table(device, (uint64_t)device->levels_most * sizeof(struct shw_detect_level_entry), "levels",
                                &device->slots[s].levels));
        SHW_PROPAGATE(add_table(device, 2 * sizeof(uint32_t) * device->most.pairs, "tables", &device->slots[s].tables));
    }
    return SHW_OK;
}

/* A scan that has all levels that smaller images can have, which rounding may place on the other side of a limit. */
static struct shw_scan widen(const struct shw_detect_device *device)
{
    struct shw_scan scan = device->params.scan;

    if (!device->has_pyramid)
        return scan;
    scan.min_size -= shw_min_u32(scan.min_size - 1, scan.min_size / 16 + 2);
    scan.max_size += shw_min_u32(UINT32_MAX - scan.max_size, scan.max_size / 16 + 2);
    return scan;
}

static enum shw_result measure(struct shw_detect_device *device)
{
    const struct shw_log *log = &device->params.log;
    const struct shw_scan scan = widen(device);

    SHW_PROPAGATE(
        shw_detect_plan_make(device->params.cascade, &scan, device->width, device->height, log, &device->plan));
    shw_device_tables_measure(device->params.cascade, &scan, &device->plan, NULL, &device->most);
    device->levels_most = device->plan.level_count;
    device->octaves_most = device->plan.octave_count;
    device->plan.width = 0; /* of no image */
    if (device->plan.level_count > SHW_DETECT_LEVELS_MAX || device->most.tiles >= 1u << (32 - SHW_DETECT_TILE_SHIFT))
        return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT,
                        "images of %u x %u have %u levels with %llu tiles of windows, and at most %u with %u are "
                        "possible on a device: use the technique cpu",
                        device->width, device->height, device->plan.level_count, (unsigned long long)device->most.tiles,
                        SHW_DETECT_LEVELS_MAX, (1u << (32 - SHW_DETECT_TILE_SHIFT)) - 1);
    return SHW_OK;
}

static enum shw_result add_buffers(struct shw_detect_device *device)
{
    SHW_PROPAGATE(add_table(device, sizeof(int32_t) * device->trees.words, "trees", &device->cascade));
    if (device->most.plane_words > 0)
        SHW_PROPAGATE(
            shw_detect_device_add(device, sizeof(uint32_t) * device->most.plane_words, 0, "planes", &device->planes));
    SHW_PROPAGATE(shw_detect_device_add(device, sizeof(uint32_t) * device->most.value_words,
                                        VK_BUFFER_USAGE_TRANSFER_SRC_BIT, "values", &device->values));
    return add_slots(device);
}

enum shw_result shw_detect_device_program(struct shw_detect_device *device, const char *name, struct shw_shader shader,
                                          const VkSpecializationInfo *constants, uint32_t push_bytes,
                                          struct shw_program *program)
{
    struct shw_binding bindings[SHW_DETECT_BINDINGS];
    struct shw_program_params params = {.name = name,
                                        .compute = shader,
                                        .bindings = bindings,
                                        .binding_count = SHW_DETECT_BINDINGS,
                                        .push_bytes = push_bytes,
                                        .specialization = constants};

    for (uint32_t b = 0; b < SHW_DETECT_BINDINGS; b++)
        bindings[b] = (struct shw_binding){b, b == SHW_DETECT_SOURCE ? VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE
                                                                     : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    return shw_program_create(device->device, &params, program);
}

static enum shw_result create_levels(struct shw_detect_device *device)
{
    const struct shw_cascade_planes *planes = &device->info->planes;
    static const VkSpecializationMapEntry entries[] = {{0, 0, 4}, {1, 4, 4}};
    const uint32_t data[] = {planes->blur_after, planes->shrink};
    const VkSpecializationInfo constants = {2, entries, sizeof data, data};

    if (device->octaves_most > SHW_DETECT_OCTAVES)
        SHW_PROPAGATE(shw_detect_device_program(device, "octaves", SHW_SHADER(detect_octaves_comp), NULL,
                                                sizeof(struct shw_detect_grey_push), &device->again));
    return shw_detect_device_program(device, "levels", SHW_SHADER(detect_levels_comp), &constants,
                                     sizeof(struct shw_detect_levels_push), &device->levels);
}

static enum shw_result create_programs(struct shw_detect_device *device)
{
    const struct shw_shader shaders[2][2] = {
        {SHW_SHADER(detect_grey_pixels_float_comp), SHW_SHADER(detect_grey_pixels_uint_comp)},
        {SHW_SHADER(detect_grey_scaled_float_comp), SHW_SHADER(detect_grey_scaled_uint_comp)}};
    static const VkSpecializationMapEntry entry = {0, 0, 4};
    const uint32_t blur = device->info->planes.blur_before;
    const VkSpecializationInfo constants = {1, &entry, sizeof blur, &blur};

    for (uint32_t is_uint = 0; is_uint < 2; is_uint++)
        SHW_PROPAGATE(shw_detect_device_program(device, "grey", shaders[!device->has_pyramid][is_uint],
                                                device->has_pyramid ? &constants : NULL,
                                                sizeof(struct shw_detect_grey_push), &device->grey[is_uint]));
    return device->has_pyramid ? create_levels(device) : SHW_OK;
}

static enum shw_result make(struct shw_detect_device *device)
{
    SHW_PROPAGATE(measure(device));
    shw_arena_begin(device->device, &device->arena);
    SHW_PROPAGATE(add_buffers(device));
    SHW_PROPAGATE(device->walker->add(device, device->state));
    SHW_PROPAGATE(shw_arena_make(&device->arena));
    shw_device_trees_write(device->params.cascade, &device->params.scan, &device->trees, device->cascade.mapped);
    SHW_PROPAGATE(create_programs(device));
    SHW_PROPAGATE(shw_sets_create(device->device, &device->grey[0], device->params.slots, &device->sets));
    return device->walker->create(device, device->state);
}

static void detect_device_release(struct shw_detect_device *device)
{
    device->walker->release(device, device->state);
    shw_sets_destroy(device->device, &device->sets);
    for (uint32_t is_uint = 0; is_uint < 2; is_uint++)
        shw_program_destroy(device->device, &device->grey[is_uint]);
    shw_program_destroy(device->device, &device->again);
    shw_program_destroy(device->device, &device->levels);
    if (device->arena.device != NULL)
        shw_arena_end(&device->arena);
    for (uint32_t s = 0; device->slots != NULL && s < device->params.slots; s++)
        free(device->slots[s].entries);
    free(device->slots);
    device->slots = NULL;
    shw_detect_plan_free(&device->plan);
    device->width = device->height = 0;
}

/* Makes or enlarges everything for images of a size. Errors: MEMORY, DEVICE_MEMORY, LIMIT,
 * UNSUPPORTED; nothing is left then, and the next call tries again. */
static enum shw_result detect_device_resize(struct shw_detect_device *device, uint32_t width, uint32_t height)
{
    enum shw_result result;

    if (width <= device->width && height <= device->height)
        return SHW_OK;
    width = shw_max_u32(width, device->width);
    height = shw_max_u32(height, device->height);
    detect_device_release(device);
    device->width = width;
    device->height = height;
    SHW_TRY(make(device));
    return SHW_OK;

fail:
    detect_device_release(device);
    return result;
}

/* Detection in an image on the host: up to the device, recorded as for an engine, and back. */

#define CAPACITY_LEAST 4096u /* detections of the first run */

static void end_target(struct shw_detect_device *device)
{
    shw_buffer_destroy(device->device, &device->transfer.found);
    shw_buffer_destroy(device->device, &device->transfer.readback);
    device->transfer.capacity = 0;
}

static void end_source(struct shw_detect_device *device)
{
    struct shw_detect_transfer *transfer = &device->transfer;

    if (transfer->view != VK_NULL_HANDLE)
        device->device->vk.DestroyImageView(device->device->handle, transfer->view, device->device->allocator);
    transfer->view = VK_NULL_HANDLE;
    shw_vulkan_image_destroy(device->device, &transfer->source);
    shw_buffer_destroy(device->device, &transfer->upload);
}

void shw_detect_device_destroy(void *state)
{
    struct shw_detect_device *device = state;

    if (device == NULL)
        return;
    if (device->state != NULL)
        detect_device_release(device);
    end_source(device);
    end_target(device);
    free(device->state);
    free(device);
}

static VkDeviceSize found_bytes(uint32_t count)
{
    return sizeof(uint32_t) * (SHW_DETECT_HEADER_WORDS + (VkDeviceSize)SHW_DETECT_FOUND_WORDS * shw_max_u32(count, 1));
}

static enum shw_result make_target(struct shw_detect_device *device, uint32_t capacity)
{
    struct shw_detect_transfer *transfer = &device->transfer;
    uint64_t bytes = found_bytes(capacity);

    if (capacity <= transfer->capacity)
        return SHW_OK;
    if (bytes > device->device->properties.limits.maxStorageBufferRange)
        return shw_fail(&device->params.log, SHW_ERROR_LIMIT, SHW_LOG_REQUIREMENT,
                        "%u windows are found, more than a storage buffer of this device holds: use the technique cpu",
                        capacity);
    end_target(device);
    SHW_PROPAGATE(shw_buffer_create(device->device, bytes,
                                    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                    SHW_MEMORY_DEVICE, "found windows", &transfer->found));
    SHW_PROPAGATE(shw_buffer_create(device->device, bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT, SHW_MEMORY_READBACK,
                                    "found windows", &transfer->readback));
    transfer->capacity = capacity;
    return SHW_OK;
}

/* Grey images stay grey; others get four samples. */
static VkFormat format_of(const struct shw_image *image)
{
    return image->format == SHW_PIXEL_GREY8 ? VK_FORMAT_R8_UNORM : shw_source_format(shw_pixel_is_wide(image->format));
}

static enum shw_result make_source(struct shw_detect_device *device, const struct shw_image *image)
{
    struct shw_detect_transfer *transfer = &device->transfer;
    VkFormat format = format_of(image);
    uint64_t pixel = format == VK_FORMAT_R8_UNORM ? 1 : format == VK_FORMAT_R8G8B8A8_UNORM ? 4 : 8;
    uint64_t bytes = shw_align_up((uint64_t)image->width * image->height * pixel, 4);

    if (transfer->source.format == format && transfer->source.width == image->width &&
        transfer->source.height == image->height)
        return SHW_OK;
    end_source(device);
    SHW_PROPAGATE(shw_vulkan_image_create(device->device, format, image->width, image->height, 1,
                                          VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, "image",
                                          &transfer->source));
    SHW_PROPAGATE(shw_image_view_create(device->device, transfer->source.handle, format, 0, 1, false, &transfer->view));
    return shw_buffer_create(device->device, bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, SHW_MEMORY_UPLOAD, "image",
                             &transfer->upload);
}

static void fill_upload(const struct shw_detect_transfer *transfer, const struct shw_image *image)
{
    const struct shw_region whole = {image->width, image->height, 0, 0, image->width, image->height};
    size_t stride = image->stride > 0 ? image->stride : shw_pixel_size(image->format) * image->width;

    if (image->format != SHW_PIXEL_GREY8) {
        shw_source_pixels_expand(image, &whole, transfer->upload.mapped);
        return;
    }
    for (uint32_t y = 0; y < image->height; y++)
        memcpy((char *)transfer->upload.mapped + (size_t)y * image->width, (const char *)image->pixels + y * stride,
               image->width);
}

static void record_upload(const struct shw_detect_device *device, VkCommandBuffer commands)
{
    const struct shw_detect_transfer *transfer = &device->transfer;
    const VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                    .imageExtent = {transfer->source.width, transfer->source.height, 1}};

    shw_image_barrier(device->device, commands, transfer->source.handle, shw_use_nothing, shw_use_copy_target);
    device->device->vk.CmdCopyBufferToImage(commands, transfer->upload.handle, transfer->source.handle,
                                            VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
}

static struct shw_use use_before(const struct shw_detect_target *target)
{
    return (struct shw_use){VK_IMAGE_LAYOUT_UNDEFINED, target->before_stage, target->before_access};
}

static struct shw_use use_after(const struct shw_detect_target *target)
{
    return (struct shw_use){VK_IMAGE_LAYOUT_UNDEFINED, target->after_stage, target->after_access};
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
                        "the image has %s, which cannot be converted to grey (shw_source_format_get() lists "
                        "formats; those of more than 16 bits are for depth)",
                        shw_vk_format_text(image->format).text);
    SHW_PROPAGATE(shw_use_check(device->device, image, "the image", log));
    if (target->buffer == VK_NULL_HANDLE || target->offset % alignment != 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "the target needs a buffer, and an offset that is a multiple of %llu",
                        (unsigned long long)alignment);
    if (target->capacity > (UINT32_MAX - SHW_DETECT_HEADER_WORDS) / SHW_DETECT_FOUND_WORDS / 4)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the target's capacity of %u is too large",
                        target->capacity);
    return shw_sides_check(device->device, use_before(target), use_after(target), "the target", log);
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

/* Before the first pass: earlier recordings have finished with what this one writes. */
static void wait_for_earlier(const struct shw_detect_device *device, VkCommandBuffer commands)
{
    struct shw_use before = shw_use_compute_write;

    before.stages |= VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;
    shw_memory_barrier(device->device, commands, before, shw_use_compute_write);
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

enum shw_result shw_detect_device_record(void *state, VkCommandBuffer commands, uint32_t s,
                                         const struct shw_image_use *image, const struct shw_detect_target *target)
{
    struct shw_detect_device *device = state;

    SHW_PROPAGATE(check(device, image, target));
    SHW_PROPAGATE(update(device, &device->slots[s], image->extent));
    device->slots[s].target = *target;
    shw_detect_device_bind(device, s, image->view, device->sets.handles[s]);
    wait_for_earlier(device, commands);
    shw_buffer_barrier(device->device, commands, target->buffer, use_before(target), shw_use_compute_write);
    shw_part_barrier(device->device, commands, image, shw_use_before(image), shw_use_compute_sampled);
    record_grey(device, commands, s, image);
    shw_part_barrier(device->device, commands, image, shw_use_compute_sampled, shw_use_after(image));
    if (device->slots[s].layout.tiles > 0)
        device->walker->record(device, device->state, commands, s);
    shw_buffer_barrier(device->device, commands, target->buffer, shw_use_compute_write, use_after(target));
    return SHW_OK;
}

static enum shw_result record(struct shw_detect_device *device, VkCommandBuffer commands)
{
    const struct shw_detect_transfer *transfer = &device->transfer;
    struct shw_image_use use = {
        .image = transfer->source.handle,
        .view = transfer->view,
        .format = transfer->source.format,
        .extent = {transfer->source.width, transfer->source.height},
        .before = {shw_use_copy_target.layout, shw_use_copy_target.stages, shw_use_copy_target.access},
        .after = {shw_use_compute_sampled.layout, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0}};
    const struct shw_detect_target target = {.buffer = transfer->found.handle,
                                             .capacity = transfer->capacity,
                                             .before_stage = VK_PIPELINE_STAGE_TRANSFER_BIT,
                                             .after_stage = VK_PIPELINE_STAGE_TRANSFER_BIT,
                                             .after_access = VK_ACCESS_TRANSFER_READ_BIT};
    const VkBufferCopy copy = {.size = transfer->found.size};

    record_upload(device, commands);
    SHW_PROPAGATE(shw_detect_device_record(device, commands, 0, &use, &target));
    device->device->vk.CmdCopyBuffer(commands, transfer->found.handle, transfer->readback.handle, 1, &copy);
    shw_buffer_barrier(device->device, commands, transfer->readback.handle, shw_use_copy_target, shw_use_host_read);
    return SHW_OK;
}

static enum shw_result submit(struct shw_detect_device *device)
{
    VkCommandBuffer commands;
    enum shw_result result;

    SHW_PROPAGATE(shw_submit_begin(device->device, &commands));
    result = record(device, commands);
    if (result == SHW_OK)
        return shw_submit_wait(device->device, commands);
    shw_submit_abandon(device->device, commands);
    return result;
}

enum shw_result shw_detect_device_run(void *state, const struct shw_image *image, struct shw_detections *found)
{
    struct shw_detect_device *device = state;
    const uint32_t *words;
    enum shw_result result;

    SHW_PROPAGATE(detect_device_resize(device, image->width, image->height));
    SHW_TRY(make_source(device, image));
    SHW_TRY(make_target(device, CAPACITY_LEAST));
    fill_upload(&device->transfer, image);
    SHW_TRY(submit(device));
    words = device->transfer.readback.mapped;
    if (words[0] > device->transfer.capacity) {
        SHW_TRY(make_target(device, words[0]));
        SHW_TRY(submit(device));
        words = device->transfer.readback.mapped;
    }
    if (words[0] == 0)
        return SHW_OK;
    found->items = malloc(words[0] * sizeof *found->items);
    if (found->items == NULL)
        return shw_fail_memory(&device->params.log, "detections");
    memcpy(found->items, words + SHW_DETECT_HEADER_WORDS, words[0] * sizeof *found->items);
    found->count = words[0];
    return SHW_OK;

fail: /* the next run makes these again */
    end_source(device);
    end_target(device);
    return result;
}

enum shw_result shw_detect_device_check(const struct shw_detector_params *params, const struct shw_log *log)
{
    const VkPhysicalDeviceLimits *limits = &params->device->properties.limits;
    enum shw_cascade_kind kind = shw_cascade_get_info(params->cascade)->kind;

    if (shw_detect_kind_get(kind)->devices == SHW_DETECT_NO_DEVICE)
        return shw_fail(log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                        "devices do not evaluate cascades of the kind %s: use the technique cpu",
                        shw_cascade_kind_name(kind));
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
    device->has_pyramid = shw_cascade_get_traits(device->info->kind)->has_pyramid;
    device->device = params->device;
    device->walker = walker;
    device->state = calloc(1, walker->size);
    if (device->state == NULL) {
        result = shw_fail_memory(&params->log, "a detector");
        goto fail;
    }
    shw_device_trees_measure(params->cascade, &params->scan, &device->trees);
    if (params->width > 0)
        SHW_TRY(detect_device_resize(device, params->width, params->height));
    *out = device;
    return SHW_OK;

fail:
    shw_detect_device_destroy(device);
    return result;
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
