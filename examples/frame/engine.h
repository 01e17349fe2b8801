/* What a program with a Vulkan device of its own has already; docs/label-your-frame.md is about the rest. Every
 * function ends the program where Vulkan fails. Part of Shadewood; MIT licence, see LICENSE. */
#ifndef EXAMPLE_FRAME_ENGINE_H
#define EXAMPLE_FRAME_ENGINE_H

#include <stdint.h>

#include <vulkan/vulkan.h>

struct engine {
    VkInstance instance; /* of Vulkan 1.1, as the device; no extensions, no features */
    VkPhysicalDevice physical_device;
    VkDevice device;
    uint32_t family; /* with graphics and compute */
    VkQueue queue;
    VkCommandPool pool;
    VkCommandBuffer commands; /* of the frame */
    VkBuffer buffer;          /* on which pixels and classes travel between the host and images */
    VkDeviceMemory memory;
    void *mapped;
};

/* Images have at most `width` * `height` pixels of 4 bytes. */
void engine_open(struct engine *engine, uint32_t width, uint32_t height);
void engine_close(struct engine *engine);

struct engine_image {
    VkImage handle;
    VkImageView view;
    VkDeviceMemory memory;
    VkFormat format;
    uint32_t width, height;
};
struct engine_image engine_create_image(struct engine *engine, VkFormat format, VkImageUsageFlags usage, uint32_t width,
                                        uint32_t height);
void engine_destroy_image(struct engine *engine, struct engine_image *image);

/* Begins the commands of a frame. */
void engine_begin_frame(struct engine *engine);

/* Records the "rendering" of a frame: what is in `mapped`, as RGBA. The image is then in the layout
 * TRANSFER_DST_OPTIMAL, written by transfers. */
void engine_draw(struct engine *engine, const struct engine_image *image);

/* Records the copy of an image in the layout TRANSFER_SRC_OPTIMAL to `mapped`. */
void engine_read(struct engine *engine, const struct engine_image *image);

/* Ends the commands, submits them, and waits until they have been executed. */
void engine_finish_frame(struct engine *engine);

#endif
