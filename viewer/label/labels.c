#include "label/labels.h"

#include "base/log.h"

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
    view_labels_destroy(gpu, labels);
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

/* Discards the contents whatever their last use was: the recording of abandoned labels may have stopped anywhere, and
 * the previous frame's composition may still be reading the shown ones. */
static const struct view_use dropped = {
    VK_IMAGE_LAYOUT_UNDEFINED,
    VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT |
        VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
    VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT};

struct shw_label_targets view_labels_targets(const struct view_labels *labels)
{
    struct shw_label_targets targets = {.argmax = use_of(&labels->argmax, dropped)};

    if (labels->has_planes)
        targets.distribution = use_of(&labels->distribution, dropped);
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

static void copy(const struct view_image *image, VkCommandBuffer commands, VkBuffer staging, VkDeviceSize offset)
{
    VkBufferImageCopy region = {.bufferOffset = offset,
                                .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, image->layers},
                                .imageExtent = {image->extent.width, image->extent.height, 1}};

    if (image->handle == VK_NULL_HANDLE)
        return;
    view_image_barrier(commands, image, dropped, view_use_copied_to);
    vkCmdCopyBufferToImage(commands, staging, image->handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    view_image_barrier(commands, image, view_use_copied_to, view_use_shown);
}

void view_labels_copy(struct view_labels *labels, VkCommandBuffer commands, VkBuffer staging)
{
    copy(&labels->argmax, commands, staging, 0);
    copy(&labels->distribution, commands, staging, plane_size(labels));
    labels->filled = true;
    labels->has_planes = labels->distribution.handle != VK_NULL_HANDLE;
}
