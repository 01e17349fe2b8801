/* Luma and chroma on a device: a compute shader makes pixels in a buffer, which are copied into the caller's image. */
#include <stdlib.h>

#include "base/log.h"
#include "dense/input/inputs.h"
#include "dense/input/ycbcr.h"
#include "vulkan/commands.h"
#include "vulkan/formats.h"
#include "vulkan/memory.h"

SHW_SHADER_DECLARE(ycbcr_comp);

#define PLANES  3u
#define PIXELS  3u /* binding */
#define GROUP_X 32u
#define GROUP_Y 4u

struct shw_ycbcr_converter {
    struct shw_ycbcr_converter_params params;
    struct shw_program program;
    struct shw_sets sets;
    struct shw_buffer *pixels; /* one per slot */
};

static uint64_t pixel_bytes(const struct shw_ycbcr_converter *converter)
{
    return shw_ycbcr_is_wide(&converter->params.encoding) ? 8 : 4;
}

static enum shw_result check_params(const struct shw_ycbcr_converter_params *params)
{
    const struct shw_log *log = &params->log;
    const VkExtent2D largest = {params->width, params->height};
    struct shw_ycbcr_push push;

    SHW_PROPAGATE(shw_ycbcr_check(&params->encoding, log));
    SHW_PROPAGATE(shw_slots_check(params->slots, log));
    return shw_ycbcr_plan(&params->encoding, largest, largest, log, &push);
}

static enum shw_result create_buffers(struct shw_ycbcr_converter *converter)
{
    const struct shw_ycbcr_converter_params *params = &converter->params;
    const uint64_t size = pixel_bytes(converter) * params->width * params->height;
    const uint32_t most = params->device->properties.limits.maxStorageBufferRange;

    if (size > most)
        return shw_fail(&params->log, SHW_ERROR_LIMIT, SHW_LOG_REQUIREMENT,
                        "%u x %u pixels of luma and chroma take %llu bytes; storage buffers have up to %u",
                        params->width, params->height, (unsigned long long)size, most);
    converter->pixels = calloc(params->slots, sizeof *converter->pixels);
    if (converter->pixels == NULL)
        return shw_fail_memory(&params->log, "a converter of luma and chroma");
    for (uint32_t s = 0; s < params->slots; s++)
        SHW_PROPAGATE(shw_buffer_create(params->device, size,
                                        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                        SHW_MEMORY_DEVICE, "pixels of a frame", &converter->pixels[s]));
    return SHW_OK;
}

static enum shw_result create_program(struct shw_ycbcr_converter *converter)
{
    static const struct shw_binding bindings[] = {{0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE},
                                                  {1, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE},
                                                  {2, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE},
                                                  {PIXELS, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
    const struct shw_program_params program = {.name = "luma and chroma",
                                               .compute = SHW_SHADER(ycbcr_comp),
                                               .bindings = bindings,
                                               .binding_count = sizeof bindings / sizeof *bindings,
                                               .push_bytes = sizeof(struct shw_ycbcr_push)};

    SHW_PROPAGATE(shw_program_create(converter->params.device, &program, &converter->program));
    return shw_sets_create(converter->params.device, &converter->program, converter->params.slots, &converter->sets);
}

enum shw_result shw_ycbcr_converter_create_abi(uint32_t abi, const struct shw_ycbcr_converter_params *params,
                                               struct shw_ycbcr_converter **out)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(NULL, params);
    SHW_REFUSE_NULL(&params->log, out);
    SHW_REFUSE_NULL(&params->log, params->device);

    struct shw_ycbcr_converter *converter;
    enum shw_result result;

    SHW_PROPAGATE(check_params(params));
    converter = calloc(1, sizeof *converter);
    if (converter == NULL)
        return shw_fail_memory(&params->log, "a converter of luma and chroma");
    converter->params = *params;
    if (params->slots == 0)
        converter->params.slots = 1;
    SHW_TRY(create_buffers(converter));
    SHW_TRY(create_program(converter));
    *out = converter;
    return SHW_OK;

fail:
    shw_ycbcr_converter_destroy(&converter);
    return result;
}

void shw_ycbcr_converter_destroy(struct shw_ycbcr_converter **converter)
{
    struct shw_ycbcr_converter *own;

    if (converter == NULL || *converter == NULL)
        return;
    own = *converter;
    shw_sets_destroy(own->params.device, &own->sets);
    shw_program_destroy(own->params.device, &own->program);
    for (uint32_t s = 0; own->pixels != NULL && s < own->params.slots; s++)
        shw_buffer_destroy(own->params.device, &own->pixels[s]);
    free(own->pixels);
    free(own);
    *converter = NULL;
}

/* Recording. */

/* Of a plane with one component, or with two. */
static VkFormat plane_format(const struct shw_ycbcr_converter *converter, bool two)
{
    if (shw_ycbcr_is_wide(&converter->params.encoding))
        return two ? VK_FORMAT_R16G16_UNORM : VK_FORMAT_R16_UNORM;
    return two ? VK_FORMAT_R8G8_UNORM : VK_FORMAT_R8_UNORM;
}

static enum shw_result check_plane(const struct shw_ycbcr_converter *converter, const struct shw_image_use *use,
                                   const char *name, bool two)
{
    const struct shw_log *log = &converter->params.log;

    if (use->view == VK_NULL_HANDLE)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the plane %s: `view` is VK_NULL_HANDLE", name);
    if (use->format != plane_format(converter, two))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the plane %s must have %s, not %s", name,
                        shw_vk_format_text(plane_format(converter, two)).text, shw_vk_format_text(use->format).text);
    if (use->image == VK_NULL_HANDLE)
        return SHW_OK;
    if (use->before.layout == VK_IMAGE_LAYOUT_UNDEFINED)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "the plane %s is in VK_IMAGE_LAYOUT_UNDEFINED and has no contents", name);
    return shw_use_check(converter->params.device, use, name, log);
}

