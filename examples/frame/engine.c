#include "engine.h"

#include <stdbool.h>
#include <stdio.h>

/* Keeps the first failure, after which nothing else is done. */
static bool works(struct engine *engine, VkResult result, const char *what)
{
    if (engine->result == VK_SUCCESS && result < VK_SUCCESS) {
        engine->result = result;
        snprintf(engine->what, sizeof engine->what, "%s: VkResult %d", what, result);
    }
    return engine->result == VK_SUCCESS;
}
#define TRY(call) (engine->result == VK_SUCCESS && works(engine, call, #call))

static bool choose_device(struct engine *engine, uint32_t index)
{
    VkPhysicalDevice devices[16];
    VkQueueFamilyProperties families[16];
    const VkQueueFlags wanted = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    uint32_t count = 16;

    if (!TRY(vkEnumeratePhysicalDevices(engine->instance, &count, devices)))
        return false;
    if (index >= count) {
        engine->result = VK_ERROR_INITIALIZATION_FAILED;
        snprintf(engine->what, sizeof engine->what, "there is no Vulkan device %u", index);
        return false;
    }
    engine->physical_device = devices[index];
    count = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(engine->physical_device, &count, families);
    while (engine->family + 1 < count && (families[engine->family].queueFlags & wanted) != wanted)
        engine->family++;
    return true;
}

static VkDeviceMemory allocate(struct engine *engine, const VkMemoryRequirements *needs, VkMemoryPropertyFlags flags)
{
    VkPhysicalDeviceMemoryProperties memory;
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs->size};
    VkDeviceMemory handle = VK_NULL_HANDLE;

    vkGetPhysicalDeviceMemoryProperties(engine->physical_device, &memory);
    while (!(needs->memoryTypeBits >> info.memoryTypeIndex & 1) ||
           (memory.memoryTypes[info.memoryTypeIndex].propertyFlags & flags) != flags)
        info.memoryTypeIndex++;
    (void)TRY(vkAllocateMemory(engine->device, &info, NULL, &handle));
    return handle;
}

static void create_buffer(struct engine *engine, VkDeviceSize size)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = size,
                                     .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkMemoryRequirements needs;

    if (!TRY(vkCreateBuffer(engine->device, &info, NULL, &engine->buffer)))
        return;
    vkGetBufferMemoryRequirements(engine->device, engine->buffer, &needs);
    engine->memory =
        allocate(engine, &needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    (void)(TRY(vkBindBufferMemory(engine->device, engine->buffer, engine->memory, 0)) &&
           TRY(vkMapMemory(engine->device, engine->memory, 0, size, 0, &engine->mapped)));
}

VkResult engine_open(struct engine *engine, uint32_t index, VkDeviceSize bytes)
{
    const float priority = 1;
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo instance = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                           .pApplicationInfo = &application};
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    const VkDeviceCreateInfo device = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
    VkCommandBufferAllocateInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandBufferCount = 1};

    *engine = (struct engine){0};
    if (!TRY(vkCreateInstance(&instance, NULL, &engine->instance)) || !choose_device(engine, index))
        return engine->result;
    queue.queueFamilyIndex = pool.queueFamilyIndex = engine->family;
    if (!TRY(vkCreateDevice(engine->physical_device, &device, NULL, &engine->device)))
        return engine->result;
    vkGetDeviceQueue(engine->device, engine->family, 0, &engine->queue);
    if (TRY(vkCreateCommandPool(engine->device, &pool, NULL, &engine->pool))) {
        commands.commandPool = engine->pool;
        (void)TRY(vkAllocateCommandBuffers(engine->device, &commands, &engine->commands));
        create_buffer(engine, bytes);
    }
    return engine->result;
}

VkResult engine_close(struct engine *engine)
{
    if (engine->device != VK_NULL_HANDLE) {
        vkDestroyBuffer(engine->device, engine->buffer, NULL);
        vkFreeMemory(engine->device, engine->memory, NULL);
        vkDestroyCommandPool(engine->device, engine->pool, NULL);
        vkDestroyDevice(engine->device, NULL);
    }
    if (engine->instance != VK_NULL_HANDLE)
        vkDestroyInstance(engine->instance, NULL);
    engine->device = VK_NULL_HANDLE;
    engine->instance = VK_NULL_HANDLE;
    return engine->result;
}

static const VkImageSubresourceRange whole = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};

struct engine_image engine_create_image(struct engine *engine, VkFormat format, VkImageUsageFlags usage, uint32_t width,
                                        uint32_t height)
{
    struct engine_image image = {.format = format, .width = width, .height = height};
    const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                    .imageType = VK_IMAGE_TYPE_2D,
                                    .format = format,
                                    .extent = {width, height, 1},
                                    .mipLevels = 1,
                                    .arrayLayers = 1,
                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                    .usage = usage};
    VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                  .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                  .format = format,
                                  .subresourceRange = whole};
    VkMemoryRequirements needs;

    if (!TRY(vkCreateImage(engine->device, &info, NULL, &image.handle)))
        return image;
    vkGetImageMemoryRequirements(engine->device, image.handle, &needs);
    image.memory = allocate(engine, &needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    view.image = image.handle;
    (void)(TRY(vkBindImageMemory(engine->device, image.handle, image.memory, 0)) &&
           TRY(vkCreateImageView(engine->device, &view, NULL, &image.view)));
    return image;
}

void engine_destroy_image(struct engine *engine, struct engine_image *image)
{
    if (engine->device == VK_NULL_HANDLE)
        return;
    vkDestroyImageView(engine->device, image->view, NULL);
    vkDestroyImage(engine->device, image->handle, NULL);
    vkFreeMemory(engine->device, image->memory, NULL);
}

void engine_begin_frame(struct engine *engine)
{
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};

    (void)TRY(vkBeginCommandBuffer(engine->commands, &begin));
}

static VkBufferImageCopy all_of(const struct engine_image *image, VkDeviceSize offset)
{
    return (VkBufferImageCopy){.bufferOffset = offset,
                               .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                               .imageExtent = {image->width, image->height, 1}};
}

void engine_draw(struct engine *engine, const struct engine_image *image, VkDeviceSize offset)
{
    const VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                          .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                          .oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
                                          .newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                          .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                          .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                          .image = image->handle,
                                          .subresourceRange = whole};
    const VkBufferImageCopy region = all_of(image, offset);

    if (engine->result != VK_SUCCESS)
        return;
    vkCmdPipelineBarrier(engine->commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0,
                         NULL, 0, NULL, 1, &barrier);
    vkCmdCopyBufferToImage(engine->commands, engine->buffer, image->handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                           &region);
}

void engine_read(struct engine *engine, const struct engine_image *image)
{
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    const VkBufferImageCopy region = all_of(image, 0);

    if (engine->result != VK_SUCCESS)
        return;
    vkCmdCopyImageToBuffer(engine->commands, image->handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, engine->buffer, 1,
                           &region);
    vkCmdPipelineBarrier(engine->commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier,
                         0, NULL, 0, NULL);
}

VkResult engine_finish_frame(struct engine *engine)
{
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &engine->commands};

    (void)(TRY(vkEndCommandBuffer(engine->commands)) && TRY(vkQueueSubmit(engine->queue, 1, &submit, VK_NULL_HANDLE)) &&
           TRY(vkQueueWaitIdle(engine->queue)));
    return engine->result;
}
