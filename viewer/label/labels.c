#include "label/labels.h"

#include "base/log.h"
#include "gpu/retired.h"

static uint32_t planes_of(const struct view_gpu *gpu, uint32_t classes)
{
    return classes <= gpu->properties.limits.maxImageArrayLayers ? classes : 0;
}

bool view_labels_fits(const struct view_gpu *gpu, VkExtent2D extent, uint32_t classes, const struct view_labels *labels)
{
    const struct view_image *argmax = &labels->argmax;

    return argmax->handle != VK_NULL_HANDLE && argmax->extent.width == extent.width &&
           argmax->extent.height == extent.height && labels->distribution.layers == planes_of(gpu, classes);
}

enum shw_result view_labels_fit(const struct view_gpu *gpu, VkExtent2D extent, uint32_t classes,
                                struct view_labels *labels)
{
    const VkImageUsageFlags usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                    VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    uint32_t planes = planes_of(gpu, classes);
    enum shw_result result;

    if (view_labels_fits(gpu, extent, classes, labels))
        return SHW_OK;
    view_image_retire(gpu, &labels->argmax);
    view_image_retire(gpu, &labels->distribution);
    labels->filled = labels->has_planes = false;
    SHW_TRY(view_image_create(gpu, VK_FORMAT_R16_UINT, extent, 0, usage, &labels->argmax));
    if (planes > 0)
        SHW_TRY(view_image_create(gpu, VK_FORMAT_R16_UINT, extent, planes, usage, &labels->distribution));
    return SHW_OK;

fail:
    view_labels_destroy(gpu, labels);
    return result;
}

void view_labels_destroy(const struct view_gpu *gpu, struct view_labels *labels)
{
    view_image_destroy(gpu, &labels->argmax);
    view_image_destroy(gpu, &labels->distribution);
    labels->filled = labels->has_planes = false;
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

struct shw_label_targets view_labels_targets(const struct view_labels *labels)
{
    struct shw_label_targets targets = {.argmax = use_of(&labels->argmax, view_use_dropped)};

    if (labels->has_planes)
        targets.distribution = use_of(&labels->distribution, view_use_dropped);
    return targets;
}

struct shw_image_use view_labels_source(const struct view_image *source)
{
    return use_of(source, view_use_shown);
}

static VkDeviceSize plane_size(const struct view_labels *labels)
{
    return (VkDeviceSize)labels->argmax.extent.width * labels->argmax.extent.height * sizeof(uint16_t);
}

VkDeviceSize view_labels_size(const struct view_labels *labels)
{
    return (1 + labels->distribution.layers) * plane_size(labels);
}

void view_labels_copy(struct view_labels *labels, VkCommandBuffer commands, VkBuffer staging)
{
    view_image_copy(commands, &labels->argmax, staging, 0);
    if (labels->distribution.handle != VK_NULL_HANDLE)
        view_image_copy(commands, &labels->distribution, staging, plane_size(labels));
    labels->filled = true;
    labels->has_planes = labels->distribution.handle != VK_NULL_HANDLE;
}
