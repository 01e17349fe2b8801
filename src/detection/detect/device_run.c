/* Detection in an image on the host: up to the device, recorded as for an engine, and back. */
#include <stdlib.h>
#include <string.h>

#include "base/image.h"
#include "base/integers.h"
#include "base/log.h"
#include "dense/channels/pixels.h"
#include "detection/detect/device.h"
#include "vulkan/commands.h"

#define CAPACITY_LEAST 4096u /* detections of the first run */

static void end_target(struct shw_detect_device *device)
{
    shw_buffer_destroy(device->device, &device->transfer.found);
    shw_buffer_destroy(device->device, &device->transfer.readback);
    device->transfer.capacity = 0;
}

static void end_source(struct shw_detect_device *device)
{
    struct shw_detect_transfer *transfer = &device->transfer;

    if (transfer->view != VK_NULL_HANDLE)
        device->device->vk.DestroyImageView(device->device->handle, transfer->view, device->device->allocator);
    transfer->view = VK_NULL_HANDLE;
    shw_vulkan_image_destroy(device->device, &transfer->source);
    shw_buffer_destroy(device->device, &transfer->upload);
}

void shw_detect_device_destroy(void *state)
{
    struct shw_detect_device *device = state;

    if (device == NULL)
        return;
    if (device->state != NULL)
        shw_detect_device_release(device);
    end_source(device);
    end_target(device);
    free(device->state);
    free(device);
}

static VkDeviceSize found_bytes(uint32_t count)
{
    return sizeof(uint32_t) * (SHW_DETECT_HEADER_WORDS + (VkDeviceSize)SHW_DETECT_FOUND_WORDS * shw_max_u32(count, 1));
}

static enum shw_result make_target(struct shw_detect_device *device, uint32_t capacity)
{
    struct shw_detect_transfer *transfer = &device->transfer;
    uint64_t bytes = found_bytes(capacity);

    if (capacity <= transfer->capacity)
        return SHW_OK;
    if (bytes > device->device->properties.limits.maxStorageBufferRange)
        return shw_fail(&device->params.log, SHW_ERROR_LIMIT, SHW_LOG_REQUIREMENT,
                        "%u windows are found, more than a storage buffer of this device holds: use the technique cpu",
                        capacity);
    end_target(device);
    SHW_PROPAGATE(shw_buffer_create(device->device, bytes,
                                    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                    SHW_MEMORY_DEVICE, "found windows", &transfer->found));
    SHW_PROPAGATE(shw_buffer_create(device->device, bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT, SHW_MEMORY_READBACK,
                                    "found windows", &transfer->readback));
    transfer->capacity = capacity;
    return SHW_OK;
}

/* Grey images stay grey; others get four samples. */
static VkFormat format_of(const struct shw_image *image)
{
    return image->format == SHW_PIXEL_GREY8 ? VK_FORMAT_R8_UNORM : shw_source_format(shw_pixel_is_wide(image->format));
}

static enum shw_result make_source(struct shw_detect_device *device, const struct shw_image *image)
{
    struct shw_detect_transfer *transfer = &device->transfer;
    VkFormat format = format_of(image);
    uint64_t pixel = format == VK_FORMAT_R8_UNORM ? 1 : format == VK_FORMAT_R8G8B8A8_UNORM ? 4 : 8;
    uint64_t bytes = shw_align_up((uint64_t)image->width * image->height * pixel, 4);

    if (transfer->source.format == format && transfer->source.width == image->width &&
        transfer->source.height == image->height)
        return SHW_OK;
    end_source(device);
    SHW_PROPAGATE(shw_vulkan_image_create(device->device, format, image->width, image->height, 1,
                                          VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, "image",
                                          &transfer->source));
    SHW_PROPAGATE(shw_image_view_create(device->device, transfer->source.handle, format, 0, 1, false, &transfer->view));
    return shw_buffer_create(device->device, bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, SHW_MEMORY_UPLOAD, "image",
                             &transfer->upload);
}

