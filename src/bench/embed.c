#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/device.h>

#include "base/image.h"
#include "base/log.h"
#include "bench/document.h"
#include "bench/setting.h"
#include "dense/channels/pixels.h"
#include "vulkan/commands.h"
#include "vulkan/device.h"
#include "vulkan/formats.h"
#include "vulkan/loader.h"
#include "vulkan/memory.h"

#define SHW_ENGINE_FRAMES 2u /* in flight */

struct shw_engine_frame {
    VkCommandBuffer commands;
    VkFence fence;
    VkQueryPool marks; /* null if the queue has no timestamps */
};

struct shw_engine {
    void *library;
    PFN_vkGetInstanceProcAddr get;
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice handle;
    VkQueue queue;
    VkCommandPool pool;
    uint32_t family, timestamp_bits;
    double timestamp_period; /* nanoseconds */
    struct shw_vk vk;
    struct shw_engine_frame frames[SHW_ENGINE_FRAMES];
    const struct shw_log *log;
    struct shw_device *device; /* the imported device */
};

#define DEVICES_MAX  64u
#define FAMILIES_MAX 16u

/* In a function with `result` and `fail`: a Vulkan call of the engine. */
#define ENGINE_TRY(engine, call)                                                                                       \
    do {                                                                                                               \
        VkResult vk_result_ = (call);                                                                                  \
        if (vk_result_ != VK_SUCCESS) {                                                                                \
            result = failed(engine, vk_result_);                                                                       \
            goto fail;                                                                                                 \
        }                                                                                                              \
    } while (0)

/* A Vulkan call of the engine: returns its failure. */
#define ENGINE_PROPAGATE(engine, call)                                                                                 \
    do {                                                                                                               \
        VkResult vk_result_ = (call);                                                                                  \
        if (vk_result_ != VK_SUCCESS)                                                                                  \
            return failed(engine, vk_result_);                                                                         \
    } while (0)

static enum shw_result failed(const struct shw_engine *engine, VkResult vk_result)
{
    enum shw_result result = vk_result == VK_ERROR_DEVICE_LOST            ? SHW_ERROR_DEVICE_LOST
                             : vk_result == VK_ERROR_OUT_OF_HOST_MEMORY   ? SHW_ERROR_MEMORY
                             : vk_result == VK_ERROR_OUT_OF_DEVICE_MEMORY ? SHW_ERROR_DEVICE_MEMORY
                                                                          : SHW_ERROR_UNSUPPORTED;

    return shw_fail(engine->log, result, SHW_LOG_VULKAN_CALL, "a Vulkan call of the bench's engine returned %s",
                    shw_vk_result_text(vk_result).text);
}

static enum shw_result open_instance(struct shw_engine *engine)
{
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_3};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    const char *extensions[1];
    PFN_vkCreateInstance create;

    engine->library = shw_vk_open_loader(&engine->get);
    if (engine->get == NULL)
        return shw_fail(engine->log, SHW_ERROR_NO_DEVICE, SHW_LOG_NO_DEVICE, "no Vulkan loader (%s)",
                        shw_vk_loader_name);
    shw_vk_enumerate_subsets(engine->get, extensions, &info); /* so that devices have the numbers of the others */
    create = (PFN_vkCreateInstance)engine->get(NULL, "vkCreateInstance");
    ENGINE_PROPAGATE(engine, create(&info, NULL, &engine->instance));
    if (shw_vk_load_instance(&engine->vk, engine->get, engine->instance) != NULL)
        return shw_fail(engine->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_NO_DEVICE, "the Vulkan loader lacks functions");
    return SHW_OK;
}

