/* Simple filling of depth before channels: by every technique, of whole images, tiles and parts, against four plain
 * sweeps written here and a labeller that fills nothing. What the sweeps on the host do by themselves is tested in
 * tests/files/depth_preparation.c, attachments in tests/embed/depth.c. */
#include "testing/device.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <shadewood/explain.h>

#include "testing/forest_seal.h"
#include "testing/labelling.h"
#include "testing/random_forest.h"
#include "testing/training.h"

enum { SIDE_MAX = 90 };

static const struct random_forest_params forest_params = {
    .seed = 3, .channels = "rgb,depth", .classes = 5, .trees = 3, .depth = 6, .split_percent = 80};

struct scene {
    struct shw_image colour;
    uint32_t width, height;
    uint16_t holed[SIDE_MAX * SIDE_MAX], filled[SIDE_MAX * SIDE_MAX];
    float metres[SIDE_MAX * SIDE_MAX];
};

/* Right to left, left to right, down, up; in the last two, a row without depth takes the row before it. */
static void sweep(uint16_t *depth, int width, int height)
{
    for (int y = 0; y < height; y++) {
        for (int x = width - 2; x >= 0; x--)
            if (depth[y * width + x] == 0)
                depth[y * width + x] = depth[y * width + x + 1];
        for (int x = 1; x < width; x++)
            if (depth[y * width + x] == 0)
                depth[y * width + x] = depth[y * width + x - 1];
    }
    for (int x = 0; x < width; x++) {
        for (int y = 1; y < height; y++)
            if (depth[y * width + x] == 0)
                depth[y * width + x] = depth[(y - 1) * width + x];
        for (int y = height - 2; y >= 0; y--)
            if (depth[y * width + x] == 0)
                depth[y * width + x] = depth[(y + 1) * width + x];
    }
}

enum holes { FEW, MANY, ROWS, ONE_LEFT, NOTHING, HOLES };

static bool is_hole(struct testing_random *random, enum holes holes, uint32_t x, uint32_t y, const struct scene *scene)
{
    switch (holes) {
    case FEW: return testing_random_below(random, 10) == 0;
    case MANY: return testing_random_below(random, 10) > 0;
    case ROWS: return y % 7 > 1 || x < scene->width / 2;
    case ONE_LEFT: return x != scene->width / 3 || y != scene->height / 2;
    default: return true;
    }
}

static void make_scene(struct testing_random *random, uint32_t width, uint32_t height, enum holes holes,
                       struct scene *scene)
{
    scene->colour = testing_image(random, width, height, SHW_PIXEL_RGB8, 0);
    scene->width = width;
    scene->height = height;
    for (uint32_t i = 0; i < width * height; i++) {
        uint16_t depth = (uint16_t)(1 + (testing_random_below(random, 65535) >> testing_random_below(random, 8)));
        scene->holed[i] = is_hole(random, holes, i % width, i / width, scene) ? 0 : depth;
        scene->metres[i] = (float)scene->holed[i] / 1000;
    }
    memcpy(scene->filled, scene->holed, sizeof scene->holed);
    sweep(scene->filled, (int)width, (int)height);
}

static void free_scene(struct scene *scene)
{
    free((void *)(uintptr_t)scene->colour.pixels);
}

/* The scene with depth as it is stored. */
static struct shw_inputs inputs_of(const struct scene *scene, const void *depth, bool in_metres,
                                   struct shw_input list[2])
{
    list[0] = (struct shw_input){.image = scene->colour};
    list[1] = (struct shw_input){.name = SHW_DEPTH,
                                 .image = {.pixels = depth,
                                           .width = scene->width,
                                           .height = scene->height,
                                           .format = in_metres ? SHW_PIXEL_GREY32_FLOAT : SHW_PIXEL_GREY16}};
    if (in_metres)
        list[1].depth = (struct shw_depth){.kind = SHW_DEPTH_LINEAR, .unit = 1000};
    return (struct shw_inputs){2, list};
}

static struct shw_labeller *open_labeller(const struct shw_forest *forest, enum shw_technique technique,
                                          enum shw_fill fill, uint32_t tile, const struct shw_log *log)
{
    const struct shw_labeller_params params = {.forest = forest,
                                               .device = testing_device(),
                                               .channels = technique,
                                               .integrate = technique,
                                               .evaluate = technique,
                                               .outputs = TESTING_ALL_OUTPUTS,
                                               .width = tile,
                                               .height = tile,
                                               .fill = fill,
                                               .threads = 2,
                                               .log = *log};
    struct shw_labeller *labeller = NULL;

    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    return labeller;
}

