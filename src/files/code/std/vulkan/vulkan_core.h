/* The types of Vulkan that public headers name. The code of a text uses none of them. */
#pragma once
#include <stdint.h>
#define VK_NULL_HANDLE 0
typedef struct VkInstance_T *VkInstance;
typedef struct VkPhysicalDevice_T *VkPhysicalDevice;
typedef struct VkDevice_T *VkDevice;
typedef struct VkQueue_T *VkQueue;
typedef struct VkCommandBuffer_T *VkCommandBuffer;
typedef struct VkBuffer_T *VkBuffer;
typedef struct VkImage_T *VkImage;
typedef struct VkImageView_T *VkImageView;
typedef struct VkDeviceMemory_T *VkDeviceMemory;
typedef struct VkPipelineCache_T *VkPipelineCache;
typedef struct VkAllocationCallbacks VkAllocationCallbacks;
typedef uint64_t VkDeviceSize, VkFlags64;
typedef uint32_t VkFlags, VkBool32;
typedef VkFlags VkQueueFlags, VkImageAspectFlags, VkPipelineStageFlags, VkAccessFlags;
typedef VkFlags64 VkPipelineStageFlags2, VkAccessFlags2;
typedef int VkResult, VkFormat, VkImageLayout;
typedef struct VkExtent2D {
    uint32_t width, height;
} VkExtent2D;
typedef struct VkMemoryRequirements {
    VkDeviceSize size, alignment;
    uint32_t memoryTypeBits;
} VkMemoryRequirements;
typedef struct VkPhysicalDeviceFeatures {
    VkBool32 features[55];
} VkPhysicalDeviceFeatures;
typedef void (*PFN_vkVoidFunction)(void);
typedef PFN_vkVoidFunction (*PFN_vkGetInstanceProcAddr)(VkInstance instance, const char *name);
