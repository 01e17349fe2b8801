#include "vulkan/memory.h"

/* The first memory type among `allowed` with all of `wanted`, or UINT32_MAX. */
static uint32_t find_type(const struct shw_device *device, uint32_t allowed, VkMemoryPropertyFlags wanted)
{
    for (uint32_t i = 0; i < device->memory.memoryTypeCount; i++)
        if ((allowed >> i & 1) != 0 && (device->memory.memoryTypes[i].propertyFlags & wanted) == wanted)
            return i;
    return UINT32_MAX;
}

static uint32_t choose_type(const struct shw_device *device, uint32_t allowed, enum shw_memory_kind kind)
{
    static const VkMemoryPropertyFlags coherent =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    static const VkMemoryPropertyFlags preferences[][2] = {
        [SHW_MEMORY_DEVICE] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0},
        [SHW_MEMORY_UPLOAD] = {coherent, coherent},
        [SHW_MEMORY_TABLE] = {coherent | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, coherent},
        [SHW_MEMORY_READBACK] = {coherent | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, coherent},
    };
    uint32_t type = find_type(device, allowed, preferences[kind][0]);

    return type != UINT32_MAX ? type : find_type(device, allowed, preferences[kind][1]);
}

/* `quiet`: does not report a lack of device memory. */
static enum shw_result allocate(struct shw_device *device, const VkMemoryRequirements *requirements,
                                enum shw_memory_kind kind, const char *name, bool quiet, VkDeviceMemory *memory)
{
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .allocationSize = requirements->size,
                                 .memoryTypeIndex = choose_type(device, requirements->memoryTypeBits, kind)};
    VkResult vk_result;

    if (info.memoryTypeIndex == UINT32_MAX)
        return shw_fail(&device->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT, "no suitable memory type for %s",
                        name);
    if (device->memory_hooks.allocate != NULL)
        vk_result = device->memory_hooks.allocate(device->memory_hooks.user, &info, memory);
    else
        vk_result = device->vk.AllocateMemory(device->handle, &info, device->allocator, memory);
    if (vk_result == VK_SUCCESS)
        return SHW_OK;
    *memory = VK_NULL_HANDLE;
    if (vk_result == VK_ERROR_OUT_OF_HOST_MEMORY)
        return shw_vk_fail(device, vk_result, "vkAllocateMemory");
    if (quiet)
        return SHW_ERROR_DEVICE_MEMORY;
    return shw_fail(&device->log, SHW_ERROR_DEVICE_MEMORY, SHW_LOG_OUT_OF_MEMORY,
                    "not enough device memory for %s (%llu bytes)", name, (unsigned long long)info.allocationSize);
}

static void release(struct shw_device *device, VkDeviceMemory memory)
{
    if (memory == VK_NULL_HANDLE)
        return;
    if (device->memory_hooks.release != NULL)
        device->memory_hooks.release(device->memory_hooks.user, memory);
    else
        device->vk.FreeMemory(device->handle, memory, device->allocator);
}

static enum shw_result create_buffer(struct shw_device *device, VkDeviceSize size, VkBufferUsageFlags usage,
                                     enum shw_memory_kind kind, const char *name, bool quiet, struct shw_buffer *buffer)
{
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .size = size,
                               .usage = usage,
                               .sharingMode = VK_SHARING_MODE_EXCLUSIVE};
    VkMemoryRequirements requirements;
    enum shw_result result;

    *buffer = (struct shw_buffer){.size = size};
    VK_TRY(device, CreateBuffer(device->handle, &info, device->allocator, &buffer->handle));
    shw_vk_name(device, VK_OBJECT_TYPE_BUFFER, (uint64_t)buffer->handle, "shw %s", name);
    device->vk.GetBufferMemoryRequirements(device->handle, buffer->handle, &requirements);
    SHW_TRY(allocate(device, &requirements, kind, name, quiet, &buffer->memory));
    VK_TRY(device, BindBufferMemory(device->handle, buffer->handle, buffer->memory, 0));
    if (kind != SHW_MEMORY_DEVICE)
        VK_TRY(device, MapMemory(device->handle, buffer->memory, 0, VK_WHOLE_SIZE, 0, &buffer->mapped));
    return SHW_OK;

fail:
    shw_buffer_destroy(device, buffer);
    return result;
}

enum shw_result shw_buffer_create(struct shw_device *device, VkDeviceSize size, VkBufferUsageFlags usage,
                                  enum shw_memory_kind kind, const char *name, struct shw_buffer *buffer)
{
    return create_buffer(device, size, usage, kind, name, false, buffer);
}

