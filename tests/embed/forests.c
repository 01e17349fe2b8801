/* Another forest for a labeller in somebody else's frame, while what was recorded by the one before still runs. */
#include <stdlib.h>
#include <string.h>

#include "scene.h"
#include "testing/device.h"

enum { WIDTH = 40, HEIGHT = 30, SLOTS = 2 };

/* Shapes of forests that take turns: fewer and more trees, classes and nodes. */
static const struct shape {
    uint32_t trees, classes, depth, split_percent;
} shapes[] = {{3, 4, 5, 70},  {8, 9, 7, 60}, {1, 2, 0, 0},  {5, 9, 6, 80},
              {6, 3, 3, 100}, {8, 1, 1, 50}, {4, 8, 7, 30}, {7, 5, 6, 60}};

#define SHAPES (sizeof shapes / sizeof *shapes)

static struct shw_forest *make_forest(uint32_t number)
{
    const struct shape *shape = &shapes[number % SHAPES];
    struct random_forest_params params = {.seed = number,
                                          .channels = SHW_CHANNELS_LAB,
                                          .classes = shape->classes,
                                          .trees = shape->trees,
                                          .depth = shape->depth,
                                          .split_percent = shape->split_percent};

    return random_forest(&params);
}

static uint64_t count_nodes(const struct shw_forest *forest)
{
    uint64_t count = 0;

    for (uint32_t t = 0; t < shw_forest_get_info(forest)->tree_count; t++)
        count += shw_forest_get_tree(forest, t).node_count;
    return count;
}

static struct shw_labeller *open_labeller(struct scene *scene, enum shw_technique technique,
                                          struct shw_forest_room room)
{
    struct shw_labeller *labeller = NULL;
    struct shw_labeller_params params = {.forest = scene->forest,
                                         .device = scene->device,
                                         .outputs = TESTING_ALL_OUTPUTS,
                                         .channels = technique,
                                         .integrate = technique,
                                         .evaluate = technique,
                                         .width = WIDTH,
                                         .height = HEIGHT,
                                         .slots = SLOTS,
                                         .room = room,
                                         .log = testing_log(&scene->memory)};

    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    return labeller;
}

static void run_frame(struct scene *scene, struct shw_labeller *labeller, uint32_t slot, struct frame *frame)
{
    struct shw_image_use source = source_use(frame);
    struct shw_label_targets targets = target_uses(frame, true);

    engine_begin(&scene->engine, &frame->work);
    record_upload(scene, frame);
    assert_int_equal(shw_labeller_record(labeller, frame->work.commands, slot, SHW_COLOUR_USE(source), &targets),
                     SHW_OK);
    record_readback(scene, frame, targets.argmax.after.layout);
    engine_submit(&scene->engine, &frame->work);
}

static void open_frame_for(struct scene *scene, const struct shw_forest *forest, uint64_t seed, struct frame *frame)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    struct testing_random random = {seed};

    open_frame(scene, &kinds[0], testing_image(&random, WIDTH, HEIGHT, SHW_PIXEL_RGBA8, 0), info->tree_count,
               info->class_count, frame);
}

static void open_first(struct scene *scene)
{
    open_scene(scene, &(struct random_forest_params){.seed = 1, .channels = SHW_CHANNELS_LAB});
    shw_forest_destroy(&scene->forest);
    scene->forest = make_forest(0);
}

/* Each frame has a forest of its own; the frame before still runs while it is set and recorded. */
static void check_turns(enum shw_technique technique)
{
    enum { FRAMES = 2 * SHAPES };
    struct shw_forest *forests[FRAMES];
    struct frame frames[FRAMES];
    struct shw_forest_room room = {8, 9, 0};
    struct shw_labeller *labeller;
    struct scene scene;
    unsigned allocated;

    open_first(&scene);
    for (uint32_t f = 0; f < FRAMES; f++) {
        forests[f] = make_forest(f);
        open_frame_for(&scene, forests[f], f, &frames[f]);
        room.nodes = count_nodes(forests[f]) > room.nodes ? count_nodes(forests[f]) : room.nodes;
    }
    labeller = open_labeller(&scene, technique, room);
    allocated = scene.counts.allocated;
    for (uint32_t f = 0; f < FRAMES; f++) {
        if (f >= SLOTS)
            check_frame(&scene, forests[f - SLOTS], &frames[f - SLOTS]);
        assert_true(shw_labeller_has_room(labeller, forests[f]));
        assert_int_equal(shw_labeller_set_forest(labeller, forests[f]), SHW_OK);
        run_frame(&scene, labeller, f % SLOTS, &frames[f]);
    }
    assert_int_equal(scene.counts.allocated, allocated);
    for (uint32_t f = FRAMES - SLOTS; f < FRAMES; f++)
        check_frame(&scene, forests[f], &frames[f]);
    assert_int_equal(scene.memory.errors, 0);
    shw_labeller_destroy(&labeller);
    for (uint32_t f = 0; f < FRAMES; f++) {
        close_frame(&scene, &frames[f]);
        shw_forest_destroy(&forests[f]);
    }
    close_scene(&scene);
}

