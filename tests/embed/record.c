/* Labelling in somebody else's frame: a foreign device, foreign images in the layouts they happen to have, two frames in flight. */
#include "testing/testing.h"

#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "host_allocations.h"
#include "testing/labelling.h"
#include "testing/plugin.h"
#include "testing/random_forest.h"

enum { WIDTH = 40, HEIGHT = 30, SLOTS = 2, FRAMES = 6, TREES = 5, CLASSES = 6, OUTPUTS = 4 };

struct counts {
    const struct engine *engine;
    unsigned allocated, released;
    unsigned limit; /* no more than this many, unless 0 */
};

static VkResult allocate(void *user, const VkMemoryAllocateInfo *info, VkDeviceMemory *memory)
{
    struct counts *counts = user;

    if (counts->limit > 0 && counts->allocated == counts->limit)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    counts->allocated++;
    return counts->engine->vk.AllocateMemory(counts->engine->handle, info, NULL, memory);
}

static void release(void *user, VkDeviceMemory memory)
{
    struct counts *counts = user;

    counts->released++;
    counts->engine->vk.FreeMemory(counts->engine->handle, memory, NULL);
}

/* The engine, and Shadewood in it. */
struct scene {
    struct engine engine;
    struct counts counts;
    struct testing_log memory;
    struct shw_device *device;
    struct shw_forest *forest;
};

static void open_scene(struct scene *scene, const struct random_forest_params *forest)
{
    struct shw_device_import_params params;

    memset(scene, 0, sizeof *scene);
    engine_open(&scene->engine);
    scene->counts.engine = &scene->engine;
    params = (struct shw_device_import_params){.instance = scene->engine.instance,
                                               .physical_device = scene->engine.physical,
                                               .device = scene->engine.handle,
                                               .queue_family = scene->engine.family,
                                               .get_instance_proc_addr = scene->engine.get,
                                               .memory = {&scene->counts, allocate, release},
                                               .log = testing_log(&scene->memory)};
    assert_int_equal(shw_device_import(&params, &scene->device), SHW_OK);
    scene->forest = random_forest(forest);
}

static void close_scene(struct scene *scene)
{
    shw_forest_destroy(&scene->forest);
    shw_device_destroy(&scene->device);
    assert_int_equal(scene->counts.released, scene->counts.allocated);
    engine_close(&scene->engine);
}

static struct shw_labeller *open_labeller(struct scene *scene, uint32_t outputs, enum shw_technique channels,
                                          enum shw_technique integrate, enum shw_technique evaluate)
{
    const struct shw_custom_technique *custom = evaluate == SHW_TECHNIQUE_CUSTOM ? testing_plugin(EXAMPLE_TECHNIQUE) : NULL;
    struct shw_labeller *labeller = NULL;
    struct shw_labeller_params params = {.forest = scene->forest,
                                         .device = scene->device,
                                         .outputs = outputs,
                                         .channels = channels,
                                         .integrate = integrate,
                                         .evaluate = evaluate,
                                         .custom = {[SHW_STAGE_EVALUATE] = custom},
                                         .width = WIDTH,
                                         .height = HEIGHT,
                                         .slots = SLOTS,
                                         .threads = 1,
                                         .log = testing_log(&scene->memory)};

    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    return labeller;
}

/* A kind of source. */
static const struct source_kind {
    VkFormat format;
    enum shw_pixel_format pixel;
    bool swap; /* red and blue */
} kinds[] = {{VK_FORMAT_R8G8B8A8_UNORM, SHW_PIXEL_RGBA8, false},
             {VK_FORMAT_B8G8R8A8_UNORM, SHW_PIXEL_RGBA8, true},
             {VK_FORMAT_R8_UNORM, SHW_PIXEL_GREY8, false},
             {VK_FORMAT_R16_UINT, SHW_PIXEL_GREY16, false},
             {VK_FORMAT_R16G16B16A16_UINT, SHW_PIXEL_RGBA16, false}};

/* What a frame owns beside its slot: a source and four targets, and buffers to fill and to read them. */
struct frame {
    struct engine_frame work;
    struct shw_image image; /* what the source will hold */
    struct shw_vulkan_image source, targets[OUTPUTS];
    VkImageView source_view;
    struct shw_buffer upload, source_back, back[OUTPUTS];
};

