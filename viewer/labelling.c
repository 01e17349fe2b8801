#include "labelling.h"

#include <string.h>

#include "base/log.h"

void view_labelling_destroy(const struct view_gpu *gpu, struct view_labelling *labelling)
{
    shw_labeller_destroy(&labelling->labeller);
    view_image_destroy(gpu, &labelling->argmax);
    view_image_destroy(gpu, &labelling->distribution);
    labelling->filled = false;
}

enum shw_result view_labelling_create(const struct view_gpu *gpu, const struct view_labelling_params *params,
                                      struct view_labelling *labelling)
{
    const VkImageUsageFlags usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                    VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    uint32_t classes = shw_forest_get_info(params->forest)->class_count;
    bool planes = classes <= gpu->properties.limits.maxImageArrayLayers;
    struct shw_labeller_params labeller = {.forest = params->forest,
                                           .device = gpu->shadewood,
                                           .outputs = SHW_OUTPUT_ARGMAX | (planes ? SHW_OUTPUT_DISTRIBUTION : 0u),
                                           .channels = params->techniques[SHW_STAGE_CHANNELS],
                                           .integrate = params->techniques[SHW_STAGE_INTEGRATE],
                                           .evaluate = params->techniques[SHW_STAGE_EVALUATE],
                                           .width = params->extent.width,
                                           .height = params->extent.height,
                                           .slots = params->slots,
                                           .log = params->log};
    enum shw_result result;

    view_labelling_destroy(gpu, labelling);
    SHW_TRY(shw_labeller_create(&labeller, &labelling->labeller));
    SHW_TRY(view_image_create(gpu, VK_FORMAT_R16_UINT, params->extent, 0, usage, &labelling->argmax));
    if (planes)
        SHW_TRY(view_image_create(gpu, VK_FORMAT_R16_UINT, params->extent, classes, usage, &labelling->distribution));
    else
        shw_log_message(&params->log, SHW_LOG_WARNING, SHW_LOG_REQUIREMENT,
                        "%u classes are more than this device has planes for: their probabilities are not shown", classes);
    return SHW_OK;

fail:
    view_labelling_destroy(gpu, labelling);
    return result;
}

static struct shw_image_use use_of(const struct view_image *image, struct view_use before)
{
    return (struct shw_image_use){.image = image->handle,
                                  .view = image->view,
                                  .format = image->format,
                                  .extent = image->extent,
                                  .layers = image->layers,
                                  .before = {before.layout, before.stages, before.access},
                                  .after = {view_use_shown.layout, view_use_shown.stages, view_use_shown.access}};
}

enum shw_result view_labelling_record(struct view_labelling *labelling, VkCommandBuffer commands, uint32_t slot,
                                      const struct view_image *source)
{
    struct view_use before = labelling->filled ? view_use_shown : view_use_nothing;
    struct shw_image_use use = use_of(source, view_use_shown);
    struct shw_label_targets targets = {.argmax = use_of(&labelling->argmax, before)};
    enum shw_result result;

    if (labelling->distribution.handle != VK_NULL_HANDLE)
        targets.distribution = use_of(&labelling->distribution, before);
    result = shw_labeller_record(labelling->labeller, commands, slot, &use, &targets);
    labelling->filled = labelling->filled || result == SHW_OK;
    return result;
}
