/* A Vulkan device as the stages see it. Mechanism only: nothing here knows a stage. */
#ifndef SHW_VULKAN_DEVICE_H
#define SHW_VULKAN_DEVICE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan_core.h>

#include <shadewood/device.h>

#include "base/log.h"

/* All Vulkan functions in use, as pointers for one instance and one device. Nothing links against or defines a vk*
   symbol. */
#define SHW_VK_INSTANCE_FUNCTIONS(X)                                                                                   \
    X(GetDeviceProcAddr)                                                                                               \
    X(GetPhysicalDeviceExternalBufferProperties)                                                                       \
    X(GetPhysicalDeviceFeatures)                                                                                       \
    X(GetPhysicalDeviceFeatures2)                                                                                      \
    X(GetPhysicalDeviceFormatProperties)                                                                               \
    X(GetPhysicalDeviceFormatProperties2)                                                                              \
    X(GetPhysicalDeviceImageFormatProperties2)                                                                         \
    X(GetPhysicalDeviceMemoryProperties)                                                                               \
    X(GetPhysicalDeviceProperties)                                                                                     \
    X(GetPhysicalDeviceProperties2)                                                                                    \
    X(GetPhysicalDeviceQueueFamilyProperties)

#define SHW_VK_DEVICE_FUNCTIONS(X)                                                                                     \
    X(AllocateCommandBuffers)                                                                                          \
    X(AllocateDescriptorSets)                                                                                          \
    X(AllocateMemory)                                                                                                  \
    X(BeginCommandBuffer)                                                                                              \
    X(BindBufferMemory)                                                                                                \
    X(BindImageMemory)                                                                                                 \
    X(CmdBeginRenderPass)                                                                                              \
    X(CmdBindDescriptorSets)                                                                                           \
    X(CmdBindPipeline)                                                                                                 \
    X(CmdClearColorImage)                                                                                              \
    X(CmdCopyBuffer)                                                                                                   \
    X(CmdCopyBufferToImage)                                                                                            \
    X(CmdCopyImage)                                                                                                    \
    X(CmdCopyImageToBuffer)                                                                                            \
    X(CmdDispatch)                                                                                                     \
    X(CmdDispatchBase)                                                                                                 \
    X(CmdDispatchIndirect)                                                                                             \
    X(CmdDraw)                                                                                                         \
    X(CmdEndRenderPass)                                                                                                \
    X(CmdFillBuffer)                                                                                                   \
    X(CmdPipelineBarrier)                                                                                              \
    X(CmdPushConstants)                                                                                                \
    X(CmdResetQueryPool)                                                                                               \
    X(CmdSetScissor)                                                                                                   \
    X(CmdSetViewport)                                                                                                  \
    X(CmdWriteTimestamp)                                                                                               \
    X(CmdUpdateBuffer)                                                                                                 \
    X(CreateBuffer)                                                                                                    \
    X(CreateCommandPool)                                                                                               \
    X(CreateComputePipelines)                                                                                          \
    X(CreateDescriptorPool)                                                                                            \
    X(CreateDescriptorSetLayout)                                                                                       \
    X(CreateFence)                                                                                                     \
    X(CreateFramebuffer)                                                                                               \
    X(CreateGraphicsPipelines)                                                                                         \
    X(CreateImage)                                                                                                     \
    X(CreateImageView)                                                                                                 \
    X(CreatePipelineLayout)                                                                                            \
    X(CreateQueryPool)                                                                                                 \
    X(CreateRenderPass)                                                                                                \
    X(CreateSemaphore)                                                                                                 \
    X(CreateShaderModule)                                                                                              \
    X(DestroyBuffer)                                                                                                   \
    X(DestroyCommandPool)                                                                                              \
    X(DestroyDescriptorPool)                                                                                           \
    X(DestroyDescriptorSetLayout)                                                                                      \
    X(DestroyDevice)                                                                                                   \
    X(DestroyFence)                                                                                                    \
    X(DestroyFramebuffer)                                                                                              \
    X(DestroyImage)                                                                                                    \
    X(DestroyImageView)                                                                                                \
    X(DestroyPipeline)                                                                                                 \
    X(DestroyPipelineLayout)                                                                                           \
    X(DestroyQueryPool)                                                                                                \
    X(DestroyRenderPass)                                                                                               \
    X(DestroySemaphore)                                                                                                \
    X(DestroyShaderModule)                                                                                             \
    X(DeviceWaitIdle)                                                                                                  \
    X(EndCommandBuffer)                                                                                                \
    X(FlushMappedMemoryRanges)                                                                                         \
    X(FreeCommandBuffers)                                                                                              \
    X(FreeMemory)                                                                                                      \
    X(GetBufferMemoryRequirements)                                                                                     \
    X(GetBufferMemoryRequirements2)                                                                                    \
    X(GetDeviceQueue)                                                                                                  \
    X(GetFenceStatus)                                                                                                  \
    X(GetImageMemoryRequirements)                                                                                      \
    X(GetImageMemoryRequirements2)                                                                                     \
    X(GetImageSubresourceLayout)                                                                                       \
    X(GetQueryPoolResults)                                                                                             \
    X(InvalidateMappedMemoryRanges)                                                                                    \
    X(MapMemory)                                                                                                       \
    X(QueueSubmit)                                                                                                     \
    X(ResetCommandPool)                                                                                                \
    X(ResetFences)                                                                                                     \
    X(UpdateDescriptorSets)                                                                                            \
    X(WaitForFences)

