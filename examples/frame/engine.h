/* What a program with a Vulkan device of its own has already; docs/label-your-frame.md is about the rest. Where Vulkan
 * fails, `result` and `what` say so, and later calls do nothing. Part of Shadewood; MIT licence, see LICENSE. */
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
    VkResult result; /* VK_SUCCESS, or the first failure */
    char what[128];  /* has failed */
};

/* The device `index` of those that Vulkan's loader lists, and a buffer of that size. */
VkResult engine_open(struct engine *engine, uint32_t index, VkDeviceSize bytes);
VkResult engine_close(struct engine *engine);

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

/* Records the "rendering" of a frame: the pixels that are in `mapped` from `offset` on. The image is then in the layout
 * TRANSFER_DST_OPTIMAL, written by transfers. */
void engine_draw(struct engine *engine, const struct engine_image *image, VkDeviceSize offset);

/* Records the copy of an image in the layout TRANSFER_SRC_OPTIMAL to `mapped`. */
void engine_read(struct engine *engine, const struct engine_image *image);

/* Ends the commands, submits them, and waits until they have been executed. */
VkResult engine_finish_frame(struct engine *engine);

#endif
