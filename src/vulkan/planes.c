#include "vulkan/planes.h"

#include <string.h>

uint32_t shw_planes_element(VkFormat format)
{
    return format == VK_FORMAT_R32_UINT ? 4 : 2;
}

/* Elements from one row of the buffer to the next. */
static uint32_t stride_of(VkFormat format, uint32_t width)
{
    uint32_t aligned = format == VK_FORMAT_R32_UINT ? 2 : 8;

    return (width + aligned - 1) / aligned * aligned;
}

uint64_t shw_planes_bytes(VkFormat format, uint32_t width, uint32_t height, uint32_t count, uint32_t forms)
{
    uint64_t row = ((forms & SHW_PLANES_IMAGE) != 0 ? width : 0) +
                   ((forms & SHW_PLANES_BUFFER) != 0 ? (uint64_t)stride_of(format, width) : 0);

    return row * height * count * shw_planes_element(format);
}

enum shw_result shw_planes_create(struct shw_device *device, VkFormat format, uint32_t width, uint32_t height,
                                  uint32_t count, uint32_t forms, const char *name, struct shw_planes *planes)
{
    enum shw_result result = SHW_OK;
    VkDeviceSize size;

    *planes = (struct shw_planes){.width = width,
                                  .height = height,
                                  .count = count,
                                  .format = format,
                                  .element = shw_planes_element(format),
                                  .stride = stride_of(format, width)};
    size = (VkDeviceSize)planes->stride * height * count * planes->element;
    if ((forms & SHW_PLANES_BUFFER) != 0) {
        if (size > device->properties.limits.maxStorageBufferRange) {
            result = shw_fail(&device->log, SHW_ERROR_LIMIT, SHW_LOG_REQUIREMENT,
                              "%s needs a storage buffer of %llu bytes; the device has at most %u", name,
                              (unsigned long long)size, device->properties.limits.maxStorageBufferRange);
            goto fail;
        }
        SHW_TRY(shw_buffer_create(device, size,
                                  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                      VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                  SHW_MEMORY_DEVICE, name, &planes->buffer));
    }
    if ((forms & SHW_PLANES_IMAGE) != 0)
        SHW_TRY(shw_vulkan_image_create(device, format, width, height, count,
                                        VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
                                            VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                                        name, &planes->image));
    return SHW_OK;

fail:
    shw_planes_destroy(device, planes);
    return result;
}

void shw_planes_destroy(struct shw_device *device, struct shw_planes *planes)
{
    shw_buffer_destroy(device, &planes->buffer);
    shw_vulkan_image_destroy(device, &planes->image);
    *planes = (struct shw_planes){0};
}

static VkBufferImageCopy whole(const struct shw_planes *planes, uint32_t width, uint32_t height)
{
    return (VkBufferImageCopy){.bufferRowLength = planes->stride,
                               .bufferImageHeight = planes->height,
                               .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, planes->count},
                               .imageExtent = {width, height, 1}};
}

void shw_planes_copy_to_buffer(const struct shw_device *device, VkCommandBuffer commands,
                               const struct shw_planes *planes, uint32_t width, uint32_t height)
{
    VkBufferImageCopy region = whole(planes, width, height);

    device->vk.CmdCopyImageToBuffer(commands, planes->image.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                    planes->buffer.handle, 1, &region);
}

void shw_planes_copy_to_image(const struct shw_device *device, VkCommandBuffer commands,
                              const struct shw_planes *planes, uint32_t width, uint32_t height)
{
    VkBufferImageCopy region = whole(planes, width, height);

    device->vk.CmdCopyBufferToImage(commands, planes->buffer.handle, planes->image.handle,
                                    VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
}

void shw_planes_move(const struct shw_planes *planes, void *rows, void *packed, uint32_t width, uint32_t height,
                     bool in)
{
    size_t row = (size_t)width * planes->element, stride = (size_t)planes->stride * planes->element;

    for (uint32_t p = 0; p < planes->count; p++)
        for (uint32_t y = 0; y < height; y++) {
            char *padded_row = (char *)rows + ((size_t)p * planes->height + y) * stride;
            char *packed_row = (char *)packed + ((size_t)p * height + y) * row;
            memcpy(in ? padded_row : packed_row, in ? packed_row : padded_row, row);
        }
}
