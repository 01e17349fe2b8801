/* Labelling in somebody else's frame: a foreign device, foreign images in the layouts they happen to have, two frames
 * in flight. */
#include "testing/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host_allocations.h"
#include "scene.h"
#include "testing/plugin.h"

enum { WIDTH = 40, HEIGHT = 30, SLOTS = 2, FRAMES = 6, TREES = 5, CLASSES = 6 };

static struct shw_labeller *open_labeller(struct scene *scene, uint32_t outputs, enum shw_technique channels,
                                          enum shw_technique integrate, enum shw_technique evaluate)
{
    const struct shw_stage_technique *custom =
        evaluate == SHW_TECHNIQUE_CUSTOM ? testing_plugin(EXAMPLE_TECHNIQUE) : NULL;
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

/* Records and submits; nothing is waited for. */
static void run_frame(struct scene *scene, struct shw_labeller *labeller, uint32_t slot, struct frame *frame,
                      bool fresh)
{
    struct shw_image_use source = source_use(frame);
    struct shw_label_targets targets = target_uses(frame, fresh);
    unsigned host, device;

    engine_begin(&scene->engine, &frame->work);
    record_upload(scene, frame);
    host = host_allocations();
    device = scene->counts.allocated;
    assert_true(host > 0 && device > 0);
    assert_int_equal(shw_labeller_record(labeller, frame->work.commands, slot, SHW_COLOUR_USE(source), &targets),
                     SHW_OK);
    assert_int_equal(host_allocations(), host);
    assert_int_equal(scene->counts.allocated, device);
    record_readback(scene, frame, targets.argmax.after.layout);
    engine_submit(&scene->engine, &frame->work);
}

/* Two frames are under way at any time: a slot is recorded again while the other one may still run. */
static void check_recording(const char *set, enum shw_technique channels, enum shw_technique integrate,
                            enum shw_technique evaluate)
{
    static const uint32_t sizes[FRAMES][2] = {{40, 30}, {33, 21}, {1, 1}, {17, 30}, {40, 2}, {39, 29}};
    struct random_forest_params forest = {
        .seed = strlen(set), .channels = set, .depth = 6, .split_percent = 75, .trees = TREES, .classes = CLASSES};
    struct testing_random random = {strlen(set)};
    struct frame frames[FRAMES];
    struct shw_labeller *labeller;
    struct scene scene;

    open_scene(&scene, &forest);
    labeller = open_labeller(&scene, TESTING_ALL_OUTPUTS, channels, integrate, evaluate);
    for (uint32_t f = 0; f < FRAMES; f++) {
        const struct source_kind *kind = &kinds[f % (sizeof kinds / sizeof *kinds)];
        open_frame(&scene, kind, testing_image(&random, sizes[f][0], sizes[f][1], kind->pixel, 0), TREES, CLASSES,
                   &frames[f]);
    }
    for (uint32_t f = 0; f < FRAMES; f++) {
        if (f >= SLOTS)
            check_frame(&scene, scene.forest, &frames[f - SLOTS]);
        run_frame(&scene, labeller, f % SLOTS, &frames[f], true);
    }
    check_frame(&scene, scene.forest, &frames[FRAMES - 2]);
    check_frame(&scene, scene.forest, &frames[FRAMES - 1]);
    run_frame(&scene, labeller, 0, &frames[0], false); /* into targets that are in use */
    check_frame(&scene, scene.forest, &frames[0]);
    for (uint32_t f = 0; f < FRAMES; f++)
        close_frame(&scene, &frames[f]);
    shw_labeller_destroy(&labeller);
    assert_int_equal(scene.memory.errors, 0);
    close_scene(&scene);
}

/* Slots share memory, so that barriers must keep apart even recordings of one command buffer, which synchronisation
 * validation sees as a whole. */
static void check_sharing(const char *set, enum shw_technique channels, enum shw_technique integrate,
                          enum shw_technique evaluate)
{
    struct random_forest_params forest = {
        .seed = 77, .channels = set, .depth = 6, .split_percent = 75, .trees = TREES, .classes = CLASSES};
    struct testing_random random = {78};
    struct frame frames[2 * SLOTS];
    struct shw_labeller *labeller;
    struct scene scene;

