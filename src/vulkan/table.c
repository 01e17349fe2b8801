#include "vulkan/table.h"

#include <stddef.h>

const char *shw_vk_load_instance(struct shw_vk *vk, PFN_vkGetInstanceProcAddr get, VkInstance instance)
{
#define LOAD(name)                                                                                                     \
    vk->name = (PFN_vk##name)get(instance, "vk" #name);                                                                \
    if (vk->name == NULL)                                                                                              \
        return "vk" #name;
    SHW_VK_INSTANCE_FUNCTIONS(LOAD)
#undef LOAD
    return NULL;
}

const char *shw_vk_load_device(struct shw_vk *vk, VkDevice device)
{
#define LOAD(name)                                                                                                     \
    vk->name = (PFN_vk##name)vk->GetDeviceProcAddr(device, "vk" #name);                                                \
    if (vk->name == NULL)                                                                                              \
        return "vk" #name;
    SHW_VK_DEVICE_FUNCTIONS(LOAD)
#undef LOAD
    return NULL;
}

void shw_vk_load_names(struct shw_vk *vk, VkDevice device)
{
    vk->SetDebugUtilsObjectNameEXT =
        (PFN_vkSetDebugUtilsObjectNameEXT)vk->GetDeviceProcAddr(device, "vkSetDebugUtilsObjectNameEXT");
}
