/* Images whose planes exceed the device's storage buffers are recorded in tiles, with the results of whole images. The
 * limit is set so low that small images exceed it. */
#include <stdlib.h>
#include <string.h>

#include "dense/label/labeller.h"
#include "scene.h"

enum { WIDTH = 110, HEIGHT = 106, SLOTS = 2, TREES = 3, CLASSES = 5, CHANNELS = 27 };

/* Room for the integral images of about 90 x 90 pixels, so that there are two tiles each way. */
#define RANGE (4u * CHANNELS * 8300u)

#define COMPUTE  SHW_TECHNIQUE_COMPUTE
#define FRAGMENT SHW_TECHNIQUE_FRAGMENT

static const struct random_forest_params near = {.seed = 3,
                                                 .channels = SHW_CHANNELS_WIDE,
                                                 .depth = 5,
                                                 .split_percent = 75,
                                                 .trees = TREES,
                                                 .classes = CLASSES,
                                                 .offset_max = 5,
                                                 .size_max = 4};

static uint32_t limit(struct scene *scene, uint32_t range)
{
    uint32_t *most = &scene->device->properties.limits.maxStorageBufferRange, before = *most;

    *most = range;
    return before;
}

static struct shw_labeller_params params_of(struct scene *scene, enum shw_technique channels,
                                            enum shw_technique integrate, enum shw_technique evaluate)
{
    return (struct shw_labeller_params){.forest = scene->forest,
                                        .device = scene->device,
                                        .outputs = TESTING_ALL_OUTPUTS,
                                        .channels = channels,
                                        .integrate = integrate,
                                        .evaluate = evaluate,
                                        .width = WIDTH,
                                        .height = HEIGHT,
                                        .slots = SLOTS,
                                        .threads = 1,
                                        .log = testing_log(&scene->memory)};
}

static struct shw_labeller *open_labeller(const struct shw_labeller_params *params)
{
    struct shw_labeller *labeller = NULL;

    assert_int_equal(shw_labeller_create(params, &labeller), SHW_OK);
    return labeller;
}

static void open_image(struct scene *scene, uint32_t number, uint32_t width, uint32_t height, struct frame *frame)
{
    struct testing_random random = {100 + number};
    const struct source_kind *kind = &kinds[number % 5];

    open_frame(scene, kind, testing_image(&random, width, height, kind->pixel, 0), TREES, CLASSES, frame);
}

static void run_frame(struct scene *scene, struct shw_labeller *labeller, uint32_t slot, struct frame *frame,
                      bool fresh)
{
    struct shw_image_use source = source_use(frame);
    struct shw_label_targets targets = target_uses(frame, fresh);

    engine_begin(&scene->engine, &frame->work);
    record_upload(scene, frame);
    assert_int_equal(shw_labeller_record(labeller, frame->work.commands, slot, SHW_COLOUR_USE(source), &targets),
                     SHW_OK);
    record_readback(scene, frame, targets.argmax.after.layout);
    engine_submit(&scene->engine, &frame->work);
}

/* The first of these: the largest image, a smaller one, and one that is a single tile; slots are recorded again. */
static void check_tiles(enum shw_technique channels, enum shw_technique integrate, enum shw_technique evaluate,
                        bool apart, uint32_t count)
{
    static const uint32_t sizes[][2] = {{WIDTH, HEIGHT}, {97, 101}, {20, 30}};
    struct frame frames[sizeof sizes / sizeof *sizes];
    struct shw_labeller_params params;
    struct shw_labeller *labeller;
    struct scene scene;

    open_scene(&scene, &near);
    params = params_of(&scene, channels, integrate, evaluate);
    params.scratch_per_slot = apart;
    limit(&scene, RANGE);
    labeller = open_labeller(&params);
    assert_true(shw_labeller_tiles_recordings(labeller));
    for (uint32_t f = 0; f < count; f++)
        open_image(&scene, f, sizes[f][0], sizes[f][1], &frames[f]);
    for (uint32_t f = 0; f < count; f++) {
        if (f >= SLOTS)
            check_frame(&scene, scene.forest, &frames[f - SLOTS]);
        run_frame(&scene, labeller, f % SLOTS, &frames[f], true);
    }
    for (uint32_t f = count > SLOTS ? count - SLOTS : 0; f < count; f++)
        check_frame(&scene, scene.forest, &frames[f]);
    for (uint32_t f = 0; f < count; f++)
        close_frame(&scene, &frames[f]);
    shw_labeller_destroy(&labeller);
    assert_int_equal(scene.memory.errors, 0);
    close_scene(&scene);
}

TESTING_CASE(tiles_are_recorded)
{
    check_tiles(COMPUTE, COMPUTE, COMPUTE, false, 3);
    check_tiles(COMPUTE, COMPUTE, COMPUTE, true, 2);
    check_tiles(FRAGMENT, COMPUTE, FRAGMENT, false, 1);
}

