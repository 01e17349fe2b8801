/* Submission to devices that the library created. */
#ifndef SHW_VULKAN_SUBMIT_H
#define SHW_VULKAN_SUBMIT_H

#include "vulkan/device.h"

/* Begins a command buffer. The device's queue and command pool belong to the caller until shw_submit_wait() or
 * shw_submit_abandon(). Errors: ARGUMENT for an imported device, MEMORY, DEVICE_MEMORY. */
enum shw_result shw_submit_begin(struct shw_device *device, VkCommandBuffer *commands);

/* Ends the command buffer, submits it, waits for it and frees it. Errors: MEMORY, DEVICE_MEMORY, DEVICE_LOST. */
enum shw_result shw_submit_wait(struct shw_device *device, VkCommandBuffer commands);

/* Waits for a fence of something that was submitted. Errors: MEMORY, DEVICE_MEMORY, DEVICE_LOST. */
enum shw_result shw_submit_wait_fence(struct shw_device *device, VkFence fence);

/* Frees the command buffer without submitting it. */
void shw_submit_abandon(struct shw_device *device, VkCommandBuffer commands);

#endif
