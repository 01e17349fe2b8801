#include "texture.h"

#include <stdlib.h>
#include <string.h>

static VkExtent2D mip_extent(const struct texture *texture, uint32_t mip)
{
    uint32_t width = texture->extent.width >> mip, height = texture->extent.height >> mip;

    return (VkExtent2D){width > 0 ? width : 1, height > 0 ? height : 1};
}

VkDeviceSize texture_part_size(const struct texture *texture, uint32_t layers, uint32_t mip)
{
    VkExtent2D extent = mip_extent(texture, mip);

    return (VkDeviceSize)extent.width * extent.height * texture->element * layers;
}

VkDeviceSize texture_offset(const struct texture *texture, uint32_t layer, uint32_t mip)
{
    VkDeviceSize offset = texture_part_size(texture, layer, mip);

    for (uint32_t m = 0; m < mip; m++)
        offset += (texture_part_size(texture, texture->layers, m) + 15) & ~(VkDeviceSize)15;
    return offset;
}

VkDeviceSize texture_size(const struct texture *texture)
{
    return texture_offset(texture, 0, texture->mips);
}

/* Moves everything to GENERAL. */
static void record_layout(struct scene *scene, const struct texture *texture, VkCommandBuffer commands)
{
    VkImageAspectFlags stencil = texture->has_stencil ? VK_IMAGE_ASPECT_STENCIL_BIT : 0;
    VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
        .newLayout = VK_IMAGE_LAYOUT_GENERAL,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = texture->handle,
        .subresourceRange = {texture->aspect | stencil, 0, texture->mips, 0, texture->layers}};

    scene->engine.vk.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0,
                                        0, NULL, 0, NULL, 1, &barrier);
}

static VkBufferImageCopy region_of(const struct texture *texture, uint32_t layer, uint32_t mip, VkDeviceSize offset)
{
    VkExtent2D extent = mip_extent(texture, mip);

    return (VkBufferImageCopy){.bufferOffset = offset,
                               .imageSubresource = {texture->aspect, mip, layer, 1},
                               .imageExtent = {extent.width, extent.height, 1}};
}

static void create_image(struct scene *scene, const struct texture_params *params, struct texture *texture)
{
    const struct shw_vk *vk = &scene->engine.vk;
    VkImageUsageFlags attachment = params->aspect == VK_IMAGE_ASPECT_DEPTH_BIT
                                       ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT
                                       : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                              .flags = params->cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
                              .imageType = VK_IMAGE_TYPE_2D,
                              .format = params->format,
                              .extent = {params->extent.width, params->extent.height, 1},
                              .mipLevels = params->mips,
                              .arrayLayers = params->layers,
                              .samples = VK_SAMPLE_COUNT_1_BIT,
                              .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                       VK_IMAGE_USAGE_SAMPLED_BIT | attachment};
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    VkMemoryRequirements requirements;

    *texture = (struct texture){.format = params->format,
                                .aspect = params->aspect,
                                .extent = params->extent,
                                .layers = params->layers,
                                .mips = params->mips,
                                .element = params->element,
                                .has_stencil = params->has_stencil};
    assert_int_equal(vk->CreateImage(scene->engine.handle, &info, NULL, &texture->handle), VK_SUCCESS);
    vk->GetImageMemoryRequirements(scene->engine.handle, texture->handle, &requirements);
    allocate.allocationSize = requirements.size;
    while ((requirements.memoryTypeBits >> allocate.memoryTypeIndex & 1) == 0)
        allocate.memoryTypeIndex++;
    assert_int_equal(vk->AllocateMemory(scene->engine.handle, &allocate, NULL, &texture->memory), VK_SUCCESS);
    assert_int_equal(vk->BindImageMemory(scene->engine.handle, texture->handle, texture->memory, 0), VK_SUCCESS);
}

/* A buffer for the whole texture. */
static void create_staging(struct scene *scene, const struct texture *texture, VkBufferUsageFlags usage,
                           enum shw_memory_kind kind, struct shw_buffer *buffer)
{
    assert_int_equal(shw_buffer_create(scene->device, texture_size(texture), usage, kind, "engine staging", buffer),
                     SHW_OK);
}

void texture_open(struct scene *scene, const struct texture_params *params, struct texture *texture)
{
    struct engine_frame frame;
    struct shw_buffer fill;

    create_image(scene, params, texture);
    create_staging(scene, texture, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, SHW_MEMORY_UPLOAD, &fill);
    memset(fill.mapped, TEXTURE_FILL, fill.size);
    engine_begin(&scene->engine, &frame);
    record_layout(scene, texture, frame.commands);
    for (uint32_t mip = 0; mip < texture->mips; mip++)
        for (uint32_t layer = 0; layer < texture->layers; layer++) {
            VkBufferImageCopy region = region_of(texture, layer, mip, texture_offset(texture, layer, mip));
            scene->engine.vk.CmdCopyBufferToImage(frame.commands, fill.handle, texture->handle, VK_IMAGE_LAYOUT_GENERAL,
                                                  1, &region);
        }
    engine_submit(&scene->engine, &frame);
    engine_wait(&scene->engine, &frame);
    shw_buffer_destroy(scene->device, &fill);
}

