/* The Vulkan loader of the system, and devices that have a subset of Vulkan (MoltenVK). */
#ifndef SHW_VULKAN_LOADER_H
#define SHW_VULKAN_LOADER_H

#include <stdbool.h>

#include <shadewood/device.h>

/* Of the library, for messages. */
extern const char shw_vk_loader_name[];

/* Loads it: *get becomes its function, or NULL if the library is no loader. Returns its handle for
 * shw_vk_close_loader(); NULL: it was not found. */
void *shw_vk_open_loader(PFN_vkGetInstanceProcAddr *get);

/* Accepts NULL. */
void shw_vk_close_loader(void *library);

/* Asks for devices with a subset of Vulkan, too, where the loader knows them: adds its extension to `extensions`, an
 * array of info->enabledExtensionCount elements with room for one more. */
void shw_vk_enumerate_subsets(PFN_vkGetInstanceProcAddr get, const char **extensions, VkInstanceCreateInfo *info);

/* The extension that must be enabled on a device with a subset of Vulkan; NULL: it has all. */
const char *shw_vk_subset_extension(PFN_vkGetInstanceProcAddr get, VkInstance instance, VkPhysicalDevice physical);

#endif