static enum shw_result check_planes(const struct shw_ycbcr_converter *converter, const struct shw_ycbcr_planes *planes)
{
    const struct shw_log *log = &converter->params.log;
    const bool interleaved = planes->cr.view == VK_NULL_HANDLE;

    if (planes->luma.image == VK_NULL_HANDLE)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the plane luma: `image` is VK_NULL_HANDLE");
    SHW_PROPAGATE(check_plane(converter, &planes->luma, "luma", false));
    SHW_PROPAGATE(check_plane(converter, &planes->cb, "cb", interleaved));
    if (interleaved)
        return SHW_OK;
    SHW_PROPAGATE(check_plane(converter, &planes->cr, "cr", false));
    if (planes->cr.extent.width != planes->cb.extent.width || planes->cr.extent.height != planes->cb.extent.height)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the planes cb and cr have different sizes");
    return SHW_OK;
}

/* A part that is used twice would have two layouts at a time. */
static enum shw_result check_apart(const struct shw_ycbcr_converter *converter, const struct shw_ycbcr_planes *planes,
                                   const struct shw_image_use *target)
{
    static const char *const names[PLANES + 1] = {"the plane luma", "the plane cb", "the plane cr", "the target"};
    const struct shw_image_use *const uses[PLANES + 1] = {&planes->luma, &planes->cb, &planes->cr, target};

    for (uint32_t a = 0; a < PLANES + 1; a++)
        for (uint32_t b = a + 1; b < PLANES + 1; b++)
            if (uses[a]->image != VK_NULL_HANDLE && shw_parts_overlap(uses[a], uses[b]))
                return shw_fail(&converter->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                                "%s and %s are the same subresource of one image", names[a], names[b]);
    return SHW_OK;
}

static enum shw_result check_target(const struct shw_ycbcr_converter *converter, const struct shw_image_use *luma,
                                    const struct shw_image_use *target)
{
    const struct shw_log *log = &converter->params.log;
    const bool wide = shw_ycbcr_is_wide(&converter->params.encoding);

    if (target->image == VK_NULL_HANDLE)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the target: `image` is VK_NULL_HANDLE");
    if (wide ? target->format != VK_FORMAT_R16G16B16A16_UNORM
             : target->format != VK_FORMAT_R8G8B8A8_UNORM && target->format != VK_FORMAT_R8G8B8A8_SRGB)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the target must have %s, not %s",
                        wide ? "VK_FORMAT_R16G16B16A16_UNORM" : "VK_FORMAT_R8G8B8A8_UNORM or _SRGB",
                        shw_vk_format_text(target->format).text);
    if (target->extent.width != luma->extent.width || target->extent.height != luma->extent.height ||
        shw_part_layers(target).layerCount != 1)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "the target must be one layer, as large as the plane of luma");
    return shw_use_check(converter->params.device, target, "the target", log);
}

