/* The swapchain of a window, and the copy of the canvas into it. For the main thread. */
#ifndef VIEW_GPU_SWAPCHAIN_H
#define VIEW_GPU_SWAPCHAIN_H

#include "gpu/gpu_memory.h"

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