static struct testing_labelling expect(const struct shw_forest *forest, const struct scene *scene)
{
    const struct shw_log silent = {0};
    struct shw_labeller *labeller = open_labeller(forest, SHW_TECHNIQUE_CPU, SHW_FILL_NONE, 0, &silent);
    struct testing_labelling expected = testing_labelling(forest, scene->width, scene->height);
    struct shw_input list[2];
    const struct shw_inputs inputs = inputs_of(scene, scene->filled, false, list);

    assert_int_equal(shw_labeller_run(labeller, &inputs, &expected.out), SHW_OK);
    shw_labeller_destroy(&labeller);
    return expected;
}

/* The same labeller for several images: its planes are larger than the later ones. */
static void compare(struct shw_labeller *labeller, const struct shw_forest *forest, const struct scene *scene,
                    bool in_metres, const struct testing_labelling *expected)
{
    struct testing_labelling got = testing_labelling(forest, scene->width, scene->height);
    struct shw_input list[2];
    const struct shw_inputs inputs =
        inputs_of(scene, in_metres ? (const void *)scene->metres : scene->holed, in_metres, list);

    assert_int_equal(shw_labeller_run(labeller, &inputs, &got.out), SHW_OK);
    testing_labelling_same("filled", TESTING_ALL_OUTPUTS, &got, expected);
    testing_labelling_free(&got);
}

/* Every third pixel of a part, which the labeller does not see whole. */
static void compare_part(struct shw_labeller *labeller, const struct scene *scene,
                         const struct testing_labelling *expected)
{
    const struct shw_part part = {scene->width / 3, scene->height / 3, (scene->width / 2 + 2) / 3,
                                  (scene->height / 2 + 2) / 3, 3};
    uint16_t classes[SIDE_MAX * SIDE_MAX];
    struct shw_input list[2];
    const struct shw_inputs inputs = inputs_of(scene, scene->holed, false, list);

    assert_int_equal(shw_labeller_run_part(labeller, &inputs, &part, &(struct shw_labelling){.argmax = classes}),
                     SHW_OK);
    for (uint32_t i = 0; i < part.width * part.height; i++)
        assert_int_equal(
            classes[i],
            expected->out.argmax[(part.y + 3 * (i / part.width)) * scene->width + part.x + 3 * (i % part.width)]);
}

static const uint32_t sizes[][2] = {{SIDE_MAX, 71}, {1, 1}, {2, 9}, {17, 1}, {1, 33}, {16, 5}, {33, 40}, {65, 3}};

#define SIZES (sizeof sizes / sizeof *sizes)

TESTING_CASE(every_technique_fills)
{
    static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE};
    static struct scene scene;
    struct shw_forest *forest = random_forest(&forest_params);

    for (size_t t = 0; t < sizeof techniques / sizeof *techniques; t++) {
        struct testing_log memory;
        const struct shw_log log = testing_log(&memory);
        struct shw_labeller *labeller = open_labeller(forest, techniques[t], SHW_FILL_SIMPLE, 0, &log);
        struct testing_random random = {17};
        for (size_t s = 0; s < SIZES; s++)
            for (int holes = 0; holes < HOLES; holes++) {
                struct testing_labelling expected;
                make_scene(&random, sizes[s][0], sizes[s][1], (enum holes)holes, &scene);
                expected = expect(forest, &scene);
                compare(labeller, forest, &scene, holes % 2 == 1, &expected);
                testing_labelling_free(&expected);
                free_scene(&scene);
            }
        shw_labeller_destroy(&labeller);
        testing_device_check();
    }
    shw_forest_destroy(&forest);
}

TESTING_CASE(tiles_and_parts_are_filled_from_the_whole_image)
{
    static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE};
    static struct scene scene;
    struct random_forest_params params = forest_params;
    struct testing_random random = {18};
    struct shw_forest *forest;

    params.offset_max = 5;
    params.size_max = 4;
    forest = random_forest(&params);
    for (size_t t = 0; t < sizeof techniques / sizeof *techniques; t++)
        for (int holes = MANY; holes < HOLES; holes++) {
            struct testing_labelling expected;
            struct testing_log memory;
            const struct shw_log log = testing_log(&memory);
            struct shw_labeller *labeller = open_labeller(forest, techniques[t], SHW_FILL_SIMPLE, 48, &log);
            make_scene(&random, 90, 80, (enum holes)holes, &scene);
            expected = expect(forest, &scene);
            compare(labeller, forest, &scene, false, &expected);
            compare_part(labeller, &scene, &expected);
            testing_labelling_free(&expected);
            free_scene(&scene);
            shw_labeller_destroy(&labeller);
            testing_device_check();
        }
    shw_forest_destroy(&forest);
}

