#include "vulkan/device.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vulkan/formats.h"
#include "vulkan/loader.h"
#include "vulkan/program.h"

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

/* Functions of what is enabled: that they can be found does not say that they may be called. Those of extensions that
 * are in a later version have one of two names. Returns the name of the first that is missing, or NULL. */
static const char *load_enabled(struct shw_vk *vk, VkDevice device, const struct shw_enabled *enabled)
{
#define LOAD_IF(condition, name, other)                                                                                \
    if (condition)                                                                                                     \
        vk->name = (PFN_vk##name)vk->GetDeviceProcAddr(device, other);                                                 \
    if ((condition) && vk->name == NULL)                                                                               \
        return other;
    const bool core = enabled->version >= VK_API_VERSION_1_3;

    if (enabled->names) /* not missed */
        vk->SetDebugUtilsObjectNameEXT =
            (PFN_vkSetDebugUtilsObjectNameEXT)vk->GetDeviceProcAddr(device, "vkSetDebugUtilsObjectNameEXT");
    LOAD_IF(enabled->synchronization2, CmdPipelineBarrier2, core ? "vkCmdPipelineBarrier2" : "vkCmdPipelineBarrier2KHR")
    LOAD_IF(enabled->synchronization2, QueueSubmit2, core ? "vkQueueSubmit2" : "vkQueueSubmit2KHR")
    LOAD_IF(enabled->external_fd, GetMemoryFdKHR, "vkGetMemoryFdKHR")
    LOAD_IF(enabled->external_fd, GetMemoryFdPropertiesKHR, "vkGetMemoryFdPropertiesKHR")
    LOAD_IF(enabled->modifiers, GetImageDrmFormatModifierPropertiesEXT, "vkGetImageDrmFormatModifierPropertiesEXT")
#undef LOAD_IF
    return NULL;
}

/* Requirements and descriptions. */

const struct shw_requirements *shw_requirements_get(void)
{
    static const struct shw_requirements requirements = {
        .api_version = VK_API_VERSION_1_1,
        .queue_flags = VK_QUEUE_COMPUTE_BIT,
        .image_queue_flags = VK_QUEUE_GRAPHICS_BIT,
    };

    return &requirements;
}

/* The first queue family that serves all techniques, or else the first that serves some, and its properties;
 * UINT32_MAX: there is none. */
static uint32_t find_queue_family(const struct shw_vk *vk, VkPhysicalDevice physical, VkQueueFamilyProperties *family)
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

/* The first queue family for copies alone; UINT32_MAX: there is none. */
static uint32_t find_transfer_family(const struct shw_vk *vk, VkPhysicalDevice physical)
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

/* What an instance of that version may use of a device, without extensions. */
static struct shw_enabled enabled_by(uint32_t instance_version, uint32_t device_version)
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

/* Describes a physical device through the instance part of `vk`, which must be of SHW_VULKAN_NEWEST unless `enabled`
 * says what may be used. */
static void describe_device(const struct shw_vk *vk, VkPhysicalDevice physical, const struct shw_enabled *given,
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
    family = find_queue_family(vk, physical, &queues);
    enabled = given != NULL ? *given : enabled_by(SHW_VULKAN_NEWEST, properties.apiVersion);

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
    describe_device(&device->vk, device->physical, &device->enabled, description);
    description->has_graphics = device->has_graphics;
}

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
                        "the instance has Vulkan %u.%u; %u.%u is needed", VK_API_VERSION_MAJOR(params->api_version),
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
    struct shw_enabled enabled = enabled_by(instance_version, device_version);

    enabled.names =
        is_listed(params->instance_extensions, params->instance_extension_count, VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    enabled.subgroup_sizes |= is_device_extension(params, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
    enabled.driver_properties |= is_device_extension(params, VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME);
    enabled.synchronization2 = params->synchronization2;
    enabled.storage_16bit = params->storage_buffer_16bit;
    enabled.external_fd = is_device_extension(params, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
    enabled.dma_buf = is_device_extension(params, VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME);
    enabled.modifiers = is_device_extension(params, VK_EXT_IMAGE_DRM_FORMAT_MODIFIER_EXTENSION_NAME);
    enabled.foreign_queue = is_device_extension(params, VK_EXT_QUEUE_FAMILY_FOREIGN_EXTENSION_NAME);
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
    if (missing == NULL) {
        device->vk.GetPhysicalDeviceProperties(device->physical, &plain);
        device->enabled = find_enabled(params, plain.apiVersion);
        missing = load_enabled(&device->vk, device->handle, &device->enabled);
    }
    if (missing != NULL) {
        result = shw_fail(&device->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT, "the device lacks the function %s",
                          missing);
        goto fail;
    }
    describe_device(&device->vk, device->physical, &device->enabled, &description);
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

/* The loader, and the instance created with it. */
struct instance {
    void *library;
    PFN_vkGetInstanceProcAddr get;
    VkInstance handle;
    PFN_vkDestroyInstance destroy;
};

static const char validation_layer[] = "VK_LAYER_KHRONOS_validation";

#define VALIDATION_EXTENSIONS 2u
static const char *const validation_extensions[VALIDATION_EXTENSIONS] = {"VK_EXT_debug_utils",
                                                                         "VK_EXT_validation_features"};

static VKAPI_ATTR VkBool32 VKAPI_CALL receive_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                      VkDebugUtilsMessageTypeFlagsEXT types,
                                                      const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    const struct shw_log *log = user;

    if ((types & VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT) != 0 &&
        severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT)
        shw_log_message(log, SHW_LOG_ERROR, SHW_LOG_VULKAN_VALIDATION, "%s", data->pMessage);
    return VK_FALSE;
}

static bool has_validation_layer(PFN_vkGetInstanceProcAddr get)
{
    PFN_vkEnumerateInstanceLayerProperties enumerate =
        (PFN_vkEnumerateInstanceLayerProperties)get(NULL, "vkEnumerateInstanceLayerProperties");
    VkLayerProperties layers[64];
    uint32_t count = sizeof layers / sizeof *layers;

    if (enumerate == NULL || enumerate(&count, layers) < VK_SUCCESS)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(layers[i].layerName, validation_layer) == 0)
            return true;
    return false;
}

static void close_instance(struct instance *instance)
{
    if (instance->handle != VK_NULL_HANDLE)
        instance->destroy(instance->handle, NULL);
    shw_vk_close_loader(instance->library);
    *instance = (struct instance){0};
}

static VkDebugUtilsMessengerCreateInfoEXT messenger_info(struct shw_log *log)
{
    return (VkDebugUtilsMessengerCreateInfoEXT){
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity =
            VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = receive_message,
        .pUserData = log,
    };
}

/* A non-null `validation_log` enables the validation layers, which write to it; it must outlive the instance. */
static enum shw_result open_instance(const struct shw_log *log, struct shw_log *validation_log,
                                     struct instance *instance)
{
    static const VkValidationFeatureEnableEXT enabled[] = {VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
    static const char *const layers[] = {validation_layer};
    VkApplicationInfo application = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pEngineName = "Shadewood", .apiVersion = SHW_VULKAN_NEWEST};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    const char *extensions[VALIDATION_EXTENSIONS + 1];
    VkDebugUtilsMessengerCreateInfoEXT messenger;
    VkValidationFeaturesEXT features = {.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
                                        .enabledValidationFeatureCount = 1,
                                        .pEnabledValidationFeatures = enabled};
    PFN_vkCreateInstance create;
    enum shw_result result;
    VkResult vk_result;

    *instance = (struct instance){0};
    instance->library = shw_vk_open_loader(&instance->get);
    if (instance->library == NULL) {
        result = shw_fail(log, SHW_ERROR_NO_DEVICE, SHW_LOG_NO_DEVICE,
                          "no Vulkan loader (%s): install it, or use the technique cpu", shw_vk_loader_name);
        goto fail;
    }
    create = instance->get != NULL ? (PFN_vkCreateInstance)instance->get(NULL, "vkCreateInstance") : NULL;
    if (create == NULL) {
        result = shw_fail(log, SHW_ERROR_NO_DEVICE, SHW_LOG_NO_DEVICE, "%s is not a Vulkan loader", shw_vk_loader_name);
        goto fail;
    }
    if (validation_log != NULL) {
        if (!has_validation_layer(instance->get)) {
            result = shw_fail(log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT, "the layer %s is not installed",
                              validation_layer);
            goto fail;
        }
        messenger = messenger_info(validation_log);
        features.pNext = &messenger;
        info.pNext = &features;
        info.enabledLayerCount = 1;
        info.ppEnabledLayerNames = layers;
        memcpy(extensions, validation_extensions, sizeof validation_extensions);
        info.enabledExtensionCount = VALIDATION_EXTENSIONS;
        info.ppEnabledExtensionNames = extensions;
    }
    shw_vk_enumerate_subsets(instance->get, extensions, &info);
    vk_result = create(&info, NULL, &instance->handle);
    if (vk_result != VK_SUCCESS) {
        instance->handle = VK_NULL_HANDLE;
        result = shw_fail(log, SHW_ERROR_NO_DEVICE, SHW_LOG_NO_DEVICE,
                          "vkCreateInstance failed with %s: install a Vulkan driver, or use the technique cpu",
                          shw_vk_result_text(vk_result).text);
        goto fail;
    }
    instance->destroy = (PFN_vkDestroyInstance)instance->get(instance->handle, "vkDestroyInstance");
    return SHW_OK;

fail:
    close_instance(instance);
    return result;
}

#define PHYSICAL_MAX 64u

static enum shw_result enumerate(const struct instance *instance, const struct shw_log *log, VkPhysicalDevice *devices,
                                 uint32_t *count)
{
    PFN_vkEnumeratePhysicalDevices list =
        (PFN_vkEnumeratePhysicalDevices)instance->get(instance->handle, "vkEnumeratePhysicalDevices");

    *count = PHYSICAL_MAX;
    if (list == NULL || list(instance->handle, count, devices) < VK_SUCCESS || *count == 0)
        return shw_fail(log, SHW_ERROR_NO_DEVICE, SHW_LOG_NO_DEVICE,
                        "no Vulkan device: install a driver (mesa-vulkan-drivers has a software renderer), or use the "
                        "technique cpu");
    return SHW_OK;
}

enum shw_result shw_device_list_abi(uint32_t abi, const struct shw_log *log, struct shw_device_description *devices,
                                    uint32_t capacity, uint32_t *count)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(log, count);
    if (capacity > 0)
        SHW_REFUSE_NULL(log, devices);

    VkPhysicalDevice physical[PHYSICAL_MAX];
    struct shw_vk vk = {0};
    struct instance instance;
    const char *missing;
    uint32_t found = 0;
    enum shw_result result = SHW_OK;

    SHW_PROPAGATE(open_instance(log, NULL, &instance));
    SHW_TRY(enumerate(&instance, log, physical, &found));
    missing = shw_vk_load_instance(&vk, instance.get, instance.handle);
    if (missing != NULL) {
        result = shw_fail(log, SHW_ERROR_NO_DEVICE, SHW_LOG_NO_DEVICE, "the Vulkan loader lacks %s", missing);
        goto fail;
    }
    for (uint32_t i = 0; i < found && i < capacity; i++)
        describe_device(&vk, physical[i], NULL, &devices[i]);
    *count = found;

fail:
    close_instance(&instance);
    return result;
}

static enum shw_result create_messenger(struct shw_device_own *own, PFN_vkGetInstanceProcAddr get)
{
    PFN_vkCreateDebugUtilsMessengerEXT create =
        (PFN_vkCreateDebugUtilsMessengerEXT)get(own->instance, "vkCreateDebugUtilsMessengerEXT");
    VkDebugUtilsMessengerCreateInfoEXT info = messenger_info(&own->log);

    own->destroy_messenger = (PFN_vkDestroyDebugUtilsMessengerEXT)get(own->instance, "vkDestroyDebugUtilsMessengerEXT");
    if (create == NULL || own->destroy_messenger == NULL ||
        create(own->instance, &info, NULL, &own->messenger) != VK_SUCCESS)
        return shw_fail(&own->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                        "cannot receive messages of the validation layers");
    return SHW_OK;
}

static bool has_storage_16bit(const struct shw_vk *vk, VkPhysicalDevice physical)
{
    VkPhysicalDevice16BitStorageFeatures storage = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &storage};

    vk->GetPhysicalDeviceFeatures2(physical, &features);
    return storage.storageBuffer16BitAccess != VK_FALSE;
}

