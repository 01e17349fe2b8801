#include "testing/poison.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES_MAX = 4, BYTES_MAX = 32 << 20 }; /* more would take time */

static struct poisoned {
    VkDevice handle;
    VkPhysicalDeviceMemoryProperties memory;
    PFN_vkAllocateMemory allocate;
    PFN_vkMapMemory map;
    PFN_vkUnmapMemory unmap;
} devices[DEVICES_MAX];

static struct poisoned *find(VkDevice handle)
{
    for (int i = 0; i < DEVICES_MAX; i++)
        if (devices[i].handle == handle)
            return &devices[i];
    abort();
}

static VKAPI_ATTR VkResult VKAPI_CALL allocate(VkDevice handle, const VkMemoryAllocateInfo *info,
                                               const VkAllocationCallbacks *allocator, VkDeviceMemory *memory)
{
    static const uint8_t patterns[] = {0xa5, 0xff, 0x01, 0x80};
    static atomic_uint next;
    const struct poisoned *device = find(handle);
    VkResult result = device->allocate(handle, info, allocator, memory);
    VkDeviceSize size = info->allocationSize < BYTES_MAX ? info->allocationSize : BYTES_MAX;
    void *mapped;

    if (result != VK_SUCCESS ||
        (device->memory.memoryTypes[info->memoryTypeIndex].propertyFlags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) == 0)
        return result;
    if (device->map(handle, *memory, 0, VK_WHOLE_SIZE, 0, &mapped) == VK_SUCCESS) {
        memset(mapped, patterns[next++ % sizeof patterns], (size_t)size);
        device->unmap(handle, *memory);
    }
    return result;
}

void testing_poison(struct shw_device *device)
{
    struct poisoned *poisoned = find(VK_NULL_HANDLE);

    *poisoned = (struct poisoned){.handle = device->handle,
                                  .memory = device->memory,
                                  .allocate = device->vk.AllocateMemory,
                                  .map = device->vk.MapMemory};
    poisoned->unmap = (PFN_vkUnmapMemory)device->vk.GetDeviceProcAddr(device->handle, "vkUnmapMemory");
    device->vk.AllocateMemory = allocate;
}