TESTING_CASE(forests_take_turns_by_fragment)
{
    check_turns(SHW_TECHNIQUE_FRAGMENT);
}

TESTING_CASE(forests_take_turns_by_compute)
{
    check_turns(SHW_TECHNIQUE_COMPUTE);
}

/* Without room, or with too little of it, everything is made anew. */
static void check_larger(enum shw_technique technique, struct shw_forest_room room)
{
    struct shw_forest *large = make_forest(1);
    struct frame frames[2];
    struct shw_labeller *labeller;
    struct scene scene;

    open_first(&scene);
    open_frame_for(&scene, scene.forest, 5, &frames[0]);
    open_frame_for(&scene, large, 6, &frames[1]);
    labeller = open_labeller(&scene, technique, room);
    run_frame(&scene, labeller, 1, &frames[0]);
    check_frame(&scene, scene.forest, &frames[0]);
    assert_false(shw_labeller_has_room(labeller, large));
    assert_int_equal(shw_labeller_set_forest(labeller, large), SHW_OK);
    run_frame(&scene, labeller, 1, &frames[1]);
    check_frame(&scene, large, &frames[1]);
    shw_labeller_destroy(&labeller);
    close_frame(&scene, &frames[0]);
    close_frame(&scene, &frames[1]);
    shw_forest_destroy(&large);
    close_scene(&scene);
}

TESTING_CASE(larger_forests_are_made_room_for)
{
    struct shw_forest *large = make_forest(1);
    uint64_t nodes = count_nodes(large);

    shw_forest_destroy(&large);
    check_larger(SHW_TECHNIQUE_COMPUTE, (struct shw_forest_room){0});
    check_larger(SHW_TECHNIQUE_COMPUTE, (struct shw_forest_room){7, 9, nodes});
    check_larger(SHW_TECHNIQUE_FRAGMENT, (struct shw_forest_room){8, 8, nodes});
    check_larger(SHW_TECHNIQUE_FRAGMENT, (struct shw_forest_room){8, 9, nodes - 1});
}

/* Of what room does not tell there is what the first forest has. */
TESTING_CASE(room_may_be_told_in_part)
{
    struct shw_forest *small = make_forest(2), *large = make_forest(1);
    struct shw_labeller *labeller;
    struct scene scene;

    open_first(&scene);
    for (uint32_t i = 0; i < 3; i++) {
        labeller = open_labeller(&scene, SHW_TECHNIQUE_COMPUTE, (struct shw_forest_room){i == 0, i == 1, i == 2});
        assert_true(shw_labeller_has_room(labeller, small));
        assert_false(shw_labeller_has_room(labeller, large));
        shw_labeller_destroy(&labeller);
    }
    shw_forest_destroy(&small);
    shw_forest_destroy(&large);
    close_scene(&scene);
}

TESTING_CASE(forests_of_another_kind_are_refused)
{
    struct random_forest_params params = {.seed = 3, .channels = SHW_CHANNELS_RGB};
    struct shw_labeller *labeller;
    struct shw_forest *other;
    struct scene scene;

    open_first(&scene);
    labeller = open_labeller(&scene, SHW_TECHNIQUE_COMPUTE, (struct shw_forest_room){8, 9, 1000});
    other = random_forest(&params);
    assert_int_equal(shw_labeller_set_forest(labeller, other), SHW_ERROR_ARGUMENT);
    assert_false(shw_labeller_has_room(labeller, other));
    shw_forest_destroy(&other);
    params.channels = SHW_CHANNELS_LAB;
    params.feature = &shw_feature_sum_difference;
    other = random_forest(&params);
    assert_int_equal(shw_labeller_set_forest(labeller, other), SHW_ERROR_ARGUMENT);
    shw_forest_destroy(&other);
    assert_int_equal(scene.memory.errors, 2);
    assert_int_equal(scene.memory.last_item, SHW_LOG_ARGUMENT);
    shw_labeller_destroy(&labeller);
    close_scene(&scene);
}

