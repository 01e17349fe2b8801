#include "vulkan/submit.h"

#include <sched.h>

#include "base/clock.h"

#define SPIN_SECONDS 0.01

enum shw_result shw_submit_begin(struct shw_device *device, VkCommandBuffer *commands)
{
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                        .commandBufferCount = 1};
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    enum shw_result result;

    if (device->own == NULL)
        return shw_fail(&device->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "work for an imported device is only recorded; its owner submits it");
    pthread_mutex_lock(&device->own->mutex);
    info.commandPool = device->own->pool;
    *commands = VK_NULL_HANDLE;
    VK_TRY(device, AllocateCommandBuffers(device->handle, &info, commands));
    VK_TRY(device, BeginCommandBuffer(*commands, &begin));
    return SHW_OK;

fail:
    shw_submit_abandon(device, *commands);
    return result;
}

/* Waking up may take longer than a short submission, so it polls for a while first, unless the device is the CPU
 * itself. */
enum shw_result shw_submit_wait_fence(struct shw_device *device, VkFence fence)
{
    double end = shw_clock() + SPIN_SECONDS;

    while (device->properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU && shw_clock() < end) {
        VkResult status = device->vk.GetFenceStatus(device->handle, fence);
        if (status != VK_NOT_READY)
            return status == VK_SUCCESS ? SHW_OK : shw_vk_fail(device, status, "vkGetFenceStatus");
        sched_yield();
    }
    VK_PROPAGATE(device, WaitForFences(device->handle, 1, &fence, VK_TRUE, UINT64_MAX));
    return SHW_OK;
}

enum shw_result shw_submit_wait(struct shw_device *device, VkCommandBuffer commands)
{
    VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence = VK_NULL_HANDLE;
    enum shw_result result = SHW_OK;

    VK_TRY(device, EndCommandBuffer(commands));
    VK_TRY(device, CreateFence(device->handle, &info, device->allocator, &fence));
    VK_TRY(device, QueueSubmit(device->own->queue, 1, &submit, fence));
    SHW_TRY(shw_submit_wait_fence(device, fence));

fail:
    if (fence != VK_NULL_HANDLE)
        device->vk.DestroyFence(device->handle, fence, device->allocator);
    shw_submit_abandon(device, commands);
    return result;
}

void shw_submit_abandon(struct shw_device *device, VkCommandBuffer commands)
{
    if (commands != VK_NULL_HANDLE)
        device->vk.FreeCommandBuffers(device->handle, device->own->pool, 1, &commands);
    pthread_mutex_unlock(&device->own->mutex);
}
