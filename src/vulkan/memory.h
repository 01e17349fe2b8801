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

/* Buffers and images with their own memory. */

struct shw_buffer {
    VkBuffer handle;
    struct shw_memory_block block; /* its own; zero in an arena */
    VkDeviceSize size;
    void *mapped; /* all but DEVICE: the whole buffer */
};

/* Errors: MEMORY, DEVICE_MEMORY. On failure *buffer is zero. */
enum shw_result shw_buffer_create(struct shw_device *device, VkDeviceSize size, VkBufferUsageFlags usage,
                                  enum shw_memory_kind kind, const char *name, struct shw_buffer *buffer);

/* The same for callers that have a fallback: does not report a lack of device memory. */
enum shw_result shw_buffer_try(struct shw_device *device, VkDeviceSize size, VkBufferUsageFlags usage,
                               enum shw_memory_kind kind, const char *name, struct shw_buffer *buffer);

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

/* Many buffers and images in a few blocks of memory. They are added first, then placed, so that what is needed is known
 * before it is allocated; those that are not in use at the same time can be in the same place. */

/* The steps of a frame, from `first` to `last`, in which the contents are in use. Frames of different sets may run at
 * the same time, so that only members of one set can be in the same place. */
struct shw_span {
    uint32_t first, last, set;
};

extern const struct shw_span shw_span_always;

/* The memory that everything in an arena takes. */
struct shw_arena_need {
    uint64_t device_bytes, mapped_bytes; /* for the device only; mapped for the host */
    uint32_t blocks;
};

struct shw_arena {
    struct shw_device *device;
    struct shw_span now; /* for what is scratch memory of the stage that adds it */
    bool *exceeds;       /* set where planes exceed a storage buffer, which is a failure only if this is NULL */
    uint32_t entry_count, entry_capacity, block_count, block_capacity;
    struct shw_arena_entry *entries;
    struct shw_arena_block *blocks;
};

/* An empty arena, with scratch memory for a single step. */
void shw_arena_begin(struct shw_device *device, struct shw_arena *arena);

/* The span of scratch memory of a set. */
struct shw_span shw_arena_scratch(const struct shw_arena *arena, uint32_t set);

/* Adds a buffer or an image, whose sizes are set at once and whose handles are set by shw_arena_make(); they must stay
 * at their address until then, and are not to be destroyed. What the host writes or reads is always in use. Errors:
 * MEMORY, DEVICE_MEMORY, UNSUPPORTED, LIMIT. */
enum shw_result shw_arena_add_buffer(struct shw_arena *arena, struct shw_span span, VkDeviceSize size,
                                     VkBufferUsageFlags usage, enum shw_memory_kind kind, const char *name,
                                     struct shw_buffer *buffer);
enum shw_result shw_arena_add_image(struct shw_arena *arena, struct shw_span span, VkFormat format, uint32_t width,
                                    uint32_t height, uint32_t layers, VkImageUsageFlags usage, const char *name,
                                    struct shw_vulkan_image *image);

/* Places everything; nothing is allocated yet. Errors: MEMORY. */
enum shw_result shw_arena_place(struct shw_arena *arena, struct shw_arena_need *need);

/* Places everything, allocates the blocks, and makes buffers, images and views. Errors: MEMORY, DEVICE_MEMORY,
 * UNSUPPORTED. */
enum shw_result shw_arena_make(struct shw_arena *arena);

/* Destroys everything in it, and the blocks. Accepts a zero arena. The arena is zero afterwards. */
void shw_arena_end(struct shw_arena *arena);

#endif
