#include "engine.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char layer_name[] = "VK_LAYER_KHRONOS_validation";

static VKAPI_ATTR VkBool32 VKAPI_CALL receive(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                              VkDebugUtilsMessageTypeFlagsEXT types,
                                              const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    struct engine *engine = user;

    (void)severity, (void)types;
    engine->messages++;
    printf("# validation: %s\n", data->pMessage);
    return VK_FALSE;
}

static VKAPI_ATTR VkBool32 VKAPI_CALL receive_report(VkDebugReportFlagsEXT flags, VkDebugReportObjectTypeEXT type,
                                                     uint64_t object, size_t location, int32_t code, const char *prefix,
                                                     const char *message, void *user)
{
    struct engine *engine = user;

    (void)flags, (void)type, (void)object, (void)location, (void)code, (void)prefix;
    engine->messages++;
    printf("# validation: %s\n", message);
    return VK_FALSE;
}

static bool has_layer(const struct engine *engine)
{
    PFN_vkEnumerateInstanceLayerProperties enumerate =
        (PFN_vkEnumerateInstanceLayerProperties)engine->get(NULL, "vkEnumerateInstanceLayerProperties");
    VkLayerProperties layers[64];
    uint32_t count = 64;

    if (enumerate(&count, layers) < VK_SUCCESS)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(layers[i].layerName, layer_name) == 0)
            return true;
    return false;
}

static void open_instance(struct engine *engine, bool names)
{
    static const VkValidationFeatureEnableEXT enabled[] = {VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
    static const char *const layers[] = {layer_name};
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)engine->get(NULL, "vkCreateInstance");
    VkValidationFeaturesEXT features = {.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
                                        .enabledValidationFeatureCount = 1,
                                        .pEnabledValidationFeatures = enabled};
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = ENGINE_VERSION};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};

    if (TESTING_VALIDATION && has_layer(engine)) {
        engine->extensions[0] = names ? VK_EXT_DEBUG_UTILS_EXTENSION_NAME : VK_EXT_DEBUG_REPORT_EXTENSION_NAME;
        engine->extensions[1] = VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME;
        engine->extension_count = 2;
        info.pNext = &features;
        info.enabledLayerCount = 1;
        info.ppEnabledLayerNames = layers;
        info.enabledExtensionCount = engine->extension_count;
        info.ppEnabledExtensionNames = engine->extensions;
    }
    if (create(&info, NULL, &engine->instance) != VK_SUCCESS)
        testing_abandon("vkCreateInstance failed");
}

static void open_messenger(struct engine *engine)
{
    const VkDebugUtilsMessengerCreateInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
                                                     .messageSeverity =
                                                         VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                                                         VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
                                                     .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
                                                     .pfnUserCallback = receive,
                                                     .pUserData = engine};
    PFN_vkCreateDebugUtilsMessengerEXT create =
        (PFN_vkCreateDebugUtilsMessengerEXT)engine->get(engine->instance, "vkCreateDebugUtilsMessengerEXT");

    assert_int_equal(create(engine->instance, &info, NULL, &engine->messenger), VK_SUCCESS);
}

static void open_report(struct engine *engine)
{
    const VkDebugReportCallbackCreateInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT,
                                                     .flags = VK_DEBUG_REPORT_WARNING_BIT_EXT |
                                                              VK_DEBUG_REPORT_ERROR_BIT_EXT,
                                                     .pfnCallback = receive_report,
                                                     .pUserData = engine};
    PFN_vkCreateDebugReportCallbackEXT create =
        (PFN_vkCreateDebugReportCallbackEXT)engine->get(engine->instance, "vkCreateDebugReportCallbackEXT");

    assert_int_equal(create(engine->instance, &info, NULL, &engine->callback), VK_SUCCESS);
}

/* What an engine enables besides the baseline. */
struct wanted {
    bool no_names;
    const VkPhysicalDeviceFeatures *features;
    const char *const *extensions;
    uint32_t extension_count;
    bool synchronization2;
};

static void choose_extensions(struct engine *engine, const struct wanted *wanted)
{
    PFN_vkEnumerateDeviceExtensionProperties enumerate =
        (PFN_vkEnumerateDeviceExtensionProperties)engine->get(engine->instance, "vkEnumerateDeviceExtensionProperties");
    static VkExtensionProperties properties[512];
    uint32_t count = 512;

    assert_true(enumerate(engine->physical, NULL, &count, properties) >= VK_SUCCESS);
    for (uint32_t w = 0; w < wanted->extension_count; w++)
        for (uint32_t i = 0; i < count; i++)
            if (strcmp(properties[i].extensionName, wanted->extensions[w]) == 0)
                engine->device_extensions[engine->device_extension_count++] = wanted->extensions[w];
}

static bool has_synchronization2(struct engine *engine)
{
    PFN_vkGetPhysicalDeviceFeatures2 get =
        (PFN_vkGetPhysicalDeviceFeatures2)engine->get(engine->instance, "vkGetPhysicalDeviceFeatures2");
    VkPhysicalDeviceSynchronization2Features synchronization = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                          .pNext = &synchronization};
    VkPhysicalDeviceProperties properties;

    engine->vk.GetPhysicalDeviceProperties(engine->physical, &properties);
    if (properties.apiVersion < VK_API_VERSION_1_3)
        return false;
    get(engine->physical, &features);
    return synchronization.synchronization2 != VK_FALSE;
}

