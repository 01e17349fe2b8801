#include "dense/label/record_targets.h"

#include <stdio.h>

#include "base/integers.h"
#include "base/log.h"
#include "vulkan/formats.h"

struct shw_part shw_targets_part(const struct shw_label_targets *targets, VkExtent2D image)
{
    return shw_part_or_whole(&targets->part, image.width, image.height);
}

bool shw_targets_have_overlay(const struct shw_label_targets *targets)
{
    return targets->overlay.use.image != VK_NULL_HANDLE || targets->buffers.overlay.buffer != VK_NULL_HANDLE;
}

bool shw_targets_have_any(const struct shw_label_targets *targets)
{
    for (uint32_t t = 0; t < SHW_TARGETS; t++)
        if (shw_target_use(targets, t)->image != VK_NULL_HANDLE ||
            shw_target_buffer(targets, t)->buffer != VK_NULL_HANDLE)
            return true;
    return false;
}

struct shw_buffer_use shw_targets_buffer(const struct shw_label_targets *targets, uint32_t target,
                                         const struct shw_part *part)
{
    const struct shw_target_storing *storing;
    struct shw_buffer_use use = *shw_target_buffer(targets, target);

    if (use.format == VK_FORMAT_UNDEFINED)
        use.format = shw_target_get(target)->format;
    storing = shw_target_storing_of(target, use.format);
    if (use.row_stride == 0 && storing != NULL)
        use.row_stride = (VkDeviceSize)part->width * storing->format.bytes;
    if (use.plane_stride == 0)
        use.plane_stride = use.row_stride * part->height;
    return use;
}

struct shw_use shw_buffer_use_before(const struct shw_buffer_use *use)
{
    return (struct shw_use){VK_IMAGE_LAYOUT_UNDEFINED, use->before.stages, use->before.access};
}

struct shw_use shw_buffer_use_after(const struct shw_buffer_use *use)
{
    return (struct shw_use){VK_IMAGE_LAYOUT_UNDEFINED, use->after.stages, use->after.access};
}

static enum shw_result check_format(const struct shw_labeller *labeller, uint32_t number, VkFormat format)
{
    const struct shw_log *log = &labeller->params.log;

    SHW_PROPAGATE(shw_target_check_format(number, format, log));
    if (!shw_target_is_result(number, shw_target_storing_of(number, format)) &&
        !shw_target_is_made(&labeller->params.formats, number, format))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s has %s, but the labeller was not created with that in `formats`",
                        shw_target_get(number)->name, shw_vk_format_text(format).text);
    return shw_target_check_forest(number, format, labeller->params.forest, log);
}

static enum shw_result check_output(const struct shw_labeller *labeller, uint32_t number, VkFormat format)
{
    SHW_PROPAGATE(shw_target_check_output(number, labeller->params.outputs, &labeller->params.log));
    return check_format(labeller, number, format);
}

static enum shw_result check_image(const struct shw_labeller *labeller, uint32_t number,
                                   const struct shw_label_targets *targets, VkExtent2D source)
{
    const struct shw_image_use *use = shw_target_use(targets, number);
    const struct shw_log *log = &labeller->params.log;
    const struct shw_target_traits *target = shw_target_get(number);
    const uint32_t layers = shw_target_layers(number, labeller->pipeline.info);
    VkImageSubresourceLayers part = shw_part_layers(use);

    SHW_PROPAGATE(check_output(labeller, number, use->format));
    if (part.layerCount != layers || (!shw_part_is_given(&targets->part) &&
                                      (use->extent.width != source.width || use->extent.height != source.height)))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s must have %u layer%s and be as large as the source", target->name, layers,
                        layers == 1 ? "" : "s");
    if (shw_part_is_given(&targets->part) && (use->extent.width < (uint64_t)targets->x + targets->part.width ||
                                              use->extent.height < (uint64_t)targets->y + targets->part.height))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s has %u x %u pixels, too few for a part of %u x %u at (%u, %u)", target->name,
                        use->extent.width, use->extent.height, targets->part.width, targets->part.height, targets->x,
                        targets->y);
    if (part.aspectMask != VK_IMAGE_ASPECT_COLOR_BIT)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s: a target has VK_IMAGE_ASPECT_COLOR_BIT only",
                        target->name);
    return shw_use_check(labeller->params.device, use, target->name, log);
}

/* Elements of a buffer that are written, of one plane. */
static uint64_t plane_bytes(const struct shw_buffer_use *use, uint32_t element, const struct shw_part *part)
{
    return (part->height - 1) * use->row_stride + (uint64_t)part->width * element;
}

static uint64_t buffer_bytes(const struct shw_labeller *labeller, uint32_t number, const struct shw_buffer_use *use,
                             const struct shw_part *part)
{
    const uint32_t layers = shw_target_layers(number, labeller->pipeline.info);

    return (layers - 1) * use->plane_stride +
           plane_bytes(use, shw_target_storing_of(number, use->format)->format.bytes, part);
}