static enum shw_result create_handle(const struct instance *instance, const struct shw_log *log,
                                     VkPhysicalDevice physical, uint32_t family, uint32_t transfer_family,
                                     bool storage_16bit, VkDevice *handle)
{
    static const float priority = 1.0f;
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)instance->get(instance->handle, "vkCreateDevice");
    const VkDeviceQueueCreateInfo queues[] = {{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                               .queueFamilyIndex = family,
                                               .queueCount = 1,
                                               .pQueuePriorities = &priority},
                                              {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                               .queueFamilyIndex = transfer_family,
                                               .queueCount = 1,
                                               .pQueuePriorities = &priority}};
    const char *const subset = shw_vk_subset_extension(instance->get, instance->handle, physical);
    VkPhysicalDeviceFeatures features = shw_requirements_get()->features;
    VkPhysicalDevice16BitStorageFeatures storage = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES,
                                                    .storageBuffer16BitAccess = VK_TRUE};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = storage_16bit ? &storage : NULL,
                               .queueCreateInfoCount = transfer_family != UINT32_MAX ? 2 : 1,
                               .pQueueCreateInfos = queues,
                               .enabledExtensionCount = subset != NULL ? 1 : 0,
                               .ppEnabledExtensionNames = &subset,
                               .pEnabledFeatures = &features};
    VkResult vk_result = create != NULL ? create(physical, &info, NULL, handle) : VK_ERROR_INITIALIZATION_FAILED;

    if (vk_result != VK_SUCCESS)
        return shw_fail(log, SHW_ERROR_NO_DEVICE, SHW_LOG_VULKAN_CALL, "vkCreateDevice failed with %s",
                        shw_vk_result_text(vk_result).text);
    return SHW_OK;
}

