#include "label/label_reading.h"

#include "base/log.h"

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

bool view_label_reading_is_under_way(const struct view_label_reading *reading)
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