static void fill_upload(const struct shw_detect_transfer *transfer, const struct shw_image *image)
{
    const struct shw_region whole = {image->width, image->height, 0, 0, image->width, image->height};
    size_t stride = image->stride > 0 ? image->stride : shw_pixel_size(image->format) * image->width;

    if (image->format != SHW_PIXEL_GREY8) {
        shw_source_pixels_expand(image, &whole, transfer->upload.mapped);
        return;
    }
    for (uint32_t y = 0; y < image->height; y++)
        memcpy((char *)transfer->upload.mapped + (size_t)y * image->width, (const char *)image->pixels + y * stride,
               image->width);
}

static void record_upload(const struct shw_detect_device *device, VkCommandBuffer commands)
{
    const struct shw_detect_transfer *transfer = &device->transfer;
    const VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                    .imageExtent = {transfer->source.width, transfer->source.height, 1}};

    shw_image_barrier(device->device, commands, transfer->source.handle, shw_use_nothing, shw_use_copy_target);
    device->device->vk.CmdCopyBufferToImage(commands, transfer->upload.handle, transfer->source.handle,
                                            VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
}

static enum shw_result record(struct shw_detect_device *device, VkCommandBuffer commands)
{
    const struct shw_detect_transfer *transfer = &device->transfer;
    struct shw_image_use use = {
        .image = transfer->source.handle,
        .view = transfer->view,
        .format = transfer->source.format,
        .extent = {transfer->source.width, transfer->source.height},
        .before = {shw_use_copy_target.layout, shw_use_copy_target.stages, shw_use_copy_target.access},
        .after = {shw_use_compute_sampled.layout, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0}};
    const struct shw_detect_target target = {.buffer = transfer->found.handle,
                                             .capacity = transfer->capacity,
                                             .before_stage = VK_PIPELINE_STAGE_TRANSFER_BIT,
                                             .after_stage = VK_PIPELINE_STAGE_TRANSFER_BIT,
                                             .after_access = VK_ACCESS_TRANSFER_READ_BIT};
    const VkBufferCopy copy = {.size = transfer->found.size};

    record_upload(device, commands);
    SHW_PROPAGATE(shw_detect_device_record(device, commands, 0, &use, &target));
    device->device->vk.CmdCopyBuffer(commands, transfer->found.handle, transfer->readback.handle, 1, &copy);
    shw_buffer_barrier(device->device, commands, transfer->readback.handle, shw_use_copy_target, shw_use_host_read);
    return SHW_OK;
}

static enum shw_result submit(struct shw_detect_device *device)
{
    VkCommandBuffer commands;
    enum shw_result result;

    SHW_PROPAGATE(shw_submit_begin(device->device, &commands));
    result = record(device, commands);
    if (result == SHW_OK)
        return shw_submit_wait(device->device, commands);
    shw_submit_abandon(device->device, commands);
    return result;
}

enum shw_result shw_detect_device_run(void *state, const struct shw_image *image, struct shw_detections *found)
{
    struct shw_detect_device *device = state;
    const uint32_t *words;
    enum shw_result result;

    SHW_PROPAGATE(shw_detect_device_resize(device, image->width, image->height));
    SHW_TRY(make_source(device, image));
    SHW_TRY(make_target(device, CAPACITY_LEAST));
    fill_upload(&device->transfer, image);
    SHW_TRY(submit(device));
    words = device->transfer.readback.mapped;
    if (words[0] > device->transfer.capacity) {
        SHW_TRY(make_target(device, words[0]));
        SHW_TRY(submit(device));
        words = device->transfer.readback.mapped;
    }
    if (words[0] == 0)
        return SHW_OK;
    found->items = malloc(words[0] * sizeof *found->items);
    if (found->items == NULL)
        return shw_fail_memory(&device->params.log, "detections");
    memcpy(found->items, words + SHW_DETECT_HEADER_WORDS, words[0] * sizeof *found->items);
    found->count = words[0];
    return SHW_OK;

fail: /* the next run makes these again */
    end_source(device);
    end_target(device);
    return result;
}