    open_scene(&scene, &forest);
    labeller = open_labeller(&scene, TESTING_ALL_OUTPUTS, channels, integrate, evaluate);
    for (uint32_t f = 0; f < 2 * SLOTS; f++)
        open_frame(&scene, &kinds[f], testing_image(&random, WIDTH - f, HEIGHT - f, kinds[f].pixel, 0), TREES, CLASSES,
                   &frames[f]);
    for (uint32_t first = 0; first < 2 * SLOTS; first += SLOTS) {
        engine_begin(&scene.engine, &frames[first].work);
        for (uint32_t s = 0; s < SLOTS; s++) {
            struct frame *frame = &frames[first + s];
            struct shw_label_targets targets = target_uses(frame, true);
            frame->work.commands = frames[first].work.commands;
            record_upload(&scene, frame);
            assert_int_equal(
                shw_labeller_record(labeller, frame->work.commands, s, SHW_COLOUR_USE(source_use(frame)), &targets),
                SHW_OK);
            record_readback(&scene, frame, targets.argmax.after.layout);
        }
        engine_submit(&scene.engine, &frames[first].work);
        for (uint32_t s = 1; s < SLOTS; s++) { /* something to wait for */
            engine_begin(&scene.engine, &frames[first + s].work);
            engine_submit(&scene.engine, &frames[first + s].work);
        }
        for (uint32_t s = 0; s < SLOTS; s++)
            check_frame(&scene, scene.forest, &frames[first + s]);
    }
    for (uint32_t f = 0; f < 2 * SLOTS; f++)
        close_frame(&scene, &frames[f]);
    shw_labeller_destroy(&labeller);
    assert_int_equal(scene.memory.errors, 0);
    close_scene(&scene);
}

TESTING_CASE(slots_share_memory)
{
    check_sharing(SHW_CHANNELS_WINN16, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT);
    check_sharing(SHW_CHANNELS_WIDE, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE);
    check_sharing(SHW_CHANNELS_WINN17, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT);
    check_sharing(SHW_CHANNELS_LAB, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE);
    check_sharing(SHW_CHANNELS_RGB, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_CUSTOM);
}

TESTING_CASE(by_fragment)
{
    check_recording(SHW_CHANNELS_WINN16, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT);
}

TESTING_CASE(by_compute)
{
    check_recording(SHW_CHANNELS_WIDE, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE);
}

TESTING_CASE(by_mixtures)
{
    check_recording(SHW_CHANNELS_LAB, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT);
    check_recording(SHW_CHANNELS_RGB, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE);
}

TESTING_CASE(by_a_technique_of_ones_own)
{
    check_recording(SHW_CHANNELS_WINN17, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_CUSTOM);
}

static void refused_into(struct scene *scene, struct shw_labeller *labeller, VkCommandBuffer commands, uint32_t slot,
                         struct shw_image_use source, struct shw_label_targets targets)
{
    unsigned errors = scene->memory.errors;

    scene->memory.last_item = SHW_LOG_PROGRESS;
    assert_int_equal(shw_labeller_record(labeller, commands, slot, SHW_COLOUR_USE(source), &targets),
                     SHW_ERROR_ARGUMENT);
    assert_int_equal(scene->memory.errors, errors + 1);
    assert_int_equal(scene->memory.last_item, SHW_LOG_ARGUMENT);
}

/* A recording into a command buffer that could take it is refused. */
static void refused(struct scene *scene, struct shw_labeller *labeller, uint32_t slot, struct shw_image_use source,
                    struct shw_label_targets targets)
{
    struct engine_frame frame;