static const struct {
    VkFormat format;
    uint32_t element, layers;
} target_kinds[OUTPUTS] = {
    {VK_FORMAT_R32_UINT, 4, 1}, {VK_FORMAT_R32_UINT, 4, TREES}, {VK_FORMAT_R16_UINT, 2, CLASSES}, {VK_FORMAT_R16_UINT, 2, 1}};

static void create_buffer(struct scene *scene, VkDeviceSize size, VkBufferUsageFlags usage, enum shw_memory_kind kind,
                          struct shw_buffer *buffer)
{
    assert_int_equal(shw_buffer_create(scene->device, size, usage, kind, "engine buffer", buffer), SHW_OK);
}

static void open_frame(struct scene *scene, const struct source_kind *kind, struct shw_image image, struct frame *frame)
{
    VkDeviceSize size = image.stride * image.height, pixels = (VkDeviceSize)image.width * image.height;
    VkImageUsageFlags copied = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    uint8_t *texels;

    memset(frame, 0, sizeof *frame);
    frame->image = image;
    create_buffer(scene, size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, SHW_MEMORY_UPLOAD, &frame->upload);
    create_buffer(scene, size, VK_BUFFER_USAGE_TRANSFER_DST_BIT, SHW_MEMORY_READBACK, &frame->source_back);
    texels = frame->upload.mapped;
    memcpy(texels, image.pixels, size);
    for (VkDeviceSize i = 0; kind->swap && i < size; i += 4) {
        uint8_t red = texels[i];
        texels[i] = texels[i + 2];
        texels[i + 2] = red;
    }
    assert_int_equal(shw_vulkan_image_create(scene->device, kind->format, image.width, image.height, 1,
                                             copied | VK_IMAGE_USAGE_SAMPLED_BIT, "engine source", &frame->source),
                     SHW_OK);
    assert_int_equal(shw_image_view_create(scene->device, frame->source.handle, kind->format, 0, 1, false, &frame->source_view),
                     SHW_OK);
    for (int t = 0; t < OUTPUTS; t++) {
        assert_int_equal(shw_vulkan_image_create(scene->device, target_kinds[t].format, image.width, image.height,
                                                 target_kinds[t].layers, copied | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
                                                 "engine target", &frame->targets[t]),
                         SHW_OK);
        create_buffer(scene, pixels * target_kinds[t].layers * target_kinds[t].element, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                      SHW_MEMORY_READBACK, &frame->back[t]);
    }
}

static void close_frame(struct scene *scene, struct frame *frame)
{
    scene->engine.vk.DestroyImageView(scene->engine.handle, frame->source_view, NULL);
    shw_vulkan_image_destroy(scene->device, &frame->source);
    shw_buffer_destroy(scene->device, &frame->upload);
    shw_buffer_destroy(scene->device, &frame->source_back);
    for (int t = 0; t < OUTPUTS; t++) {
        shw_vulkan_image_destroy(scene->device, &frame->targets[t]);
        shw_buffer_destroy(scene->device, &frame->back[t]);
    }
    free((void *)(uintptr_t)frame->image.pixels);
}

static struct shw_image_use source_use(const struct frame *frame)
{
    return (struct shw_image_use){
        .image = frame->source.handle,
        .view = frame->source_view,
        .format = frame->source.format,
        .extent = {frame->source.width, frame->source.height},
        .before = {VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT},
        .after = {VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT}};
}

/* `fresh`: nothing is in the target yet; else it was read from `general` layout the last time. */
static struct shw_image_use target_use(const struct shw_vulkan_image *image, bool fresh)
{
    struct shw_image_use use = {.image = image->handle,
                                .view = image->view,
                                .format = image->format,
                                .extent = {image->width, image->height},
                                .layers = image->layers,
                                .before = {VK_IMAGE_LAYOUT_UNDEFINED, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0},
                                .after = {VK_IMAGE_LAYOUT_GENERAL, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT}};

    if (!fresh) {
        use.before.layout = VK_IMAGE_LAYOUT_GENERAL;
        use.before.stages = VK_PIPELINE_STAGE_TRANSFER_BIT;
        use.before.access = VK_ACCESS_TRANSFER_READ_BIT;
        use.after.layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    }
    return use;
}

