#include "vulkan/memory.h"

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

static VkResult allocate_from_vulkan(struct shw_device *device, const struct shw_memory_request *request,
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
    result = hooks->allocate != NULL ? hooks->allocate(hooks->user, request, block)
                                     : allocate_from_vulkan(device, request, block);
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

/* The block of a single resource. */
static enum shw_result allocate(struct shw_device *device, const VkMemoryRequirements *requirements,
                                enum shw_memory_kind kind, bool is_image, const char *name, bool quiet,
                                struct shw_memory_block *block)
{
    struct shw_memory_request request = {.requirements = *requirements,
                                         .mapped = kind != SHW_MEMORY_DEVICE,
                                         .has_buffers = !is_image,
                                         .has_images = is_image};

    request.requirements.memoryTypeBits =
        shw_block_types(device, requirements->memoryTypeBits, kind, &request.memory_type);
    if (request.requirements.memoryTypeBits == 0)
        return shw_fail(&device->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT, "no suitable memory type for %s",
                        name);
    return shw_block_allocate(device, &request, name, quiet, block);
}

enum shw_result shw_buffer_create_unbound(const struct shw_device *device, VkDeviceSize size, VkBufferUsageFlags usage,
                                          const char *name, struct shw_buffer *buffer)
{
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .size = size,
                               .usage = usage,
                               .sharingMode = VK_SHARING_MODE_EXCLUSIVE};

    *buffer = (struct shw_buffer){.size = size};
    VK_PROPAGATE(device, CreateBuffer(device->handle, &info, device->allocator, &buffer->handle));
    shw_vk_name(device, VK_OBJECT_TYPE_BUFFER, (uint64_t)buffer->handle, "shw %s", name);
    return SHW_OK;
}

static enum shw_result create_buffer(struct shw_device *device, VkDeviceSize size, VkBufferUsageFlags usage,
                                     enum shw_memory_kind kind, const char *name, bool quiet, struct shw_buffer *buffer)
{
    VkMemoryRequirements requirements;
    enum shw_result result;

    SHW_TRY(shw_buffer_create_unbound(device, size, usage, name, buffer));
    device->vk.GetBufferMemoryRequirements(device->handle, buffer->handle, &requirements);
    SHW_TRY(allocate(device, &requirements, kind, false, name, quiet, &buffer->block));
    VK_TRY(device, BindBufferMemory(device->handle, buffer->handle, buffer->block.memory, buffer->block.offset));
    buffer->mapped = buffer->block.mapped;
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
    shw_block_release(device, &buffer->block);
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

enum shw_result shw_vulkan_image_create_unbound(const struct shw_device *device, VkFormat format, uint32_t width,
                                                uint32_t height, uint32_t layers, VkImageUsageFlags usage,
                                                const char *name, struct shw_vulkan_image *image)
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

    *image = (struct shw_vulkan_image){.format = format, .width = width, .height = height, .layers = layers};
    if (width > limits->maxImageDimension2D || height > limits->maxImageDimension2D ||
        layers > limits->maxImageArrayLayers)
        return shw_fail(
            &device->log, SHW_ERROR_LIMIT, SHW_LOG_REQUIREMENT,
            "%s needs an image of %u x %u pixels with %u layers; the device has at most %u x %u pixels with %u layers",
            name, width, height, layers, limits->maxImageDimension2D, limits->maxImageDimension2D,
            limits->maxImageArrayLayers);
    VK_PROPAGATE(device, CreateImage(device->handle, &info, device->allocator, &image->handle));
    shw_vk_name(device, VK_OBJECT_TYPE_IMAGE, (uint64_t)image->handle, "shw %s", name);
    return SHW_OK;
}

static enum shw_result create_image(struct shw_device *device, VkFormat format, uint32_t width, uint32_t height,
                                    uint32_t layers, VkImageUsageFlags usage, const char *name, bool quiet,
                                    struct shw_vulkan_image *image)
{
    VkMemoryRequirements requirements;
    enum shw_result result;

    SHW_TRY(shw_vulkan_image_create_unbound(device, format, width, height, layers, usage, name, image));
    device->vk.GetImageMemoryRequirements(device->handle, image->handle, &requirements);
    SHW_TRY(allocate(device, &requirements, SHW_MEMORY_DEVICE, true, name, quiet, &image->block));
    VK_TRY(device, BindImageMemory(device->handle, image->handle, image->block.memory, image->block.offset));
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
    shw_block_release(device, &image->block);
    *image = (struct shw_vulkan_image){0};
}
