/* The viewer's Vulkan objects: instance, device and the only queue, and the device as imported into Shadewood.
 *
 * Everything here is for the main thread. Functions that fail have logged the reason. */
#ifndef VIEW_GPU_GPU_H
#define VIEW_GPU_GPU_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/device.h>
#include <shadewood/log.h>
#include <vulkan/vulkan.h>

#define VIEW_SLOTS 2u /* frames in flight */

struct view_retired;

struct view_gpu {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    uint32_t family;    /* graphics and compute */
    VkCommandPool pool; /* of resettable command buffers */
    VkDebugUtilsMessengerEXT messenger;
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceMemoryProperties memory;
    uint32_t timestamp_bits;      /* 0: none */
    unsigned validation_messages; /* received so far */
    struct shw_device *shadewood;
    struct view_retired *retired; /* what frames in flight may still use */
    struct shw_log log;
};

struct view_gpu_params {
    uint32_t index;                /* of the device, in the loader's order */
    bool validation;               /* the Khronos layers with synchronisation validation, which must be installed */
    const char *const *extensions; /* instance extensions for a window, which also enables the device's swapchain */
    uint32_t extension_count;
    struct shw_log log;
};

/* `gpu` must not move. After a failure it is zero. Errors: NO_DEVICE, UNSUPPORTED, MEMORY, DEVICE_MEMORY. */
enum shw_result view_gpu_create(const struct view_gpu_params *params, struct view_gpu *gpu);

/* Waits for the device and releases it. Everything created with it must have been destroyed: the validation layers
 * report leaks. Returns how many messages they have sent in total. Accepts a zero gpu. */
unsigned view_gpu_destroy(struct view_gpu *gpu);

/* Waits for everything on the device; counted (job/times.h). */
void view_device_wait(const struct view_gpu *gpu);

/* Logs that a Vulkan call failed and returns the matching error; SHW_OK for success. */
enum shw_result view_gpu_check(const struct view_gpu *gpu, VkResult result, const char *call);

/* In a function with a variable `result` and a label `fail`. */

#define VIEW_TRY(gpu, function, ...)                                                                                   \
    do {                                                                                                               \
        result = view_gpu_check(gpu, function(__VA_ARGS__), #function);                                                \
        if (result != SHW_OK)                                                                                          \
            goto fail;                                                                                                 \
    } while (0)

/* Returns the error if the call fails: for functions that have nothing to release. */

#define VIEW_PROPAGATE(gpu, function, ...) SHW_PROPAGATE(view_gpu_check(gpu, function(__VA_ARGS__), #function))

/* A pipeline stage with a shader module, which the caller destroys; SPIR-V of `size` bytes, entry point main. */
enum shw_result view_shader_create(const struct view_gpu *gpu, VkShaderStageFlagBits stage, const uint32_t *code,
                                   size_t size, VkPipelineShaderStageCreateInfo *shader);

enum shw_result view_compute_create(const struct view_gpu *gpu, const uint32_t *code, size_t size,
                                    VkPipelineLayout layout, VkPipeline *pipeline);

/* Images and buffers with their own memory. The destroy functions accept zero objects, and a device that does not
 * exist. */

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
