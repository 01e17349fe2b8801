#include "gpu/gpu.h"

#include <string.h>

#include "base/log.h"
#include "gpu/frames.h"
#include "job/times.h"
#include "vulkan/formats.h"

#define DEVICES_MAX  16u
#define FAMILIES_MAX 32u

static const char layer_name[] = "VK_LAYER_KHRONOS_validation";

#define VALIDATION_EXTENSIONS 2u
static const char *const validation_extensions[VALIDATION_EXTENSIONS] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME,
                                                                         VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME};

enum shw_result view_gpu_check(const struct view_gpu *gpu, VkResult result, const char *call)
{
    switch (result) {
    case VK_SUCCESS: return SHW_OK;
    case VK_ERROR_OUT_OF_HOST_MEMORY: return shw_fail_memory(&gpu->log, call);
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
        return shw_fail(&gpu->log, SHW_ERROR_DEVICE_MEMORY, SHW_LOG_OUT_OF_MEMORY,
                        "%s: the device has not enough memory", call);
    case VK_ERROR_DEVICE_LOST:
        return shw_fail(&gpu->log, SHW_ERROR_DEVICE_LOST, SHW_LOG_VULKAN_CALL, "%s: the device stopped answering",
                        call);
    default:
        return shw_fail(&gpu->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_VULKAN_CALL, "%s failed with %s", call,
                        shw_vk_result_text(result).text);
    }
}

static VKAPI_ATTR VkBool32 VKAPI_CALL receive(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                              VkDebugUtilsMessageTypeFlagsEXT types,
                                              const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    struct view_gpu *gpu = user;

    (void)severity, (void)types;
    gpu->validation_messages++;
    shw_log_message(&gpu->log, SHW_LOG_ERROR, SHW_LOG_VULKAN_VALIDATION, "%s", data->pMessage);
    return VK_FALSE;
}

static bool has_layer(void)
{
    VkLayerProperties layers[64];
    uint32_t count = 64;

    if (vkEnumerateInstanceLayerProperties(&count, layers) < VK_SUCCESS)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(layers[i].layerName, layer_name) == 0)
            return true;
    return false;
}

static enum shw_result create_instance(const struct view_gpu_params *params, struct view_gpu *gpu)
{
    static const VkValidationFeatureEnableEXT enabled[] = {VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
    static const char *const layers[] = {layer_name};
    const char *extensions[16];
    uint32_t extension_count = 0;
    VkDebugUtilsMessengerCreateInfoEXT messenger = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
                                                    .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                                                                       VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
                                                    .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
                                                    .pfnUserCallback = receive,
                                                    .pUserData = gpu};
    VkValidationFeaturesEXT features = {.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
                                        .enabledValidationFeatureCount = 1,
                                        .pEnabledValidationFeatures = enabled};
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                     .pApplicationName = "shadewood-viewer",
                                     .apiVersion = VK_API_VERSION_1_3};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    PFN_vkCreateDebugUtilsMessengerEXT create_messenger;
    VkResult called;

    for (; extension_count < params->extension_count && extension_count < 14; extension_count++)
        extensions[extension_count] = params->extensions[extension_count];
    if (params->validation) {
        if (!has_layer())
            return shw_fail(&gpu->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                            "the layers %s are not installed (Debian: vulkan-validationlayers)", layer_name);
        for (uint32_t i = 0; i < VALIDATION_EXTENSIONS; i++)
            extensions[extension_count++] = validation_extensions[i];
        info.pNext = &features;
        info.enabledLayerCount = 1;
        info.ppEnabledLayerNames = layers;
    }
    info.enabledExtensionCount = extension_count;
    info.ppEnabledExtensionNames = extensions;
    called = vkCreateInstance(&info, NULL, &gpu->instance);
    if (called == VK_ERROR_INCOMPATIBLE_DRIVER)
        return shw_fail(&gpu->log, SHW_ERROR_NO_DEVICE, SHW_LOG_NO_DEVICE,
                        "there is no Vulkan driver (Debian: mesa-vulkan-drivers)");
    if (called != VK_SUCCESS || !params->validation)
        return view_gpu_check(gpu, called, "vkCreateInstance");
    create_messenger =
        (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(gpu->instance, "vkCreateDebugUtilsMessengerEXT");
    return view_gpu_check(gpu, create_messenger(gpu->instance, &messenger, NULL, &gpu->messenger),
                          "vkCreateDebugUtilsMessengerEXT");
}

