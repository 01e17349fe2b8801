/* Labelling random images by random forests: every mixture of techniques, tiles of any size and pieces of any size give
 * what `cpu` gives. */
#include "testing/device.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cases.h"
#include "embed/scene.h"

enum { SIDE_MAX = 64, IMAGES = 2, PIECES_MAX = 40 };

static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE};

static struct random_forest_params random_shape(struct testing_random *random)
{
    struct random_forest_params params = {
        .seed = testing_random_next(random),
        .channels =
            random_chance(random, 50) ? SHW_CHANNELS_RGB : shw_channel_list_get_name(testing_random_below(random, 5)),
        .feature = random_feature_type(random),
        .classes = random_size(random, random_chance(random, 10) ? 300 : 20),
        .trees = random_size(random, random_chance(random, 10) ? 40 : 9),
        .depth = testing_random_below(random, random_chance(random, 10) ? 25 : 9),
        .split_percent = testing_random_below(random, 100),
        .splits_max = random_size(random, 300),
        .offset_max = (int32_t)random_size(random, random_chance(random, 10) ? 40000 : 30),
        .size_max = (int32_t)random_size(random, random_chance(random, 10) ? 400 : 20),
        .single_percent = random_chance(random, 50) ? testing_random_below(random, 101) : 0,
        .extreme = random_chance(random, 20)};

    cases_describe(
        " channels %s, feature %s, %u classes, %u trees, depth %u, %u %% splits up to %u, offset_max %d, size_max %d, "
        "%u %% single, extreme %d;",
        params.channels, params.feature->name, params.classes, params.trees, params.depth, params.split_percent,
        params.splits_max, params.offset_max, params.size_max, params.single_percent, params.extreme);
    return params;
}

static struct shw_image random_picture(struct testing_random *random, enum shw_pixel_format format, uint32_t most,
                                       size_t padding)
{
    uint32_t width = random_chance(random, 50) ? random_size(random, most) : 1 + testing_random_below(random, most);
    uint32_t height = random_chance(random, 50) ? random_size(random, most) : 1 + testing_random_below(random, most);

    cases_describe(" image %ux%u, format %d;", width, height, (int)format);
    return testing_image(random, width, height, format, padding);
}

static void describe_techniques(const enum shw_technique *mixture)
{
    cases_describe(" by %s, %s, %s", shw_technique_name(mixture[0]), shw_technique_name(mixture[1]),
                   shw_technique_name(mixture[2]));
}

/* One labeller for several images. */
static void check_images(struct testing_random *random, const struct shw_forest *forest, const char *channels,
                         struct shw_device *device)
{
    uint32_t margin = shw_forest_get_reach(forest) + testing_channels(channels)->radius;
    enum shw_technique mixture[SHW_STAGE_COUNT];
    struct shw_labeller_params cpu = {.forest = forest, .threads = 1}, params = {.forest = forest, .device = device};
    struct shw_labeller *labeller = NULL;
    struct testing_log memory;

    for (uint32_t s = 0; s < SHW_STAGE_COUNT; s++)
        mixture[s] = techniques[testing_random_below(random, 3)];
    describe_techniques(mixture);
    params.channels = mixture[0], params.integrate = mixture[1], params.evaluate = mixture[2];
    params.outputs = TESTING_ALL_OUTPUTS;
    if (margin < 2 * SIDE_MAX && random_chance(random, 75)) { /* regions with tiles of at least one pixel */
        params.width = 2 * margin + random_size(random, SIDE_MAX);
        params.height = 2 * margin + random_size(random, SIDE_MAX);
    }
    params.threads = 1 + testing_random_below(random, 3);
    params.log = testing_log(&memory);
    cases_describe(", regions of %ux%u, %u threads;", params.width, params.height, params.threads);
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    for (uint32_t i = 0; i < IMAGES; i++) {
        enum shw_pixel_format format = (enum shw_pixel_format)(SHW_PIXEL_GREY8 + testing_random_below(random, 6));
        struct shw_image image = random_picture(random, format, SIDE_MAX, 2 * testing_random_below(random, 3));
        struct testing_labelling expected = testing_label(&cpu, &image);
        struct testing_labelling got = testing_labelling(forest, image.width, image.height);
        assert_int_equal(shw_labeller_run(labeller, SHW_COLOUR_IMAGE(image), &got.out), SHW_OK);
        testing_labelling_same("in tiles", TESTING_ALL_OUTPUTS, &got, &expected);
        testing_labelling_free(&expected);
        testing_labelling_free(&got);
        free((void *)(uintptr_t)image.pixels);
    }
    shw_labeller_destroy(&labeller);
    testing_device_check();
}