static void record_upload(struct scene *scene, struct frame *frame)
{
    VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                    .oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
                                    .newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .image = frame->source.handle,
                                    .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                .imageExtent = {frame->source.width, frame->source.height, 1}};

    scene->engine.vk.CmdPipelineBarrier(frame->work.commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0,
                                        0, NULL, 0, NULL, 1, &barrier);
    scene->engine.vk.CmdCopyBufferToImage(frame->work.commands, frame->upload.handle, frame->source.handle,
                                          VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
}

/* Without a barrier: what the caller said of its use afterwards must be enough. */
static void record_readback(struct scene *scene, struct frame *frame, VkImageLayout layout)
{
    VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                .imageExtent = {frame->source.width, frame->source.height, 1}};
    VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_HOST_READ_BIT};

    scene->engine.vk.CmdCopyImageToBuffer(frame->work.commands, frame->source.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                          frame->source_back.handle, 1, &region);
    for (int t = 0; t < OUTPUTS; t++) {
        region.imageSubresource.layerCount = target_kinds[t].layers;
        scene->engine.vk.CmdCopyImageToBuffer(frame->work.commands, frame->targets[t].handle, layout, frame->back[t].handle, 1,
                                              &region);
    }
    scene->engine.vk.CmdPipelineBarrier(frame->work.commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                                        &barrier, 0, NULL, 0, NULL);
}

/* Records and submits; nothing is waited for. */
static void run_frame(struct scene *scene, struct shw_labeller *labeller, uint32_t slot, struct frame *frame, bool fresh)
{
    struct shw_image_use source = source_use(frame);
    struct shw_label_targets targets = {target_use(&frame->targets[0], fresh), target_use(&frame->targets[1], fresh),
                                        target_use(&frame->targets[2], fresh), target_use(&frame->targets[3], fresh)};
    unsigned host, device;

    engine_begin(&scene->engine, &frame->work);
    record_upload(scene, frame);
    host = host_allocations();
    device = scene->counts.allocated;
    assert_true(host > 0 && device > 0);
    assert_int_equal(shw_labeller_record(labeller, frame->work.commands, slot, &source, &targets), SHW_OK);
    assert_int_equal(host_allocations(), host);
    assert_int_equal(scene->counts.allocated, device);
    record_readback(scene, frame, targets.argmax.after.layout);
    engine_submit(&scene->engine, &frame->work);
}

static void check_frame(struct scene *scene, struct frame *frame)
{
    struct shw_labeller_params cpu = {.forest = scene->forest, .threads = 1};
    struct testing_labelling expected = testing_label(&cpu, &frame->image), got = expected;

    engine_wait(&scene->engine, &frame->work);
    got.out = (struct shw_labelling){frame->back[0].mapped, frame->back[1].mapped, frame->back[2].mapped, frame->back[3].mapped};
    testing_labelling_same("recorded", TESTING_ALL_OUTPUTS, &got, &expected);
    assert_memory_equal(frame->source_back.mapped, frame->upload.mapped, frame->image.stride * frame->image.height);
    testing_labelling_free(&expected);
}

/* Two frames are under way at any time: a slot is recorded again while the other one may still run. */
static void check_recording(enum shw_channel_set set, enum shw_technique channels, enum shw_technique integrate,
                            enum shw_technique evaluate)
{
    static const uint32_t sizes[FRAMES][2] = {{40, 30}, {33, 21}, {1, 1}, {17, 30}, {40, 2}, {39, 29}};
    struct random_forest_params forest = {
        .seed = set, .channels = set, .depth = 6, .split_percent = 75, .trees = TREES, .classes = CLASSES};
    struct testing_random random = {set};
    struct frame frames[FRAMES];
    struct shw_labeller *labeller;
    struct scene scene;

