/* Transfers between host and device for running. */
#include "base/log.h"
#include "dense/channels/source_pixels.h"
#include "dense/pipeline/pipeline.h"
#include "vulkan/barrier.h"

static void destroy_sources(struct shw_pipeline *pipeline)
{
    struct shw_device *device = pipeline->params.device;

    for (uint32_t i = 0; i < SHW_INPUTS_MAX; i++) {
        if (pipeline->sources[i].view != VK_NULL_HANDLE)
            device->vk.DestroyImageView(device->handle, pipeline->sources[i].view, device->allocator);
        pipeline->sources[i] = (struct shw_stage_source){0};
        shw_vulkan_image_destroy(device, &pipeline->images[i]);
    }
}

void shw_pipeline_free_transfer(struct shw_pipeline *pipeline)
{
    if (pipeline->params.device == NULL)
        return;
    shw_buffer_destroy(pipeline->params.device, &pipeline->upload);
    shw_buffer_destroy(pipeline->params.device, &pipeline->readback);
    destroy_sources(pipeline);
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

enum shw_result shw_pipeline_need_sources(struct shw_pipeline *pipeline, bool wide)
{
    struct shw_device *device = pipeline->params.device;
    const struct shw_vulkan_image *colour = &pipeline->images[0];
    const struct shw_channel_list *list = pipeline->info->channel_list;
    VkFormat format = shw_source_format(wide);
    enum shw_result result;

    if (colour->format == format && colour->width == pipeline->width && colour->height == pipeline->height)
        return SHW_OK;
    destroy_sources(pipeline);
    for (uint32_t i = 0; i < list->input_count; i++) {
        struct shw_stage_source *source = &pipeline->sources[i];
        SHW_TRY(shw_vulkan_image_create(device, format, pipeline->width, pipeline->height, 1,
                                        VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, list->inputs[i],
                                        &pipeline->images[i]));
        *source = (struct shw_stage_source){.name = list->inputs[i], .format = format};
        SHW_TRY(shw_image_view_create(device, pipeline->images[i].handle, format, 0, 1, false, &source->view));
    }
    return SHW_OK;

fail:
    destroy_sources(pipeline);
    return result;
}

void shw_pipeline_upload_sources(struct shw_pipeline *pipeline, VkCommandBuffer commands,
                                 const struct shw_chosen_inputs *inputs, const struct shw_region *region)
{
    const struct shw_device *device = pipeline->params.device;
    bool wide = pipeline->sources[0].format == shw_source_format(true);
    VkDeviceSize size = (VkDeviceSize)pipeline->width * pipeline->height * 8;

    for (uint32_t i = 0; i < pipeline->info->channel_list->input_count; i++) {
        VkBufferImageCopy copy = {.bufferOffset = i * size,
                                  .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                  .imageExtent = {region->width, region->height, 1}};
        const struct shw_input *input = inputs->of[inputs->of[i] != NULL ? i : 0];
        VkImage image = pipeline->images[i].handle;
        shw_source_input_expand(input, pipeline->info->channel_list->inputs[i], region, false, wide,
                                (char *)pipeline->upload.mapped + i * size);
        shw_image_barrier(device, commands, image, shw_use_nothing, shw_use_copy_target);
        device->vk.CmdCopyBufferToImage(commands, pipeline->upload.handle, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                        1, &copy);
        shw_image_barrier(device, commands, image, shw_use_copy_target, shw_pipeline_source_use(pipeline));
    }
}

struct shw_stage_frame shw_pipeline_frame(const struct shw_pipeline *pipeline, const struct shw_tile *tile)
{
    struct shw_stage_frame frame = shw_stage_frame_of(tile);

    frame.source_count = pipeline->info->channel_list->input_count;
    frame.sources = pipeline->sources;
    return frame;
}
