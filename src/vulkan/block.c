#include "vulkan/block.h"

/* Types with other properties are for what must be enabled first, such as protected memory or AMD's memory that is
   coherent on the device; for each there is one without. */
#define USABLE                                                                                                         \
    (VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |                                       \
     VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT)

/* The first memory type among `allowed` with all of `wanted`, or UINT32_MAX. */
static uint32_t find_type(const struct shw_device *device, uint32_t allowed, VkMemoryPropertyFlags wanted)
{
    for (uint32_t i = 0; i < device->memory.memoryTypeCount; i++)
        if ((allowed >> i & 1) != 0 && (device->memory.memoryTypes[i].propertyFlags & wanted) == wanted)
            return i;
    return UINT32_MAX;
}

uint32_t shw_block_types(const struct shw_device *device, uint32_t bits, enum shw_memory_kind kind, uint32_t *type)
{
    static const VkMemoryPropertyFlags coherent =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    static const struct {
        VkMemoryPropertyFlags best, needed;
    } preferences[] = {
        [SHW_MEMORY_DEVICE] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0},
        [SHW_MEMORY_UPLOAD] = {coherent, coherent},
        [SHW_MEMORY_TABLE] = {coherent | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, coherent},
        [SHW_MEMORY_READBACK] = {coherent | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, coherent},
    };
    VkMemoryPropertyFlags needed = preferences[kind].needed;
    uint32_t types = 0;

    for (uint32_t i = 0; i < device->memory.memoryTypeCount; i++) {
        VkMemoryPropertyFlags flags = device->memory.memoryTypes[i].propertyFlags;
        if ((bits >> i & 1) != 0 && (flags & needed) == needed && (flags & ~(VkMemoryPropertyFlags)USABLE) == 0)
            types |= 1u << i;
    }
    *type = find_type(device, types, preferences[kind].best);
    if (*type == UINT32_MAX)
        *type = find_type(device, types, needed);
    return types;
}

static VkResult allocate(struct shw_device *device, const struct shw_memory_request *request,
                         struct shw_memory_block *block)
{
    VkMemoryDedicatedAllocateInfo dedicated = {.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
                                               .image = request->dedicated_image,
                                               .buffer = request->dedicated_buffer};
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .allocationSize = request->requirements.size,
                                 .memoryTypeIndex = request->memory_type};
    VkResult result;

    if (request->dedicated_image != VK_NULL_HANDLE || request->dedicated_buffer != VK_NULL_HANDLE)
        info.pNext = &dedicated;
    result = device->vk.AllocateMemory(device->handle, &info, device->allocator, &block->memory);
    if (result == VK_SUCCESS && request->mapped)
        result = device->vk.MapMemory(device->handle, block->memory, 0, VK_WHOLE_SIZE, 0, &block->mapped);
    return result;
}

enum shw_result shw_block_allocate(struct shw_device *device, const struct shw_memory_request *request,
                                   const char *name, bool quiet, struct shw_memory_block *block)
{
    const struct shw_memory_hooks *hooks = &device->memory_hooks;
    VkResult result;

    *block = (struct shw_memory_block){0};
    result = hooks->allocate != NULL ? hooks->allocate(hooks->user, request, block) : allocate(device, request, block);
    if (result == VK_SUCCESS && request->mapped && block->mapped == NULL) {
        shw_block_release(device, block);
        return shw_fail(&device->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "the memory hook has returned unmapped memory for %s, which the host writes or reads", name);
    }
    if (result == VK_SUCCESS)
        return SHW_OK;
    if (hooks->allocate == NULL)
        shw_block_release(device, block); /* allocated, but could not be mapped */
    *block = (struct shw_memory_block){0};
    if (result == VK_ERROR_OUT_OF_HOST_MEMORY)
        return shw_vk_fail(device, result, "vkAllocateMemory");
    if (quiet)
        return SHW_ERROR_DEVICE_MEMORY;
    return shw_fail(&device->log, SHW_ERROR_DEVICE_MEMORY, SHW_LOG_OUT_OF_MEMORY,
                    "not enough device memory for %s (%llu bytes)", name,
                    (unsigned long long)request->requirements.size);
}

void shw_block_release(struct shw_device *device, struct shw_memory_block *block)
{
    if (block->memory != VK_NULL_HANDLE && device->memory_hooks.release != NULL)
        device->memory_hooks.release(device->memory_hooks.user, block);
    else if (block->memory != VK_NULL_HANDLE)
        device->vk.FreeMemory(device->handle, block->memory, device->allocator);
    *block = (struct shw_memory_block){0};
}