    engine_begin(&scene->engine, &frame);
    refused_into(scene, labeller, frame.commands, slot, source, targets);
    engine_submit(&scene->engine, &frame);
    engine_wait(&scene->engine, &frame);
}

#define REFUSED_SOURCE(member, value)                                                                                  \
    do {                                                                                                               \
        struct shw_image_use changed = source;                                                                         \
        changed.member = value;                                                                                        \
        refused(&scene, labeller, 0, changed, targets);                                                                \
    } while (0)

#define REFUSED_TARGET(member, value)                                                                                  \
    do {                                                                                                               \
        struct shw_label_targets changed = targets;                                                                    \
        changed.member = value;                                                                                        \
        refused(&scene, labeller, 0, source, changed);                                                                 \
    } while (0)

TESTING_CASE(wrong_arguments_are_refused)
{
    struct random_forest_params forest = {
        .seed = 9, .channels = SHW_CHANNELS_RGB, .depth = 3, .trees = TREES, .classes = CLASSES};
    struct testing_random random = {9};
    struct shw_label_targets targets = {0};
    struct shw_image_use source;
    struct shw_labeller *labeller;
    struct frame frame;
    struct scene scene;

    open_scene(&scene, &forest);
    open_frame(&scene, &kinds[0], testing_image(&random, 40, 30, SHW_PIXEL_RGBA8, 0), TREES, CLASSES, &frame);
    labeller = open_labeller(&scene, SHW_OUTPUT_FOREST_LEAVES | SHW_OUTPUT_ARGMAX, SHW_TECHNIQUE_AUTO,
                             SHW_TECHNIQUE_AUTO, SHW_TECHNIQUE_AUTO);
    source = source_use(&frame);
    targets.forest_leaves = target_use(&frame.targets[1], true);
    targets.argmax = target_use(&frame.targets[3], true);
    refused(&scene, labeller, SLOTS, source, targets);
    REFUSED_SOURCE(format, VK_FORMAT_R8G8B8A8_SNORM);
    assert_non_null(strstr(scene.memory.last, "has the unsupported format VK_FORMAT_R8G8B8A8_SNORM"));
    REFUSED_SOURCE(extent.width, 41);
    REFUSED_SOURCE(extent.height, 31);
    REFUSED_SOURCE(extent.width, 0);
    REFUSED_SOURCE(before.layout, VK_IMAGE_LAYOUT_UNDEFINED);
    REFUSED_SOURCE(after.layout, VK_IMAGE_LAYOUT_UNDEFINED);
    REFUSED_SOURCE(before.stages, 0);
    REFUSED_SOURCE(image, VK_NULL_HANDLE);
    assert_non_null(strstr(scene.memory.last, "the input colour: `image`"));
    REFUSED_SOURCE(view, VK_NULL_HANDLE);
    assert_non_null(strstr(scene.memory.last, "the input colour: `view`"));
    refused_into(&scene, labeller, VK_NULL_HANDLE, 0, source, targets);
    assert_non_null(strstr(scene.memory.last, "`commands`"));
    REFUSED_TARGET(tree_leaf, target_use(&frame.targets[0], true));
    REFUSED_TARGET(distribution, target_use(&frame.targets[2], true));
    REFUSED_TARGET(argmax.format, VK_FORMAT_R8_UINT);
    assert_non_null(strstr(scene.memory.last, "argmax has VK_FORMAT_R8_UINT, but the labeller was not created"));
    REFUSED_TARGET(argmax.layers, 2);
    REFUSED_TARGET(argmax.extent.height, 29);
    REFUSED_TARGET(argmax.after.stages, 0);
    REFUSED_TARGET(argmax.after.layout, VK_IMAGE_LAYOUT_PREINITIALIZED);
    assert_non_null(strstr(scene.memory.last, "VK_IMAGE_LAYOUT_PREINITIALIZED"));
    REFUSED_TARGET(forest_leaves.layers, TREES - 1);
    refused(&scene, labeller, 0, source, (struct shw_label_targets){0});
    assert_non_null(strstr(scene.memory.last, "no target is given"));
    shw_labeller_destroy(&labeller);
    labeller = open_labeller(&scene, SHW_OUTPUT_ARGMAX, SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_CPU);
    refused(&scene, labeller, 0, source, (struct shw_label_targets){.argmax = targets.argmax});
    shw_labeller_destroy(&labeller);
    close_frame(&scene, &frame);
    close_scene(&scene);
}

/* A labeller on a foreign device that could neither record nor run. */
TESTING_CASE(useless_labellers_are_refused)
{
    struct random_forest_params forest = {.seed = 9, .channels = SHW_CHANNELS_RGB, .depth = 3};
    struct shw_labeller_params params = {.outputs = SHW_OUTPUT_ARGMAX, .width = WIDTH, .height = HEIGHT};
    struct shw_labeller *labeller = NULL;
    struct scene scene;

    open_scene(&scene, &forest);
    params.forest = scene.forest;
    params.device = scene.device;
    params.log = testing_log(&scene.memory);
    params.integrate = SHW_TECHNIQUE_CPU;
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(scene.memory.last, "all stages on the device"));
    params.integrate = SHW_TECHNIQUE_AUTO;
    params.width = params.height = 0;
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(scene.memory.last, "width and height"));
    assert_null(labeller);
    close_scene(&scene);
}

