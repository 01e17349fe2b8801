/* Vulkan devices: the caller's, or Shadewood's own. Part of Shadewood; MIT licence, see LICENSE. */
#ifndef SHADEWOOD_DEVICE_H
#define SHADEWOOD_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan_core.h>

#include <shadewood/api.h>
#include <shadewood/log.h>
#include <shadewood/version.h>

#ifdef __cplusplus
extern "C" {
#endif

struct shw_device;

/* The most recordings that an object may have in flight at once. */
#define SHW_SLOTS_MAX 1024u

/* What a device must offer, as data. The baseline is Vulkan 1.1 with render-pass objects and no optional feature. */
struct shw_requirements {
    uint32_t api_version;              /* VK_API_VERSION_1_1 */
    VkPhysicalDeviceFeatures features; /* all false: none is required */
    VkQueueFlags queue_flags;          /* of the queue family: compute */
    VkQueueFlags image_queue_flags;    /* what it needs in addition for the techniques `fragment` and `blend`, and for
                                          custom ones on image layers: graphics */
};
SHW_API const struct shw_requirements *shw_requirements_get(void);

/* Memory that Shadewood needs, into which it places buffers and images itself: a few blocks per labeller. */
struct shw_memory_request {
    VkMemoryRequirements
        requirements;             /* memoryTypeBits: types that serve, host-visible and coherent ones if `mapped` */
    uint32_t memory_type;         /* the best of them */
    bool mapped;                  /* the host writes or reads it, as long as it is allocated */
    bool has_buffers, has_images; /* for bufferImageGranularity: linear and optimally tiled resources */
    VkBuffer dedicated_buffer;    /* if not null, the device requires memory for this resource alone, */
    VkImage dedicated_image;      /* allocated with VkMemoryDedicatedAllocateInfo */
};

/* Memory that an allocator has provided: `requirements.size` bytes of `memory` from `offset` on. */
struct shw_memory_block {
    VkDeviceMemory memory;
    VkDeviceSize offset; /* a multiple of requirements.alignment */
    void *mapped;        /* if request.mapped: the address of the byte at `offset` */
    void *handle;        /* the allocator's own, for release() */
};

/* Optional allocator of device memory, which may return parts of larger allocations. Set both functions or neither.
 * *block is zero when allocate() is called; release() gets what allocate() has returned. A VkDeviceMemory can be mapped
 * only once, so its owner maps it, and Shadewood never does. They are called on the thread of the function
 * that needs memory, or that frees it, and the caller must make them thread-safe if several threads use Shadewood:
 * - labellers: by creation and destruction, and by shw_labeller_set_forest() for a forest that does not fit
 *   (shw_labeller_has_room()); never by recording. shw_labeller_get_memory() says how often, and how much;
 * - trainers: by shw_trainer_prepare() and what prepares, shw_trainer_step(), _record(), _renew() and _destroy(). Every
 *   buffer of a trainer is a block of its own, 17 of them, with `blend` about ten more, and those for pixels and
 * integral images, whose number depends on the training set and on shw_trainer_params.memory. Planes, uploads and
 * sources of images in progress share a few blocks. Recording allocates when a tree or a round begins that needs larger
 * buffers than those before, and in the first slices, for the pixels of training images.
 *
 * With the Vulkan Memory Allocator, allocate() is
 *
 *     VmaAllocationCreateInfo create = {.memoryTypeBits = 1u << request->memory_type};   // VMA_MEMORY_USAGE_UNKNOWN
 *     VmaAllocationInfo info;
 *     VmaAllocation allocation;
 *     VkResult result;
 *
 *     if (request->mapped)
 *         create.flags = VMA_ALLOCATION_CREATE_MAPPED_BIT;
 *     if (request->dedicated_image != VK_NULL_HANDLE)
 *         result = vmaAllocateMemoryForImage(vma, request->dedicated_image, &create, &allocation, &info);
 *     else if (request->dedicated_buffer != VK_NULL_HANDLE)
 *         result = vmaAllocateMemoryForBuffer(vma, request->dedicated_buffer, &create, &allocation, &info);
 *     else
 *         result = vmaAllocateMemory(vma, &request->requirements, &create, &allocation, &info);
 *     if (result == VK_SUCCESS)
 *         *block = (struct shw_memory_block){info.deviceMemory, info.offset, info.pMappedData, allocation};
 *     return result;
 *
 * and release() is vmaFreeMemory(vma, block->handle). Without memoryTypeBits, VMA would choose any suitable type,
 * which may be system memory. VMA_MEMORY_USAGE_AUTO is for vmaCreateBuffer() and vmaCreateImage() only. */
struct shw_memory_hooks {
    void *user;
    VkResult (*allocate)(void *user, const struct shw_memory_request *request, struct shw_memory_block *block);
    void (*release)(void *user, const struct shw_memory_block *block);
};

/* An engine's objects. Shadewood creates no device, submits nothing to the engine's queues unless told to
 * (shadewood/submit.h) and never waits. All objects
 * must outlive the imported device; the caller synchronises access to `pipeline_cache` during creation functions.
 *
 * Vulkan cannot be asked what is enabled on an instance or a device, and some functions that can be found must not be
 * called. So only what is stated here is used beyond the baseline, and zero states nothing:
 * - VK_EXT_debug_utils (instance): Shadewood's objects get names;
 * - Vulkan 1.3, or VK_EXT_subgroup_size_control (device): techniques of record forests may rely on the size of
 *   subgroups (SHW_RECORD_SPECULATIVE and its kin); without, they use shared memory instead;
 * - `synchronization2`: stages and accesses of 64 bits, and vkQueueSubmit2() in shw_submit();
 * - `storage_buffer_16bit`: by compute, tests of the type pixel-difference, and those of forests of few shapes, load 16
 *   bits at a time, which is faster. Stated without being enabled, shaders are created that the device does not allow:
 *   undefined behaviour, which validation layers report;
 * - VK_KHR_external_memory_fd, VK_EXT_external_memory_dma_buf, VK_EXT_image_drm_format_modifier and
 *   VK_EXT_queue_family_foreign (device): memory shared with others (shadewood/external.h);
 * - Vulkan 1.2, or VK_KHR_driver_properties (device): shw_device_description.driver has the driver's own words.
 * Shadewood itself needs none of `features`; custom techniques may use them (shadewood/stage.h). */
struct shw_device_import_params {
    VkInstance instance;
    VkPhysicalDevice physical_device;
    VkDevice device;
    uint32_t queue_family; /* of the command buffers to record into; one without graphics is enough for `compute`, and
                              its images then have no uses by stages of graphics */
    uint32_t api_version;  /* of the instance (VkApplicationInfo); 0 means VK_API_VERSION_1_1. Of the device's version,
                              only as much as this is used */
    /* The extensions that are enabled, by name, as in VkInstanceCreateInfo and VkDeviceCreateInfo; NULL and 0: none.
     * Read during the import only; names that Shadewood does not know are ignored. */
    const char *const *instance_extensions;
    const char *const *device_extensions;
    uint32_t instance_extension_count, device_extension_count;
    const VkPhysicalDeviceFeatures *features; /* enabled on the device; NULL means none. Copied */
    bool synchronization2;     /* VkPhysicalDeviceSynchronization2Features, by Vulkan 1.3 or VK_KHR_synchronization2, is
                                  enabled on the device */
    bool storage_buffer_16bit; /* storageBuffer16BitAccess, by VkPhysicalDevice16BitStorageFeatures or Vulkan 1.2's
                                  VkPhysicalDeviceVulkan11Features, is enabled on the device */
    PFN_vkGetInstanceProcAddr get_instance_proc_addr; /* required */
    VkPipelineCache pipeline_cache;                   /* or VK_NULL_HANDLE */
    const VkAllocationCallbacks *allocator;           /* or NULL */
    struct shw_memory_hooks memory;                   /* zero: vkAllocateMemory */
    struct shw_log log;
};

/* Imports the caller's device. Errors: ARGUMENT, UNSUPPORTED (the message names the requirement), MEMORY. Any thread.
 */
SHW_API enum shw_result shw_device_import_abi(uint32_t abi, const struct shw_device_import_params *params,
                                              struct shw_device **device);
static inline enum shw_result shw_device_import(const struct shw_device_import_params *params,
                                                struct shw_device **device)
{
    return shw_device_import_abi(SHW_ABI, params, device);
}

/* A device of Shadewood's own, for programs that have none: loads the Vulkan loader at run time. */
struct shw_device_create_params {
    uint32_t index;  /* as listed by shw_device_list() */
    bool validation; /* the Khronos validation layers with synchronisation validation; messages arrive as
                           SHW_LOG_VULKAN_VALIDATION errors. UNSUPPORTED if the layers are not installed */
    struct shw_log log;
};

/* Errors: NO_DEVICE, UNSUPPORTED, MEMORY. Any thread. */
SHW_API enum shw_result shw_device_create_abi(uint32_t abi, const struct shw_device_create_params *params,
                                              struct shw_device **device);
static inline enum shw_result shw_device_create(const struct shw_device_create_params *params,
                                                struct shw_device **device)
{
    return shw_device_create_abi(SHW_ABI, params, device);
}

/* Destroys *device and sets it to NULL; accepts NULL and a pointer to NULL. All objects created with the device must
 * have been destroyed, and all work recorded with it must have completed. */
SHW_API void shw_device_destroy(struct shw_device **device);

/* What is known of a device of this machine, or of an imported one. */
struct shw_device_description {
    char name[256];
    char driver[512]; /* name and version */
    uint32_t vendor_id, device_id, api_version, driver_version;
    uint8_t pipeline_cache_uuid[16]; /* changes with the driver's compiler */
    bool is_cpu;                     /* a software renderer */
    bool meets_requirements;
    char missing[256];     /* the first requirement that is not met, or empty */
    uint64_t memory_bytes; /* the largest device-local heap */
    uint32_t image_size_max, array_layers_max, colour_attachments_max;
    uint64_t storage_buffer_range_max;
    uint32_t shared_memory_bytes, subgroup_size;
    bool has_graphics;      /* the queue family in use has graphics as well as compute */
    bool blends_r32_sfloat; /* what, with graphics, the training technique `blend` needs */
    bool int64;
    double timestamp_period_ns; /* 0: no timestamps */
};

/* Fills up to `capacity` descriptions and sets *count to the number of devices of this machine, in the loader's order.
 * Errors: NO_DEVICE when there is no loader, no driver or no device. Any thread. */
SHW_API enum shw_result shw_device_list_abi(uint32_t abi, const struct shw_log *log,
                                            struct shw_device_description *devices, uint32_t capacity, uint32_t *count);
static inline enum shw_result shw_device_list(const struct shw_log *log, struct shw_device_description *devices,
                                              uint32_t capacity, uint32_t *count)
{
    return shw_device_list_abi(SHW_ABI, log, devices, capacity, count);
}

/* Describes a device. Any thread. */
SHW_API void shw_device_describe(const struct shw_device *device, struct shw_device_description *description);

/* A subresource of the caller's image, a mip level and layers, and its use before and after the work that Shadewood
 * records: one eye's layer, a face of a cube, or the half-resolution level of a frame. Shadewood records the barriers
 * in between, for exactly this part; the rest of the image may be in any layout and in use elsewhere.
 * Ownership transfers between queue families are the caller's responsibility.
 *
 * Stages and accesses are flags of VkPipelineStageFlagBits or VkPipelineStageFlagBits2, whose first 32 bits are the
 * same. With the feature synchronization2 (struct shw_device_import_params) all 64 bits may be used, and 0 for none.
 * Without, stages are never 0 (VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT: none), and flags beyond 32 bits are refused. The same
 * holds for buffers, wherever stages are stated.
 *
 * Vulkan cannot be asked what an image or a view consists of, so this is not checked here: layers, mip level, format
 * and extent must be those of the image, and the view must be of the same subresource. The validation layers report
 * what does not match. */
struct shw_image_use {
    VkImage image;
    VkImageView view;          /* of an input: 2D, of this part; identity swizzle. Of targets not used */
    VkFormat format;           /* of the view */
    VkExtent2D extent;         /* pixels, of the mip level */
    uint32_t layers;           /* from first_layer on; 0 means 1 */
    uint32_t first_layer, mip; /* the array layer and the mip level at which the part begins */
    VkImageAspectFlags aspect; /* of the format: VK_IMAGE_ASPECT_DEPTH_BIT for inputs in a depth format, otherwise
                                  VK_IMAGE_ASPECT_COLOR_BIT. 0 means that */
    struct {
        VkImageLayout
            layout; /* before: VK_IMAGE_LAYOUT_UNDEFINED discards the contents of an output; after: a defined one */
        VkPipelineStageFlags2 stages;
        VkAccessFlags2 access;
    } before, after;
};

#ifdef __cplusplus
}
#endif
#endif