/* A copy of a forest that fills as given. */
static struct shw_forest *with_fill(const struct shw_forest *forest, enum shw_fill fill)
{
    struct shw_forest *copy = NULL;
    size_t size;
    void *bytes;

    assert_int_equal(shw_forest_save_memory(forest, &bytes, &size), SHW_OK);
    assert_int_equal(shw_forest_load_memory(bytes, size, "copy", &(struct shw_forest_load_params){.fill = fill}, &copy),
                     SHW_OK);
    free(bytes);
    return copy;
}

TESTING_CASE(the_forest_says_how)
{
    static struct scene scene;
    struct testing_random random = {19};
    struct testing_log memory;
    const struct shw_log log = testing_log(&memory);
    struct random_forest_params colours = {.channels = "rgb"};
    struct shw_forest *plain = random_forest(&forest_params), *filling = with_fill(plain, SHW_FILL_SIMPLE);
    struct shw_forest *again = with_fill(filling, SHW_FILL_DEFAULT), *back = with_fill(filling, SHW_FILL_NONE);
    struct shw_forest *blind = random_forest(&colours), *refused = NULL;
    struct testing_labelling expected;
    struct shw_labeller *labeller;
    size_t size;
    void *bytes;

    assert_int_equal(shw_forest_get_info(plain)->fill, SHW_FILL_NONE);
    assert_int_equal(shw_forest_get_info(again)->fill, SHW_FILL_SIMPLE);
    assert_true(shw_forest_hash(again) == shw_forest_hash(filling) && shw_forest_hash(plain) != shw_forest_hash(again));
    assert_true(shw_forest_hash(back) == shw_forest_hash(plain));

    make_scene(&random, 40, 30, MANY, &scene);
    expected = expect(plain, &scene);
    labeller = open_labeller(again, SHW_TECHNIQUE_COMPUTE, SHW_FILL_DEFAULT, 0, &log);
    compare(labeller, again, &scene, false, &expected);
    assert_int_equal(shw_labeller_set_forest(labeller, plain), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "channels, feature type, filling"));
    assert_int_equal(shw_labeller_set_forest(labeller, filling), SHW_OK);
    shw_labeller_destroy(&labeller);
    labeller = open_labeller(again, SHW_TECHNIQUE_FRAGMENT, SHW_FILL_SIMPLE, 0, &log);
    assert_int_equal(shw_labeller_set_forest(labeller, plain), SHW_OK);
    compare(labeller, plain, &scene, false, &expected);
    shw_labeller_destroy(&labeller);

    assert_int_equal(shw_forest_save_memory(blind, &bytes, &size), SHW_OK);
    assert_int_equal(shw_forest_load_memory(bytes, size, "blind",
                                            &(struct shw_forest_load_params){.fill = SHW_FILL_SIMPLE, .log = log},
                                            &refused),
                     SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "there is no depth to fill: the channels rgb do not read it"));
    assert_int_equal(shw_labeller_create(
                         &(struct shw_labeller_params){
                             .forest = blind, .outputs = SHW_OUTPUT_ARGMAX, .fill = SHW_FILL_SIMPLE, .log = log},
                         &labeller),
                     SHW_ERROR_ARGUMENT);
    free(bytes);
    testing_labelling_free(&expected);
    free_scene(&scene);
    shw_forest_destroy(&plain);
    shw_forest_destroy(&filling);
    shw_forest_destroy(&again);
    shw_forest_destroy(&back);
    shw_forest_destroy(&blind);
    testing_device_check();
}