/* Planes in images of their own, between their uses there and ours. */
static void record_uses(const struct shw_ycbcr_converter *converter, VkCommandBuffer commands,
                        const struct shw_ycbcr_planes *planes, bool after)
{
    const struct shw_image_use *const uses[PLANES] = {&planes->luma, &planes->cb, &planes->cr};

    for (uint32_t p = 0; p < PLANES; p++)
        if (uses[p]->image != VK_NULL_HANDLE)
            shw_part_barrier(converter->params.device, commands, uses[p],
                             after ? shw_use_compute_sampled : shw_use_before(uses[p]),
                             after ? shw_use_after(uses[p]) : shw_use_compute_sampled);
}

static void record_conversion(struct shw_ycbcr_converter *converter, VkCommandBuffer commands, uint32_t slot,
                              const struct shw_ycbcr_planes *planes, const struct shw_ycbcr_push *push)
{
    struct shw_device *device = converter->params.device;
    const struct shw_resource resources[] = {{.view = planes->luma.view},
                                             {.view = planes->cb.view},
                                             {.view = push->interleaved != 0 ? planes->cb.view : planes->cr.view},
                                             {.buffer = converter->pixels[slot].handle}};

    shw_set_write(device, &converter->program, converter->sets.handles[slot], resources);
    shw_program_dispatch(device, commands, &converter->program, converter->sets.handles[slot], push,
                         ((uint32_t)push->width + GROUP_X - 1) / GROUP_X,
                         ((uint32_t)push->height + GROUP_Y - 1) / GROUP_Y, 1);
}

static void record_copy(const struct shw_ycbcr_converter *converter, VkCommandBuffer commands, uint32_t slot,
                        const struct shw_image_use *target)
{
    const struct shw_device *device = converter->params.device;
    const VkBufferImageCopy region = {.imageSubresource = shw_part_layers(target),
                                      .imageExtent = {target->extent.width, target->extent.height, 1}};

    shw_buffer_barrier(device, commands, converter->pixels[slot].handle, shw_use_compute_write, shw_use_copy_source);
    shw_part_barrier(device, commands, target, shw_use_before(target), shw_use_copy_target);
    device->vk.CmdCopyBufferToImage(commands, converter->pixels[slot].handle, target->image,
                                    VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    shw_part_barrier(device, commands, target, shw_use_copy_target, shw_use_after(target));
}

enum shw_result shw_ycbcr_converter_record(struct shw_ycbcr_converter *converter, VkCommandBuffer commands,
                                           uint32_t slot, const struct shw_ycbcr_planes *planes,
                                           const struct shw_image_use *target)
{
    SHW_REFUSE_NULL(NULL, converter);
    SHW_REFUSE_NULL(&converter->params.log, planes);
    SHW_REFUSE_NULL(&converter->params.log, target);

    const struct shw_ycbcr_converter_params *params = &converter->params;
    const VkExtent2D luma = planes->luma.extent;
    struct shw_ycbcr_push push;

    if (slot >= params->slots)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "slot %u of a converter with %u", slot,
                        params->slots);
    if (commands == VK_NULL_HANDLE)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "`commands` is VK_NULL_HANDLE");
    SHW_PROPAGATE(check_planes(converter, planes));
    SHW_PROPAGATE(check_target(converter, &planes->luma, target));
    SHW_PROPAGATE(check_apart(converter, planes, target));
    SHW_PROPAGATE(shw_ycbcr_plan(&params->encoding, luma, planes->cb.extent, &params->log, &push));
    if (luma.width > params->width || luma.height > params->height)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "a frame of %u x %u pixels for a converter of %u x %u", luma.width, luma.height, params->width,
                        params->height);
    push.interleaved = planes->cr.view == VK_NULL_HANDLE;
    record_uses(converter, commands, planes, false);
    record_conversion(converter, commands, slot, planes, &push);
    record_uses(converter, commands, planes, true);
    record_copy(converter, commands, slot, target);
    return SHW_OK;
}
