/* Checks what a recording is given, before anything is written into the command buffer. */
#include "base/integers.h"
#include "base/log.h"
#include "dense/label/labeller.h"
#include "vulkan/names.h"

#define TARGETS 4u

#define GRAPHICS_STAGES                                                                                                \
    (VK_PIPELINE_STAGE_VERTEX_INPUT_BIT | VK_PIPELINE_STAGE_VERTEX_SHADER_BIT |                                        \
     VK_PIPELINE_STAGE_TESSELLATION_CONTROL_SHADER_BIT | VK_PIPELINE_STAGE_TESSELLATION_EVALUATION_SHADER_BIT |        \
     VK_PIPELINE_STAGE_GEOMETRY_SHADER_BIT | VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT |                                   \
     VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT |                          \
     VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT | VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT)

/* A target, the output that it is for, and what that needs. */
struct target {
    const char *name;
    const struct shw_image_use *use;
    uint32_t output;
    VkFormat format;
    uint32_t layers;
};

static void list_targets(const struct shw_labeller *labeller, const struct shw_label_targets *given,
                         struct target targets[TARGETS])
{
    const struct shw_forest_info *info = labeller->pipeline.info;

    targets[0] = (struct target){"tree_leaf", &given->tree_leaf, SHW_OUTPUT_TREE_LEAF, VK_FORMAT_R32_UINT, 1};
    targets[1] = (struct target){"forest_leaves", &given->forest_leaves, SHW_OUTPUT_FOREST_LEAVES, VK_FORMAT_R32_UINT,
                                 info->tree_count};
    targets[2] = (struct target){"distribution", &given->distribution, SHW_OUTPUT_DISTRIBUTION, VK_FORMAT_R16_UINT,
                                 info->class_count};
    targets[3] = (struct target){"argmax", &given->argmax, SHW_OUTPUT_ARGMAX, VK_FORMAT_R16_UINT, 1};
}

static enum shw_result check_target(const struct shw_labeller *labeller, const struct target *target,
                                    const struct shw_image_use *source)
{
    const struct shw_log *log = &labeller->params.log;
    const struct shw_image_use *use = target->use;
    VkImageSubresourceLayers part = shw_part_layers(use);

    if ((labeller->params.outputs & target->output) == 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s is given, but the labeller was not created for that output", target->name);
    if (use->format != target->format || part.layerCount != target->layers ||
        use->extent.width != source->extent.width || use->extent.height != source->extent.height)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s must have %s with %u layers and as large as the source", target->name,
                        shw_vk_format_text(target->format).text, target->layers);
    if (part.aspectMask != VK_IMAGE_ASPECT_COLOR_BIT)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s: a target has VK_IMAGE_ASPECT_COLOR_BIT only",
                        target->name);
    return shw_use_check(use, target->name, log);
}

static bool overlap(const struct shw_image_use *a, const struct shw_image_use *b)
{
    VkImageSubresourceLayers one = shw_part_layers(a), other = shw_part_layers(b);

    return a->image == b->image && a->mip == b->mip && (one.aspectMask & other.aspectMask) != 0 &&
           one.baseArrayLayer < (uint64_t)other.baseArrayLayer + other.layerCount &&
           other.baseArrayLayer < (uint64_t)one.baseArrayLayer + one.layerCount;
}

/* A barrier in a command buffer has only stages that its queue family has. */
static enum shw_result check_stages(const struct shw_labeller *labeller, const char *name,
                                    const struct shw_image_use *use)
{
    const struct shw_device *device = labeller->params.device;

    if (device->has_graphics || ((use->before.stages | use->after.stages) & GRAPHICS_STAGES) == 0)
        return SHW_OK;
    return shw_fail(&labeller->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                    "%s: its stages before and after include some of graphics, which queue family %u lacks", name,
                    device->queue_family);
}