void texture_close(struct scene *scene, struct texture *texture)
{
    scene->engine.vk.DestroyImage(scene->engine.handle, texture->handle, NULL);
    scene->engine.vk.FreeMemory(scene->engine.handle, texture->memory, NULL);
}

struct shw_image_use texture_part(struct scene *scene, const struct texture *texture, uint32_t layer, uint32_t layers,
                                  uint32_t mip)
{
    struct shw_image_use use = {
        .image = texture->handle,
        .format = texture->format,
        .extent = mip_extent(texture, mip),
        .layers = layers,
        .first_layer = layer,
        .mip = mip,
        .aspect = texture->aspect,
        .before = {VK_IMAGE_LAYOUT_GENERAL, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT},
        .after = {VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT}};
    VkImageViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                  .image = texture->handle,
                                  .viewType = layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D,
                                  .format = texture->format,
                                  .subresourceRange = {texture->aspect, mip, 1, layer, layers}};

    assert_int_equal(scene->engine.vk.CreateImageView(scene->engine.handle, &info, NULL, &use.view), VK_SUCCESS);
    return use;
}

void texture_write(struct scene *scene, const struct texture *texture, uint32_t layer, uint32_t mip, const void *bytes)
{
    VkBufferImageCopy region = region_of(texture, layer, mip, 0);
    struct engine_frame frame;
    struct shw_buffer upload;

    create_staging(scene, texture, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, SHW_MEMORY_UPLOAD, &upload);
    memcpy(upload.mapped, bytes, texture_part_size(texture, 1, mip));
    engine_begin(&scene->engine, &frame);
    scene->engine.vk.CmdCopyBufferToImage(frame.commands, upload.handle, texture->handle, VK_IMAGE_LAYOUT_GENERAL, 1,
                                          &region);
    engine_submit(&scene->engine, &frame);
    engine_wait(&scene->engine, &frame);
    shw_buffer_destroy(scene->device, &upload);
}

static bool is_used(const struct texture *texture, uint32_t layer, uint32_t mip, const struct shw_image_use *used,
                    uint32_t count)
{
    for (uint32_t u = 0; u < count; u++)
        if (used[u].image == texture->handle && used[u].mip == mip && used[u].first_layer <= layer &&
            layer < used[u].first_layer + used[u].layers)
            return true;
    return false;
}

void *texture_read(struct scene *scene, const struct texture *texture, const struct shw_image_use *used,
                   uint32_t used_count)
{
    void *bytes = malloc(texture_size(texture));
    struct engine_frame frame;
    struct shw_buffer back;

    assert_non_null(bytes);
    create_staging(scene, texture, VK_BUFFER_USAGE_TRANSFER_DST_BIT, SHW_MEMORY_READBACK, &back);
    engine_begin(&scene->engine, &frame);
    for (uint32_t mip = 0; mip < texture->mips; mip++)
        for (uint32_t layer = 0; layer < texture->layers; layer++) {
            VkBufferImageCopy region = region_of(texture, layer, mip, texture_offset(texture, layer, mip));
            scene->engine.vk.CmdCopyImageToBuffer(frame.commands, texture->handle,
                                                  is_used(texture, layer, mip, used, used_count)
                                                      ? VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL
                                                      : VK_IMAGE_LAYOUT_GENERAL,
                                                  back.handle, 1, &region);
        }
    engine_submit(&scene->engine, &frame);
    engine_wait(&scene->engine, &frame);
    memcpy(bytes, back.mapped, texture_size(texture));
    shw_buffer_destroy(scene->device, &back);
    return bytes;
}

struct shw_image_use texture_open_image(struct scene *scene, const struct source_kind *kind,
                                        const struct shw_image *image, struct texture *texture)
{
    const uint32_t element = (uint32_t)shw_pixel_size(image->format);
    const struct texture_params params = {
        kind->format, VK_IMAGE_ASPECT_COLOR_BIT, element, {image->width, image->height}, 1, 1, false, false};
    const size_t size = (size_t)element * image->width * image->height;
    uint8_t *texels = malloc(size);

    assert_non_null(texels);
    memcpy(texels, image->pixels, size);
    if (kind->swap)
        swap_colours(texels, size);
    texture_open(scene, &params, texture);
    texture_write(scene, texture, 0, 0, texels);
    free(texels);
    return texture_part(scene, texture, 0, 1, 0);
}