static enum shw_result check_buffer(const struct shw_labeller *labeller, uint32_t number,
                                    const struct shw_label_targets *targets, const struct shw_part *part)
{
    const struct shw_log *log = &labeller->params.log;
    const struct shw_buffer_use use = shw_targets_buffer(targets, number, part);
    const char *name = shw_target_get(number)->name;
    char full_name[64];
    uint32_t element;

    snprintf(full_name, sizeof full_name, "buffers.%s", name);
    SHW_PROPAGATE(check_output(labeller, number, use.format));
    element = shw_target_storing_of(number, use.format)->format.bytes;
    if (use.offset % element != 0 || use.row_stride % element != 0 || use.plane_stride % element != 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "buffers.%s: offset and strides must be multiples of an element of %u bytes", name, element);
    if (use.row_stride / element > UINT32_MAX)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "buffers.%s: rows are more than %u elements apart",
                        name, UINT32_MAX);
    if (use.row_stride < (uint64_t)part->width * element || use.plane_stride < plane_bytes(&use, element, part))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "buffers.%s: the strides are too small for %u x %u elements of %u bytes", name, part->width,
                        part->height, element);
    return shw_sides_check(labeller->params.device, shw_buffer_use_before(&use), shw_buffer_use_after(&use), full_name,
                           log);
}

/* Whether two targets write the same bytes of a buffer. */
static bool share_bytes(const struct shw_labeller *labeller, const struct shw_label_targets *targets, uint32_t a,
                        uint32_t b, const struct shw_part *part)
{
    const VkBuffer buffer = shw_target_buffer(targets, a)->buffer;
    struct shw_buffer_use one, other;

    if (buffer == VK_NULL_HANDLE || buffer != shw_target_buffer(targets, b)->buffer)
        return false;
    one = shw_targets_buffer(targets, a, part);
    other = shw_targets_buffer(targets, b, part);
    return one.offset < other.offset + buffer_bytes(labeller, b, &other, part) &&
           other.offset < one.offset + buffer_bytes(labeller, a, &one, part);
}

static enum shw_result check_buffers(const struct shw_labeller *labeller, const struct shw_label_targets *targets,
                                     const struct shw_part *part)
{
    for (uint32_t t = 0; t < SHW_TARGETS; t++)
        if (shw_target_buffer(targets, t)->buffer != VK_NULL_HANDLE)
            SHW_PROPAGATE(check_buffer(labeller, t, targets, part));
    for (uint32_t a = 0; a < SHW_TARGETS; a++)
        for (uint32_t b = a + 1; b < SHW_TARGETS; b++)
            if (share_bytes(labeller, targets, a, b, part))
                return shw_fail(&labeller->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                                "buffers.%s and buffers.%s share bytes of one buffer", shw_target_get(a)->name,
                                shw_target_get(b)->name);
    return SHW_OK;
}

static enum shw_result check_overlay(const struct shw_labeller *labeller, const struct shw_label_targets *targets)
{
    const struct shw_overlay_style style = shw_overlay_style_of(&targets->overlay);

    if (!shw_targets_have_overlay(targets))
        return SHW_OK;
    return shw_overlay_check(&style, labeller->pipeline.info, labeller->params.outputs, &labeller->params.log);
}

/* A part that is used twice would have two layouts at a time. */
static enum shw_result check_uses(const struct shw_labeller *labeller, const struct shw_chosen_inputs *inputs,
                                  const struct shw_label_targets *targets)
{
    const struct shw_channel_list *list = labeller->pipeline.info->channel_list;
    const struct shw_image_use *uses[SHW_INPUTS_MAX + SHW_TARGETS];
    const char *names[SHW_INPUTS_MAX + SHW_TARGETS];
    uint32_t count = 0;

    for (uint32_t i = 0; i < list->input_count; i++)
        if (inputs->of[i] != NULL) {
            names[count] = list->inputs[i];
            uses[count++] = &inputs->of[i]->use;
        }
    for (uint32_t t = 0; t < SHW_TARGETS; t++)
        if (shw_target_use(targets, t)->image != VK_NULL_HANDLE) {
            names[count] = shw_target_get(t)->name;
            uses[count++] = shw_target_use(targets, t);
        }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++)
            if (uses[i]->image != VK_NULL_HANDLE && shw_parts_overlap(uses[i], uses[j]))
                return shw_fail(&labeller->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                                "%s and %s are the same subresource of one image", names[i], names[j]);
    return SHW_OK;
}

static enum shw_result check_part(const struct shw_labeller *labeller, const struct shw_part *part, VkExtent2D image)
{
    const struct shw_log *log = &labeller->params.log;

    SHW_PROPAGATE(shw_part_check(part, image.width, image.height, log));
    if (part->step > 1 && labeller->pipeline.params.smoothing.cells > 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "a part with a step of %u needs a labeller without smoothing", part->step);
    if (part->step > 1 && labeller->techniques[SHW_STAGE_EVALUATE] == SHW_TECHNIQUE_CUSTOM)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "a part with a step of %u cannot be evaluated by a custom technique", part->step);
    return SHW_OK;
}

enum shw_result shw_targets_check(const struct shw_labeller *labeller, const struct shw_chosen_inputs *chosen,
                                  const struct shw_label_targets *targets)
{
    const VkExtent2D image = chosen->of[0]->use.extent;
    const struct shw_part part = shw_targets_part(targets, image);

    if (!shw_part_is_given(&targets->part) && (targets->x > 0 || targets->y > 0))
        return shw_fail(&labeller->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "`x` and `y` of targets are for a part of the image, and there is none");
    SHW_PROPAGATE(check_part(labeller, &part, image));
    for (uint32_t t = 0; t < SHW_TARGETS; t++)
        if (shw_target_use(targets, t)->image != VK_NULL_HANDLE)
            SHW_PROPAGATE(check_image(labeller, t, targets, image));
    SHW_PROPAGATE(check_buffers(labeller, targets, &part));
    SHW_PROPAGATE(check_overlay(labeller, targets));
    return check_uses(labeller, chosen, targets);
}