struct shw_vk {
#define SHW_VK_FUNCTION(name) PFN_vk##name name;
    SHW_VK_INSTANCE_FUNCTIONS(SHW_VK_FUNCTION)
    SHW_VK_DEVICE_FUNCTIONS(SHW_VK_FUNCTION)
#undef SHW_VK_FUNCTION
    /* NULL unless struct shw_enabled has them */
    PFN_vkSetDebugUtilsObjectNameEXT SetDebugUtilsObjectNameEXT;
    PFN_vkCmdPipelineBarrier2 CmdPipelineBarrier2;
    PFN_vkQueueSubmit2 QueueSubmit2;
    PFN_vkGetMemoryFdKHR GetMemoryFdKHR;
    PFN_vkGetMemoryFdPropertiesKHR GetMemoryFdPropertiesKHR;
    PFN_vkGetImageDrmFormatModifierPropertiesEXT GetImageDrmFormatModifierPropertiesEXT;
};

/* Fills the instance part. Returns the name of the first function that is missing, or NULL. */
const char *shw_vk_load_instance(struct shw_vk *vk, PFN_vkGetInstanceProcAddr get, VkInstance instance);

/* Fills the device part. Returns the name of the first function that is missing, or NULL. */
const char *shw_vk_load_device(struct shw_vk *vk, VkDevice device);

struct shw_program_entry;

/* A cache of programs: a labeller or trainer similar to an earlier one reuses them instead of compiling them again.
 * Entries are in the order of their last use. */
struct shw_program_cache {
    pthread_mutex_t mutex;
    struct shw_program_entry *first;
    uint32_t count;
};

/* Only for devices that the library created. */
struct shw_device_own {
    void *library; /* the loader */
    VkInstance instance;
    VkDebugUtilsMessengerEXT messenger;
    PFN_vkDestroyDebugUtilsMessengerEXT destroy_messenger;
    PFN_vkDestroyInstance destroy_instance;
    VkQueue queue;
    VkCommandPool pool;
    VkCommandBuffer commands; /* the only one of the pool, and the fence of its submissions: made by the first */
    VkFence fence;
    VkQueue transfer; /* copies while `queue` computes; VK_NULL_HANDLE: the device has no queue for copies alone */
    uint32_t transfer_family; /* of it */
    pthread_mutex_t mutex;    /* of queues, pool and fence */
    struct shw_log log;       /* what the messenger writes to */
};

/* Subgroups of compute shaders. A size that may differ between pipelines counts as none: 0, no operations. */
struct shw_subgroup {
    uint32_t size;
    VkSubgroupFeatureFlags operations;
};

/* What may be used beyond the baseline, as stated by the engine. */
struct shw_enabled {
    uint32_t version;       /* of Vulkan: the instance's or the device's, whichever is lower */
    bool names;             /* of objects */
    bool subgroup_sizes;    /* their properties */
    bool driver_properties; /* of drivers */
    bool synchronization2;  /* stages of 64 bits */
    bool storage_16bit;     /* elements of storage buffers of 16 bits */
    bool external_fd;       /* memory shared by file descriptors, */
    bool dma_buf;           /* those of dma-buf, */
    bool modifiers;         /* images with DRM format modifiers */
    bool foreign_queue;     /* VK_QUEUE_FAMILY_FOREIGN_EXT */
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

/* Whether an object can have so many slots, 0 or up to SHW_SLOTS_MAX. Errors: ARGUMENT. */
static inline enum shw_result shw_slots_check(uint32_t slots, const struct shw_log *log)
{
    return slots <= SHW_SLOTS_MAX
               ? SHW_OK
               : shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                          "%u slots; at most %u recordings can be in flight at once", slots, SHW_SLOTS_MAX);
}

/* Sets the debug name of a Vulkan object: `format` and its arguments as for printf. Does nothing if debug utils are not
 * enabled. */
void shw_vk_name(const struct shw_device *device, VkObjectType type, uint64_t handle, const char *format, ...)
    SHW_PRINTF(4, 5);

/* The newest version that anything here knows how to use: own instances are of it. */
#define SHW_VULKAN_NEWEST VK_API_VERSION_1_3

#endif
