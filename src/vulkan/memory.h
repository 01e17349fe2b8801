/* Device memory: blocks, from Vulkan or from the caller's allocator, and the buffers and images in them. */
#ifndef SHW_VULKAN_MEMORY_H
#define SHW_VULKAN_MEMORY_H

#include "vulkan/device.h"

/* Blocks of device memory, from Vulkan or from the caller's allocator. */

enum shw_memory_kind {
    SHW_MEMORY_DEVICE,   /* for the device only */
    SHW_MEMORY_UPLOAD,   /* mapped, written by the host, coherent */
    SHW_MEMORY_TABLE,    /* the same, in device memory if it can be mapped: small, written once, read by every
                            invocation */
    SHW_MEMORY_READBACK, /* mapped, read by the host, coherent, cached if available */
};

/* Chooses the memory for a resource that can be in the types `bits`: returns those of them in which the kind can be,
 * and the best one in *type. 0: there is none. */
uint32_t shw_block_types(const struct shw_device *device, uint32_t bits, enum shw_memory_kind kind, uint32_t *type);

/* `name` is for messages, `quiet` for callers that have a fallback: a lack of device memory is not reported. Errors:
 * MEMORY, DEVICE_MEMORY, UNSUPPORTED. On failure *block is zero. */
enum shw_result shw_block_allocate(struct shw_device *device, const struct shw_memory_request *request,
                                   const char *name, bool quiet, struct shw_memory_block *block);

/* Accepts a zero block. The block is zero afterwards. */
void shw_block_release(struct shw_device *device, struct shw_memory_block *block);

/* Buffers and images with their own memory. */

struct shw_buffer {
    VkBuffer handle;
    struct shw_memory_block block; /* its own; zero in an arena (vulkan/planes.h) */
    VkDeviceSize size;
    void *mapped; /* all but DEVICE: the whole buffer */
};

/* Errors: MEMORY, DEVICE_MEMORY. On failure *buffer is zero. */
enum shw_result shw_buffer_create(struct shw_device *device, VkDeviceSize size, VkBufferUsageFlags usage,
                                  enum shw_memory_kind kind, const char *name, struct shw_buffer *buffer);

/* The same for callers that have a fallback: does not report a lack of device memory. */
enum shw_result shw_buffer_try(struct shw_device *device, VkDeviceSize size, VkBufferUsageFlags usage,
                               enum shw_memory_kind kind, const char *name, struct shw_buffer *buffer);

/* Only the handle, without memory. Errors: MEMORY, DEVICE_MEMORY. */
enum shw_result shw_buffer_create_unbound(const struct shw_device *device, VkDeviceSize size, VkBufferUsageFlags usage,
                                          const char *name, struct shw_buffer *buffer);

/* Accepts a zero buffer. The buffer is zero afterwards. */
void shw_buffer_destroy(struct shw_device *device, struct shw_buffer *buffer);

/* A 2D image of `layers` layers, one level, one sample, optimally tiled, and a view of all its layers as a 2D array. */
struct shw_vulkan_image {
    VkImage handle;
    struct shw_memory_block block; /* as for buffers */
    VkImageView view;
    VkFormat format;
    uint32_t width, height, layers;
};

/* Errors: MEMORY, DEVICE_MEMORY. On failure *image is zero. */
enum shw_result shw_vulkan_image_create(struct shw_device *device, VkFormat format, uint32_t width, uint32_t height,
                                        uint32_t layers, VkImageUsageFlags usage, const char *name,
                                        struct shw_vulkan_image *image);

/* Only the handle, without memory and view. Errors: MEMORY, DEVICE_MEMORY, LIMIT. */
enum shw_result shw_vulkan_image_create_unbound(const struct shw_device *device, VkFormat format, uint32_t width,
                                                uint32_t height, uint32_t layers, VkImageUsageFlags usage,
                                                const char *name, struct shw_vulkan_image *image);

/* Accepts a zero image. The image is zero afterwards. */
void shw_vulkan_image_destroy(struct shw_device *device, struct shw_vulkan_image *image);

/* The same for callers that have a fallback: does not report a lack of device memory. */
enum shw_result shw_vulkan_image_try(struct shw_device *device, VkFormat format, uint32_t width, uint32_t height,
                                     uint32_t layers, VkImageUsageFlags usage, const char *name,
                                     struct shw_vulkan_image *image);

/* A view of `count` layers from `first` on, as a 2D array or, if `count` is 1 and `array` is false, as a plain 2D
 * image. Errors: MEMORY, DEVICE_MEMORY. To be destroyed with vkDestroyImageView. */
enum shw_result shw_image_view_create(struct shw_device *device, VkImage image, VkFormat format, uint32_t first,
                                      uint32_t count, bool array, VkImageView *view);

#endif
