/* Images and buffers with their own memory. The destroy functions accept zero objects, and a device that does not
 * exist. */
#ifndef VIEW_GPU_GPU_MEMORY_H
#define VIEW_GPU_GPU_MEMORY_H

#include "gpu/gpu.h"

struct view_image {
    VkImage handle;
    VkImageView view; /* 2D, or a 2D array on request */
    VkDeviceMemory memory;
    VkFormat format;
    VkExtent2D extent;
    uint32_t layers;
};

struct view_buffer {
    VkBuffer handle;
    VkDeviceMemory memory;
    void *mapped; /* coherent */
    VkDeviceSize size;
};

/* `layers` 0: a plain 2D image and view, otherwise an array. Errors: UNSUPPORTED, MEMORY, DEVICE_MEMORY. */
enum shw_result view_image_create(const struct view_gpu *gpu, VkFormat format, VkExtent2D extent, uint32_t layers,
                                  VkImageUsageFlags usage, struct view_image *image);
void view_image_destroy(const struct view_gpu *gpu, struct view_image *image);

/* A buffer that is mapped on the host; `cached` for reading back. */
enum shw_result view_buffer_create(const struct view_gpu *gpu, VkDeviceSize size, VkBufferUsageFlags usage, bool cached,
                                   struct view_buffer *buffer);
void view_buffer_destroy(const struct view_gpu *gpu, struct view_buffer *buffer);

/* One use of an image. */
struct view_use {
    VkImageLayout layout;
    VkPipelineStageFlags stages;
    VkAccessFlags access;
};
extern const struct view_use view_use_nothing, view_use_copied_to, view_use_copied_from, view_use_shown;
extern const struct view_use view_use_dropped; /* anything; contents are not kept */

/* A barrier over all layers of a colour image. */
void view_image_barrier(VkCommandBuffer commands, const struct view_image *image, struct view_use before,
                        struct view_use after);

/* Whether an image can be used for `extent`: it has that size, or is larger and may be. */
static inline bool view_image_holds(const struct view_image *image, VkExtent2D extent, bool larger)
{
    return larger ? image->extent.width >= extent.width && image->extent.height >= extent.height
                  : image->extent.width == extent.width && image->extent.height == extent.height;
}

/* Replaces the contents of an image, whatever was done with it, by a buffer's from `offset` on; its use is
 * view_use_shown then.
 */
void view_image_copy(VkCommandBuffer commands, const struct view_image *image, VkBuffer buffer, VkDeviceSize offset);

/* Replaces rows first..first+rows-1 of all layers, `width` pixels of each, in the same way. `begun`: its other
 * rows stay as they are, and its use is view_use_shown already. */
void view_image_copy_rows(VkCommandBuffer commands, const struct view_image *image, VkBuffer buffer,
                          VkDeviceSize offset, uint32_t first, uint32_t rows, uint32_t width, bool begun);

#endif