TESTING_CASE(unknown_fillings_are_refused)
{
    struct shw_forest *plain = random_forest(&forest_params), *filling = with_fill(plain, SHW_FILL_SIMPLE);
    struct shw_forest *refused = NULL;
    struct testing_log memory;
    const struct shw_forest_load_params params = {.log = testing_log(&memory)};
    const struct shw_forest_load_params unknown = {.fill = (enum shw_fill)3};
    size_t size, at = 0;
    void *bytes;

    assert_int_equal(shw_forest_save_memory(filling, &bytes, &size), SHW_OK);
    assert_int_equal(shw_forest_load_memory(bytes, size, "x", &unknown, &refused), SHW_ERROR_ARGUMENT);
    while (memcmp((char *)bytes + at, "\"fill\":\"simple\"", 15) != 0)
        assert_true(++at < size - 15);
    memcpy((char *)bytes + at + 8, "sample", 6);
    assert_true(testing_forest_seal(bytes, size));
    assert_int_equal(shw_forest_load_memory(bytes, size, "some.ktx2", &params, &refused), SHW_ERROR_FORMAT);
    assert_string_equal(memory.last, "some.ktx2: the filling of depth is 'sample' instead of none or simple");
    free(bytes);
    shw_forest_destroy(&plain);
    shw_forest_destroy(&filling);
}

TESTING_CASE(explanations_fill)
{
    static struct scene scene;
    struct testing_random random = {20};
    struct shw_forest *plain = random_forest(&forest_params), *filling = with_fill(plain, SHW_FILL_SIMPLE);
    struct testing_labelling expected;
    struct shw_input list[2];
    struct shw_channel_reader_params params = {.channels = forest_params.channels, .fill = SHW_FILL_SIMPLE};
    struct shw_channel_reader *reader = NULL;
    struct shw_explanation *explanation = NULL;

    make_scene(&random, 90, 80, ROWS, &scene);
    expected = expect(plain, &scene);
    for (int metres = 0; metres < 2; metres++) {
        const struct shw_inputs inputs =
            inputs_of(&scene, metres ? (const void *)scene.metres : scene.holed, metres != 0, list);
        params.inputs = &inputs;
        assert_int_equal(shw_channel_reader_create(&params, &reader), SHW_OK);
        for (uint32_t i = 0; i < 90 * 80; i += 37) {
            assert_int_equal(shw_explain(filling, reader, i % 90, i / 90, &explanation), SHW_OK);
            assert_int_equal(explanation->argmax, expected.out.argmax[i]);
            for (uint32_t t = 0; t < 3; t++)
                assert_int_equal(explanation->trees[t].leaf, expected.out.forest_leaves[t * 90 * 80 + i]);
            shw_explanation_free(&explanation);
        }
        assert_int_equal(shw_explain(plain, reader, 0, 0, &explanation), SHW_ERROR_ARGUMENT);
        shw_channel_reader_destroy(&reader);
    }
    testing_labelling_free(&expected);
    free_scene(&scene);
    shw_forest_destroy(&plain);
    shw_forest_destroy(&filling);
}

/* Fills in place. */
static void fill_examples(struct testing_examples *examples)
{
    for (uint32_t i = 0; i < examples->dataset.count; i++)
        sweep(examples->examples[i].depths, (int)examples->examples[i].width, (int)examples->examples[i].height);
}

/* The hash of the forest, whose trees are compared: both say that they fill. */
static uint64_t train(struct testing_examples *examples, enum shw_technique technique, enum shw_fill fill)
{
    struct shw_trainer_params params = testing_training;

    params.channels = "depth,rgb";
    params.feature = &shw_feature_depth_mean_difference;
    params.fill = fill;
    return testing_train(params, examples, technique);
}

TESTING_CASE(training_fills_what_it_reads)
{
    struct testing_examples examples;
    struct testing_log memory;
    struct shw_trainer_params params = testing_training;
    struct shw_trainer *trainer = NULL;
    uint64_t filled, plain;

    testing_examples_make(&(struct testing_examples_params){.seed = 9}, &examples);
    filled = train(&examples, SHW_TECHNIQUE_CPU, SHW_FILL_SIMPLE);
    plain = train(&examples, SHW_TECHNIQUE_CPU, SHW_FILL_NONE);
    assert_true(train(&examples, SHW_TECHNIQUE_COMPUTE, SHW_FILL_SIMPLE) == filled);
    assert_true(train(&examples, SHW_TECHNIQUE_BLEND, SHW_FILL_SIMPLE) == filled);
    fill_examples(&examples);
    assert_true(train(&examples, SHW_TECHNIQUE_CPU, SHW_FILL_SIMPLE) == filled);
    assert_true(train(&examples, SHW_TECHNIQUE_CPU, SHW_FILL_NONE) != plain);

    params.fill = SHW_FILL_SIMPLE;
    params.log = testing_log(&memory);
    assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "there is no depth to fill"));
    testing_examples_free(&examples);
    testing_device_check();
}

TESTING_FIXTURE(NULL, testing_device_teardown)
