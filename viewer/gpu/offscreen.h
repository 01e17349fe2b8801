/* The canvas: an image that everything is drawn into; a window shows it, a screenshot stores it. */
#ifndef VIEW_GPU_OFFSCREEN_H
#define VIEW_GPU_OFFSCREEN_H

#include "gpu/gpu_memory.h"

struct view_offscreen {
    VkRenderPass pass; /* clears to the grey around the picture, and leaves the image in the use view_use_copied_from */
    VkFramebuffer framebuffer;
    struct view_image image; /* R8G8B8A8_UNORM */
    struct view_buffer back; /* its texels, for screenshots */
};

/* Errors: UNSUPPORTED, MEMORY, DEVICE_MEMORY. */
enum shw_result view_offscreen_create(const struct view_gpu *gpu, VkExtent2D extent, struct view_offscreen *offscreen);
void view_offscreen_destroy(const struct view_gpu *gpu, struct view_offscreen *offscreen);

/* Another size; the render pass stays. Recorded commands must have finished. Errors: as above, and then nothing can
 * be drawn. */
enum shw_result view_offscreen_resize(const struct view_gpu *gpu, VkExtent2D extent, struct view_offscreen *offscreen);

void view_offscreen_begin(const struct view_offscreen *offscreen, VkCommandBuffer commands);
void view_offscreen_end(VkCommandBuffer commands);

/* Copies the image to the host, once the commands have run. */
void view_offscreen_read(const struct view_offscreen *offscreen, VkCommandBuffer commands);

/* Writes what was read as a PNG file. Errors: IO, MEMORY. */
enum shw_result view_offscreen_save(const struct view_gpu *gpu, const struct view_offscreen *offscreen,
                                    const char *path);

#endif
