#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vulkan/device.h"
#include "vulkan/names.h"
#include "vulkan/requirements.h"

enum shw_result shw_vk_fail(const struct shw_device *device, VkResult vk_result, const char *call)
{
    int length = (int)strcspn(call, "(");

    switch (vk_result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
        return shw_fail(&device->log, SHW_ERROR_MEMORY, SHW_LOG_OUT_OF_MEMORY, "%.*s: out of host memory", length,
                        call);
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
        return shw_fail(&device->log, SHW_ERROR_DEVICE_MEMORY, SHW_LOG_OUT_OF_MEMORY, "%.*s: out of device memory",
                        length, call);
    case VK_ERROR_DEVICE_LOST:
        return shw_fail(&device->log, SHW_ERROR_DEVICE_LOST, SHW_LOG_VULKAN_CALL, "%.*s: the device is lost", length,
                        call);
    default:
        return shw_fail(&device->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_VULKAN_CALL, "%.*s failed with %s", length, call,
                        shw_vk_result_text(vk_result).text);
    }
}

void shw_vk_name(const struct shw_device *device, VkObjectType type, uint64_t handle, const char *format, ...)
{
    VkDebugUtilsObjectNameInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, .objectType = type, .objectHandle = handle};
    char name[128];
    va_list arguments;

    if (device->vk.SetDebugUtilsObjectNameEXT == NULL || handle == 0)
        return;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    info.pObjectName = name;
    device->vk.SetDebugUtilsObjectNameEXT(device->handle, &info);
}

static enum shw_result check_extensions(const struct shw_log *log, const char *of, const char *const *names,
                                        uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (names == NULL || names[i] == NULL)
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%u extensions of the %s, but name %u is NULL",
                            count, of, i);
    return SHW_OK;
}

static enum shw_result check_params(const struct shw_device_import_params *params)
{
    const struct shw_log *log = &params->log;

    if (params->instance == VK_NULL_HANDLE || params->physical_device == VK_NULL_HANDLE ||
        params->device == VK_NULL_HANDLE)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "instance, physical_device and device must be given");
    if (params->get_instance_proc_addr == NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "get_instance_proc_addr must be given");
    if ((params->memory.allocate == NULL) != (params->memory.release == NULL))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "memory hooks: give both or neither");
    if (params->api_version != 0 && params->api_version < shw_requirements_get()->api_version)
        return shw_fail(log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                        "the instance is of Vulkan %u.%u; %u.%u is needed", VK_API_VERSION_MAJOR(params->api_version),
                        VK_API_VERSION_MINOR(params->api_version),
                        VK_API_VERSION_MAJOR(shw_requirements_get()->api_version),
                        VK_API_VERSION_MINOR(shw_requirements_get()->api_version));
    SHW_PROPAGATE(check_extensions(log, "instance", params->instance_extensions, params->instance_extension_count));
    return check_extensions(log, "device", params->device_extensions, params->device_extension_count);
}

