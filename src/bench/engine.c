#include "bench/engine.h"

#include <dlfcn.h>

#include "base/log.h"
#include "vulkan/formats.h"

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
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &application};
    PFN_vkCreateInstance create;

    engine->library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    if (engine->library != NULL)
        *(void **)&engine->get = dlsym(engine->library, "vkGetInstanceProcAddr");
    if (engine->get == NULL)
        return shw_fail(engine->log, SHW_ERROR_NO_DEVICE, SHW_LOG_NO_DEVICE, "no Vulkan loader (libvulkan.so.1)");
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
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
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

enum shw_result shw_engine_open(uint32_t index, const struct shw_log *log, struct shw_engine *engine)
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

void shw_engine_close(struct shw_engine *engine)
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
    if (engine->library != NULL)
        dlclose(engine->library);
    *engine = (struct shw_engine){0};
}

enum shw_result shw_engine_wait(struct shw_engine *engine, struct shw_engine_frame *frame)
{
    ENGINE_PROPAGATE(engine, engine->vk.WaitForFences(engine->handle, 1, &frame->fence, VK_TRUE, UINT64_MAX));
    return SHW_OK;
}

enum shw_result shw_engine_begin(struct shw_engine *engine, struct shw_engine_frame *frame)
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

void shw_engine_mark(struct shw_engine *engine, struct shw_engine_frame *frame, uint32_t mark)
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

enum shw_result shw_engine_submit(struct shw_engine *engine, struct shw_engine_frame *frame)
{
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &frame->commands};

    ENGINE_PROPAGATE(engine, engine->vk.EndCommandBuffer(frame->commands));
    ENGINE_PROPAGATE(engine, engine->vk.QueueSubmit(engine->queue, 1, &submit, frame->fence));
    return SHW_OK;
}

enum shw_result shw_engine_elapsed(struct shw_engine *engine, struct shw_engine_frame *frame, double *ms)
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
