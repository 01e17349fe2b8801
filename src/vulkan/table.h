/* All Vulkan functions in use, as pointers for one instance and one device. Nothing links against or defines a vk*
   symbol. */
#ifndef SHW_VULKAN_TABLE_H
#define SHW_VULKAN_TABLE_H

#include <stdbool.h>

#include <vulkan/vulkan_core.h>

#define SHW_VK_INSTANCE_FUNCTIONS(X)                                                                                   \
    X(GetDeviceProcAddr)                                                                                               \
    X(GetPhysicalDeviceFeatures)                                                                                       \
    X(GetPhysicalDeviceFormatProperties)                                                                               \
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
    PFN_vkSetDebugUtilsObjectNameEXT SetDebugUtilsObjectNameEXT; /* NULL without shw_vk_load_names() */
};

/* Fills the instance part. Returns the name of the first function that is missing, or NULL. */
const char *shw_vk_load_instance(struct shw_vk *vk, PFN_vkGetInstanceProcAddr get, VkInstance instance);

/* Fills the device part. Returns the name of the first function that is missing, or NULL. */
const char *shw_vk_load_device(struct shw_vk *vk, VkDevice device);

/* Only if VK_EXT_debug_utils is enabled on the instance: that the function can be found does not say so. */
void shw_vk_load_names(struct shw_vk *vk, VkDevice device);

#endif