static enum shw_result choose_device(uint32_t index, struct view_gpu *gpu)
{
    const VkQueueFlags wanted = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    VkPhysicalDevice devices[DEVICES_MAX];
    VkQueueFamilyProperties families[FAMILIES_MAX];
    uint32_t count = DEVICES_MAX;

    if (vkEnumeratePhysicalDevices(gpu->instance, &count, devices) < VK_SUCCESS || index >= count)
        return shw_fail(&gpu->log, SHW_ERROR_NO_DEVICE, SHW_LOG_NO_DEVICE,
                        "there is no Vulkan device %u (`shadewood devices` lists them)", index);
    gpu->physical = devices[index];
    vkGetPhysicalDeviceProperties(gpu->physical, &gpu->properties);
    vkGetPhysicalDeviceMemoryProperties(gpu->physical, &gpu->memory);
    count = FAMILIES_MAX;
    vkGetPhysicalDeviceQueueFamilyProperties(gpu->physical, &count, families);
    while (gpu->family < count && (families[gpu->family].queueFlags & wanted) != wanted)
        gpu->family++;
    if (gpu->family == count)
        return shw_fail(&gpu->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                        "%s lacks a queue family with graphics and compute", gpu->properties.deviceName);
    gpu->timestamp_bits = families[gpu->family].timestampValidBits;
    return SHW_OK;
}

static enum shw_result create_device(bool swapchain, struct view_gpu *gpu)
{
    static const float priority = 1.0f;
    static const char *const extensions[] = {VK_KHR_SWAPCHAIN_EXTENSION_NAME};
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueFamilyIndex = gpu->family,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue,
                               .enabledExtensionCount = swapchain ? 1 : 0,
                               .ppEnabledExtensionNames = extensions};
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                    .queueFamilyIndex = gpu->family};

    VIEW_PROPAGATE(gpu, vkCreateDevice, gpu->physical, &info, NULL, &gpu->device);
    vkGetDeviceQueue(gpu->device, gpu->family, 0, &gpu->queue);
    VIEW_PROPAGATE(gpu, vkCreateCommandPool, gpu->device, &pool, NULL, &gpu->pool);
    return SHW_OK;
}

enum shw_result view_gpu_create(const struct view_gpu_params *params, struct view_gpu *gpu)
{
    struct shw_device_import_params import;
    enum shw_result result;

    memset(gpu, 0, sizeof *gpu);
    gpu->log = params->log;
    SHW_TRY(create_instance(params, gpu));
    SHW_TRY(choose_device(params->index, gpu));
    SHW_TRY(create_device(params->extension_count > 0, gpu));
    gpu->retired = view_retired_create();
    if (gpu->retired == NULL) {
        result = shw_fail_memory(&gpu->log, "the device");
        goto fail;
    }
    /* no pipeline cache: Shadewood's objects are also created on other threads */
    import =
        (struct shw_device_import_params){.instance = gpu->instance,
                                          .physical_device = gpu->physical,
                                          .device = gpu->device,
                                          .queue_family = gpu->family,
                                          .api_version = VK_API_VERSION_1_3,
                                          .instance_extensions = validation_extensions,
                                          .instance_extension_count = params->validation ? VALIDATION_EXTENSIONS : 0,
                                          .get_instance_proc_addr = vkGetInstanceProcAddr,
                                          .log = gpu->log};
    SHW_TRY(shw_device_import(&import, &gpu->shadewood));
    return SHW_OK;

fail:
    view_gpu_destroy(gpu);
    return result;
}

unsigned view_gpu_destroy(struct view_gpu *gpu)
{
    unsigned messages;

    if (gpu->device != VK_NULL_HANDLE) {
        vkDeviceWaitIdle(gpu->device);
        view_retired_destroy(gpu, &gpu->retired);
        shw_device_destroy(&gpu->shadewood);
        vkDestroyCommandPool(gpu->device, gpu->pool, NULL);
        vkDestroyDevice(gpu->device, NULL);
    }
    if (gpu->messenger != VK_NULL_HANDLE) {
        PFN_vkDestroyDebugUtilsMessengerEXT destroy_messenger =
            (PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(gpu->instance,
                                                                       "vkDestroyDebugUtilsMessengerEXT");
        destroy_messenger(gpu->instance, gpu->messenger, NULL);
    }
    if (gpu->instance != VK_NULL_HANDLE)
        vkDestroyInstance(gpu->instance, NULL);
    messages = gpu->validation_messages;
    memset(gpu, 0, sizeof *gpu);
    return messages;
}

void view_device_wait(const struct view_gpu *gpu)
{
    double began = view_block_begin();

    vkDeviceWaitIdle(gpu->device);
    view_block_end(VIEW_BLOCK_DEVICE, began);
}

enum shw_result view_shader_create(const struct view_gpu *gpu, VkShaderStageFlagBits stage, const uint32_t *code,
                                   size_t size, VkPipelineShaderStageCreateInfo *shader)
{
    const VkShaderModuleCreateInfo module = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = code};

    *shader = (VkPipelineShaderStageCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = stage, .pName = "main"};
    VIEW_PROPAGATE(gpu, vkCreateShaderModule, gpu->device, &module, NULL, &shader->module);
    return SHW_OK;
}

