/* Vulkan's enumerators by name, for messages. */
#ifndef SHW_VULKAN_NAMES_H
#define SHW_VULKAN_NAMES_H

#include <vulkan/vulkan_core.h>

struct shw_vk_text {
    char text[64];
};

/* "VK_FORMAT_R8_UNORM", and of a value that has no name here "VkFormat 1000464000". */
struct shw_vk_text shw_vk_format_text(VkFormat format);

/* "VK_ERROR_INCOMPATIBLE_DRIVER" or "VkResult -1000000000". */
struct shw_vk_text shw_vk_result_text(VkResult result);

#endif
