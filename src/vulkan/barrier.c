#include "vulkan/barrier.h"

#include "vulkan/source_formats.h"

const struct shw_use shw_use_nothing = {VK_IMAGE_LAYOUT_UNDEFINED, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0};
const struct shw_use shw_use_anything = {VK_IMAGE_LAYOUT_UNDEFINED, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                         VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
const struct shw_use shw_use_discarded = {
    VK_IMAGE_LAYOUT_UNDEFINED, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
    0};
const struct shw_use shw_use_discarded_by_copy = {VK_IMAGE_LAYOUT_UNDEFINED, VK_PIPELINE_STAGE_TRANSFER_BIT, 0};
const struct shw_use shw_use_copy_source = {VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                            VK_ACCESS_TRANSFER_READ_BIT};
const struct shw_use shw_use_copy_target = {VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                            VK_ACCESS_TRANSFER_WRITE_BIT};
const struct shw_use shw_use_attachment = {VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                           VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                           VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT};
const struct shw_use shw_use_blended = {VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                        VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                        VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT};
const struct shw_use shw_use_render_pass = {
    VK_IMAGE_LAYOUT_UNDEFINED, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
    VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT};
const struct shw_use shw_use_fragment_sampled = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                                 VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT};
const struct shw_use shw_use_vertex_sampled = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                               VK_PIPELINE_STAGE_VERTEX_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT};
const struct shw_use shw_use_compute_sampled = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                                VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT};
const struct shw_use shw_use_compute_read = {VK_IMAGE_LAYOUT_UNDEFINED, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                             VK_ACCESS_SHADER_READ_BIT};
const struct shw_use shw_use_compute_write = {VK_IMAGE_LAYOUT_UNDEFINED, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                              VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
const struct shw_use shw_use_host_read = {VK_IMAGE_LAYOUT_UNDEFINED, VK_PIPELINE_STAGE_HOST_BIT,
                                          VK_ACCESS_HOST_READ_BIT};

struct shw_use shw_use_before(const struct shw_image_use *part)
{
    return (struct shw_use){part->before.layout, part->before.stages, part->before.access};
}

struct shw_use shw_use_after(const struct shw_image_use *part)
{
    return (struct shw_use){part->after.layout, part->after.stages, part->after.access};
}

VkImageSubresourceLayers shw_part_layers(const struct shw_image_use *part)
{
    const struct shw_source_format *format = shw_source_format_find(part->format);
    VkImageAspectFlags usual = format != NULL ? format->aspect : (VkImageAspectFlags)VK_IMAGE_ASPECT_COLOR_BIT;

    return (VkImageSubresourceLayers){.aspectMask = part->aspect != 0 ? part->aspect : usual,
                                      .mipLevel = part->mip,
                                      .baseArrayLayer = part->first_layer,
                                      .layerCount = part->layers > 0 ? part->layers : 1};
}

static void record_barrier(const struct shw_device *device, VkCommandBuffer commands, VkImage image,
                           VkImageSubresourceRange range, struct shw_use before, struct shw_use after)
{
    VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .srcAccessMask = before.access,
                                    .dstAccessMask = after.access,
                                    .oldLayout = before.layout,
                                    .newLayout = after.layout,
                                    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .image = image,
                                    .subresourceRange = range};

    device->vk.CmdPipelineBarrier(commands, before.stages, after.stages, 0, 0, NULL, 0, NULL, 1, &barrier);
}

void shw_image_barrier(const struct shw_device *device, VkCommandBuffer commands, VkImage image, struct shw_use before,
                       struct shw_use after)
{
    const VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, VK_REMAINING_ARRAY_LAYERS};

    record_barrier(device, commands, image, all, before, after);
}

void shw_part_barrier(const struct shw_device *device, VkCommandBuffer commands, const struct shw_image_use *part,
                      struct shw_use before, struct shw_use after)
{
    const struct shw_source_reading *reading = shw_source_reading_of(part->format);
    VkImageAspectFlags stencil = reading != NULL && reading->has_stencil ? VK_IMAGE_ASPECT_STENCIL_BIT : 0;
    VkImageSubresourceLayers layers = shw_part_layers(part);
    const VkImageSubresourceRange range = {layers.aspectMask | stencil, layers.mipLevel, 1, layers.baseArrayLayer,
                                           layers.layerCount};

    record_barrier(device, commands, part->image, range, before, after);
}

void shw_buffer_barrier(const struct shw_device *device, VkCommandBuffer commands, VkBuffer buffer,
                        struct shw_use before, struct shw_use after)
{
    VkBufferMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
                                     .srcAccessMask = before.access,
                                     .dstAccessMask = after.access,
                                     .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                     .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                     .buffer = buffer,
                                     .size = VK_WHOLE_SIZE};

    device->vk.CmdPipelineBarrier(commands, before.stages, after.stages, 0, 0, NULL, 1, &barrier, 0, NULL);
}

void shw_memory_barrier(const struct shw_device *device, VkCommandBuffer commands, struct shw_use before,
                        struct shw_use after)
{
    VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = before.access, .dstAccessMask = after.access};

    device->vk.CmdPipelineBarrier(commands, before.stages, after.stages, 0, 1, &barrier, 0, NULL, 0, NULL);
}
