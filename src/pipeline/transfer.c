/* Between host and device, for running. */
#include "base/log.h"
#include "channels/source_pixels.h"
#include "pipeline/pipeline.h"
#include "vulkan/barrier.h"

static void destroy_source(struct shw_pipeline *pipeline)
{
    struct shw_device *device = pipeline->params.device;

    if (pipeline->source_view != VK_NULL_HANDLE)
        device->vk.DestroyImageView(device->handle, pipeline->source_view, device->allocator);
    pipeline->source_view = VK_NULL_HANDLE;
    shw_vulkan_image_destroy(device, &pipeline->source);
}

void shw_pipeline_free_transfer(struct shw_pipeline *pipeline)
{
    if (pipeline->params.device == NULL)
        return;
    shw_buffer_destroy(pipeline->params.device, &pipeline->upload);
    shw_buffer_destroy(pipeline->params.device, &pipeline->readback);
    destroy_source(pipeline);
}

static enum shw_result need_buffer(struct shw_device *device, VkDeviceSize size, VkBufferUsageFlags usage,
                                   enum shw_memory_kind kind, const char *name, struct shw_buffer *buffer)
{
    if (buffer->size >= size)
        return SHW_OK;
    shw_buffer_destroy(device, buffer);
    return shw_buffer_create(device, size, usage, kind, name, buffer);
}

enum shw_result shw_pipeline_need_transfer(struct shw_pipeline *pipeline, VkDeviceSize upload, VkDeviceSize readback)
{
    struct shw_device *device = pipeline->params.device;

    SHW_PROPAGATE(
        need_buffer(device, upload, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, SHW_MEMORY_UPLOAD, "upload", &pipeline->upload));
    return need_buffer(device, readback, VK_BUFFER_USAGE_TRANSFER_DST_BIT, SHW_MEMORY_READBACK, "readback",
                       &pipeline->readback);
}

enum shw_result shw_pipeline_need_source(struct shw_pipeline *pipeline, VkFormat format)
{
    struct shw_device *device = pipeline->params.device;
    const struct shw_vulkan_image *source = &pipeline->source;
    enum shw_result result;

    if (source->format == format && source->width == pipeline->width && source->height == pipeline->height)
        return SHW_OK;
    destroy_source(pipeline);
    SHW_TRY(shw_vulkan_image_create(device, format, pipeline->width, pipeline->height, 1,
                                    VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, "source",
                                    &pipeline->source));
    SHW_TRY(shw_image_view_create(device, pipeline->source.handle, format, 0, 1, false, &pipeline->source_view));
    return SHW_OK;

fail:
    destroy_source(pipeline);
    return result;
}

void shw_pipeline_upload_source(struct shw_pipeline *pipeline, VkCommandBuffer commands, const struct shw_image *image,
                                const struct shw_region *region)
{
    const struct shw_device *device = pipeline->params.device;
    VkImage source = pipeline->source.handle;
    VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                              .imageExtent = {region->width, region->height, 1}};

    shw_source_pixels_expand(image, region, false, pipeline->upload.mapped);
    shw_image_barrier(device, commands, source, shw_use_nothing, shw_use_copy_target);
    device->vk.CmdCopyBufferToImage(commands, pipeline->upload.handle, source, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                                    &copy);
    shw_image_barrier(device, commands, source, shw_use_copy_target, shw_pipeline_source_use(pipeline));
}
