/* Vulkan devices: the caller's, or one of our own. Part of Shadewood; MIT licence, see LICENSE. */
#ifndef SHADEWOOD_DEVICE_H
#define SHADEWOOD_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan_core.h>

#include <shadewood/api.h>
#include <shadewood/log.h>

#ifdef __cplusplus
extern "C" {
#endif

struct shw_device;

/* What a device must offer, as data. The baseline is Vulkan 1.1 with render-pass objects and no optional feature. */
struct shw_requirements {
    uint32_t api_version;              /* VK_API_VERSION_1_1 */
    VkPhysicalDeviceFeatures features; /* all false: none is required */
    VkQueueFlags queue_flags;          /* graphics and compute in one family */
};
SHW_API const struct shw_requirements *shw_requirements(void);

/* Optional: where device memory comes from. Both or neither. Thread safety is the caller's business: they are called by
 * creation and destruction functions of Shadewood objects, on the thread that calls those. */
struct shw_memory_hooks {
    void *user;
    VkResult (*allocate)(void *user, const VkMemoryAllocateInfo *info, VkDeviceMemory *memory);
    void (*release)(void *user, VkDeviceMemory memory);
};

/* An engine's own objects. Shadewood creates no device, submits nothing to its queues and does not wait. Everything
 * must outlive the imported device; external synchronisation of `pipeline_cache` during creation functions is the
 * caller's. */
struct shw_device_import_params {
    VkInstance instance;
    VkPhysicalDevice physical_device;
    VkDevice device;
    uint32_t queue_family;                            /* of the command buffers that will be recorded into */
    uint32_t api_version;                             /* the instance was created with; 0 means VK_API_VERSION_1_1 */
    const VkPhysicalDeviceFeatures *features;         /* enabled on the device; NULL means none. Copied */
    PFN_vkGetInstanceProcAddr get_instance_proc_addr; /* required */
    VkPipelineCache pipeline_cache;                   /* or VK_NULL_HANDLE */
    const VkAllocationCallbacks *allocator;           /* or NULL */
    struct shw_memory_hooks memory;                   /* zero: vkAllocateMemory */
    struct shw_log log;
};

/* Wraps a foreign device. Errors: ARGUMENT, UNSUPPORTED (the message names the requirement), MEMORY. Any thread. */
SHW_API enum shw_result shw_device_import(const struct shw_device_import_params *params, struct shw_device **device);

/* A device of our own, for programs that have none: loads the Vulkan loader at run time. */
struct shw_device_create_params {
    uint32_t index;  /* as listed by shw_device_list() */
    bool validation; /* the Khronos validation layers with synchronisation validation; messages arrive as
                           SHW_LOG_VULKAN_VALIDATION errors. UNSUPPORTED if the layers are not installed */
    struct shw_log log;
};

/* Errors: NO_DEVICE, UNSUPPORTED, MEMORY. Any thread. */
SHW_API enum shw_result shw_device_create(const struct shw_device_create_params *params, struct shw_device **device);

/* Ends *device's life and sets it to NULL; NULL and a pointer to NULL are accepted. Everything made with the device
 * must have been destroyed, and nothing recorded with it may still run. */
SHW_API void shw_device_destroy(struct shw_device **device);

struct shw_device_description {
    char name[256];
    char driver[512]; /* name and version */
    uint32_t vendor_id, device_id, api_version, driver_version;
    uint8_t pipeline_cache_uuid[16]; /* changes with the driver's compiler */
    bool is_cpu;                     /* a software rasteriser */
    bool meets_requirements;
    char missing[256];     /* the first requirement that is not met, else empty */
    uint64_t memory_bytes; /* the largest device-local heap */
    uint32_t image_size_max, array_layers_max, colour_attachments_max;
    uint64_t storage_buffer_range_max;
    uint32_t shared_memory_bytes, subgroup_size;
    bool blends_r32_sfloat; /* what the training technique `blend` needs */
    bool int64;
    double timestamp_period_ns; /* 0: no timestamps */
};

/* Fills up to `capacity` descriptions and sets *count to the number of devices of this machine, in the loader's order.
 * Errors: NO_DEVICE when there is no loader, no driver or no device. Any thread. */
SHW_API enum shw_result shw_device_list(const struct shw_log *log, struct shw_device_description *devices,
                                        uint32_t capacity, uint32_t *count);

/* Describes a device. Any thread. */
SHW_API void shw_device_describe(const struct shw_device *device, struct shw_device_description *description);

/* A foreign image, and how the caller uses it before and after what Shadewood records. Barriers between are
 * Shadewood's; ownership transfers between queue families are the caller's. Stages are never 0
 * (VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT: none). */
struct shw_image_use {
    VkImage image;
    VkImageView view;  /* 2D or 2D array, colour, all the layers that are meant; identity swizzle */
    VkFormat format;   /* of the view */
    VkExtent2D extent; /* pixels */
    uint32_t layers;   /* 0 means 1 */
    struct {
        VkImageLayout layout; /* before: VK_IMAGE_LAYOUT_UNDEFINED drops the contents of an output; after: a real one */
        VkPipelineStageFlags stages;
        VkAccessFlags access;
    } before, after;
};

#ifdef __cplusplus
}
#endif
#endif