static enum shw_result open_device(struct shw_engine *engine, uint32_t index)
{
    static const float priority = 1.0f;
    const VkQueueFlags wanted = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    PFN_vkEnumeratePhysicalDevices enumerate =
        (PFN_vkEnumeratePhysicalDevices)engine->get(engine->instance, "vkEnumeratePhysicalDevices");
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)engine->get(engine->instance, "vkCreateDevice");
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
    const char *subset;
    VkQueueFamilyProperties families[FAMILIES_MAX];
    VkPhysicalDevice devices[DEVICES_MAX];
    VkPhysicalDeviceProperties properties;
    uint32_t count = DEVICES_MAX;

    if (enumerate(engine->instance, &count, devices) < VK_SUCCESS || index >= count)
        return shw_fail(engine->log, SHW_ERROR_NO_DEVICE, SHW_LOG_NO_DEVICE, "there is no Vulkan device %u", index);
    engine->physical = devices[index];
    engine->vk.GetPhysicalDeviceProperties(engine->physical, &properties);
    count = FAMILIES_MAX;
    engine->vk.GetPhysicalDeviceQueueFamilyProperties(engine->physical, &count, families);
    while (engine->family < count && (families[engine->family].queueFlags & wanted) != wanted)
        engine->family++;
    if (engine->family == count)
        return shw_fail(engine->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT, "no queue for graphics and compute");
    engine->timestamp_bits = families[engine->family].timestampValidBits;
    engine->timestamp_period = (double)properties.limits.timestampPeriod;
    queue.queueFamilyIndex = engine->family;
    subset = shw_vk_subset_extension(engine->get, engine->instance, engine->physical);
    info.enabledExtensionCount = subset != NULL ? 1 : 0;
    info.ppEnabledExtensionNames = &subset;
    ENGINE_PROPAGATE(engine, create(engine->physical, &info, NULL, &engine->handle));
    if (shw_vk_load_device(&engine->vk, engine->handle) != NULL)
        return shw_fail(engine->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT, "the device lacks functions");
    engine->vk.GetDeviceQueue(engine->handle, engine->family, 0, &engine->queue);
    return SHW_OK;
}

static enum shw_result create_frame(struct shw_engine *engine, struct shw_engine_frame *frame)
{
    const VkCommandBufferAllocateInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                  .commandPool = engine->pool,
                                                  .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                  .commandBufferCount = 1};
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO,
                                     .flags = VK_FENCE_CREATE_SIGNALED_BIT};
    const VkQueryPoolCreateInfo marks = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = 2};

    ENGINE_PROPAGATE(engine, engine->vk.AllocateCommandBuffers(engine->handle, &commands, &frame->commands));
    ENGINE_PROPAGATE(engine, engine->vk.CreateFence(engine->handle, &fence, NULL, &frame->fence));
    if (engine->timestamp_bits > 0)
        ENGINE_PROPAGATE(engine, engine->vk.CreateQueryPool(engine->handle, &marks, NULL, &frame->marks));
    return SHW_OK;
}

/* Waits for submitted work. Accepts a zero engine. */
static void shw_engine_close(struct shw_engine *engine)
{
    PFN_vkDestroyInstance destroy;

    if (engine->handle != VK_NULL_HANDLE)
        engine->vk.DeviceWaitIdle(engine->handle);
    shw_device_destroy(&engine->device);
    for (uint32_t f = 0; f < SHW_ENGINE_FRAMES; f++) {
        if (engine->frames[f].fence != VK_NULL_HANDLE)
            engine->vk.DestroyFence(engine->handle, engine->frames[f].fence, NULL);
        if (engine->frames[f].marks != VK_NULL_HANDLE)
            engine->vk.DestroyQueryPool(engine->handle, engine->frames[f].marks, NULL);
    }
    if (engine->pool != VK_NULL_HANDLE)
        engine->vk.DestroyCommandPool(engine->handle, engine->pool, NULL);
    if (engine->handle != VK_NULL_HANDLE)
        engine->vk.DestroyDevice(engine->handle, NULL);
    if (engine->instance != VK_NULL_HANDLE) {
        destroy = (PFN_vkDestroyInstance)engine->get(engine->instance, "vkDestroyInstance");
        destroy(engine->instance, NULL);
    }
    shw_vk_close_loader(engine->library);
    *engine = (struct shw_engine){0};
}

