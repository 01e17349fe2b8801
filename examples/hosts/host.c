#include "host.h"

#include <stdio.h>
#include <stdlib.h>

int check(int result, const char *what)
{
    if (result < 0) {
        fprintf(stderr, "%s: error %d\n", what, result);
        exit(1);
    }
    return result;
}

static void print_message(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    (void)user, (void)level, (void)item;
    fprintf(stderr, "%s\n", text);
}

void host_open(struct host *host, struct shw_device_import_params *library, const char *forest)
{
    const struct shw_forest_load_params load = {.log = {.function = print_message}};
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                          .queueFamilyIndex = library->queue_family};
    VkCommandBufferAllocateInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandBufferCount = 1};

    *host = (struct host){.vulkan = library->device};
    library->log = load.log;
    check(shw_device_import(library, &host->device), "the device");
    check(shw_forest_load(forest, &load, &host->forest), "the forest");
    vkGetDeviceQueue(host->vulkan, library->queue_family, 0, &host->queue);
    check(vkCreateFence(host->vulkan, &fence, NULL, &host->fence), "vkCreateFence");
    check(vkCreateCommandPool(host->vulkan, &pool, NULL, &host->pool), "vkCreateCommandPool");
    commands.commandPool = host->pool;
    check(vkAllocateCommandBuffers(host->vulkan, &commands, &host->commands), "vkAllocateCommandBuffers");
}

void host_close(struct host *host)
{
    shw_labeller_destroy(&host->labeller);
    shw_forest_destroy(&host->forest);
    shw_device_destroy(&host->device);
    vkDestroyCommandPool(host->vulkan, host->pool, NULL);
    vkDestroyFence(host->vulkan, host->fence, NULL);
}

void host_create_labeller(struct host *host, uint32_t width, uint32_t height)
{
    const struct shw_labeller_params params = {.forest = host->forest,
                                               .device = host->device,
                                               .outputs = SHW_OUTPUT_ARGMAX,
                                               .formats = {.overlay = VK_FORMAT_R8G8B8A8_UNORM},
                                               .width = width,
                                               .height = height,
                                               .log = {.function = print_message}};

    check(shw_labeller_create(&params, &host->labeller), "the labeller");
}

void host_begin(struct host *host)
{
    static const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                                   .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};

    check(vkBeginCommandBuffer(host->commands, &begin), "vkBeginCommandBuffer");
}

static VkImageView create_view(struct host *host, const struct host_image *image)
{
    const VkImageViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                        .image = image->handle,
                                        .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                        .format = image->format,
                                        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};

    check(vkCreateImageView(host->vulkan, &info, NULL, &host->views[host->view_count]), "vkCreateImageView");
    return host->views[host->view_count++];
}

struct shw_image_use host_use(struct host *host, const struct host_image *image)
{
    struct shw_image_use use = {.image = image->handle,
                                .format = image->format,
                                .extent = {image->width, image->height},
                                .before = {.layout = image->before, .stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT},
                                .after = {.layout = image->after, .stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT}};

    if (!image->is_target)
        use.view = create_view(host, image);
    if (image->ready.handle != VK_NULL_HANDLE) {
        host->waits[host->semaphore_count] = image->ready;
        host->signals[host->semaphore_count++] = (struct shw_semaphore){image->ready.handle, image->done};
    }
    return use;
}

void host_submit(struct host *host)
{
    const struct shw_submission submission = {.queue = host->queue,
                                              .command_count = 1,
                                              .commands = &host->commands,
                                              .wait_count = host->semaphore_count,
                                              .waits = host->waits,
                                              .signal_count = host->semaphore_count,
                                              .signals = host->signals,
                                              .fence = host->fence};

    check(vkEndCommandBuffer(host->commands), "vkEndCommandBuffer");
    check(shw_submit(host->device, &submission), "the submission");
    check(vkWaitForFences(host->vulkan, 1, &host->fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
    check(vkResetFences(host->vulkan, 1, &host->fence), "vkResetFences");
    while (host->view_count > 0)
        vkDestroyImageView(host->vulkan, host->views[--host->view_count], NULL);
    host->semaphore_count = 0;
}

void host_write_labels(const char *path, const void *labels, uint32_t width, uint32_t height, size_t stride)
{
    FILE *stream = fopen(path, "wb");

    check(stream != NULL ? 0 : -1, path);
    fprintf(stream, "P5\n%u %u\n255\n", width, height);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            fputc(((const uint16_t *)labels)[y * (stride / 2) + x], stream);
    check(fclose(stream), path);
}