/* A forest that does not get its memory, at whichever allocation that ends, or one that is refused, leaves the labeller
 * with the one that it had. */
static void check_failure(enum shw_technique technique)
{
    struct shw_forest *large = make_forest(1);
    struct shw_labeller *labeller;
    enum shw_result result = SHW_ERROR_DEVICE_MEMORY;
    unsigned failures = 0;
    struct scene scene;

    open_first(&scene);
    labeller = open_labeller(&scene, technique, (struct shw_forest_room){0});
    for (unsigned more = 0; result != SHW_OK; more++) {
        const struct shw_forest *expected = scene.forest;
        struct frame frame;
        scene.counts.limit = scene.counts.allocated + more;
        result = shw_labeller_set_forest(labeller, large);
        scene.counts.limit = 0;
        assert_true(result == SHW_OK || result == SHW_ERROR_DEVICE_MEMORY);
        failures += result != SHW_OK;
        if (result == SHW_OK)
            expected = large;
        open_frame_for(&scene, expected, more, &frame);
        run_frame(&scene, labeller, more % SLOTS, &frame);
        check_frame(&scene, expected, &frame);
        close_frame(&scene, &frame);
    }
    assert_true(failures >= 2);
    shw_labeller_destroy(&labeller);
    shw_forest_destroy(&large);
    close_scene(&scene);
}

TESTING_CASE(forests_that_fail_leave_the_previous_one)
{
    check_failure(SHW_TECHNIQUE_COMPUTE);
    check_failure(SHW_TECHNIQUE_FRAGMENT);
}

/* Labellers that run, on the CPU and on a device of their own. */
static void check_runs(enum shw_technique technique, enum shw_technique evaluate)
{
    struct testing_random random = {8};
    struct shw_image image = testing_image(&random, WIDTH, HEIGHT, SHW_PIXEL_RGB8, 0);
    struct shw_labeller *labeller = NULL;
    struct shw_labeller_params params = {.outputs = TESTING_ALL_OUTPUTS,
                                         .channels = technique,
                                         .integrate = technique,
                                         .evaluate = evaluate,
                                         .threads = 1};
    struct shw_forest *forests[3];

    if (technique != SHW_TECHNIQUE_CPU || evaluate != SHW_TECHNIQUE_CPU)
        params.device = testing_device();
    for (uint32_t f = 0; f < 3; f++)
        forests[f] = make_forest(f);
    params.forest = forests[0];
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    for (uint32_t f = 0; f < 3; f++) {
        struct shw_labeller_params cpu = {.forest = forests[f], .threads = 1};
        struct testing_labelling expected = testing_label(&cpu, &image),
                                 got = testing_labelling(forests[f], WIDTH, HEIGHT);
        assert_true(params.device != NULL || shw_labeller_has_room(labeller, forests[f]));
        assert_int_equal(shw_labeller_set_forest(labeller, forests[f]), SHW_OK);
        assert_int_equal(shw_labeller_run(labeller, SHW_COLOUR_IMAGE(image), &got.out), SHW_OK);
        testing_labelling_same("run", TESTING_ALL_OUTPUTS, &got, &expected);
        testing_labelling_free(&got);
        testing_labelling_free(&expected);
    }
    shw_labeller_destroy(&labeller);
    for (uint32_t f = 0; f < 3; f++)
        shw_forest_destroy(&forests[f]);
    free((void *)(uintptr_t)image.pixels);
}