/* What fits is recorded as it was, whatever an estimate of its memory says. */
TESTING_CASE(images_that_fit_are_not_tiled)
{
    struct shw_labeller_params params;
    struct shw_labeller *labeller;
    struct scene scene;
    uint32_t before;

    open_scene(&scene, &near);
    params = params_of(&scene, FRAGMENT, FRAGMENT, FRAGMENT);
    before = limit(&scene, RANGE);
    labeller = open_labeller(&params);
    assert_false(shw_labeller_tiles_recordings(labeller));
    shw_labeller_destroy(&labeller);

    /* exactly: an integral image has an even number of elements in a row */
    params = params_of(&scene, COMPUTE, COMPUTE, COMPUTE);
    limit(&scene, (WIDTH + 2) * (HEIGHT + 1) * 4 * CHANNELS);
    labeller = open_labeller(&params);
    assert_false(shw_labeller_tiles_recordings(labeller));
    shw_labeller_destroy(&labeller);
    limit(&scene, (WIDTH + 2) * (HEIGHT + 1) * 4 * CHANNELS - 1);
    labeller = open_labeller(&params);
    assert_true(shw_labeller_tiles_recordings(labeller));
    shw_labeller_destroy(&labeller);

    /* room for 100 trees needs no planes for their leaves where only the class is wanted */
    params.outputs = SHW_OUTPUT_ARGMAX;
    params.room = (struct shw_forest_room){.trees = 3, .nodes = 1000};
    limit(&scene, (WIDTH + 2) * (HEIGHT + 1) * 4 * CHANNELS);
    labeller = open_labeller(&params);
    assert_false(shw_labeller_tiles_recordings(labeller));
    shw_labeller_destroy(&labeller);
    limit(&scene, before);
    assert_int_equal(scene.memory.errors, 0);
    close_scene(&scene);
}

/* Memory that is announced beforehand is that of tiles, and less than that of the whole. */
TESTING_CASE(memory_is_that_of_tiles)
{
    struct shw_labeller_memory whole, tiles;
    struct shw_labeller_params params;
    struct shw_labeller *labeller;
    struct scene scene;

    open_scene(&scene, &near);
    params = params_of(&scene, COMPUTE, COMPUTE, COMPUTE);
    assert_int_equal(shw_labeller_get_memory(&params, &whole), SHW_OK);
    limit(&scene, RANGE);
    assert_int_equal(shw_labeller_get_memory(&params, &tiles), SHW_OK);
    assert_true(tiles.bytes < whole.bytes);
    labeller = open_labeller(&params);
    assert_int_equal(scene.counts.bytes, tiles.bytes);
    assert_int_equal(scene.counts.allocated, tiles.allocations);
    shw_labeller_destroy(&labeller);
    close_scene(&scene);
}

/* All leaves in pieces of random size; a stage comes once in every tile. */
TESTING_CASE(tiles_are_recorded_in_pieces)
{
    struct testing_random random = {12};
    struct shw_labelling_progress progress = {0};
    struct shw_labeller_params params;
    struct shw_labeller *labeller;
    struct shw_label_targets targets;
    struct shw_image_use source;
    struct frame frame;
    struct scene scene;
    uint64_t work[SHW_STAGE_COUNT], total;
    uint32_t turns = 0, returns = 0;

    open_scene(&scene, &near);
    params = params_of(&scene, COMPUTE, COMPUTE, COMPUTE);
    limit(&scene, RANGE);
    labeller = open_labeller(&params);
    open_image(&scene, 1, WIDTH, HEIGHT, &frame);
    source = source_use(&frame);
    targets = target_uses(&frame, true);
    assert_int_equal(shw_labeller_get_work(labeller, 0, SHW_COLOUR_USE(source), &targets, work), SHW_OK);
    total = work[0] + work[1] + work[2];
    while (!progress.finished) {
        const struct shw_labelling_progress before = progress;
        engine_begin(&scene.engine, &frame.work);
        if (turns++ == 0)
            record_upload(&scene, &frame);
        assert_int_equal(shw_labeller_record_piece(labeller, frame.work.commands, 0, SHW_COLOUR_USE(source), &targets,
                                                   1 + testing_random_next(&random) % (total / 20), &progress),
                         SHW_OK);
        assert_true(progress.work > before.work);
        returns += progress.stage < before.stage;
        if (progress.finished)
            record_readback(&scene, &frame, targets.argmax.after.layout);
        engine_submit(&scene.engine, &frame.work);
        if (!progress.finished)
            engine_wait(&scene.engine, &frame.work);
    }
    assert_int_equal(progress.work, total);
    assert_true(returns > 0);
    check_frame(&scene, scene.forest, &frame);
    close_frame(&scene, &frame);
    shw_labeller_destroy(&labeller);
    assert_int_equal(scene.memory.errors, 0);
    close_scene(&scene);
}