static void runs_agree_in_a_case(uint64_t seed)
{
    struct testing_random random = {seed};
    struct random_forest_params shape = random_shape(&random);
    struct shw_forest *forest = random_forest(&shape);

    check_images(&random, forest, shape.channels, testing_device());
    shw_forest_destroy(&forest);
}

static void record_pieces(struct scene *scene, struct testing_random *random, struct shw_labeller *labeller,
                          struct frame *frame)
{
    struct shw_image_use source = source_use(frame);
    struct shw_label_targets targets = target_uses(frame, true);
    struct shw_labelling_progress progress = {0};
    uint64_t work[SHW_STAGE_COUNT], least;

    assert_int_equal(shw_labeller_get_work(labeller, 0, SHW_COLOUR_USE(source), &targets, work), SHW_OK);
    least = (work[0] + work[1] + work[2]) / PIECES_MAX + 1;
    for (bool first = true; !progress.finished; first = false) {
        uint64_t before = progress.work, wanted = least * random_size(random, PIECES_MAX);
        if (random_chance(random, 20))
            wanted = random_chance(random, 50) ? 0 : random_size(random, 4);
        engine_begin(&scene->engine, &frame->work);
        if (first)
            record_upload(scene, frame);
        assert_int_equal(shw_labeller_record_piece(labeller, frame->work.commands, 0, SHW_COLOUR_USE(source), &targets,
                                                   wanted, &progress),
                         SHW_OK);
        assert_true(progress.work > before);
        if (progress.finished)
            record_readback(scene, frame, targets.argmax.after.layout);
        engine_submit(&scene->engine, &frame->work);
        if (!progress.finished)
            engine_wait(&scene->engine, &frame->work);
    }
    assert_true(progress.work == work[0] + work[1] + work[2]);
}

static struct scene scene;

static void pieces_agree_in_a_case(uint64_t seed)
{
    struct testing_random random = {seed ^ 0x5eed};
    struct random_forest_params shape = random_shape(&random);
    struct shw_labeller_params params = {.device = scene.device, .outputs = TESTING_ALL_OUTPUTS, .slots = 1};
    const struct source_kind *kind = &kinds[testing_random_below(&random, 5)];
    enum shw_technique mixture[SHW_STAGE_COUNT];
    struct shw_labeller *labeller = NULL;
    struct testing_log memory;
    struct frame frame;

    shw_forest_destroy(&scene.forest);
    params.forest = scene.forest = random_forest(&shape);
    params.log = testing_log(&memory);
    for (uint32_t s = 0; s < SHW_STAGE_COUNT; s++)
        mixture[s] = techniques[1 + testing_random_below(&random, 2)];
    describe_techniques(mixture);
    params.channels = mixture[0], params.integrate = mixture[1], params.evaluate = mixture[2];
    open_frame(&scene, kind, random_picture(&random, kind->pixel, SIDE_MAX, 0), shape.trees, shape.classes, &frame);
    params.width = frame.image.width + testing_random_below(&random, 9);
    params.height = frame.image.height + testing_random_below(&random, 9);
    cases_describe(" in room for %ux%u", params.width, params.height);
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    record_pieces(&scene, &random, labeller, &frame);
    check_frame(&scene, scene.forest, &frame);
    shw_labeller_destroy(&labeller);
    close_frame(&scene, &frame);
}

static void tiles_and_techniques_agree(void **state)
{
    (void)state;
    cases_run(100, runs_agree_in_a_case);
}

static void pieces_agree(void **state)
{
    const struct random_forest_params leaf = {.seed = 1};

    (void)state;
    open_scene(&scene, &leaf);
    cases_run(60, pieces_agree_in_a_case);
    close_scene(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(tiles_and_techniques_agree, cases_report),
                                       cmocka_unit_test_teardown(pieces_agree, cases_report)};

    return cmocka_run_group_tests(tests, NULL, testing_device_teardown);
}
