#include "engine.h"

#include <stdio.h>
#include <stdlib.h>

static void check(VkResult result, const char *what)
{
    if (result >= VK_SUCCESS)
        return;
    fprintf(stderr, "%s: VkResult %d\n", what, result);
    exit(1);
}
#define CHECK(call) check(call, #call)

static void choose_device(struct engine *engine)
{
    VkQueueFamilyProperties families[16];
    const VkQueueFlags wanted = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    uint32_t count = 1;

    CHECK(vkEnumeratePhysicalDevices(engine->instance, &count, &engine->physical_device));
    if (count == 0) {
        fprintf(stderr, "there is no Vulkan device\n");
        exit(77);
    }
    count = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(engine->physical_device, &count, families);
    while (engine->family + 1 < count && (families[engine->family].queueFlags & wanted) != wanted)
        engine->family++;
}

static VkDeviceMemory allocate(struct engine *engine, const VkMemoryRequirements *needs, VkMemoryPropertyFlags flags)
{
    VkPhysicalDeviceMemoryProperties memory;
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs->size};
    VkDeviceMemory handle;

    vkGetPhysicalDeviceMemoryProperties(engine->physical_device, &memory);
    while (!(needs->memoryTypeBits >> info.memoryTypeIndex & 1) ||
           (memory.memoryTypes[info.memoryTypeIndex].propertyFlags & flags) != flags)
        info.memoryTypeIndex++;
    CHECK(vkAllocateMemory(engine->device, &info, NULL, &handle));
    return handle;
}

static void create_buffer(struct engine *engine, VkDeviceSize size)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = size,
                                     .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkMemoryRequirements needs;

    CHECK(vkCreateBuffer(engine->device, &info, NULL, &engine->buffer));
    vkGetBufferMemoryRequirements(engine->device, engine->buffer, &needs);
    engine->memory =
        allocate(engine, &needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    CHECK(vkBindBufferMemory(engine->device, engine->buffer, engine->memory, 0));
    CHECK(vkMapMemory(engine->device, engine->memory, 0, size, 0, &engine->mapped));
}

void engine_open(struct engine *engine, uint32_t width, uint32_t height)
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
    CHECK(vkCreateInstance(&instance, NULL, &engine->instance));
    choose_device(engine);
    queue.queueFamilyIndex = pool.queueFamilyIndex = engine->family;
    CHECK(vkCreateDevice(engine->physical_device, &device, NULL, &engine->device));
    vkGetDeviceQueue(engine->device, engine->family, 0, &engine->queue);
    CHECK(vkCreateCommandPool(engine->device, &pool, NULL, &engine->pool));
    commands.commandPool = engine->pool;
    CHECK(vkAllocateCommandBuffers(engine->device, &commands, &engine->commands));
    create_buffer(engine, (VkDeviceSize)4 * width * height);
}

void engine_close(struct engine *engine)
{
    vkDestroyBuffer(engine->device, engine->buffer, NULL);
    vkFreeMemory(engine->device, engine->memory, NULL);
    vkDestroyCommandPool(engine->device, engine->pool, NULL);
    vkDestroyDevice(engine->device, NULL);
    vkDestroyInstance(engine->instance, NULL);
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

    CHECK(vkCreateImage(engine->device, &info, NULL, &image.handle));
    vkGetImageMemoryRequirements(engine->device, image.handle, &needs);
    image.memory = allocate(engine, &needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    CHECK(vkBindImageMemory(engine->device, image.handle, image.memory, 0));
    view.image = image.handle;
    CHECK(vkCreateImageView(engine->device, &view, NULL, &image.view));
    return image;
}

void engine_destroy_image(struct engine *engine, struct engine_image *image)
{
    vkDestroyImageView(engine->device, image->view, NULL);
    vkDestroyImage(engine->device, image->handle, NULL);
    vkFreeMemory(engine->device, image->memory, NULL);
}

void engine_begin_frame(struct engine *engine)
{
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};

    CHECK(vkBeginCommandBuffer(engine->commands, &begin));
}

static VkBufferImageCopy all_of(const struct engine_image *image)
{
    return (VkBufferImageCopy){.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                               .imageExtent = {image->width, image->height, 1}};
}

void engine_draw(struct engine *engine, const struct engine_image *image)
{
    const VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                          .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                          .oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
                                          .newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                          .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                          .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                          .image = image->handle,
                                          .subresourceRange = whole};
    const VkBufferImageCopy region = all_of(image);

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
    const VkBufferImageCopy region = all_of(image);

    vkCmdCopyImageToBuffer(engine->commands, image->handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, engine->buffer, 1,
                           &region);
    vkCmdPipelineBarrier(engine->commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier,
                         0, NULL, 0, NULL);
}

void engine_finish_frame(struct engine *engine)
{
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &engine->commands};

    CHECK(vkEndCommandBuffer(engine->commands));
    CHECK(vkQueueSubmit(engine->queue, 1, &submit, VK_NULL_HANDLE));
    CHECK(vkQueueWaitIdle(engine->queue));
}