/* Opens device `index` in the loader's order. Errors: NO_DEVICE, UNSUPPORTED, MEMORY. On failure the engine is zero. */
static enum shw_result shw_engine_open(uint32_t index, const struct shw_log *log, struct shw_engine *engine)
{
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
    struct shw_device_import_params import = {.log = *log};
    enum shw_result result;

    *engine = (struct shw_engine){.log = log};
    SHW_TRY(open_instance(engine));
    SHW_TRY(open_device(engine, index));
    pool.queueFamilyIndex = engine->family;
    ENGINE_TRY(engine, engine->vk.CreateCommandPool(engine->handle, &pool, NULL, &engine->pool));
    for (uint32_t f = 0; f < SHW_ENGINE_FRAMES; f++)
        SHW_TRY(create_frame(engine, &engine->frames[f]));
    import.instance = engine->instance;
    import.physical_device = engine->physical;
    import.device = engine->handle;
    import.queue_family = engine->family;
    import.api_version = VK_API_VERSION_1_3;
    import.get_instance_proc_addr = engine->get;
    SHW_TRY(shw_device_import(&import, &engine->device));
    return SHW_OK;

fail:
    shw_engine_close(engine);
    return result;
}

static enum shw_result shw_engine_wait(struct shw_engine *engine, struct shw_engine_frame *frame)
{
    ENGINE_PROPAGATE(engine, engine->vk.WaitForFences(engine->handle, 1, &frame->fence, VK_TRUE, UINT64_MAX));
    return SHW_OK;
}

/* Waits for the frame's previous submission, and begins its commands. Errors: DEVICE_LOST, MEMORY, DEVICE_MEMORY. */
static enum shw_result shw_engine_begin(struct shw_engine *engine, struct shw_engine_frame *frame)
{
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};

    SHW_PROPAGATE(shw_engine_wait(engine, frame));
    ENGINE_PROPAGATE(engine, engine->vk.ResetFences(engine->handle, 1, &frame->fence));
    ENGINE_PROPAGATE(engine, engine->vk.BeginCommandBuffer(frame->commands, &begin));
    if (frame->marks != VK_NULL_HANDLE)
        engine->vk.CmdResetQueryPool(frame->commands, frame->marks, 0, 2);
    return SHW_OK;
}

/* Records timestamp 0 or 1 of the frame, after all previous work. */
static void shw_engine_mark(struct shw_engine *engine, struct shw_engine_frame *frame, uint32_t mark)
{
    const VkMemoryBarrier all = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                 .srcAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                 .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
    const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;

    if (frame->marks == VK_NULL_HANDLE)
        return;
    engine->vk.CmdPipelineBarrier(frame->commands, stages, stages, 0, 1, &all, 0, NULL, 0, NULL);
    engine->vk.CmdWriteTimestamp(frame->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, frame->marks, mark);
    engine->vk.CmdPipelineBarrier(frame->commands, stages, stages, 0, 1, &all, 0, NULL, 0, NULL);
}

/* Ends and submits the commands, and optionally waits for completion. */
static enum shw_result shw_engine_submit(struct shw_engine *engine, struct shw_engine_frame *frame)
{
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &frame->commands};

    ENGINE_PROPAGATE(engine, engine->vk.EndCommandBuffer(frame->commands));
    ENGINE_PROPAGATE(engine, engine->vk.QueueSubmit(engine->queue, 1, &submit, frame->fence));
    return SHW_OK;
}

/* Milliseconds between the timestamps of a completed frame; 0 without timestamps. */
static enum shw_result shw_engine_elapsed(struct shw_engine *engine, struct shw_engine_frame *frame, double *ms)
{
    uint64_t ticks[2], taken;

