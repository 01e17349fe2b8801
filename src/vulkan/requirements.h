/* Requirements and descriptions of devices. */
#ifndef SHW_VULKAN_REQUIREMENTS_H
#define SHW_VULKAN_REQUIREMENTS_H

#include "vulkan/device.h"

/* Describes a physical device through the instance part of `vk`. */
void shw_vk_describe(const struct shw_vk *vk, VkPhysicalDevice physical, struct shw_device_description *description);

/* The first queue family that serves all techniques, or else the first that serves some, and its properties;
 * UINT32_MAX: there is none. */
uint32_t shw_vk_queue_family(const struct shw_vk *vk, VkPhysicalDevice physical, VkQueueFamilyProperties *family);

/* The first queue family for copies alone; UINT32_MAX: there is none. */
uint32_t shw_vk_transfer_family(const struct shw_vk *vk, VkPhysicalDevice physical);

#endif