static void open_device(struct engine *engine, const struct wanted *wanted)
{
    static const float priority = 1.0f;
    PFN_vkEnumeratePhysicalDevices enumerate =
        (PFN_vkEnumeratePhysicalDevices)engine->get(engine->instance, "vkEnumeratePhysicalDevices");
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)engine->get(engine->instance, "vkCreateDevice");
    const char *index = getenv("SHADEWOOD_DEVICE");
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkPhysicalDeviceSynchronization2Features synchronization = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES, .synchronization2 = VK_TRUE};
    VkPhysicalDeviceTimelineSemaphoreFeatures timelines = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, .timelineSemaphore = VK_TRUE};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = &timelines, /* which every device of Vulkan 1.2 has */
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue,
                               .pEnabledFeatures = wanted->features};
    VkQueueFamilyProperties families[16];
    VkPhysicalDevice devices[16];
    uint32_t count = 16, chosen = index != NULL ? (uint32_t)atoi(index) : 0;

    if (enumerate(engine->instance, &count, devices) < VK_SUCCESS || chosen >= count)
        testing_abandon("no Vulkan device");
    engine->physical = devices[chosen];
    assert_null(shw_vk_load_instance(&engine->vk, engine->get, engine->instance));
    count = 16;
    engine->vk.GetPhysicalDeviceQueueFamilyProperties(engine->physical, &count, families);
    while (engine->family < count &&
           (families[engine->family].queueFlags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)) !=
               (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT))
        engine->family++;
    assert_true(engine->family < count);
    queue.queueFamilyIndex = engine->family;
    choose_extensions(engine, wanted);
    info.enabledExtensionCount = engine->device_extension_count;
    info.ppEnabledExtensionNames = engine->device_extensions;
    engine->synchronization2 = wanted->synchronization2 && has_synchronization2(engine);
    if (engine->synchronization2)
        timelines.pNext = &synchronization;
    assert_int_equal(create(engine->physical, &info, NULL, &engine->handle), VK_SUCCESS);
    assert_null(shw_vk_load_device(&engine->vk, engine->handle));
}

static void open(struct engine *engine, struct wanted wanted)
{
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};

    memset(engine, 0, sizeof *engine);
    engine->library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    if (engine->library == NULL)
        testing_abandon("no Vulkan loader");
    *(void **)&engine->get = dlsym(engine->library, "vkGetInstanceProcAddr");
    assert_non_null(engine->get);
    open_instance(engine, !wanted.no_names);
    if (engine->extension_count > 0 && !wanted.no_names)
        open_messenger(engine);
    else if (engine->extension_count > 0)
        open_report(engine);
    open_device(engine, &wanted);
    engine->vk.GetDeviceQueue(engine->handle, engine->family, 0, &engine->queue);
    pool.queueFamilyIndex = engine->family;
    assert_int_equal(engine->vk.CreateCommandPool(engine->handle, &pool, NULL, &engine->pool), VK_SUCCESS);
}

void engine_open(struct engine *engine)
{
    open(engine, (struct wanted){0});
}

void engine_open_without_names(struct engine *engine)
{
    open(engine, (struct wanted){.no_names = true});
}

void engine_open_with(struct engine *engine, const VkPhysicalDeviceFeatures *features)
{
    open(engine, (struct wanted){.features = features});
}

void engine_open_extended(struct engine *engine, const char *const *extensions, uint32_t count)
{
    open(engine, (struct wanted){.extensions = extensions, .extension_count = count});
}

void engine_open_synchronized(struct engine *engine)
{
    open(engine, (struct wanted){.synchronization2 = true});
}

void engine_close(struct engine *engine)
{
    PFN_vkDestroyDebugReportCallbackEXT destroy_callback =
        (PFN_vkDestroyDebugReportCallbackEXT)engine->get(engine->instance, "vkDestroyDebugReportCallbackEXT");
    PFN_vkDestroyDebugUtilsMessengerEXT destroy_messenger =
        (PFN_vkDestroyDebugUtilsMessengerEXT)engine->get(engine->instance, "vkDestroyDebugUtilsMessengerEXT");
    PFN_vkDestroyInstance destroy_instance = (PFN_vkDestroyInstance)engine->get(engine->instance, "vkDestroyInstance");

    engine->vk.DestroyCommandPool(engine->handle, engine->pool, NULL);
    engine->vk.DestroyDevice(engine->handle, NULL);
    if (engine->messenger != VK_NULL_HANDLE)
        destroy_messenger(engine->instance, engine->messenger, NULL);
    if (engine->callback != VK_NULL_HANDLE)
        destroy_callback(engine->instance, engine->callback, NULL);
    destroy_instance(engine->instance, NULL);
    dlclose(engine->library);
    assert_int_equal(engine->messages, 0);
}

void engine_begin(struct engine *engine, struct engine_frame *frame)
{
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = engine->pool,
                                            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = 1};
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};

    assert_int_equal(engine->vk.AllocateCommandBuffers(engine->handle, &allocate, &frame->commands), VK_SUCCESS);
    assert_int_equal(engine->vk.BeginCommandBuffer(frame->commands, &begin), VK_SUCCESS);
    assert_int_equal(engine->vk.CreateFence(engine->handle, &fence, NULL, &frame->fence), VK_SUCCESS);
}

void engine_submit(struct engine *engine, struct engine_frame *frame)
{
    VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &frame->commands};

    assert_int_equal(engine->vk.EndCommandBuffer(frame->commands), VK_SUCCESS);
    assert_int_equal(engine->vk.QueueSubmit(engine->queue, 1, &submit, frame->fence), VK_SUCCESS);
}

void engine_wait(struct engine *engine, struct engine_frame *frame)
{
    assert_int_equal(engine->vk.WaitForFences(engine->handle, 1, &frame->fence, VK_TRUE, UINT64_MAX), VK_SUCCESS);
    engine->vk.DestroyFence(engine->handle, frame->fence, NULL);
    engine->vk.FreeCommandBuffers(engine->handle, engine->pool, 1, &frame->commands);
    memset(frame, 0, sizeof *frame);
}