    *ms = 0;
    if (frame->marks == VK_NULL_HANDLE)
        return SHW_OK;
    ENGINE_PROPAGATE(engine,
                     engine->vk.GetQueryPoolResults(engine->handle, frame->marks, 0, 2, sizeof ticks, ticks,
                                                    sizeof *ticks, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    taken = ticks[1] - ticks[0];
    if (engine->timestamp_bits < 64)
        taken &= ((uint64_t)1 << engine->timestamp_bits) - 1;
    *ms = 1e-6 * (double)taken * engine->timestamp_period;
    return SHW_OK;
}

#define FRAMES_MAX 600u
#define WARM_UP    4u

/* The resources of a frame in flight, besides its commands. */
struct frame_images {
    struct shw_vulkan_image source, target;
    VkImageView view; /* of the source, 2D */
    struct shw_buffer upload, readback;
};

/* What frames are labelled with: the stages of rows, and their titles. */
struct content {
    const char *frame, *frame_title, *record, *record_title;
};

struct embed {
    struct shw_bench *bench;
    struct shw_bench_setting setting;
    struct content content;
    enum shw_technique technique;
    struct shw_engine engine;
    struct shw_image image;
    struct shw_forest *forest;
    struct shw_labeller *labeller;
    struct frame_images frames[SHW_ENGINE_FRAMES];
    uint16_t *expected; /* by cpu */
    struct shw_bench_times record, frame;
};

static const VkPipelineStageFlags anywhere = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;

static enum shw_result create_images(struct embed *embed, struct frame_images *images)
{
    struct shw_device *device = embed->engine.device;
    uint32_t width = embed->setting.width, height = embed->setting.height;
    const struct shw_region whole = {width, height, 0, 0, width, height};
    const VkImageUsageFlags copied = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    VkFormat format = shw_source_format(shw_pixel_is_wide(embed->image.format));

    SHW_PROPAGATE(shw_vulkan_image_create(device, format, width, height, 1, VK_IMAGE_USAGE_SAMPLED_BIT | copied,
                                          "engine source", &images->source));
    SHW_PROPAGATE(shw_image_view_create(device, images->source.handle, format, 0, 1, false, &images->view));
    SHW_PROPAGATE(shw_vulkan_image_create(device, VK_FORMAT_R16_UINT, width, height, 1,
                                          VK_IMAGE_USAGE_SAMPLED_BIT | copied, "engine target", &images->target));
    SHW_PROPAGATE(shw_buffer_create(device, (VkDeviceSize)width * height * 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                    SHW_MEMORY_UPLOAD, "engine upload", &images->upload));
    SHW_PROPAGATE(shw_buffer_create(device, (VkDeviceSize)width * height * 2, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                    SHW_MEMORY_READBACK, "engine readback", &images->readback));
    shw_source_pixels_expand(&embed->image, &whole, images->upload.mapped);
    return SHW_OK;
}

/* Uploads the source once: what an engine renders stays on the device. */
static enum shw_result fill_source(struct embed *embed, uint32_t slot)
{
    struct shw_engine *engine = &embed->engine;
    const struct frame_images *images = &embed->frames[slot];
    const struct shw_use sampled = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, anywhere, VK_ACCESS_SHADER_READ_BIT};
    VkCommandBuffer commands = engine->frames[slot].commands;
    const VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                    .imageExtent = {embed->setting.width, embed->setting.height, 1}};

    SHW_PROPAGATE(shw_engine_begin(engine, &engine->frames[slot]));
    shw_image_barrier(engine->device, commands, images->source.handle, shw_use_nothing, shw_use_copy_target);
    engine->vk.CmdCopyBufferToImage(commands, images->upload.handle, images->source.handle,
                                    VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
    shw_image_barrier(engine->device, commands, images->source.handle, shw_use_copy_target, sampled);
    return shw_engine_submit(engine, &engine->frames[slot]);
}

/* One frame; *record: milliseconds of recording. */
static enum shw_result run_frame(struct embed *embed, uint32_t slot, double *record)
{
    struct shw_engine *engine = &embed->engine;
    struct shw_engine_frame *frame = &engine->frames[slot];
    const struct frame_images *images = &embed->frames[slot];
    VkExtent2D extent = {embed->setting.width, embed->setting.height};
    const struct shw_image_use source = {
        .image = images->source.handle,
        .view = images->view,
        .format = images->source.format,
        .extent = extent,
        .before = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, anywhere, VK_ACCESS_SHADER_READ_BIT},
        .after = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, anywhere, VK_ACCESS_SHADER_READ_BIT}};
    const struct shw_label_targets targets = {
        .argmax = {.image = images->target.handle,
                   .view = images->target.view,
                   .format = VK_FORMAT_R16_UINT,
                   .extent = extent,
                   .before = {VK_IMAGE_LAYOUT_UNDEFINED, anywhere, 0},
                   .after = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, anywhere, VK_ACCESS_SHADER_READ_BIT}}};
    double start;

    SHW_PROPAGATE(shw_engine_begin(engine, frame));
    shw_engine_mark(engine, frame, 0);
    start = shw_bench_now();
    SHW_PROPAGATE(shw_labeller_record(embed->labeller, frame->commands, slot, SHW_COLOUR_USE(source), &targets));
    *record = shw_bench_now() - start;
    shw_engine_mark(engine, frame, 1);
    return shw_engine_submit(engine, frame);
}

