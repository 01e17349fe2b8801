/* Between host and device, for shw_labeller_run(). */
#include <stdlib.h>
#include <string.h>

#include "channels/source_pixels.h"
#include "evaluate/labeller.h"
#include "vulkan/barrier.h"

static void destroy_source(struct shw_labeller *labeller)
{
    struct shw_labeller_transfer *transfer = &labeller->transfer;
    struct shw_device *device = labeller->params.device;

    if (transfer->source_view != VK_NULL_HANDLE)
        device->vk.DestroyImageView(device->handle, transfer->source_view, device->allocator);
    transfer->source_view = VK_NULL_HANDLE;
    shw_vulkan_image_destroy(device, &transfer->source);
}

void shw_labeller_transfer_destroy(struct shw_labeller *labeller)
{
    struct shw_labeller_transfer *transfer = &labeller->transfer;

    if (labeller->params.device != NULL) {
        shw_buffer_destroy(labeller->params.device, &transfer->upload);
        shw_buffer_destroy(labeller->params.device, &transfer->readback);
        destroy_source(labeller);
    }
    free(transfer->channels);
    free(transfer->integrals);
    *transfer = (struct shw_labeller_transfer){0};
}

enum shw_result shw_labeller_host_planes(struct shw_labeller *labeller, const struct shw_region *region)
{
    struct shw_labeller_transfer *transfer = &labeller->transfer;
    size_t count = labeller->set->channel_count;
    size_t channels = count * region->width * region->height;
    size_t integrals = count * ((size_t)region->width + 1) * ((size_t)region->height + 1);

    if ((labeller->channels == SHW_TECHNIQUE_CPU || labeller->integrate == SHW_TECHNIQUE_CPU) &&
        transfer->channels_size < channels) {
        free(transfer->channels);
        transfer->channels = malloc(channels * sizeof *transfer->channels);
        transfer->channels_size = transfer->channels != NULL ? channels : 0;
        if (transfer->channels == NULL)
            return shw_fail_memory(&labeller->params.log, "channels");
    }
    if ((labeller->integrate == SHW_TECHNIQUE_CPU || labeller->evaluate == SHW_TECHNIQUE_CPU) &&
        transfer->integrals_size < integrals) {
        free(transfer->integrals);
        transfer->integrals = malloc(integrals * sizeof *transfer->integrals);
        transfer->integrals_size = transfer->integrals != NULL ? integrals : 0;
        if (transfer->integrals == NULL)
            return shw_fail_memory(&labeller->params.log, "integral images");
    }
    return SHW_OK;
}

static enum shw_result need_buffer(struct shw_device *device, VkDeviceSize size, VkBufferUsageFlags usage,
                                   enum shw_memory_kind kind, const char *name, struct shw_buffer *buffer)
{
    if (buffer->size >= size)
        return SHW_OK;
    shw_buffer_destroy(device, buffer);
    return shw_buffer_create(device, size, usage, kind, name, buffer);
}

enum shw_result shw_labeller_need_upload(struct shw_labeller *labeller, VkDeviceSize size)
{
    return need_buffer(labeller->params.device, size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, SHW_MEMORY_UPLOAD, "upload",
                       &labeller->transfer.upload);
}

enum shw_result shw_labeller_need_readback(struct shw_labeller *labeller, VkDeviceSize size)
{
    return need_buffer(labeller->params.device, size, VK_BUFFER_USAGE_TRANSFER_DST_BIT, SHW_MEMORY_READBACK, "readback",
                       &labeller->transfer.readback);
}

enum shw_result shw_labeller_need_source(struct shw_labeller *labeller, VkFormat format)
{
    struct shw_labeller_transfer *transfer = &labeller->transfer;
    struct shw_device *device = labeller->params.device;
    const struct shw_vulkan_image *source = &transfer->source;
    const struct shw_labeller_frame *frame = &labeller->frame;
    enum shw_result result;

    if (source->format == format && source->width == frame->width && source->height == frame->height)
        return SHW_OK;
    destroy_source(labeller);
    SHW_TRY(shw_vulkan_image_create(device, format, frame->width, frame->height, 1,
                                    VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, "source",
                                    &transfer->source));
    SHW_TRY(shw_image_view_create(device, transfer->source.handle, format, 0, 1, false, &transfer->source_view));
    return SHW_OK;

fail:
    destroy_source(labeller);
    return result;
}

enum shw_result shw_labeller_upload_planes(struct shw_labeller *labeller, VkCommandBuffer commands,
                                           const struct shw_planes *planes, const void *host, uint32_t width,
                                           uint32_t height)
{
    const struct shw_device *device = labeller->params.device;
    VkBufferCopy region = {.size = planes->buffer.size};

    shw_planes_move(planes, labeller->transfer.upload.mapped, (void *)(uintptr_t)host, width, height, true);
    shw_buffer_barrier(device, commands, planes->buffer.handle, shw_use_nothing, shw_use_copy_target);
    device->vk.CmdCopyBuffer(commands, labeller->transfer.upload.handle, planes->buffer.handle, 1, &region);
    return SHW_OK;
}

void shw_labeller_unpack_planes(const struct shw_labeller *labeller, const struct shw_planes *planes, void *host,
                                uint32_t width, uint32_t height)
{
    shw_planes_move(planes, labeller->transfer.readback.mapped, host, width, height, false);
}

enum shw_result shw_labeller_upload_source(struct shw_labeller *labeller, VkCommandBuffer commands,
                                           const struct shw_image *image, const struct shw_region *region,
                                           enum shw_technique technique)
{
    const struct shw_device *device = labeller->params.device;
    VkImage source = labeller->transfer.source.handle;
    VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                              .imageExtent = {region->width, region->height, 1}};

    shw_source_pixels_expand(image, region, false, labeller->transfer.upload.mapped);
    shw_image_barrier(device, commands, source, shw_use_nothing, shw_use_copy_target);
    device->vk.CmdCopyBufferToImage(commands, labeller->transfer.upload.handle, source,
                                    VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
    shw_image_barrier(device, commands, source, shw_use_copy_target,
                      technique == SHW_TECHNIQUE_FRAGMENT ? shw_use_fragment_sampled : shw_use_compute_sampled);
    return SHW_OK;
}