    open_scene(&scene, &forest);
    labeller = open_labeller(&scene, TESTING_ALL_OUTPUTS, channels, integrate, evaluate);
    for (uint32_t f = 0; f < FRAMES; f++) {
        const struct source_kind *kind = &kinds[f % (sizeof kinds / sizeof *kinds)];
        open_frame(&scene, kind, testing_image(&random, sizes[f][0], sizes[f][1], kind->pixel, 0), &frames[f]);
    }
    for (uint32_t f = 0; f < FRAMES; f++) {
        if (f >= SLOTS)
            check_frame(&scene, &frames[f - SLOTS]);
        run_frame(&scene, labeller, f % SLOTS, &frames[f], true);
    }
    check_frame(&scene, &frames[FRAMES - 2]);
    check_frame(&scene, &frames[FRAMES - 1]);
    run_frame(&scene, labeller, 0, &frames[0], false); /* into targets that are in use */
    check_frame(&scene, &frames[0]);
    for (uint32_t f = 0; f < FRAMES; f++)
        close_frame(&scene, &frames[f]);
    shw_labeller_destroy(&labeller);
    assert_int_equal(scene.memory.errors, 0);
    close_scene(&scene);
}

static void by_fragment(void **state)
{
    (void)state;
    check_recording(SHW_CHANNELS_WINN16, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT);
}

static void by_compute(void **state)
{
    (void)state;
    check_recording(SHW_CHANNELS_WIDE, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE);
}

static void by_mixtures(void **state)
{
    (void)state;
    check_recording(SHW_CHANNELS_LAB, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT);
    check_recording(SHW_CHANNELS_RGB, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE);
}

static void by_a_technique_of_ones_own(void **state)
{
    (void)state;
    check_recording(SHW_CHANNELS_WINN17, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_CUSTOM);
}

/* The recording is refused, and nothing was written into the command buffer. */
static void refused(struct scene *scene, struct shw_labeller *labeller, uint32_t slot, struct shw_image_use source,
                    struct shw_label_targets targets)
{
    unsigned errors = scene->memory.errors;

    scene->memory.last_item = SHW_LOG_PROGRESS;
    assert_int_equal(shw_labeller_record(labeller, VK_NULL_HANDLE, slot, &source, &targets), SHW_ERROR_ARGUMENT);
    assert_int_equal(scene->memory.errors, errors + 1);
    assert_int_equal(scene->memory.last_item, SHW_LOG_ARGUMENT);
}

#define REFUSED_SOURCE(member, value)                                                                                            \
    do {                                                                                                                         \
        struct shw_image_use changed = source;                                                                                   \
        changed.member = value;                                                                                                  \
        refused(&scene, labeller, 0, changed, targets);                                                                          \
    } while (0)

#define REFUSED_TARGET(member, value)                                                                                            \
    do {                                                                                                                         \
        struct shw_label_targets changed = targets;                                                                              \
        changed.member = value;                                                                                                  \
        refused(&scene, labeller, 0, source, changed);                                                                           \
    } while (0)

static void wrong_arguments_are_refused(void **state)
{
    struct random_forest_params forest = {
        .seed = 9, .channels = SHW_CHANNELS_RGB, .depth = 3, .trees = TREES, .classes = CLASSES};
    struct testing_random random = {9};
    struct shw_label_targets targets = {0};
    struct shw_image_use source;
    struct shw_labeller *labeller;
    struct frame frame;
    struct scene scene;

    (void)state;
    open_scene(&scene, &forest);
    open_frame(&scene, &kinds[0], testing_image(&random, 40, 30, SHW_PIXEL_RGBA8, 0), &frame);
    labeller = open_labeller(&scene, SHW_OUTPUT_FOREST_LEAVES | SHW_OUTPUT_ARGMAX, SHW_TECHNIQUE_AUTO, SHW_TECHNIQUE_AUTO,
                             SHW_TECHNIQUE_AUTO);
    source = source_use(&frame);
    targets.forest_leaves = target_use(&frame.targets[1], true);
    targets.argmax = target_use(&frame.targets[3], true);
    refused(&scene, labeller, SLOTS, source, targets);
    REFUSED_SOURCE(format, VK_FORMAT_R8G8B8A8_SRGB);
    REFUSED_SOURCE(extent.width, 41);
    REFUSED_SOURCE(extent.height, 31);
    REFUSED_SOURCE(extent.width, 0);
    REFUSED_SOURCE(before.layout, VK_IMAGE_LAYOUT_UNDEFINED);
    REFUSED_SOURCE(after.layout, VK_IMAGE_LAYOUT_UNDEFINED);
    REFUSED_SOURCE(before.stages, 0);
    REFUSED_TARGET(tree_leaf, target_use(&frame.targets[0], true));
    REFUSED_TARGET(distribution, target_use(&frame.targets[2], true));
    REFUSED_TARGET(argmax.format, VK_FORMAT_R8_UINT);
    REFUSED_TARGET(argmax.layers, 2);
    REFUSED_TARGET(argmax.extent.height, 29);
    REFUSED_TARGET(argmax.after.stages, 0);
    REFUSED_TARGET(argmax.after.layout, VK_IMAGE_LAYOUT_PREINITIALIZED);
    REFUSED_TARGET(forest_leaves.layers, TREES - 1);
    shw_labeller_destroy(&labeller);
    labeller = open_labeller(&scene, SHW_OUTPUT_ARGMAX, SHW_TECHNIQUE_AUTO, SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_AUTO);
    refused(&scene, labeller, 0, source, (struct shw_label_targets){.argmax = targets.argmax});
    shw_labeller_destroy(&labeller);
    close_frame(&scene, &frame);
    close_scene(&scene);
}