enum shw_result view_compute_create(const struct view_gpu *gpu, const uint32_t *code, size_t size,
                                    VkPipelineLayout layout, VkPipeline *pipeline)
{
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = layout};
    enum shw_result result;

    SHW_TRY(view_shader_create(gpu, VK_SHADER_STAGE_COMPUTE_BIT, code, size, &info.stage));
    VIEW_TRY(gpu, vkCreateComputePipelines, gpu->device, VK_NULL_HANDLE, 1, &info, NULL, pipeline);

fail:
    vkDestroyShaderModule(gpu->device, info.stage.module, NULL);
    return result;
}

const struct view_use view_use_nothing = {VK_IMAGE_LAYOUT_UNDEFINED, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0};
const struct view_use view_use_copied_to = {VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                            VK_ACCESS_TRANSFER_WRITE_BIT};
const struct view_use view_use_copied_from = {VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                              VK_ACCESS_TRANSFER_READ_BIT};
const struct view_use view_use_shown = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                        VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                        VK_ACCESS_SHADER_READ_BIT};

/* Discards the contents whatever their last use was: the recording of abandoned labels may have stopped anywhere, and
 * the previous frame's composition may still be reading the shown ones. */
const struct view_use view_use_dropped = {
    VK_IMAGE_LAYOUT_UNDEFINED,
    VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT |
        VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
    VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT};

static enum shw_result allocate(const struct view_gpu *gpu, const VkMemoryRequirements *requirements,
                                VkMemoryPropertyFlags required, VkMemoryPropertyFlags preferred, VkDeviceMemory *memory)
{
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = requirements->size};
    uint32_t chosen = UINT32_MAX;

    for (uint32_t pass = 0; pass < 2 && chosen == UINT32_MAX; pass++) {
        VkMemoryPropertyFlags flags = pass == 0 ? required | preferred : required;
        for (uint32_t i = 0; i < gpu->memory.memoryTypeCount && chosen == UINT32_MAX; i++)
            if ((requirements->memoryTypeBits >> i & 1) != 0 &&
                (gpu->memory.memoryTypes[i].propertyFlags & flags) == flags)
                chosen = i;
    }
    if (chosen == UINT32_MAX)
        return shw_fail(&gpu->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT, "%s lacks a required memory type",
                        gpu->properties.deviceName);
    info.memoryTypeIndex = chosen;
    return view_gpu_check(gpu, vkAllocateMemory(gpu->device, &info, NULL, memory), "vkAllocateMemory");
}

enum shw_result view_image_create(const struct view_gpu *gpu, VkFormat format, VkExtent2D extent, uint32_t layers,
                                  VkImageUsageFlags usage, struct view_image *image)
{
    bool array = layers > 0;
    const VkPhysicalDeviceLimits *limits = &gpu->properties.limits;
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                              .imageType = VK_IMAGE_TYPE_2D,
                              .format = format,
                              .extent = {extent.width, extent.height, 1},
                              .mipLevels = 1,
                              .arrayLayers = array ? layers : 1,
                              .samples = VK_SAMPLE_COUNT_1_BIT,
                              .tiling = VK_IMAGE_TILING_OPTIMAL,
                              .usage = usage};
    VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                  .viewType = array ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D,
                                  .format = format,
                                  .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, array ? layers : 1}};
    VkMemoryRequirements requirements;
    enum shw_result result;

    memset(image, 0, sizeof *image);
    if (extent.width > limits->maxImageDimension2D || extent.height > limits->maxImageDimension2D ||
        info.arrayLayers > limits->maxImageArrayLayers)
        return shw_fail(&gpu->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                        "%u x %u pixels in %u planes are more than %s supports in one image", extent.width,
                        extent.height, info.arrayLayers, gpu->properties.deviceName);
    VIEW_TRY(gpu, vkCreateImage, gpu->device, &info, NULL, &image->handle);
    vkGetImageMemoryRequirements(gpu->device, image->handle, &requirements);
    SHW_TRY(allocate(gpu, &requirements, 0, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, &image->memory));
    VIEW_TRY(gpu, vkBindImageMemory, gpu->device, image->handle, image->memory, 0);
    view.image = image->handle;
    VIEW_TRY(gpu, vkCreateImageView, gpu->device, &view, NULL, &image->view);
    image->format = format;
    image->extent = extent;
    image->layers = info.arrayLayers;
    return SHW_OK;