enum shw_result shw_buffer_try(struct shw_device *device, VkDeviceSize size, VkBufferUsageFlags usage,
                               enum shw_memory_kind kind, const char *name, struct shw_buffer *buffer)
{
    return create_buffer(device, size, usage, kind, name, true, buffer);
}

void shw_buffer_destroy(struct shw_device *device, struct shw_buffer *buffer)
{
    if (buffer->handle != VK_NULL_HANDLE)
        device->vk.DestroyBuffer(device->handle, buffer->handle, device->allocator);
    release(device, buffer->memory);
    *buffer = (struct shw_buffer){0};
}

enum shw_result shw_image_view_create(struct shw_device *device, VkImage image, VkFormat format, uint32_t first,
                                      uint32_t count, bool array, VkImageView *view)
{
    VkImageViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                  .image = image,
                                  .viewType = array || count > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D,
                                  .format = format,
                                  .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, first, count}};

    *view = VK_NULL_HANDLE;
    VK_PROPAGATE(device, CreateImageView(device->handle, &info, device->allocator, view));
    return SHW_OK;
}

static enum shw_result create_image(struct shw_device *device, VkFormat format, uint32_t width, uint32_t height,
                                    uint32_t layers, VkImageUsageFlags usage, const char *name, bool quiet,
                                    struct shw_vulkan_image *image)
{
    const VkPhysicalDeviceLimits *limits = &device->properties.limits;
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                              .imageType = VK_IMAGE_TYPE_2D,
                              .format = format,
                              .extent = {width, height, 1},
                              .mipLevels = 1,
                              .arrayLayers = layers,
                              .samples = VK_SAMPLE_COUNT_1_BIT,
                              .tiling = VK_IMAGE_TILING_OPTIMAL,
                              .usage = usage,
                              .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
                              .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED};
    VkMemoryRequirements requirements;
    enum shw_result result;

    *image = (struct shw_vulkan_image){.format = format, .width = width, .height = height, .layers = layers};
    if (width > limits->maxImageDimension2D || height > limits->maxImageDimension2D ||
        layers > limits->maxImageArrayLayers) {
        result = shw_fail(&device->log, SHW_ERROR_LIMIT, SHW_LOG_REQUIREMENT,
                          "%s needs an image of %u x %u with %u layers; the device has at most %u x %u with %u", name,
                          width, height, layers, limits->maxImageDimension2D, limits->maxImageDimension2D,
                          limits->maxImageArrayLayers);
        goto fail;
    }
    VK_TRY(device, CreateImage(device->handle, &info, device->allocator, &image->handle));
    shw_vk_name(device, VK_OBJECT_TYPE_IMAGE, (uint64_t)image->handle, "shw %s", name);
    device->vk.GetImageMemoryRequirements(device->handle, image->handle, &requirements);
    SHW_TRY(allocate(device, &requirements, SHW_MEMORY_DEVICE, name, quiet, &image->memory));
    VK_TRY(device, BindImageMemory(device->handle, image->handle, image->memory, 0));
    SHW_TRY(shw_image_view_create(device, image->handle, format, 0, layers, true, &image->view));
    return SHW_OK;

fail:
    shw_vulkan_image_destroy(device, image);
    return result;
}

enum shw_result shw_vulkan_image_create(struct shw_device *device, VkFormat format, uint32_t width, uint32_t height,
                                        uint32_t layers, VkImageUsageFlags usage, const char *name,
                                        struct shw_vulkan_image *image)
{
    return create_image(device, format, width, height, layers, usage, name, false, image);
}

enum shw_result shw_vulkan_image_try(struct shw_device *device, VkFormat format, uint32_t width, uint32_t height,
                                     uint32_t layers, VkImageUsageFlags usage, const char *name,
                                     struct shw_vulkan_image *image)
{
    return create_image(device, format, width, height, layers, usage, name, true, image);
}

void shw_vulkan_image_destroy(struct shw_device *device, struct shw_vulkan_image *image)
{
    if (image->view != VK_NULL_HANDLE)
        device->vk.DestroyImageView(device->handle, image->view, device->allocator);
    if (image->handle != VK_NULL_HANDLE)
        device->vk.DestroyImage(device->handle, image->handle, device->allocator);
    release(device, image->memory);
    *image = (struct shw_vulkan_image){0};
}
