#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "detection/detect/device.h"

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

    if (device->info->kind != SHW_CASCADE_PIXELS)
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
    bool is_pixels = device->info->kind == SHW_CASCADE_PIXELS;

    for (uint32_t is_uint = 0; is_uint < 2; is_uint++)
        SHW_PROPAGATE(shw_detect_device_program(device, "grey", shaders[!is_pixels][is_uint],
                                                is_pixels ? &constants : NULL, sizeof(struct shw_detect_grey_push),
                                                &device->grey[is_uint]));
    return is_pixels ? create_levels(device) : SHW_OK;
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

enum shw_result shw_detect_device_resize(struct shw_detect_device *device, uint32_t width, uint32_t height)
{
    enum shw_result result;

    if (width <= device->width && height <= device->height)
        return SHW_OK;
    width = shw_max_u32(width, device->width);
    height = shw_max_u32(height, device->height);
    shw_detect_device_release(device);
    device->width = width;
    device->height = height;
    SHW_TRY(make(device));
    return SHW_OK;

fail:
    shw_detect_device_release(device);
    return result;
}

void shw_detect_device_release(struct shw_detect_device *device)
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