/* Frame after frame, two in flight: the wall-clock time of a frame is that since the previous frame. */
static enum shw_result run_frames(struct embed *embed)
{
    struct shw_engine *engine = &embed->engine;
    uint32_t most = embed->bench->options.runs * 4 < FRAMES_MAX ? embed->bench->options.runs * 4 : FRAMES_MAX, slot = 0;
    double record, begun = 0, before = 0, now;

    for (uint32_t f = 0; f < most + WARM_UP; f++) {
        struct shw_bench_times *frame = &embed->frame;
        slot = f % SHW_ENGINE_FRAMES;
        if (f >= WARM_UP) { /* of two frames ago */
            SHW_PROPAGATE(shw_engine_wait(engine, &engine->frames[slot]));
            SHW_PROPAGATE(shw_engine_elapsed(engine, &engine->frames[slot], &frame->device[frame->runs]));
            now = shw_bench_now();
            begun = f == WARM_UP ? now : begun;
            frame->wall[frame->runs] = now - before;
            before = now;
            if (f > WARM_UP)
                frame->runs++;
            if (frame->runs >= SHW_BENCH_RUNS_LEAST && now - begun > 1e3 * embed->bench->options.seconds)
                break;
        }
        SHW_PROPAGATE(run_frame(embed, slot, &record));
        if (f >= WARM_UP)
            embed->record.wall[embed->record.runs++] = record;
    }
    embed->frame.device_runs = engine->timestamp_bits > 0 ? embed->frame.runs : 0;
    for (uint32_t f = 0; f < SHW_ENGINE_FRAMES; f++)
        SHW_PROPAGATE(shw_engine_wait(engine, &engine->frames[f]));
    return SHW_OK;
}

/* Whether the last target of every slot equals the result of cpu. */
static enum shw_result check(struct embed *embed, bool *equal)
{
    struct shw_engine *engine = &embed->engine;
    const struct shw_use sampled = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, anywhere, VK_ACCESS_SHADER_READ_BIT};
    const VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                    .imageExtent = {embed->setting.width, embed->setting.height, 1}};
    size_t bytes = (size_t)embed->setting.width * embed->setting.height * sizeof(uint16_t);

    *equal = true;
    for (uint32_t slot = 0; slot < SHW_ENGINE_FRAMES; slot++) {
        const struct frame_images *images = &embed->frames[slot];
        VkCommandBuffer commands = engine->frames[slot].commands;
        SHW_PROPAGATE(shw_engine_begin(engine, &engine->frames[slot]));
        shw_image_barrier(engine->device, commands, images->target.handle, sampled, shw_use_copy_source);
        engine->vk.CmdCopyImageToBuffer(commands, images->target.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                        images->readback.handle, 1, &copy);
        shw_buffer_barrier(engine->device, commands, images->readback.handle, shw_use_copy_target, shw_use_host_read);
        SHW_PROPAGATE(shw_engine_submit(engine, &engine->frames[slot]));
        SHW_PROPAGATE(shw_engine_wait(engine, &engine->frames[slot]));
        *equal = *equal && memcmp(images->readback.mapped, embed->expected, bytes) == 0;
    }
    return SHW_OK;
}