static void destroy_own(struct shw_device_own *own)
{
    if (own->messenger != VK_NULL_HANDLE)
        own->destroy_messenger(own->instance, own->messenger, NULL);
    if (own->instance != VK_NULL_HANDLE)
        own->destroy_instance(own->instance, NULL);
    shw_vk_close_loader(own->library);
    pthread_mutex_destroy(&own->mutex);
    free(own);
}

static enum shw_result pick(const struct instance *instance, const struct shw_device_create_params *params,
                            struct shw_vk *vk, VkPhysicalDevice *physical, uint32_t *family)
{
    VkPhysicalDevice devices[PHYSICAL_MAX];
    struct shw_device_description description;
    VkQueueFamilyProperties queues;
    uint32_t count;
    const char *missing;

    SHW_PROPAGATE(enumerate(instance, &params->log, devices, &count));
    if (params->index >= count)
        return shw_fail(&params->log, SHW_ERROR_NO_DEVICE, SHW_LOG_NO_DEVICE,
                        "there is no Vulkan device %u, only 0 to %u", params->index, count - 1);
    missing = shw_vk_load_instance(vk, instance->get, instance->handle);
    if (missing != NULL)
        return shw_fail(&params->log, SHW_ERROR_NO_DEVICE, SHW_LOG_NO_DEVICE, "the Vulkan loader lacks %s", missing);
    *physical = devices[params->index];
    describe_device(vk, *physical, NULL, &description);
    if (!description.meets_requirements)
        return shw_fail(&params->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT, "%s lacks %s", description.name,
                        description.missing);
    *family = find_queue_family(vk, *physical, &queues);
    return SHW_OK;
}

