#include "evaluate/forest_table.h"

#include <string.h>

#include "evaluate/walk_nodes.h"
#include "shared/forest_texture.h"
#include "shared/walk_node.h"
#include "vulkan/barrier.h"

#define TEXEL 16u /* bytes */

static uint64_t texels_of(const struct shw_forest *forest)
{
    struct shw_forest_texture texture = shw_forest_get_texture(forest);

    return (uint64_t)texture.width * texture.height * texture.layers;
}

struct shw_forest_table_size shw_forest_table_size_of(const struct shw_forest *forest, uint32_t trees)
{
    return (struct shw_forest_table_size){texels_of(forest), shw_walk_nodes_measure(forest, trees).texels};
}

struct shw_forest_table_size shw_forest_table_size_for(uint32_t trees, uint32_t classes, uint64_t nodes)
{
    uint64_t leaves = (nodes + trees) / 2; /* each tree has one leaf more than splits */
    uint64_t parts =
        (uint64_t)trees + 2; /* begin at a row of the texture: the trees, what precedes and what follows them */
    uint64_t texels = 1 + (uint64_t)trees + SHW_NODE_TEXELS * nodes + leaves * SHW_DISTRIBUTION_TEXELS(classes),
             width = 16;

    while (width < SHW_TEXTURE_SIZE_MAX && texels / width + parts > width)
        width *= 2;
    return (struct shw_forest_table_size){.texels = texels + parts * width, .nodes = trees + SHW_WALK_TEXELS * nodes};
}

static enum shw_result add_buffers(struct shw_arena *arena, uint64_t texels, const char *name,
                                   struct shw_buffer *upload, struct shw_buffer *buffer)
{
    const struct shw_device *device = arena->device;
    VkDeviceSize size = texels * TEXEL;

    if (size > device->properties.limits.maxStorageBufferRange) {
        return shw_fail(
            &device->log, SHW_ERROR_LIMIT, SHW_LOG_REQUIREMENT,
            "the forest needs a storage buffer of %llu bytes; the device has at most %u bytes: use another technique",
            (unsigned long long)size, device->properties.limits.maxStorageBufferRange);
    }
    SHW_PROPAGATE(shw_arena_add_buffer(arena, shw_span_always, size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                       SHW_MEMORY_UPLOAD, name, upload));
    return shw_arena_add_buffer(arena, shw_span_always, size,
                                VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                SHW_MEMORY_DEVICE, name, buffer);
}

/* As square as possible; shaders address texels row by row, so the width does not matter to them. */
static VkExtent3D image_size(uint64_t texels, uint32_t *shift)
{
    uint64_t width = 1, rows, layers;

    *shift = 0;
    while (width < SHW_TEXTURE_SIZE_MAX && width * width < texels) {
        width *= 2;
        ++*shift;
    }
    rows = (texels + width - 1) / width;
    layers = (rows + SHW_TEXTURE_SIZE_MAX - 1) / SHW_TEXTURE_SIZE_MAX;
    return (VkExtent3D){(uint32_t)width, layers > 1 ? SHW_TEXTURE_SIZE_MAX : (uint32_t)rows, (uint32_t)layers};
}

static uint64_t image_bytes(VkExtent3D size)
{
    return (uint64_t)size.width * size.height * size.depth * TEXEL;
}

static enum shw_result add_image(struct shw_arena *arena, uint64_t texels, struct shw_forest_table *table)
{
    VkExtent3D size = image_size(texels, &table->texture_shift);

    SHW_PROPAGATE(shw_arena_add_buffer(arena, shw_span_always, image_bytes(size), VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                       SHW_MEMORY_UPLOAD, "forest upload", &table->upload));
    return shw_arena_add_image(arena, shw_span_always, VK_FORMAT_R32G32B32A32_UINT, size.width, size.height, size.depth,
                               VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, "forest", &table->image);
}

enum shw_result shw_forest_table_add(struct shw_arena *arena, enum shw_planes_form form,
                                     struct shw_forest_table_size size, struct shw_forest_table *table)
{
    *table = (struct shw_forest_table){0};
    if (form == SHW_PLANES_IMAGE)
        return add_image(arena, size.texels, table);
    SHW_PROPAGATE(add_buffers(arena, size.texels, "forest", &table->upload, &table->buffer));
    return size.nodes > 0 ? add_buffers(arena, size.nodes, "forest nodes", &table->nodes_upload, &table->nodes)
                          : SHW_OK;
}

void shw_forest_table_fill(struct shw_forest_table *table, const struct shw_forest *forest, uint32_t trees,
                           uint32_t stride, uint32_t pitch)
{
    struct shw_forest_texture texture = shw_forest_get_texture(forest);
    uint64_t size =
        texels_of(forest) * TEXEL; /* including unused ends of rows; a table may have room only for the rest */

    memcpy(table->upload.mapped, texture.texels, size < table->upload.size ? size : table->upload.size);
    if (table->nodes_upload.mapped != NULL)
        shw_walk_nodes_write(forest, trees, stride, pitch, table->nodes_upload.mapped);
}

static void record_buffer(const struct shw_device *device, VkCommandBuffer commands, const struct shw_buffer *upload,
                          const struct shw_buffer *buffer)
{
    VkBufferCopy region = {.size = upload->size};

    if (upload->handle == VK_NULL_HANDLE)
        return;
    shw_buffer_barrier(device, commands, buffer->handle, shw_use_compute_read, shw_use_copy_target);
    device->vk.CmdCopyBuffer(commands, upload->handle, buffer->handle, 1, &region);
    shw_buffer_barrier(device, commands, buffer->handle, shw_use_copy_target, shw_use_compute_read);
}

void shw_forest_table_record(const struct shw_device *device, VkCommandBuffer commands,
                             const struct shw_forest_table *table)
{
    const struct shw_vulkan_image *image = &table->image;
    VkBufferImageCopy texels = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, image->layers},
                                .imageExtent = {image->width, image->height, 1}};

    if (image->handle == VK_NULL_HANDLE) {
        record_buffer(device, commands, &table->upload, &table->buffer);
        record_buffer(device, commands, &table->nodes_upload, &table->nodes);
        return;
    }
    shw_image_barrier(device, commands, image->handle, shw_use_discarded, shw_use_copy_target);
    device->vk.CmdCopyBufferToImage(commands, table->upload.handle, image->handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                    1, &texels);
    shw_image_barrier(device, commands, image->handle, shw_use_copy_target, shw_use_fragment_sampled);
}
