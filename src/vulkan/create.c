#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "vulkan/device.h"
#include "vulkan/formats.h"
#include "vulkan/program.h"

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
    if (instance->library != NULL)
        dlclose(instance->library);
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
    VkDebugUtilsMessengerCreateInfoEXT messenger;
    VkValidationFeaturesEXT features = {.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
                                        .enabledValidationFeatureCount = 1,
                                        .pEnabledValidationFeatures = enabled};
    PFN_vkCreateInstance create;
    enum shw_result result;
    VkResult vk_result;

    *instance = (struct instance){.library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL)};
    if (instance->library == NULL) {
        result = shw_fail(log, SHW_ERROR_NO_DEVICE, SHW_LOG_NO_DEVICE,
                          "no Vulkan loader (libvulkan.so.1): install it, or use the technique cpu");
        goto fail;
    }
    instance->get = (PFN_vkGetInstanceProcAddr)dlsym(instance->library, "vkGetInstanceProcAddr");
    create = instance->get != NULL ? (PFN_vkCreateInstance)instance->get(NULL, "vkCreateInstance") : NULL;
    if (create == NULL) {
        result = shw_fail(log, SHW_ERROR_NO_DEVICE, SHW_LOG_NO_DEVICE, "libvulkan.so.1 is not a Vulkan loader");
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
        info.enabledExtensionCount = VALIDATION_EXTENSIONS;
        info.ppEnabledExtensionNames = validation_extensions;
    }
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
        shw_vk_describe(&vk, physical[i], NULL, &devices[i]);
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

static enum shw_result create_handle(const struct instance *instance, const struct shw_log *log,
                                     VkPhysicalDevice physical, uint32_t family, uint32_t transfer_family,
                                     VkDevice *handle)
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
    VkPhysicalDeviceFeatures features = shw_requirements_get()->features;
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .queueCreateInfoCount = transfer_family != UINT32_MAX ? 2 : 1,
                               .pQueueCreateInfos = queues,
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
    if (own->library != NULL)
        dlclose(own->library);
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
    shw_vk_describe(vk, *physical, NULL, &description);
    if (!description.meets_requirements)
        return shw_fail(&params->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT, "%s lacks %s", description.name,
                        description.missing);
    *family = shw_vk_queue_family(vk, *physical, &queues);
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
    own->transfer_family = shw_vk_transfer_family(&vk, import.physical_device);
    SHW_TRY(create_handle(&instance, &params->log, import.physical_device, import.queue_family, own->transfer_family,
                          &import.device));
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
        device->vk.DestroyCommandPool(device->handle, device->own->pool, NULL);
        device->vk.DestroyDevice(device->handle, NULL);
        destroy_own(device->own);
    }
    free(device);
    *handle = NULL;
}
