#include "dense/label/record_targets.h"

#include <stdio.h>

#include "base/integers.h"
#include "base/log.h"
#include "vulkan/formats.h"

bool shw_targets_have_part(const struct shw_label_targets *targets)
{
    const struct shw_part *part = &targets->part;

    return part->step > 0 || part->width > 0 || part->height > 0 || part->x > 0 || part->y > 0;
}

struct shw_part shw_targets_part(const struct shw_label_targets *targets, VkExtent2D image)
{
    return shw_targets_have_part(targets) ? targets->part : shw_part_whole(image.width, image.height);
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

#define GRAPHICS_STAGES                                                                                                \
    (VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT | VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT |                            \
     VK_PIPELINE_STAGE_2_PRE_RASTERIZATION_SHADERS_BIT | VK_PIPELINE_STAGE_VERTEX_INPUT_BIT |                          \
     VK_PIPELINE_STAGE_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_TESSELLATION_CONTROL_SHADER_BIT |                         \
     VK_PIPELINE_STAGE_TESSELLATION_EVALUATION_SHADER_BIT | VK_PIPELINE_STAGE_GEOMETRY_SHADER_BIT |                    \
     VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT |                              \
     VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT |                       \
     VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT)

/* A barrier in a command buffer has only stages that its queue family has. */
static enum shw_result check_stages(const struct shw_labeller *labeller, const char *name, VkPipelineStageFlags2 stages)
{
    const struct shw_device *device = labeller->params.device;

    if (device->has_graphics || (stages & GRAPHICS_STAGES) == 0)
        return SHW_OK;
    return shw_fail(&labeller->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                    "%s: the stages before and after include graphics stages, which queue family %u lacks", name,
                    device->queue_family);
}

static enum shw_result check_format(const struct shw_labeller *labeller, uint32_t number, VkFormat format)
{
    const struct shw_target_storing *storing = shw_target_storing_of(number, format);
    const char *name = shw_target_get(number)->name;

    if (storing == NULL)
        return shw_fail(&labeller->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s cannot have %s: %s", name,
                        shw_vk_format_text(format).text, shw_target_formats_text(number).text);
    if (shw_target_is_result(number, storing))
        return SHW_OK;
    if (!shw_target_is_made(&labeller->params.formats, number, format))
        return shw_fail(&labeller->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s has %s, but the labeller was not created with that in `formats`", name,
                        shw_vk_format_text(format).text);
    return shw_target_check_forest(number, format, labeller->params.forest, &labeller->params.log);
}

static enum shw_result check_output(const struct shw_labeller *labeller, uint32_t number, VkFormat format)
{
    const struct shw_target_traits *target = shw_target_get(number);

    if ((labeller->params.outputs & target->output) == 0)
        return shw_fail(&labeller->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s is given, but the labeller was not created for that output", target->name);
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
    if (part.layerCount != layers ||
        (!shw_targets_have_part(targets) && (use->extent.width != source.width || use->extent.height != source.height)))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s must have %u layers and be as large as the source", target->name, layers);
    if (shw_targets_have_part(targets) && (use->extent.width < (uint64_t)targets->x + targets->part.width ||
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
    SHW_PROPAGATE(shw_sides_check(labeller->params.device, shw_buffer_use_before(&use), shw_buffer_use_after(&use),
                                  full_name, log));
    return check_stages(labeller, name, use.before.stages | use.after.stages);
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
    const struct shw_overlay_target *overlay = &targets->overlay;
    const struct shw_log *log = &labeller->params.log;
    uint32_t most = overlay->opacity;

    if (!shw_targets_have_overlay(targets))
        return SHW_OK;
    for (uint32_t c = 0; overlay->paints != NULL && c < labeller->pipeline.info->class_count; c++)
        most = shw_max_u32(most, overlay->paints[c].opacity);
    if (most > 100)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "overlay: an opacity is at most 100 percent");
    if (overlay->by_probability && (labeller->params.outputs & SHW_OUTPUT_DISTRIBUTION) == 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "overlay: opacity by probability needs SHW_OUTPUT_DISTRIBUTION");
    return SHW_OK;
}

static bool overlap(const struct shw_image_use *a, const struct shw_image_use *b)
{
    VkImageSubresourceLayers one = shw_part_layers(a), other = shw_part_layers(b);

    return a->image == b->image && a->mip == b->mip && (one.aspectMask & other.aspectMask) != 0 &&
           one.baseArrayLayer < (uint64_t)other.baseArrayLayer + other.layerCount &&
           other.baseArrayLayer < (uint64_t)one.baseArrayLayer + one.layerCount;
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
        SHW_PROPAGATE(check_stages(labeller, names[i], uses[i]->before.stages | uses[i]->after.stages));
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++)
            if (uses[i]->image != VK_NULL_HANDLE && overlap(uses[i], uses[j]))
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

    if (!shw_targets_have_part(targets) && (targets->x > 0 || targets->y > 0))
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