static void check_techniques(const struct shw_labeller_params *params, enum shw_technique expected, bool tiled)
{
    struct shw_labeller *labeller = open_labeller(params);
    enum shw_technique techniques[SHW_STAGE_COUNT];

    shw_labeller_get_techniques(labeller, techniques);
    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++)
        assert_int_equal(techniques[s], expected);
    assert_int_equal(shw_labeller_tiles_recordings(labeller), tiled);
    shw_labeller_destroy(&labeller);
}

/* Rows of results have a multiple of eight elements, so that images of three columns have planes of eight. */
TESTING_CASE(narrow_images_are_tiled)
{
    struct random_forest_params many = near;
    struct shw_labeller_params params;
    struct scene scene;

    many.channels = "rgb";
    many.classes = 21;
    many.offset_max = many.size_max = 2;
    open_scene(&scene, &many);
    limit(&scene, 100000);
    params = params_of(&scene, COMPUTE, COMPUTE, COMPUTE);
    params.width = 3;
    params.height = 400;
    check_techniques(&params, COMPUTE, true);
    assert_int_equal(scene.memory.errors, 0);
    close_scene(&scene);
}

/* A forest that reaches farther than tiles do: `auto` does it by fragment, `compute` says what would. */
TESTING_CASE(what_tiles_cannot_do_is_done_by_fragment)
{
    const struct shw_label_targets none = {0};
    struct random_forest_params far = near;
    struct shw_labeller_params params;
    struct shw_labeller *labeller = NULL;
    struct shw_forest *forest;
    struct shw_labeller_memory memory;
    struct shw_image_use source;
    struct frame frame;
    struct scene scene;

    open_scene(&scene, &near);
    params = params_of(&scene, SHW_TECHNIQUE_AUTO, SHW_TECHNIQUE_AUTO, SHW_TECHNIQUE_AUTO);
    limit(&scene, RANGE);
    check_techniques(&params, COMPUTE, true);
    far.offset_max = far.size_max = 60;
    forest = random_forest(&far);
    params.forest = forest;
    check_techniques(&params, FRAGMENT, false);
    params.channels = params.integrate = params.evaluate = COMPUTE;
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_ERROR_LIMIT);
    assert_null(labeller);
    assert_int_equal(scene.memory.errors, 1);
    assert_non_null(strstr(scene.memory.last, "the planes of 110 x 106 pixels exceed the device's storage buffers"));
    assert_non_null(strstr(scene.memory.last, "use the technique fragment, or a forest with fewer channels"));
    assert_int_equal(shw_labeller_get_memory(&params, &memory), SHW_ERROR_LIMIT);

    /* a labeller that has begun with a forest that tiles can do keeps it */
    params.forest = scene.forest;
    params.room = (struct shw_forest_room){.trees = TREES, .nodes = 10000, .classes = CLASSES};
    labeller = open_labeller(&params);
    assert_false(shw_labeller_has_room(labeller, forest));
    assert_int_equal(shw_labeller_set_forest(labeller, forest), SHW_ERROR_LIMIT);
    open_image(&scene, 2, WIDTH, HEIGHT, &frame);
    run_frame(&scene, labeller, 0, &frame, true);
    check_frame(&scene, scene.forest, &frame);
    source = source_use(&frame);
    source.extent.width++;
    scene.memory.errors = 0;
    assert_int_equal(shw_labeller_record(labeller, frame.work.commands, 0, SHW_COLOUR_USE(source), &none),
                     SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(scene.memory.last, "a source of 111 x 106 does not fit a labeller of 110 x 106"));
    close_frame(&scene, &frame);
    shw_labeller_destroy(&labeller);
    shw_forest_destroy(&forest);
    close_scene(&scene);
}

/* Another forest with a longer reach or more trees needs tiles of another size. */
TESTING_CASE(forests_change_tiles)
{
    struct random_forest_params other = near;
    struct shw_labeller_params params;
    struct shw_labeller *labeller;
    struct shw_forest *forest;
    struct frame frame;
    struct scene scene;
    struct testing_random random = {31};

    open_scene(&scene, &near);
    params = params_of(&scene, COMPUTE, COMPUTE, COMPUTE);
    limit(&scene, RANGE);
    labeller = open_labeller(&params);
    other.trees = CHANNELS + 1; /* more planes than channels */
    other.offset_max = 9;
    forest = random_forest(&other);
    assert_false(shw_labeller_has_room(labeller, forest));
    assert_int_equal(shw_labeller_set_forest(labeller, forest), SHW_OK);
    assert_true(shw_labeller_tiles_recordings(labeller));
    open_frame(&scene, &kinds[0], testing_image(&random, WIDTH, HEIGHT, kinds[0].pixel, 0), other.trees, CLASSES,
               &frame);
    run_frame(&scene, labeller, 1, &frame, true);
    check_frame(&scene, forest, &frame);
    close_frame(&scene, &frame);
    shw_labeller_destroy(&labeller);
    shw_forest_destroy(&forest);
    assert_int_equal(scene.memory.errors, 0);
    close_scene(&scene);
}
