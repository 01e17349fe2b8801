/* Shadewood in somebody else's program: foreign devices, memory hooks, recording that neither allocates nor submits. */
#include "testing/device.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "dense/channels/channels_stage.h"
#include "dense/pipeline/registry.h"
#include "dense/stage/passes.h"
#include "host_allocations.h"
#include "vulkan/commands.h"

/* What an engine would hand over. Its own functions can be replaced, to play a device that lacks something. */
static struct {
    PFN_vkGetInstanceProcAddr get;
    const char *name;
    PFN_vkVoidFunction replacement;
} engine;

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_function(VkInstance instance, const char *name)
{
    if (engine.name != NULL && strcmp(name, engine.name) == 0)
        return engine.replacement;
    return engine.get(instance, name);
}

static struct shw_device_import_params engine_params(struct testing_log *memory)
{
    const struct shw_device *device = testing_device();

    *(void **)&engine.get = dlsym(device->own->library, "vkGetInstanceProcAddr");
    assert_non_null(engine.get);
    engine.name = NULL;
    return (struct shw_device_import_params){.instance = device->own->instance,
                                             .physical_device = device->physical,
                                             .device = device->handle,
                                             .queue_family = device->queue_family,
                                             .get_instance_proc_addr = get_function,
                                             .log = testing_log(memory)};
}

static VKAPI_ATTR void VKAPI_CALL old_properties(VkPhysicalDevice physical, VkPhysicalDeviceProperties *properties)
{
    (void)physical;
    memset(properties, 0, sizeof *properties);
    strcpy(properties->deviceName, "Old Card");
    properties->apiVersion = VK_API_VERSION_1_0;
}

static VKAPI_ATTR void VKAPI_CALL transfer_families(VkPhysicalDevice physical, uint32_t *count,
                                                    VkQueueFamilyProperties *families)
{
    (void)physical;
    if (families != NULL) {
        memset(families, 0, sizeof *families);
        families->queueFlags = VK_QUEUE_TRANSFER_BIT;
    }
    *count = 1;
}

static VKAPI_ATTR void VKAPI_CALL split_families(VkPhysicalDevice physical, uint32_t *count,
                                                 VkQueueFamilyProperties *families)
{
    (void)physical;
    if (families != NULL) {
        memset(families, 0, 2 * sizeof *families);
        families[0].queueFlags = VK_QUEUE_TRANSFER_BIT | VK_QUEUE_GRAPHICS_BIT;
        families[1].queueFlags = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    }
    *count = 2;
}

static void import_fails(const char *name, PFN_vkVoidFunction replacement, const char *message)
{
    struct testing_log memory;
    struct shw_device_import_params params = engine_params(&memory);
    struct shw_device *device = NULL;

    engine.name = name;
    engine.replacement = replacement;
    params.queue_family = 0;
    assert_int_equal(shw_device_import(&params, &device), SHW_ERROR_UNSUPPORTED);
    assert_null(device);
    assert_int_equal(memory.errors, 1);
    assert_int_equal(memory.last_item, SHW_LOG_REQUIREMENT);
    assert_non_null(strstr(memory.last, message));
}

TESTING_CASE(what_a_device_lacks_is_named)
{
    import_fails("vkGetPhysicalDeviceProperties", (PFN_vkVoidFunction)old_properties, "Old Card lacks Vulkan 1.1");
    import_fails("vkGetPhysicalDeviceQueueFamilyProperties", (PFN_vkVoidFunction)transfer_families,
                 "lacks a queue family with compute");
    import_fails("vkGetPhysicalDeviceQueueFamilyProperties", (PFN_vkVoidFunction)split_families,
                 "queue family 0 lacks compute");
    import_fails("vkGetPhysicalDeviceProperties2", NULL, "lacks the function vkGetPhysicalDeviceProperties2");
}

struct hooks {
    const struct shw_device *device;
    unsigned allocated, released;
    unsigned limit; /* this many succeed */
    bool forgets_to_map;
};