enum shw_result shw_device_create_abi(uint32_t abi, const struct shw_device_create_params *params,
                                      struct shw_device **out)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(NULL, params);
    SHW_REFUSE_NULL(&params->log, out);

    struct shw_device_own *own = calloc(1, sizeof *own);
    struct shw_device *device = NULL;
    struct shw_device_import_params import = {.log = params->log};
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT};
    struct instance instance = {0};
    struct shw_vk vk = {0};
    enum shw_result result;

    if (own == NULL)
        return shw_fail_memory(&params->log, "a device");
    own->log = params->log;
    pthread_mutex_init(&own->mutex, NULL);
    SHW_TRY(open_instance(&params->log, params->validation ? &own->log : NULL, &instance));
    own->library = instance.library;
    own->instance = instance.handle;
    own->destroy_instance = instance.destroy;
    if (params->validation)
        SHW_TRY(create_messenger(own, instance.get));

    SHW_TRY(pick(&instance, params, &vk, &import.physical_device, &import.queue_family));
    own->transfer_family = find_transfer_family(&vk, import.physical_device);
    import.storage_buffer_16bit = has_storage_16bit(&vk, import.physical_device);
    SHW_TRY(create_handle(&instance, &params->log, import.physical_device, import.queue_family, own->transfer_family,
                          import.storage_buffer_16bit, &import.device));
    import.instance = instance.handle;
    import.api_version = SHW_VULKAN_NEWEST;
    if (params->validation) {
        import.instance_extensions = validation_extensions;
        import.instance_extension_count = VALIDATION_EXTENSIONS;
    }
    import.get_instance_proc_addr = instance.get;
    result = shw_device_import(&import, &device);
    if (result != SHW_OK) {
        PFN_vkDestroyDevice destroy = (PFN_vkDestroyDevice)vk.GetDeviceProcAddr(import.device, "vkDestroyDevice");
        if (destroy != NULL)
            destroy(import.device, NULL);
        goto fail;
    }
    device->own = own;
    device->vk.GetDeviceQueue(device->handle, device->queue_family, 0, &own->queue);
    if (own->transfer_family != UINT32_MAX)
        device->vk.GetDeviceQueue(device->handle, own->transfer_family, 0, &own->transfer);
    pool.queueFamilyIndex = device->queue_family;
    VK_TRY(device, CreateCommandPool(device->handle, &pool, NULL, &own->pool));
    *out = device;
    return SHW_OK;

fail:
    if (device != NULL)
        shw_device_destroy(&device);
    else
        destroy_own(own);
    return result;
}

void shw_device_destroy(struct shw_device **handle)
{
    struct shw_device *device = handle != NULL ? *handle : NULL;

    if (device == NULL)
        return;
    shw_program_cache_destroy(device);
    if (device->own != NULL) {
        if (device->own->fence != VK_NULL_HANDLE)
            device->vk.DestroyFence(device->handle, device->own->fence, device->allocator);
        device->vk.DestroyCommandPool(device->handle, device->own->pool, NULL);
        device->vk.DestroyDevice(device->handle, NULL);
        destroy_own(device->own);
    }
    free(device);
    *handle = NULL;
}
