/* What programs have in common that label in the images of another library, on its Vulkan device: docs/hosts.md. Every
 * function ends the program where something fails. Part of Shadewood; MIT licence, see LICENSE. */
#ifndef EXAMPLE_HOST_H
#define EXAMPLE_HOST_H

#include <stdint.h>

#include <vulkan/vulkan.h>

#include <shadewood/shadewood.h>

enum { HOST_PLANES_MAX = 8 };

struct host {
    VkDevice vulkan;
    VkQueue queue;
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkFence fence;
    struct shw_device *device;
    struct shw_forest *forest;
    struct shw_labeller *labeller;
    /* of the images in the commands that are being recorded */
    VkImageView views[HOST_PLANES_MAX];
    struct shw_semaphore waits[HOST_PLANES_MAX], signals[HOST_PLANES_MAX];
    uint32_t view_count, semaphore_count;
};

/* Ends the program if a result is negative; those of Vulkan, Shadewood and FFmpeg are where something has failed. */
int check(int result, const char *what);

/* The library's device, which Shadewood uses from now on, with queue 0 of the family; and the forest. */
void host_open(struct host *host, struct shw_device_import_params *library, const char *forest);
void host_close(struct host *host);

/* For images of this size, at most: classes as R16_UINT or R16_UNORM, and an overlay as R8G8B8A8_UNORM. */
void host_create_labeller(struct host *host, uint32_t width, uint32_t height);

/* Begins the commands, of which there is one buffer. */
void host_begin(struct host *host);

/* An image in these commands, which find it in the layout `before` and leave it in `after`. It has a view if it can
 * have one. They wait until its semaphore has the value `ready`, and set it to `done`; semaphores order all that is
 * before and after, so that stages are all, and accesses are none. Images that share a semaphore name it once, others
 * have a null `semaphore`. */
struct host_image {
    VkImage handle;
    VkFormat format;
    uint32_t width, height;
    VkImageLayout before, after;
    bool is_target; /* needs no view */
    struct shw_semaphore ready;
    uint64_t done;
};
struct shw_image_use host_use(struct host *host, const struct host_image *image);

/* Ends the commands, submits them, and waits until they have run: hold the library's lock on the queue. */
void host_submit(struct host *host);

/* Writes classes as a grey picture of 8 bits (PGM); `stride` is in bytes. */
void host_write_labels(const char *path, const void *labels, uint32_t width, uint32_t height, size_t stride);

#endif