static VkResult allocate_memory(void *user, const struct shw_memory_request *request, struct shw_memory_block *block)
{
    struct hooks *hooks = user;
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .allocationSize = request->requirements.size,
                                       .memoryTypeIndex = request->memory_type};
    VkResult result;

    if (hooks->allocated == hooks->limit)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    hooks->allocated++;
    result = hooks->device->vk.AllocateMemory(hooks->device->handle, &info, NULL, &block->memory);
    if (result == VK_SUCCESS && request->mapped && !hooks->forgets_to_map)
        result = hooks->device->vk.MapMemory(hooks->device->handle, block->memory, 0, VK_WHOLE_SIZE, 0, &block->mapped);
    return result;
}

static void release_memory(void *user, const struct shw_memory_block *block)
{
    struct hooks *hooks = user;

    hooks->released++;
    hooks->device->vk.FreeMemory(hooks->device->handle, block->memory, NULL);
}

/* The work of one frame slot, and the stages over all slots. */
enum { SLOTS = 2, WIDTH = 24, HEIGHT = 18 };

struct frame {
    struct shw_planes channels[SLOTS], integrals[SLOTS];
    struct shw_channels_stage *channels_stage;
    const struct shw_passes *integrate;
    struct shw_arena memory;
    void *integrator;
};

static enum shw_result create_frame(struct shw_device *device, enum shw_technique technique, struct frame *frame)
{
    enum shw_planes_form form = shw_registry_get(SHW_STAGE_CHANNELS, technique)->form;

    *frame = (struct frame){.integrate = shw_passes_of(shw_registry_get(SHW_STAGE_INTEGRATE, technique))};
    for (int slot = 0; slot < SLOTS; slot++) {
        SHW_PROPAGATE(
            shw_planes_create(device, VK_FORMAT_R16_SINT, WIDTH, HEIGHT, 27, form, "channels", &frame->channels[slot]));
        SHW_PROPAGATE(shw_planes_create(device, VK_FORMAT_R32_UINT, WIDTH + 1, HEIGHT + 1, 27, form, "integrals",
                                        &frame->integrals[slot]));
    }
    SHW_PROPAGATE(shw_channels_stage_create(device, testing_channels(SHW_CHANNELS_WIDE), form, frame->channels, SLOTS,
                                            &frame->channels_stage));
    return shw_passes_make(frame->integrate,
                           &(struct shw_stage_create){.owner = device, .slots = SLOTS, .scratch_sets = SLOTS},
                           frame->channels, frame->integrals, &frame->memory, &frame->integrator);
}

static void destroy_frame(struct shw_device *device, struct frame *frame)
{
    frame->integrate->destroy(device, frame->integrator);
    shw_arena_end(&frame->memory);
    shw_channels_stage_destroy(device, &frame->channels_stage);
    for (int slot = 0; slot < SLOTS; slot++) {
        shw_planes_destroy(device, &frame->integrals[slot]);
        shw_planes_destroy(device, &frame->channels[slot]);
    }
}

static void record_frame(struct shw_device *device, enum shw_technique technique, struct frame *frame,
                         VkCommandBuffer commands, VkImageView source)
{
    const struct shw_region region = {WIDTH, HEIGHT, 0, 0, WIDTH, HEIGHT};
    struct shw_recording recording = shw_recording_whole(device, commands);

    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        shw_channels_stage_record(
            frame->channels_stage, &recording, slot,
            (const struct shw_channel_source[SHW_INPUT_ROLES]){{.view = source, .format = VK_FORMAT_R8G8B8A8_UNORM}},
            &region);
        if (technique == SHW_TECHNIQUE_FRAGMENT) {
            shw_image_barrier(device, commands, frame->channels[slot].image.handle, shw_use_attachment,
                              shw_use_fragment_sampled);
        } else {
            shw_buffer_barrier(device, commands, frame->channels[slot].buffer.handle, shw_use_compute_write,
                               shw_use_compute_read);
        }
        frame->integrate->record(frame->integrator, &recording, slot,
                                 &(struct shw_stage_frame){.width = WIDTH, .height = HEIGHT});
    }
}