static enum shw_result add(struct embed *embed, const char *stage, const char *title,
                           const struct shw_bench_times *times, const char *unit, const char *skipped, int equals)
{
    char id[160], name[96];
    const struct shw_bench_row row = {.suite = "embed",
                                      .stage = stage,
                                      .technique = shw_technique_name(embed->technique),
                                      .title = title,
                                      .id = id,
                                      .setting = shw_bench_setting_describe(&embed->setting, SHW_BENCH_STAGE_WHOLE),
                                      .times = skipped == NULL ? times : NULL,
                                      .skipped = skipped,
                                      .unit = unit,
                                      .equals_cpu = equals};

    shw_bench_setting_name(&embed->setting, SHW_BENCH_STAGE_WHOLE, name, sizeof name);
    snprintf(id, sizeof id, "embed/%s/%s/%s", stage, name, row.technique);
    json_object_set_new(row.setting, "frames_in_flight", json_integer(SHW_ENGINE_FRAMES));
    return shw_bench_add(embed->bench, &row) != NULL ? SHW_OK : SHW_ERROR_MEMORY;
}

static double mean(const double *values, uint32_t count)
{
    double sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += values[i];
    return sum / count;
}

static enum shw_result create(struct embed *embed)
{
    const struct shw_labeller_params params = {.forest = embed->forest,
                                               .device = embed->engine.device,
                                               .outputs = SHW_OUTPUT_ARGMAX,
                                               .channels = embed->technique,
                                               .integrate = embed->technique,
                                               .evaluate = embed->technique,
                                               .width = embed->setting.width,
                                               .height = embed->setting.height,
                                               .slots = SHW_ENGINE_FRAMES,
                                               .log = embed->bench->log};

    SHW_PROPAGATE(shw_labeller_create(&params, &embed->labeller));
    for (uint32_t f = 0; f < SHW_ENGINE_FRAMES; f++) {
        SHW_PROPAGATE(create_images(embed, &embed->frames[f]));
        SHW_PROPAGATE(fill_source(embed, f));
    }
    return SHW_OK;
}

static void destroy(struct embed *embed)
{
    struct shw_engine *engine = &embed->engine;

    if (engine->handle != VK_NULL_HANDLE)
        engine->vk.DeviceWaitIdle(engine->handle);
    shw_labeller_destroy(&embed->labeller);
    for (uint32_t f = 0; f < SHW_ENGINE_FRAMES && engine->device != NULL; f++) {
        struct frame_images *images = &embed->frames[f];
        if (images->view != VK_NULL_HANDLE)
            engine->vk.DestroyImageView(engine->handle, images->view, NULL);
        shw_vulkan_image_destroy(engine->device, &images->source);
        shw_vulkan_image_destroy(engine->device, &images->target);
        shw_buffer_destroy(engine->device, &images->upload);
        shw_buffer_destroy(engine->device, &images->readback);
        images->view = VK_NULL_HANDLE;
    }
}

static enum shw_result time_technique(struct embed *embed, enum shw_technique technique)
{
    const struct content *content = &embed->content;
    bool equal = false;
    enum shw_result result;

    embed->technique = technique;
    embed->record.runs = embed->frame.runs = embed->frame.device_runs = 0;
    shw_bench_say(embed->bench, "embed/%s/%s", content->frame, shw_technique_name(technique));
    SHW_TRY(create(embed));
    SHW_TRY(run_frames(embed));
    SHW_TRY(check(embed, &equal));
    embed->frame.in_flight = SHW_ENGINE_FRAMES;
    embed->frame.back_to_back = mean(embed->frame.wall, embed->frame.runs);
    embed->frame.back_to_back_device = embed->frame.device_runs > 0 ? mean(embed->frame.device, embed->frame.runs) : 0;
    SHW_TRY(add(embed, content->frame, content->frame_title, &embed->frame, "frames", NULL, equal));
    SHW_TRY(add(embed, content->record, content->record_title, &embed->record, NULL, NULL, equal));

fail:
    destroy(embed);
    return shw_bench_is_skip(result)
               ? add(embed, content->frame, content->frame_title, NULL, NULL, embed->bench->message, -1)
               : result;
}

