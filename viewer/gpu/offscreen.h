/* The canvas: the image into which everything is drawn; a window shows it, a screenshot stores it. */
#ifndef VIEW_GPU_OFFSCREEN_H
#define VIEW_GPU_OFFSCREEN_H

#include "gpu/gpu_memory.h"

struct view_offscreen {
    VkRenderPass pass; /* clears to the grey around the picture; the image's final use is view_use_copied_from */
    VkFramebuffer framebuffer;
    struct view_image image; /* R8G8B8A8_UNORM */
    struct view_buffer back; /* a copy of its texels on the host, for screenshots */
};

/* Errors: UNSUPPORTED, MEMORY, DEVICE_MEMORY. */
enum shw_result view_offscreen_create(const struct view_gpu *gpu, VkExtent2D extent, struct view_offscreen *offscreen);
void view_offscreen_destroy(const struct view_gpu *gpu, struct view_offscreen *offscreen);

/* Changes the size; the render pass stays valid. Recorded commands must have finished. Errors: as above; nothing can be
 * drawn then. */
enum shw_result view_offscreen_resize(const struct view_gpu *gpu, VkExtent2D extent, struct view_offscreen *offscreen);

void view_offscreen_begin(const struct view_offscreen *offscreen, VkCommandBuffer commands);
void view_offscreen_end(VkCommandBuffer commands);

/* Records a copy of the image to the host. */
void view_offscreen_read(const struct view_offscreen *offscreen, VkCommandBuffer commands);

/* Writes that copy as a PNG file. Errors: IO, MEMORY. */
enum shw_result view_offscreen_save(const struct view_gpu *gpu, const struct view_offscreen *offscreen,
                                    const char *path);

#endif