/* The engine makes source and command buffer with its own device, and submits. */
static void check_recording(enum shw_technique technique)
{
    struct testing_log memory;
    struct shw_device *owner = testing_device(), *device = NULL;
    struct hooks hooks = {.device = owner, .limit = UINT32_MAX};
    struct shw_device_import_params params = engine_params(&memory);
    struct shw_use ready = technique == SHW_TECHNIQUE_FRAGMENT ? shw_use_fragment_sampled : shw_use_compute_sampled;
    struct shw_vulkan_image source;
    struct frame frame;
    VkCommandBuffer commands, refused;
    VkImageView view;
    unsigned host, memory_blocks;

    params.memory = (struct shw_memory_hooks){&hooks, allocate_memory, release_memory};
    assert_int_equal(shw_device_import(&params, &device), SHW_OK);
    assert_int_equal(create_frame(device, technique, &frame), SHW_OK);
    assert_int_equal(shw_vulkan_image_create(owner, VK_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT, 1,
                                             VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, "source",
                                             &source),
                     SHW_OK);
    assert_int_equal(shw_image_view_create(owner, source.handle, source.format, 0, 1, false, &view), SHW_OK);
    assert_int_equal(shw_submit_begin(owner, &commands), SHW_OK);
    shw_image_barrier(owner, commands, source.handle, shw_use_nothing, ready);

    host = host_allocations();
    memory_blocks = hooks.allocated;
    assert_true(host > 0 && memory_blocks > 0);
    record_frame(device, technique, &frame, commands, view);
    assert_int_equal(host_allocations(), host);
    assert_int_equal(hooks.allocated, memory_blocks);

    assert_int_equal(shw_submit_wait(owner, commands), SHW_OK);
    assert_int_equal(shw_submit_begin(device, &refused), SHW_ERROR_ARGUMENT);
    destroy_frame(device, &frame);
    assert_int_equal(hooks.released, hooks.allocated);
    shw_device_destroy(&device);
    assert_null(device);
    owner->vk.DestroyImageView(owner->handle, view, owner->allocator);
    shw_vulkan_image_destroy(owner, &source);
    testing_device_check();
}

TESTING_CASE(recording_by_fragment_allocates_nothing)
{
    check_recording(SHW_TECHNIQUE_FRAGMENT);
}

TESTING_CASE(recording_by_compute_allocates_nothing)
{
    check_recording(SHW_TECHNIQUE_COMPUTE);
}

/* Device memory ends at the first allocation, then at the second and so on; what was made before is given back. */
static void check_exhaustion(enum shw_technique technique)
{
    struct testing_log memory;
    struct hooks hooks = {.device = testing_device()};
    struct shw_device_import_params params = engine_params(&memory);
    struct shw_device *device = NULL;
    struct frame frame;
    enum shw_result result;

    params.memory = (struct shw_memory_hooks){&hooks, allocate_memory, release_memory};
    assert_int_equal(shw_device_import(&params, &device), SHW_OK);
    for (uint32_t limit = 0;; limit++) {
        hooks.limit = limit;
        hooks.allocated = hooks.released = 0;
        result = create_frame(device, technique, &frame);
        destroy_frame(device, &frame);
        assert_int_equal(hooks.released, hooks.allocated);
        if (result == SHW_OK)
            break;
        assert_int_equal(result, SHW_ERROR_DEVICE_MEMORY);
        assert_int_equal(memory.last_item, SHW_LOG_OUT_OF_MEMORY);
        assert_int_equal(memory.errors, limit + 1);
        assert_int_equal(hooks.allocated, limit);
    }
    assert_true(hooks.allocated >= 2 * SLOTS + 3);
    shw_device_destroy(&device);
    testing_device_check();
}

TESTING_CASE(unmapped_memory_is_refused)
{
    struct testing_log memory;
    struct hooks hooks = {.device = testing_device(), .limit = UINT32_MAX, .forgets_to_map = true};
    struct shw_device_import_params params = engine_params(&memory);
    struct shw_device *device = NULL;
    struct shw_buffer buffer;

    params.memory = (struct shw_memory_hooks){&hooks, allocate_memory, release_memory};
    assert_int_equal(shw_device_import(&params, &device), SHW_OK);
    assert_int_equal(
        shw_buffer_create(device, 100, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, SHW_MEMORY_UPLOAD, "upload", &buffer),
        SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "the memory hook has returned unmapped memory for upload"));
    assert_int_equal(hooks.released, hooks.allocated);
    shw_device_destroy(&device);
    testing_device_check();
}

TESTING_CASE(exhausted_memory_leaves_nothing_behind)
{
    check_exhaustion(SHW_TECHNIQUE_FRAGMENT);
    check_exhaustion(SHW_TECHNIQUE_COMPUTE);
}

TESTING_FIXTURE(NULL, testing_device_teardown)
