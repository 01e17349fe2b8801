/* A Vulkan device as the stages see it. Mechanism only: nothing here knows a stage. */
#ifndef SHW_VULKAN_DEVICE_H
#define SHW_VULKAN_DEVICE_H

#include <pthread.h>

#include <shadewood/device.h>

#include "base/log.h"
#include "vulkan/program_cache.h"
#include "vulkan/table.h"

/* Only for devices that the library created. */
struct shw_device_own {
    void *library; /* of dlopen */
    VkInstance instance;
    VkDebugUtilsMessengerEXT messenger;
    PFN_vkDestroyDebugUtilsMessengerEXT destroy_messenger;
    PFN_vkDestroyInstance destroy_instance;
    VkQueue queue;
    VkCommandPool pool;
    VkQueue transfer; /* copies while `queue` computes; VK_NULL_HANDLE: the device has no queue for copies alone */
    uint32_t transfer_family; /* of it */
    pthread_mutex_t mutex;    /* of queues and pool */
    struct shw_log log;       /* what the messenger writes to */
};

/* Subgroups of compute shaders. A size that may differ between pipelines counts as none: 0, no operations. */
struct shw_subgroup {
    uint32_t size;
    VkSubgroupFeatureFlags operations;
};

/* What may be used beyond the baseline: as the engine has stated. */
struct shw_enabled {
    uint32_t version;       /* of Vulkan: the instance's or the device's, whichever is lower */
    bool names;             /* of objects */
    bool subgroup_sizes;    /* their properties */
    bool driver_properties; /* likewise */
};

struct shw_device {
    struct shw_log log;
    struct shw_vk vk;
    struct shw_enabled enabled;
    VkPhysicalDevice physical;
    VkDevice handle;
    uint32_t queue_family;
    VkPipelineCache pipeline_cache;
    VkAllocationCallbacks allocator_storage;
    const VkAllocationCallbacks *allocator; /* &allocator_storage or NULL */
    struct shw_memory_hooks memory_hooks;
    VkPhysicalDeviceFeatures features; /* enabled */
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceMemoryProperties memory;
    VkDeviceSize allocation_max; /* bytes of one allocation */
    struct shw_subgroup subgroup;
    uint32_t timestamp_bits;
    bool has_graphics; /* the queue family */
    struct shw_program_cache programs;
    struct shw_device_own *own; /* NULL for an imported device */
};

/* Reports which call failed, and converts the Vulkan result. */
enum shw_result shw_vk_fail(const struct shw_device *device, VkResult vk_result, const char *call);

/* In a function with a variable `result` and a label `fail`: VK_TRY(device, CreateFence(device->handle, ...)). */
#define VK_TRY(device, call)                                                                                           \
    do {                                                                                                               \
        VkResult vk_result_ = (device)->vk.call;                                                                       \
        if (vk_result_ != VK_SUCCESS) {                                                                                \
            result = shw_vk_fail(device, vk_result_, "vk" #call);                                                      \
            goto fail;                                                                                                 \
        }                                                                                                              \
    } while (0)

/* The same for functions that have nothing to release: returns the failure. */
#define VK_PROPAGATE(device, call)                                                                                     \
    do {                                                                                                               \
        VkResult vk_result_ = (device)->vk.call;                                                                       \
        if (vk_result_ != VK_SUCCESS)                                                                                  \
            return shw_vk_fail(device, vk_result_, "vk" #call);                                                        \
    } while (0)

/* Sets the debug name of a Vulkan object: `format` and its arguments as for printf. Does nothing if debug utils are not
 * enabled. */
void shw_vk_name(const struct shw_device *device, VkObjectType type, uint64_t handle, const char *format, ...)
    SHW_PRINTF(4, 5);

#endif