static bool is_listed(const char *const *names, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static bool is_device_extension(const struct shw_device_import_params *params, const char *name)
{
    return is_listed(params->device_extensions, params->device_extension_count, name);
}

static struct shw_enabled find_enabled(const struct shw_device_import_params *params, uint32_t device_version)
{
    uint32_t instance_version = params->api_version != 0 ? params->api_version : shw_requirements_get()->api_version;
    struct shw_enabled enabled = shw_vk_enabled(instance_version, device_version);

    enabled.names =
        is_listed(params->instance_extensions, params->instance_extension_count, VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    enabled.subgroup_sizes |= is_device_extension(params, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
    enabled.driver_properties |= is_device_extension(params, VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME);
    return enabled;
}

static enum shw_result check_queue_family(struct shw_device *device)
{
    VkQueueFamilyProperties families[32];
    uint32_t count = sizeof families / sizeof *families;
    VkQueueFlags required = shw_requirements_get()->queue_flags;

    device->vk.GetPhysicalDeviceQueueFamilyProperties(device->physical, &count, families);
    if (device->queue_family >= count)
        return shw_fail(&device->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no queue family %u",
                        device->queue_family);
    if ((families[device->queue_family].queueFlags & required) != required)
        return shw_fail(&device->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT, "queue family %u lacks compute",
                        device->queue_family);
    device->has_graphics = (families[device->queue_family].queueFlags & shw_requirements_get()->image_queue_flags) != 0;
    device->timestamp_bits = families[device->queue_family].timestampValidBits;
    return SHW_OK;
}

/* Without a feature that would have to be enabled, the size of subgroups can only be relied on where there is one. */
static struct shw_subgroup find_subgroup(const struct shw_device *device)
{
    VkPhysicalDeviceSubgroupSizeControlProperties sizes = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES};
    VkPhysicalDeviceSubgroupProperties subgroup = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES,
                                                   .pNext = &sizes};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &subgroup};

    if (!device->enabled.subgroup_sizes)
        return (struct shw_subgroup){0};
    device->vk.GetPhysicalDeviceProperties2(device->physical, &properties);
    if (sizes.minSubgroupSize != sizes.maxSubgroupSize || (subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) == 0)
        return (struct shw_subgroup){0};
    return (struct shw_subgroup){subgroup.subgroupSize, subgroup.supportedOperations};
}

enum shw_result shw_device_import_abi(uint32_t abi, const struct shw_device_import_params *params,
                                      struct shw_device **out)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(NULL, params);
    SHW_REFUSE_NULL(&params->log, out);

    struct shw_device *device;
    struct shw_device_description description;
    VkPhysicalDeviceProperties plain;
    VkPhysicalDeviceMaintenance3Properties allocations = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &allocations};
    const char *missing;
    enum shw_result result = SHW_OK;

    SHW_PROPAGATE(check_params(params));
    device = calloc(1, sizeof *device);
    if (device == NULL)
        return shw_fail_memory(&params->log, "a device");
    device->log = params->log;
    device->physical = params->physical_device;
    device->handle = params->device;
    device->queue_family = params->queue_family;
    device->pipeline_cache = params->pipeline_cache;
    device->memory_hooks = params->memory;
    if (params->features != NULL)
        device->features = *params->features;
    if (params->allocator != NULL) {
        device->allocator_storage = *params->allocator;
        device->allocator = &device->allocator_storage;
    }

    missing = shw_vk_load_instance(&device->vk, params->get_instance_proc_addr, params->instance);
    if (missing == NULL)
        missing = shw_vk_load_device(&device->vk, params->device);
    if (missing != NULL) {
        result = shw_fail(&device->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT, "the device lacks the function %s",
                          missing);
        goto fail;
    }
    device->vk.GetPhysicalDeviceProperties(device->physical, &plain);
    device->enabled = find_enabled(params, plain.apiVersion);
    if (device->enabled.names)
        shw_vk_load_names(&device->vk, device->handle);
    shw_vk_describe(&device->vk, device->physical, &device->enabled, &description);
    if (!description.meets_requirements) {
        result = shw_fail(&device->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT, "%s lacks %s", description.name,
                          description.missing);
        goto fail;
    }
    SHW_TRY(check_queue_family(device));
    device->vk.GetPhysicalDeviceProperties2(device->physical, &properties);
    device->properties = properties.properties;
    device->allocation_max = allocations.maxMemoryAllocationSize;
    device->subgroup = find_subgroup(device);
    device->vk.GetPhysicalDeviceMemoryProperties(device->physical, &device->memory);
    shw_log_message(&device->log, SHW_LOG_INFO, SHW_LOG_DEVICE_INFO, "device %s, %s", description.name,
                    description.driver);
    shw_program_cache_create(&device->programs);
    *out = device;
    return SHW_OK;

fail:
    free(device);
    return result;
}
