#include "gpu/gpu_memory.h"

#include <string.h>

#include "base/log.h"

const struct view_use view_use_nothing = {VK_IMAGE_LAYOUT_UNDEFINED, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0};
const struct view_use view_use_copied_to = {VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                            VK_ACCESS_TRANSFER_WRITE_BIT};
const struct view_use view_use_copied_from = {VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                              VK_ACCESS_TRANSFER_READ_BIT};
const struct view_use view_use_shown = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                        VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                        VK_ACCESS_SHADER_READ_BIT};

/* Discards the contents whatever their last use was: the recording of abandoned labels may have stopped anywhere, and
 * the previous frame's composition may still be reading the shown ones. */
const struct view_use view_use_dropped = {
    VK_IMAGE_LAYOUT_UNDEFINED,
    VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT |
        VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
    VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT};

static enum shw_result allocate(const struct view_gpu *gpu, const VkMemoryRequirements *requirements,
                                VkMemoryPropertyFlags required, VkMemoryPropertyFlags preferred, VkDeviceMemory *memory)
{
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = requirements->size};
    uint32_t chosen = UINT32_MAX;

    for (uint32_t pass = 0; pass < 2 && chosen == UINT32_MAX; pass++) {
        VkMemoryPropertyFlags flags = pass == 0 ? required | preferred : required;
        for (uint32_t i = 0; i < gpu->memory.memoryTypeCount && chosen == UINT32_MAX; i++)
            if ((requirements->memoryTypeBits >> i & 1) != 0 &&
                (gpu->memory.memoryTypes[i].propertyFlags & flags) == flags)
                chosen = i;
    }
    if (chosen == UINT32_MAX)
        return shw_fail(&gpu->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT, "%s lacks a required memory type",
                        gpu->properties.deviceName);
    info.memoryTypeIndex = chosen;
    return view_gpu_check(gpu, vkAllocateMemory(gpu->device, &info, NULL, memory), "vkAllocateMemory");
}

enum shw_result view_image_create(const struct view_gpu *gpu, VkFormat format, VkExtent2D extent, uint32_t layers,
                                  VkImageUsageFlags usage, struct view_image *image)
{
    bool array = layers > 0;
    const VkPhysicalDeviceLimits *limits = &gpu->properties.limits;
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                              .imageType = VK_IMAGE_TYPE_2D,
                              .format = format,
                              .extent = {extent.width, extent.height, 1},
                              .mipLevels = 1,
                              .arrayLayers = array ? layers : 1,
                              .samples = VK_SAMPLE_COUNT_1_BIT,
                              .tiling = VK_IMAGE_TILING_OPTIMAL,
                              .usage = usage};
    VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                  .viewType = array ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D,
                                  .format = format,
                                  .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, array ? layers : 1}};
    VkMemoryRequirements requirements;
    enum shw_result result;

    memset(image, 0, sizeof *image);
    if (extent.width > limits->maxImageDimension2D || extent.height > limits->maxImageDimension2D ||
        info.arrayLayers > limits->maxImageArrayLayers)
        return shw_fail(&gpu->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                        "%u x %u pixels in %u planes are more than %s supports in one image", extent.width,
                        extent.height, info.arrayLayers, gpu->properties.deviceName);
    VIEW_TRY(gpu, vkCreateImage, gpu->device, &info, NULL, &image->handle);
    vkGetImageMemoryRequirements(gpu->device, image->handle, &requirements);
    SHW_TRY(allocate(gpu, &requirements, 0, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, &image->memory));
    VIEW_TRY(gpu, vkBindImageMemory, gpu->device, image->handle, image->memory, 0);
    view.image = image->handle;
    VIEW_TRY(gpu, vkCreateImageView, gpu->device, &view, NULL, &image->view);
    image->format = format;
    image->extent = extent;
    image->layers = info.arrayLayers;
    return SHW_OK;

fail:
    view_image_destroy(gpu, image);
    return result;
}

void view_image_destroy(const struct view_gpu *gpu, struct view_image *image)
{
    if (gpu->device == VK_NULL_HANDLE)
        return;
    vkDestroyImageView(gpu->device, image->view, NULL);
    vkDestroyImage(gpu->device, image->handle, NULL);
    vkFreeMemory(gpu->device, image->memory, NULL);
    memset(image, 0, sizeof *image);
}

enum shw_result view_buffer_create(const struct view_gpu *gpu, VkDeviceSize size, VkBufferUsageFlags usage, bool cached,
                                   struct view_buffer *buffer)
{
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = usage};
    VkMemoryRequirements requirements;
    enum shw_result result;

    memset(buffer, 0, sizeof *buffer);
    VIEW_TRY(gpu, vkCreateBuffer, gpu->device, &info, NULL, &buffer->handle);
    vkGetBufferMemoryRequirements(gpu->device, buffer->handle, &requirements);
    SHW_TRY(allocate(gpu, &requirements, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                     cached ? VK_MEMORY_PROPERTY_HOST_CACHED_BIT : 0, &buffer->memory));
    VIEW_TRY(gpu, vkBindBufferMemory, gpu->device, buffer->handle, buffer->memory, 0);
    VIEW_TRY(gpu, vkMapMemory, gpu->device, buffer->memory, 0, VK_WHOLE_SIZE, 0, &buffer->mapped);
    buffer->size = size;
    return SHW_OK;

fail:
    view_buffer_destroy(gpu, buffer);
    return result;
}

void view_buffer_destroy(const struct view_gpu *gpu, struct view_buffer *buffer)
{
    if (gpu->device == VK_NULL_HANDLE)
        return;
    vkDestroyBuffer(gpu->device, buffer->handle, NULL);
    vkFreeMemory(gpu->device, buffer->memory, NULL);
    memset(buffer, 0, sizeof *buffer);
}

void view_image_barrier(VkCommandBuffer commands, const struct view_image *image, struct view_use before,
                        struct view_use after)
{
    VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .srcAccessMask = before.access,
                                    .dstAccessMask = after.access,
                                    .oldLayout = before.layout,
                                    .newLayout = after.layout,
                                    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .image = image->handle,
                                    .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, image->layers}};

    vkCmdPipelineBarrier(commands, before.stages, after.stages, 0, 0, NULL, 0, NULL, 1, &barrier);
}

void view_image_copy(VkCommandBuffer commands, const struct view_image *image, VkBuffer buffer, VkDeviceSize offset)
{
    const VkBufferImageCopy region = {.bufferOffset = offset,
                                      .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, image->layers},
                                      .imageExtent = {image->extent.width, image->extent.height, 1}};

    view_image_barrier(commands, image, view_use_dropped, view_use_copied_to);
    vkCmdCopyBufferToImage(commands, buffer, image->handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    view_image_barrier(commands, image, view_use_copied_to, view_use_shown);
}

void view_image_copy_rows(VkCommandBuffer commands, const struct view_image *image, VkBuffer buffer,
                          VkDeviceSize offset, uint32_t first, uint32_t rows, uint32_t width, bool begun)
{
    const VkBufferImageCopy region = {.bufferOffset = offset,
                                      .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, image->layers},
                                      .imageOffset = {0, (int32_t)first, 0},
                                      .imageExtent = {width, rows, 1}};

    view_image_barrier(commands, image, begun ? view_use_shown : view_use_dropped, view_use_copied_to);
    vkCmdCopyBufferToImage(commands, buffer, image->handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    view_image_barrier(commands, image, view_use_copied_to, view_use_shown);
}
