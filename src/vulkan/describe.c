#include "vulkan/requirements.h"

#include <stdio.h>
#include <string.h>

const struct shw_requirements *shw_requirements_get(void)
{
    static const struct shw_requirements requirements = {
        .api_version = VK_API_VERSION_1_1,
        .queue_flags = VK_QUEUE_COMPUTE_BIT,
        .image_queue_flags = VK_QUEUE_GRAPHICS_BIT,
    };

    return &requirements;
}

uint32_t shw_vk_queue_family(const struct shw_vk *vk, VkPhysicalDevice physical, VkQueueFamilyProperties *family)
{
    const struct shw_requirements *requirements = shw_requirements_get();
    const VkQueueFlags wanted[] = {requirements->queue_flags | requirements->image_queue_flags,
                                   requirements->queue_flags};
    VkQueueFamilyProperties families[32];
    uint32_t count = sizeof families / sizeof *families;

    vk->GetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
    for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++)
        for (uint32_t i = 0; i < count; i++)
            if ((families[i].queueFlags & wanted[w]) == wanted[w]) {
                *family = families[i];
                return i;
            }
    *family = (VkQueueFamilyProperties){0};
    return UINT32_MAX;
}

uint32_t shw_vk_transfer_family(const struct shw_vk *vk, VkPhysicalDevice physical)
{
    /* Families of video engines and the like can copy, too, but are not for that. */
    const VkQueueFlags others = ~(VkQueueFlags)(VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT);
    VkQueueFamilyProperties families[32];
    uint32_t count = sizeof families / sizeof *families;

    vk->GetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
    for (uint32_t i = 0; i < count; i++)
        if ((families[i].queueFlags & VK_QUEUE_TRANSFER_BIT) != 0 && (families[i].queueFlags & others) == 0)
            return i;
    return UINT32_MAX;
}

struct shw_enabled shw_vk_enabled(uint32_t instance_version, uint32_t device_version)
{
    uint32_t version = instance_version < device_version ? instance_version : device_version;

    return (struct shw_enabled){.version = version,
                                .subgroup_sizes = version >= VK_API_VERSION_1_3,
                                .driver_properties = version >= VK_API_VERSION_1_2};
}

/* Mesa, NVIDIA and the specification encode driver versions differently; the driver's own text is always right. */
static void describe_driver(const struct shw_vk *vk, VkPhysicalDevice physical, const struct shw_enabled *enabled,
                            struct shw_device_description *description)
{
    VkPhysicalDeviceSubgroupProperties subgroup = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
    VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
                                               .pNext = &subgroup};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &driver};

    if (!enabled->driver_properties)
        properties.pNext = &subgroup;
    vk->GetPhysicalDeviceProperties2(physical, &properties);
    description->subgroup_size = subgroup.subgroupSize;
    if (driver.driverName[0] != '\0')
        snprintf(description->driver, sizeof description->driver, "%s %s", driver.driverName, driver.driverInfo);
    else
        snprintf(description->driver, sizeof description->driver, "version 0x%08x",
                 (unsigned)description->driver_version);
}

static void describe_memory(const struct shw_vk *vk, VkPhysicalDevice physical,
                            struct shw_device_description *description)
{
    VkPhysicalDeviceMemoryProperties memory;

    vk->GetPhysicalDeviceMemoryProperties(physical, &memory);
    for (uint32_t i = 0; i < memory.memoryHeapCount; i++)
        if ((memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0 &&
            memory.memoryHeaps[i].size > description->memory_bytes)
            description->memory_bytes = memory.memoryHeaps[i].size;
}

void shw_vk_describe(const struct shw_vk *vk, VkPhysicalDevice physical, const struct shw_enabled *given,
                     struct shw_device_description *description)
{
    struct shw_enabled enabled;
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceFeatures features;
    VkFormatProperties float_format;
    VkQueueFamilyProperties queues;
    uint32_t family;

    memset(description, 0, sizeof *description);
    vk->GetPhysicalDeviceProperties(physical, &properties);
    vk->GetPhysicalDeviceFeatures(physical, &features);
    vk->GetPhysicalDeviceFormatProperties(physical, VK_FORMAT_R32_SFLOAT, &float_format);
    family = shw_vk_queue_family(vk, physical, &queues);
    enabled = given != NULL ? *given : shw_vk_enabled(SHW_VULKAN_NEWEST, properties.apiVersion);

    snprintf(description->name, sizeof description->name, "%s", properties.deviceName);
    description->vendor_id = properties.vendorID;
    description->device_id = properties.deviceID;
    description->api_version = properties.apiVersion;
    description->driver_version = properties.driverVersion;
    memcpy(description->pipeline_cache_uuid, properties.pipelineCacheUUID, sizeof description->pipeline_cache_uuid);
    description->is_cpu = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    description->image_size_max = properties.limits.maxImageDimension2D;
    description->array_layers_max = properties.limits.maxImageArrayLayers;
    description->colour_attachments_max = properties.limits.maxColorAttachments;
    description->storage_buffer_range_max = properties.limits.maxStorageBufferRange;
    description->shared_memory_bytes = properties.limits.maxComputeSharedMemorySize;
    description->blends_r32_sfloat =
        (float_format.optimalTilingFeatures & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT) != 0;
    description->int64 = features.shaderInt64 != 0;
    description->has_graphics = (queues.queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0;
    description->timestamp_period_ns = queues.timestampValidBits > 0 ? (double)properties.limits.timestampPeriod : 0;
    describe_memory(vk, physical, description);

    if (properties.apiVersion < shw_requirements_get()->api_version)
        snprintf(description->missing, sizeof description->missing, "Vulkan %u.%u (the device has %u.%u)",
                 VK_API_VERSION_MAJOR(shw_requirements_get()->api_version),
                 VK_API_VERSION_MINOR(shw_requirements_get()->api_version), VK_API_VERSION_MAJOR(properties.apiVersion),
                 VK_API_VERSION_MINOR(properties.apiVersion));
    else if (family == UINT32_MAX)
        snprintf(description->missing, sizeof description->missing, "a queue family with compute");
    else
        describe_driver(vk, physical, &enabled, description);
    description->meets_requirements = description->missing[0] == '\0';
}

void shw_device_describe(const struct shw_device *device, struct shw_device_description *description)
{
    if (description != NULL && device == NULL)
        *description = (struct shw_device_description){0};
    if (description == NULL || device == NULL)
        return;
    shw_vk_describe(&device->vk, device->physical, &device->enabled, description);
    description->has_graphics = device->has_graphics;
}
