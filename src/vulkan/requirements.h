/* Requirements and descriptions of devices. */
#ifndef SHW_VULKAN_REQUIREMENTS_H
#define SHW_VULKAN_REQUIREMENTS_H

#include "vulkan/device.h"

/* Describes a physical device through the instance part of `vk`. */
void shw_vk_describe(const struct shw_vk *vk, VkPhysicalDevice physical, struct shw_device_description *description);

/* The first queue family that has all the required flags, or UINT32_MAX. */
uint32_t shw_vk_queue_family(const struct shw_vk *vk, VkPhysicalDevice physical, uint32_t *timestamp_bits);

#endif
