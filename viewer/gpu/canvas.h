/* The canvas: the image into which everything is drawn; a window shows it, by a swapchain, and a screenshot stores it.
 * For the main thread. */
#ifndef VIEW_GPU_CANVAS_H
#define VIEW_GPU_CANVAS_H

#include "gpu/gpu.h"

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

/* That copy without alpha, width * height * 3 bytes, to be freed; NULL if out of memory. */
uint8_t *view_offscreen_copy(const struct view_offscreen *offscreen);

/* Writes it as a PNG file. Errors: IO, MEMORY. */
enum shw_result view_offscreen_save(const struct view_gpu *gpu, const struct view_offscreen *offscreen,
                                    const char *path);

/* The swapchain of a window, and the copy of the canvas into it. */

#define VIEW_SWAPCHAIN_IMAGES_MAX 8u

struct view_swapchain {
    VkSwapchainKHR handle;
    VkExtent2D extent;
    VkImage images[VIEW_SWAPCHAIN_IMAGES_MAX];
    VkSemaphore drawn[VIEW_SWAPCHAIN_IMAGES_MAX]; /* by image */
    VkSemaphore acquired[VIEW_SLOTS];             /* by frame slot */
    uint32_t count, current;
    bool vsync;
};

enum view_swapchain_state {
    VIEW_SWAPCHAIN_GOOD,
    VIEW_SWAPCHAIN_OLD,  /* must be created again */
    VIEW_SWAPCHAIN_LOST, /* and the surface, too */
    VIEW_SWAPCHAIN_FAILED
};

/* Creates the images for a surface, replacing existing ones. An extent of 0 x 0 afterwards: the window has no pixels
 * now. Waits for the device. Errors: UNSUPPORTED, MEMORY, DEVICE_MEMORY, DEVICE_LOST. */
enum shw_result view_swapchain_create(const struct view_gpu *gpu, VkSurfaceKHR surface, VkExtent2D wanted, bool vsync,
                                      struct view_swapchain *swapchain);
void view_swapchain_destroy(const struct view_gpu *gpu, struct view_swapchain *swapchain);

/* Acquires the next image; the slot's last frame must have finished. */
enum view_swapchain_state view_swapchain_acquire(const struct view_gpu *gpu, struct view_swapchain *swapchain,
                                                 uint32_t slot);

/* Records the copy of the canvas, in use view_use_copied_from, into the acquired image. */
void view_swapchain_record(const struct view_swapchain *swapchain, const struct view_image *canvas,
                           VkCommandBuffer commands);

enum view_swapchain_state view_swapchain_present(const struct view_gpu *gpu, struct view_swapchain *swapchain);

#endif
