/* Requirements and descriptions of devices. */
#ifndef SHW_VULKAN_REQUIREMENTS_H
#define SHW_VULKAN_REQUIREMENTS_H

#include "vulkan/device.h"

/* The newest version that anything here knows how to use: own instances are of it. */
#define SHW_VULKAN_NEWEST VK_API_VERSION_1_3

/* What an instance of that version may use of a device, without extensions. */
struct shw_enabled shw_vk_enabled(uint32_t instance_version, uint32_t device_version);

/* Describes a physical device through the instance part of `vk`, which must be of SHW_VULKAN_NEWEST unless `enabled`
 * says what may be used. */
void shw_vk_describe(const struct shw_vk *vk, VkPhysicalDevice physical, const struct shw_enabled *enabled,
                     struct shw_device_description *description);

/* The first queue family that serves all techniques, or else the first that serves some, and its properties;
 * UINT32_MAX: there is none. */
uint32_t shw_vk_queue_family(const struct shw_vk *vk, VkPhysicalDevice physical, VkQueueFamilyProperties *family);

/* The first queue family for copies alone; UINT32_MAX: there is none. */
uint32_t shw_vk_transfer_family(const struct shw_vk *vk, VkPhysicalDevice physical);

#endif
