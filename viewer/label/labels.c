#include "label/labels.h"

#include "base/log.h"
#include "gpu/frames.h"
#include "gpu/gpu.h"

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

void view_label_reading_want(struct view_label_reading *reading)
{
    if (reading->state == VIEW_READING_NONE)
        reading->state = VIEW_READING_WANTED;
}

void view_label_reading_end(const struct view_gpu *gpu, struct view_label_reading *reading)
{
    view_buffer_destroy(gpu, &reading->buffer);
    reading->state = VIEW_READING_NONE;
}

enum shw_result view_label_reading_prepare(const struct view_gpu *gpu, const struct view_labels *labels,
                                           struct view_label_reading *reading)
{
    VkDeviceSize size;
    enum shw_result result = SHW_OK;

    if (reading->state != VIEW_READING_WANTED)
        return SHW_OK;
    reading->extent = labels->argmax.extent;
    size = (VkDeviceSize)reading->extent.width * reading->extent.height * sizeof(uint16_t);
    view_buffer_destroy(gpu, &reading->buffer);
    if (labels->filled)
        result = view_buffer_create(gpu, size, VK_BUFFER_USAGE_TRANSFER_DST_BIT, true, &reading->buffer);
    if (!labels->filled || result != SHW_OK)
        view_label_reading_end(gpu, reading);
    return result;
}

void view_label_reading_record(struct view_label_reading *reading, const struct view_labels *labels,
                               VkCommandBuffer commands, uint64_t frame)
{
    const VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                    .imageExtent = {reading->extent.width, reading->extent.height, 1}};
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT};

    if (reading->state != VIEW_READING_WANTED || reading->buffer.handle == VK_NULL_HANDLE)
        return;
    view_image_barrier(commands, &labels->argmax, view_use_shown, view_use_copied_from);
    vkCmdCopyImageToBuffer(commands, labels->argmax.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                           reading->buffer.handle, 1, &copy);
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL,
                         0, NULL);
    view_image_barrier(commands, &labels->argmax, view_use_copied_from, view_use_shown);
    reading->frame = frame;
    reading->state = VIEW_READING_RECORDED;
}

bool view_label_reading_is_running(const struct view_label_reading *reading)
{
    return reading->state != VIEW_READING_NONE;
}

bool view_label_reading_take(const struct view_gpu *gpu, const struct view_frames *frames,
                             const struct view_label_reading *reading, struct view_read_labels *read)
{
    if (reading->state != VIEW_READING_RECORDED || !view_frames_is_over(gpu, frames, reading->frame, 0.0))
        return false;
    *read = (struct view_read_labels){reading->buffer.mapped, reading->extent.width, reading->extent.height};
    return true;
}