fail:
    view_image_destroy(gpu, image);
    return result;
}

void view_image_destroy(const struct view_gpu *gpu, struct view_image *image)
{
    if (gpu->device == VK_NULL_HANDLE)
        return;
    vkDestroyImageView(gpu->device, image->view, NULL);
    vkDestroyImage(gpu->device, image->handle, NULL);
    vkFreeMemory(gpu->device, image->memory, NULL);
    memset(image, 0, sizeof *image);
}

enum shw_result view_buffer_create(const struct view_gpu *gpu, VkDeviceSize size, VkBufferUsageFlags usage, bool cached,
                                   struct view_buffer *buffer)
{
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = usage};
    VkMemoryRequirements requirements;
    enum shw_result result;

    memset(buffer, 0, sizeof *buffer);
    VIEW_TRY(gpu, vkCreateBuffer, gpu->device, &info, NULL, &buffer->handle);
    vkGetBufferMemoryRequirements(gpu->device, buffer->handle, &requirements);
    SHW_TRY(allocate(gpu, &requirements, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                     cached ? VK_MEMORY_PROPERTY_HOST_CACHED_BIT : 0, &buffer->memory));
    VIEW_TRY(gpu, vkBindBufferMemory, gpu->device, buffer->handle, buffer->memory, 0);
    VIEW_TRY(gpu, vkMapMemory, gpu->device, buffer->memory, 0, VK_WHOLE_SIZE, 0, &buffer->mapped);
    buffer->size = size;
    return SHW_OK;

fail:
    view_buffer_destroy(gpu, buffer);
    return result;
}

void view_buffer_destroy(const struct view_gpu *gpu, struct view_buffer *buffer)
{
    if (gpu->device == VK_NULL_HANDLE)
        return;
    vkDestroyBuffer(gpu->device, buffer->handle, NULL);
    vkFreeMemory(gpu->device, buffer->memory, NULL);
    memset(buffer, 0, sizeof *buffer);
}

void view_image_barrier(VkCommandBuffer commands, const struct view_image *image, struct view_use before,
                        struct view_use after)
{
    VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .srcAccessMask = before.access,
                                    .dstAccessMask = after.access,
                                    .oldLayout = before.layout,
                                    .newLayout = after.layout,
                                    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .image = image->handle,
                                    .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, image->layers}};

    vkCmdPipelineBarrier(commands, before.stages, after.stages, 0, 0, NULL, 0, NULL, 1, &barrier);
}

void view_image_copy(VkCommandBuffer commands, const struct view_image *image, VkBuffer buffer, VkDeviceSize offset)
{
    const VkBufferImageCopy region = {.bufferOffset = offset,
                                      .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, image->layers},
                                      .imageExtent = {image->extent.width, image->extent.height, 1}};

    view_image_barrier(commands, image, view_use_dropped, view_use_copied_to);
    vkCmdCopyBufferToImage(commands, buffer, image->handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    view_image_barrier(commands, image, view_use_copied_to, view_use_shown);
}

void view_image_copy_rows(VkCommandBuffer commands, const struct view_image *image, VkBuffer buffer,
                          VkDeviceSize offset, uint32_t first, uint32_t rows, uint32_t width, bool begun)
{
    const VkBufferImageCopy region = {.bufferOffset = offset,
                                      .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, image->layers},
                                      .imageOffset = {0, (int32_t)first, 0},
                                      .imageExtent = {width, rows, 1}};

    view_image_barrier(commands, image, begun ? view_use_shown : view_use_dropped, view_use_copied_to);
    vkCmdCopyBufferToImage(commands, buffer, image->handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    view_image_barrier(commands, image, view_use_copied_to, view_use_shown);
}
