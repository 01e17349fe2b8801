#include "vulkan/loader.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
const char shw_vk_loader_name[] = "vulkan-1.dll";
static const char *const others[] = {NULL};
#elif defined(__APPLE__)
const char shw_vk_loader_name[] = "libvulkan.1.dylib";
static const char *const others[] = {"libMoltenVK.dylib", NULL};
#else
const char shw_vk_loader_name[] = "libvulkan.so.1";
static const char *const others[] = {NULL};
#endif

void *shw_vk_open_loader(PFN_vkGetInstanceProcAddr *get)
{
    void *library = dlopen(shw_vk_loader_name, RTLD_NOW | RTLD_LOCAL), *symbol;

    for (size_t i = 0; library == NULL && others[i] != NULL; i++)
        library = dlopen(others[i], RTLD_NOW | RTLD_LOCAL);
    symbol = library != NULL ? dlsym(library, "vkGetInstanceProcAddr") : NULL;
    memcpy(get, &symbol, sizeof symbol);
    return library;
}

void shw_vk_close_loader(void *library)
{
    if (library != NULL)
        dlclose(library);
}

static bool has(const VkExtensionProperties *extensions, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(extensions[i].extensionName, name) == 0)
            return true;
    return false;
}

void shw_vk_enumerate_subsets(PFN_vkGetInstanceProcAddr get, const char **extensions, VkInstanceCreateInfo *info)
{
    PFN_vkEnumerateInstanceExtensionProperties enumerate =
        (PFN_vkEnumerateInstanceExtensionProperties)get(NULL, "vkEnumerateInstanceExtensionProperties");
    uint32_t count = 0;
    VkExtensionProperties *all = NULL;

    if (enumerate != NULL && enumerate(NULL, &count, NULL) == VK_SUCCESS && count > 0)
        all = calloc(count, sizeof *all);
    if (all != NULL && enumerate(NULL, &count, all) >= VK_SUCCESS &&
        has(all, count, VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME)) {
        extensions[info->enabledExtensionCount++] = VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME;
        info->ppEnabledExtensionNames = extensions;
        info->flags |= VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
    }
    free(all);
}

const char *shw_vk_subset_extension(PFN_vkGetInstanceProcAddr get, VkInstance instance, VkPhysicalDevice physical)
{
    static const char name[] = "VK_KHR_portability_subset";
    PFN_vkEnumerateDeviceExtensionProperties enumerate =
        (PFN_vkEnumerateDeviceExtensionProperties)get(instance, "vkEnumerateDeviceExtensionProperties");
    uint32_t count = 0;
    VkExtensionProperties *all = NULL;
    bool is_subset;

    if (enumerate != NULL && enumerate(physical, NULL, &count, NULL) == VK_SUCCESS && count > 0)
        all = calloc(count, sizeof *all);
    is_subset = all != NULL && enumerate(physical, NULL, &count, all) >= VK_SUCCESS && has(all, count, name);
    free(all);
    return is_subset ? name : NULL;
}