/* Running needs a queue, which an engine keeps to itself. */
static void running_on_a_foreign_device_is_refused(void **state)
{
    struct random_forest_params forest = {
        .seed = 10, .channels = SHW_CHANNELS_RGB, .depth = 3, .trees = TREES, .classes = CLASSES};
    struct testing_random random = {10};
    struct shw_image image = testing_image(&random, 12, 9, SHW_PIXEL_RGB8, 0);
    uint16_t labels[12 * 9];
    struct shw_labeller *labeller;
    struct scene scene;

    (void)state;
    open_scene(&scene, &forest);
    labeller = open_labeller(&scene, SHW_OUTPUT_ARGMAX, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT);
    assert_int_equal(shw_labeller_run(labeller, &image, &(struct shw_labelling){.argmax = labels}), SHW_ERROR_ARGUMENT);
    assert_int_equal(scene.memory.errors, 1);
    assert_int_equal(scene.memory.last_item, SHW_LOG_ARGUMENT);
    shw_labeller_destroy(&labeller);
    free((void *)(uintptr_t)image.pixels);
    close_scene(&scene);
}

/* Device memory ends at the second allocation, then at the third and so on; what was made before is given back. */
static void check_exhaustion(struct scene *scene, enum shw_technique technique)
{
    struct shw_labeller_params params = {.forest = scene->forest,
                                         .device = scene->device,
                                         .outputs = TESTING_ALL_OUTPUTS,
                                         .channels = technique,
                                         .integrate = technique,
                                         .evaluate = technique,
                                         .width = WIDTH,
                                         .height = HEIGHT,
                                         .slots = SLOTS};
    enum shw_result result = SHW_ERROR_DEVICE_MEMORY;

    for (unsigned limit = 1; result != SHW_OK; limit++) {
        struct shw_labeller *labeller = NULL;
        scene->counts.allocated = scene->counts.released = 0;
        scene->counts.limit = limit;
        scene->memory.errors = 0;
        result = shw_labeller_create(&params, &labeller);
        assert_true(result == SHW_OK || result == SHW_ERROR_DEVICE_MEMORY);
        assert_int_equal(labeller != NULL, result == SHW_OK);
        assert_int_equal(scene->memory.errors, result != SHW_OK);
        shw_labeller_destroy(&labeller);
        assert_int_equal(scene->counts.released, scene->counts.allocated);
    }
    assert_true(scene->counts.allocated > 5 * SLOTS);
}

static void exhausted_memory_leaves_nothing_behind(void **state)
{
    struct random_forest_params forest = {
        .seed = 11, .channels = SHW_CHANNELS_RGB, .depth = 3, .trees = TREES, .classes = CLASSES};
    struct scene scene;

    (void)state;
    open_scene(&scene, &forest);
    check_exhaustion(&scene, SHW_TECHNIQUE_FRAGMENT);
    check_exhaustion(&scene, SHW_TECHNIQUE_COMPUTE);
    close_scene(&scene);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_fragment),
        cmocka_unit_test(by_compute),
        cmocka_unit_test(by_mixtures),
        cmocka_unit_test(by_a_technique_of_ones_own),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(exhausted_memory_leaves_nothing_behind),
        cmocka_unit_test(running_on_a_foreign_device_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