/* Running needs a queue, which an engine keeps to itself. */
TESTING_CASE(running_on_a_foreign_device_is_refused)
{
    struct random_forest_params forest = {
        .seed = 10, .channels = SHW_CHANNELS_RGB, .depth = 3, .trees = TREES, .classes = CLASSES};
    struct testing_random random = {10};
    struct shw_image image = testing_image(&random, 12, 9, SHW_PIXEL_RGB8, 0);
    uint16_t labels[12 * 9];
    struct shw_labeller *labeller;
    struct scene scene;

    open_scene(&scene, &forest);
    labeller = open_labeller(&scene, SHW_OUTPUT_ARGMAX, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT,
                             SHW_TECHNIQUE_FRAGMENT);
    assert_int_equal(shw_labeller_run(labeller, SHW_COLOUR_IMAGE(image), &(struct shw_labelling){.argmax = labels}),
                     SHW_ERROR_ARGUMENT);
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
    assert_true(scene->counts.allocated >= 2);
}

TESTING_CASE(exhausted_memory_leaves_nothing_behind)
{
    struct random_forest_params forest = {
        .seed = 11, .channels = SHW_CHANNELS_RGB, .depth = 3, .trees = TREES, .classes = CLASSES};
    struct scene scene;

    open_scene(&scene, &forest);
    check_exhaustion(&scene, SHW_TECHNIQUE_FRAGMENT);
    check_exhaustion(&scene, SHW_TECHNIQUE_COMPUTE);
    close_scene(&scene);
}

/* What a labeller says that it will take is what it then takes, to the byte. */
static void check_memory(struct scene *scene, const struct shw_labeller_params *params)
{
    struct shw_labeller *labeller = NULL;
    struct shw_labeller_memory said;
    struct counts *counts = &scene->counts;
    unsigned allocated = counts->allocated;

    counts->bytes = counts->mapped_bytes = 0;
    assert_int_equal(shw_labeller_get_memory(params, &said), SHW_OK);
    assert_int_equal(counts->allocated, allocated);
    assert_int_equal(shw_labeller_create(params, &labeller), SHW_OK);
    assert_true(said.bytes > 0 && said.mapped_bytes > 0);
    assert_true(said.bytes == counts->bytes && said.mapped_bytes == counts->mapped_bytes);
    assert_true(said.device_bytes == said.bytes - said.mapped_bytes);
    assert_int_equal(said.allocations, counts->allocated - allocated);
    assert_true(said.allocations <= 4 && said.custom_bytes == 0);
    shw_labeller_destroy(&labeller);
}