TESTING_CASE(impossible_room_is_refused)
{
    const struct shw_forest_room rooms[] = {{SHW_TREES_MAX + 1, 0, 0}, {0, SHW_CLASSES_MAX + 1, 0}, {0, 0, UINT64_MAX}};
    struct shw_forest *forest = make_forest(0);
    struct shw_labeller *labeller = NULL;
    struct testing_log memory;
    struct shw_labeller_params params = {.forest = forest, .outputs = SHW_OUTPUT_ARGMAX, .log = testing_log(&memory)};

    for (uint32_t i = 0; i < 3; i++) {
        params.room = rooms[i];
        assert_int_equal(shw_labeller_create(&params, &labeller), SHW_ERROR_ARGUMENT);
        assert_null(labeller);
        assert_int_equal(memory.errors, i + 1);
    }
    shw_forest_destroy(&forest);
}

/* A frame for shw_labeller_run() has one slot, whatever was asked for. */
TESTING_CASE(slots_that_are_not_there_are_refused)
{
    struct shw_labeller *labeller = NULL;
    struct shw_labeller_params params = {.outputs = SHW_OUTPUT_ARGMAX,
                                         .channels = SHW_TECHNIQUE_COMPUTE,
                                         .integrate = SHW_TECHNIQUE_COMPUTE,
                                         .evaluate = SHW_TECHNIQUE_COMPUTE,
                                         .slots = SLOTS};
    struct shw_forest *forest = make_forest(0);
    struct testing_random random = {9};
    struct shw_image image = testing_image(&random, WIDTH, HEIGHT, SHW_PIXEL_RGBA8, 0);
    uint16_t argmax[WIDTH * HEIGHT];
    struct shw_image_use source = {.format = VK_FORMAT_R8G8B8A8_UNORM,
                                   .extent = {WIDTH, HEIGHT},
                                   .before = {VK_IMAGE_LAYOUT_GENERAL, VK_PIPELINE_STAGE_TRANSFER_BIT, 0},
                                   .after = {VK_IMAGE_LAYOUT_GENERAL, VK_PIPELINE_STAGE_TRANSFER_BIT, 0}};
    uint64_t work[SHW_STAGE_COUNT];

    params.forest = forest;
    params.device = testing_device();
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    assert_int_equal(shw_labeller_run(labeller, SHW_COLOUR_IMAGE(image), &(struct shw_labelling){.argmax = argmax}),
                     SHW_OK);
    assert_int_equal(shw_labeller_get_work(labeller, 0, SHW_COLOUR_USE(source), &(struct shw_label_targets){0}, work),
                     SHW_OK);
    assert_int_equal(shw_labeller_get_work(labeller, 1, SHW_COLOUR_USE(source), &(struct shw_label_targets){0}, work),
                     SHW_ERROR_ARGUMENT);
    shw_labeller_destroy(&labeller);
    shw_forest_destroy(&forest);
    free((void *)(uintptr_t)image.pixels);
    testing_device_check();
}

/* Leaves of as many trees as there is room for are one buffer more than the device takes for a whole image: it is
 * cut. */
TESTING_CASE(room_counts_where_images_are_cut)
{
    enum { SIDE = 512 };
    uint32_t range = testing_device()->properties.limits.maxStorageBufferRange;
    struct shw_forest *forest = make_forest(0);
    struct testing_random random = {10};
    struct shw_image image = testing_image(&random, SIDE, SIDE, SHW_PIXEL_GREY8, 0);
    struct shw_labeller_params params = {.forest = forest, .threads = 1};
    struct testing_labelling expected = testing_label(&params, &image), got;

    params.device = testing_device();
    params.evaluate = params.channels = params.integrate = SHW_TECHNIQUE_COMPUTE;
    params.room.trees = range / (SIDE * SIDE * sizeof(uint32_t)) + 1;
    if (params.room.trees > SHW_TREES_MAX)
        params.room.trees = SHW_TREES_MAX;
    got = testing_label(&params, &image);
    testing_labelling_same("with room", TESTING_ALL_OUTPUTS, &got, &expected);
    testing_labelling_free(&got);
    testing_labelling_free(&expected);
    shw_forest_destroy(&forest);
    free((void *)(uintptr_t)image.pixels);
    testing_device_check();
}

TESTING_CASE(labellers_that_run_take_any_forest)
{
    check_runs(SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_CPU);
    check_runs(SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_CPU);
    check_runs(SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_FRAGMENT);
    check_runs(SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE);
    testing_device_check();
}

TESTING_FIXTURE(NULL, testing_device_teardown)