/* The result of cpu for the image. */
static enum shw_result expect(struct embed *embed)
{
    const struct shw_labeller_params params = {.forest = embed->forest,
                                               .outputs = SHW_OUTPUT_ARGMAX,
                                               .channels = SHW_TECHNIQUE_CPU,
                                               .integrate = SHW_TECHNIQUE_CPU,
                                               .evaluate = SHW_TECHNIQUE_CPU,
                                               .log = embed->bench->log};
    struct shw_labeller *labeller = NULL;
    struct shw_labelling out;
    enum shw_result result;

    embed->expected = malloc((size_t)embed->setting.width * embed->setting.height * sizeof *embed->expected);
    if (embed->expected == NULL)
        return shw_fail_memory(&embed->bench->log, "the result of cpu");
    out = (struct shw_labelling){.argmax = embed->expected};
    SHW_TRY(shw_labeller_create(&params, &labeller));
    SHW_TRY(shw_labeller_run(labeller, SHW_COLOUR_IMAGE(embed->image), &out));

fail:
    shw_labeller_destroy(&labeller);
    return result;
}

static enum shw_result time_content(struct embed *embed, const struct content *content)
{
    static const enum shw_technique techniques[] = {SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT};

    embed->content = *content;
    free(embed->expected);
    embed->expected = NULL;
    SHW_PROPAGATE(expect(embed));
    for (size_t t = 0; t < sizeof techniques / sizeof *techniques; t++)
        if (shw_bench_wants(embed->bench, techniques[t]))
            SHW_PROPAGATE(time_technique(embed, techniques[t]));
    return SHW_OK;
}

/* Two levels, of which the upper one reads what the lower one says, both smoothed: docs/stacking.md. */
static enum shw_result make_levels(struct embed *embed)
{
    struct shw_bench_forest_params *params = &embed->setting.forest;

    shw_forest_destroy(&embed->forest);
    params->trees = shw_bench_is_small(embed->bench) ? 2 : 20;
    params->classes = 21;
    params->channels = SHW_CHANNELS_WIDE;
    params->smoothing.radius = 32;
    SHW_PROPAGATE(shw_bench_levels(params, 16, &embed->bench->log, &embed->forest));
    params->channels = shw_forest_get_info(embed->forest)->channels;
    return SHW_OK;
}

enum shw_result shw_bench_embed(struct shw_bench *bench)
{
    static const struct content one = {"frame", "a frame, two in flight", "record", "recording a frame, on the host"};
    static const struct content two = {"levels", "a frame of two smoothed levels, two in flight", "record-levels",
                                       "recording a frame of two smoothed levels, on the host"};
    struct embed *embed = bench->device != NULL ? calloc(1, sizeof *embed) : NULL;
    enum shw_result result;

    if (bench->device == NULL) /* cpu cannot be recorded */
        return SHW_OK;
    if (embed == NULL)
        return shw_fail_memory(&bench->log, "a suite of the bench");
    embed->bench = bench;
    embed->setting = shw_bench_base();
    if (bench->options.width > 0 || shw_bench_is_small(bench)) {
        embed->setting.width = bench->options.width > 0 ? bench->options.width : 320;
        embed->setting.height = bench->options.width > 0 ? bench->options.height : 240;
    }
    SHW_TRY(shw_bench_image(embed->setting.width, embed->setting.height, &bench->log, &embed->image));
    SHW_TRY(shw_bench_forest(&embed->setting.forest, &bench->log, &embed->forest));
    SHW_TRY(shw_engine_open(bench->device_index, &bench->log, &embed->engine));
    SHW_TRY(time_content(embed, &one));
    SHW_TRY(make_levels(embed));
    SHW_TRY(time_content(embed, &two));

fail:
    shw_engine_close(&embed->engine);
    shw_forest_destroy(&embed->forest);
    free((void *)(uintptr_t)embed->image.pixels);
    free(embed->expected);
    free(embed);
    return result;
}