TESTING_CASE(the_memory_is_told_beforehand)
{
    static const enum shw_technique techniques[] = {SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE};
    struct random_forest_params forest = {.seed = 12, .depth = 6, .trees = TREES, .classes = CLASSES};
    struct shw_labeller_memory memory, apart, one = {0};
    struct scene scene;

    open_scene(&scene, &forest);
    for (uint32_t i = 0; i < 16; i++) {
        const struct shw_stage_technique *custom = i % 4 == 3 ? testing_plugin(EXAMPLE_TECHNIQUE) : NULL;
        struct shw_labeller_params params = {.forest = scene.forest,
                                             .device = scene.device,
                                             .outputs = i < 8 ? 1u << i / 2 : TESTING_ALL_OUTPUTS,
                                             .channels = techniques[i % 2],
                                             .integrate = techniques[i / 2 % 2],
                                             .evaluate = custom != NULL ? SHW_TECHNIQUE_CUSTOM : techniques[i % 2],
                                             .custom = {[SHW_STAGE_EVALUATE] = custom},
                                             .width = 200 + 10 * i,
                                             .height = 150,
                                             .slots = 1 + i % 3,
                                             .scratch_per_slot = i % 5 == 2,
                                             .smoothing = {.radius = i % 3 == 1 ? 4 + 3 * i : 0},
                                             .log = testing_log(&scene.memory)};
        if (i > 12)
            params.room = (struct shw_forest_room){.trees = 9, .classes = 20, .nodes = 20000};
        check_memory(&scene, &params);
        params.room = (struct shw_forest_room){0};
        for (params.slots = 1; params.slots <= 3; params.slots += 2) {
            params.scratch_per_slot = true;
            assert_int_equal(shw_labeller_get_memory(&params, &apart), SHW_OK);
            params.scratch_per_slot = false;
            assert_int_equal(shw_labeller_get_memory(&params, &memory), SHW_OK);
            if (params.slots == 1)
                one = memory;
        }
        assert_true(memory.bytes == one.bytes); /* however many slots */
        params.slots = 0;                       /* one */
        assert_int_equal(shw_labeller_get_memory(&params, &memory), SHW_OK);
        assert_true(memory.bytes == one.bytes);
        assert_true(apart.device_bytes > 2 * one.device_bytes);
        params.integrate = SHW_TECHNIQUE_CPU;
        assert_int_equal(shw_labeller_get_memory(&params, &memory), SHW_ERROR_ARGUMENT);
    }
    scene.memory.errors = 0;
    close_scene(&scene);
}

/* Of 1920 x 1080 pixels with two slots; half of what a set of planes for each slot takes, whatever the alignment. */
TESTING_CASE(full_hd_fits_few_allocations)
{
    static const struct {
        enum shw_technique technique;
        uint64_t most;
    } cases[] = {{SHW_TECHNIQUE_FRAGMENT, 360000000}, {SHW_TECHNIQUE_COMPUTE, 230000000}};
    struct random_forest_params forest = {.seed = 13, .depth = 8, .split_percent = 90, .trees = 8, .classes = 20};
    struct shw_labeller_memory memory;
    struct scene scene;

    open_scene(&scene, &forest);
    for (int apart = 0; apart < 2; apart++)
        for (int i = 0; i < 2; i++) {
            const struct shw_labeller_params params = {.forest = scene.forest,
                                                       .device = scene.device,
                                                       .outputs = SHW_OUTPUT_ARGMAX,
                                                       .channels = cases[i].technique,
                                                       .integrate = cases[i].technique,
                                                       .evaluate = cases[i].technique,
                                                       .width = 1920,
                                                       .height = 1080,
                                                       .slots = 2,
                                                       .scratch_per_slot = apart != 0,
                                                       .log = testing_log(&scene.memory)};
            assert_int_equal(shw_labeller_get_memory(&params, &memory), SHW_OK);
            printf(
                "# 1920 x 1080, 2 slots, winn16, 8 trees, %s%s: %llu bytes, %llu of them mapped, in %u allocations\n",
                shw_technique_name(cases[i].technique), apart != 0 ? ", scratch per slot" : "",
                (unsigned long long)memory.bytes, (unsigned long long)memory.mapped_bytes, memory.allocations);
            assert_true(memory.bytes <= cases[i].most * (uint64_t)(1 + apart) && memory.allocations <= 3);
        }
    assert_int_equal(scene.counts.allocated, 0);
    close_scene(&scene);
}