/* A part that is used twice would have two layouts at a time. */
static enum shw_result check_uses(const struct shw_labeller *labeller, const struct shw_chosen_inputs *inputs,
                                  const struct target targets[TARGETS])
{
    const struct shw_channel_list *list = labeller->pipeline.info->channel_list;
    const struct shw_image_use *uses[SHW_INPUTS_MAX + TARGETS];
    const char *names[SHW_INPUTS_MAX + TARGETS];
    uint32_t count = 0;

    for (uint32_t i = 0; i < list->input_count; i++)
        if (inputs->of[i] != NULL) {
            names[count] = list->inputs[i];
            uses[count++] = &inputs->of[i]->use;
        }
    for (uint32_t t = 0; t < TARGETS; t++)
        if (targets[t].use->image != VK_NULL_HANDLE) {
            names[count] = targets[t].name;
            uses[count++] = targets[t].use;
        }
    for (uint32_t i = 0; i < count; i++)
        SHW_PROPAGATE(check_stages(labeller, names[i], uses[i]));
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++)
            if (uses[i]->image != VK_NULL_HANDLE && overlap(uses[i], uses[j]))
                return shw_fail(&labeller->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                                "%s and %s are the same part of one image", names[i], names[j]);
    return SHW_OK;
}

static bool fits(const struct shw_labeller *labeller, VkExtent2D image)
{
    const struct shw_pipeline *pipeline = &labeller->pipeline;
    const VkExtent2D recorded = pipeline->params.recorded;
    struct shw_tiling tiling;

    if (image.width == 0 || image.height == 0)
        return false;
    if (image.width <= pipeline->width && image.height <= pipeline->height)
        return true;
    return image.width <= recorded.width && image.height <= recorded.height &&
           shw_labeller_tile(labeller, image, &tiling);
}

enum shw_result shw_labeller_check_recording(const struct shw_labeller *labeller, uint32_t slot,
                                             const struct shw_inputs *inputs, const struct shw_label_targets *given,
                                             struct shw_chosen_inputs *chosen)
{
    const struct shw_log *log = &labeller->params.log;
    const struct shw_pipeline *pipeline = &labeller->pipeline;
    const struct shw_image_use *source;
    struct target targets[TARGETS];

    if (shw_pipeline_uses_host(pipeline) || pipeline->slots == 0)
        return shw_fail(
            log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
            "recording needs a labeller created with a size, with slots, and with all stages on the device");
    if (slot >= pipeline->slots)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no slot %u", slot);
    SHW_PROPAGATE(shw_inputs_choose_uses(inputs, pipeline->info->channel_list, log, chosen));
    source = &chosen->of[0]->use;
    if (!fits(labeller, source->extent))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "a source of %u x %u does not fit a labeller of %u x %u", source->extent.width,
                        source->extent.height, shw_max_u32(pipeline->width, pipeline->params.recorded.width),
                        shw_max_u32(pipeline->height, pipeline->params.recorded.height));
    list_targets(labeller, given, targets);
    for (uint32_t t = 0; t < TARGETS; t++)
        if (targets[t].use->image != VK_NULL_HANDLE)
            SHW_PROPAGATE(check_target(labeller, &targets[t], source));
    return check_uses(labeller, chosen, targets);
}

enum shw_result shw_labeller_check_handles(const struct shw_labeller *labeller, VkCommandBuffer commands,
                                           const struct shw_chosen_inputs *chosen)
{
    const struct shw_log *log = &labeller->params.log;
    const struct shw_channel_list *list = labeller->pipeline.info->channel_list;

    for (uint32_t i = 0; i < list->input_count; i++) {
        const struct shw_image_use *use = chosen->of[i] != NULL ? &chosen->of[i]->use : NULL;
        if (use != NULL && (use->image == VK_NULL_HANDLE || use->view == VK_NULL_HANDLE))
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the input %s: `%s` is VK_NULL_HANDLE",
                            list->inputs[i], use->image == VK_NULL_HANDLE ? "image" : "view");
    }
    if (commands == VK_NULL_HANDLE)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "`commands` is VK_NULL_HANDLE");
    return SHW_OK;
}

enum shw_result shw_labeller_check_targets(const struct shw_labeller *labeller, const struct shw_label_targets *given)
{
    struct target targets[TARGETS];

    list_targets(labeller, given, targets);
    for (uint32_t t = 0; t < TARGETS; t++)
        if (targets[t].use->image != VK_NULL_HANDLE)
            return SHW_OK;
    return shw_fail(&labeller->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                    "no target is given: one of tree_leaf, forest_leaves, distribution and argmax needs an image");
}
