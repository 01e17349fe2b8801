/* Inputs besides the colour image: in labelling by all techniques, whole and in tiles, in channel readers and in
 * training, and what is refused. The channel kinds are the test's own. */
#include "testing/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/shadewood.h>

#include "dense/own_kinds.h"
#include "testing/device.h"
#include "testing/labelling.h"
#include "testing/random_forest.h"
#include "testing/training.h"

enum { WIDTH = 61, HEIGHT = 43 };

/* Colour, the frame before and a plane; in another order than the forest reads them. */
struct scene {
    struct shw_forest *forest;
    struct shw_input input[3];
    struct shw_inputs inputs;
};

static struct scene make_scene(enum shw_pixel_format colour, enum shw_pixel_format infrared)
{
    struct random_forest_params params = {.seed = 5,
                                          .channels = OWN_CHANNELS,
                                          .kinds = own_kinds,
                                          .classes = 4,
                                          .trees = 3,
                                          .depth = 6,
                                          .split_percent = 80,
                                          .offset_max = 9,
                                          .size_max = 5};
    struct testing_random random = {6};
    struct scene scene = {.forest = random_forest(&params)};

    scene.input[0] =
        (struct shw_input){.name = "infrared", .image = testing_image(&random, WIDTH, HEIGHT, infrared, 0)};
    scene.input[1] = (struct shw_input){.image = testing_image(&random, WIDTH, HEIGHT, colour, 6)};
    scene.input[2] =
        (struct shw_input){.name = SHW_PREVIOUS, .image = testing_image(&random, WIDTH, HEIGHT, colour, 0)};
    scene.inputs.count = 3;
    return scene;
}

static struct shw_inputs *inputs_of(struct scene *scene)
{
    scene->inputs.inputs = scene->input;
    return &scene->inputs;
}

static void free_scene(struct scene *scene)
{
    for (int i = 0; i < 3; i++)
        free((void *)(uintptr_t)scene->input[i].image.pixels);
    shw_forest_destroy(&scene->forest);
}

static struct testing_labelling label(struct scene *scene, enum shw_technique technique, uint32_t side)
{
    struct testing_labelling got = testing_labelling(scene->forest, WIDTH, HEIGHT);
    struct shw_labeller_params params = {.forest = scene->forest,
                                         .device = testing_device(),
                                         .outputs = TESTING_ALL_OUTPUTS,
                                         .channels = technique,
                                         .integrate = technique,
                                         .evaluate = technique,
                                         .width = side,
                                         .height = side,
                                         .threads = 2};
    struct shw_labeller *labeller = NULL;

    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    assert_int_equal(shw_labeller_run(labeller, inputs_of(scene), &got.out), SHW_OK);
    shw_labeller_destroy(&labeller);
    return got;
}

static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE};

/* R, G, B and luma of a pixel, as docs/channels.md has them. */
static int luma_of(const struct shw_image *image, int32_t x, int32_t y)
{
    uint32_t samples = (uint32_t)shw_pixel_size(image->format), rgb[3];
    const uint8_t *pixel = (const uint8_t *)image->pixels +
                           (size_t)y * (image->stride > 0 ? image->stride : samples * image->width) +
                           (size_t)x * samples;

    for (int c = 0; c < 3; c++)
        rgb[c] = 16u * pixel[samples == 1 ? 0 : c];
    return (int)((77 * rgb[0] + 150 * rgb[1] + 29 * rgb[2] + 128) >> 8);
}

TESTING_CASE(a_forest_names_its_inputs)
{
    struct scene scene = make_scene(SHW_PIXEL_RGB8, SHW_PIXEL_GREY8);

    assert_string_equal(shw_forest_get_input(scene.forest, 0), SHW_COLOUR);
    assert_string_equal(shw_forest_get_input(scene.forest, 1), SHW_PREVIOUS);
    assert_string_equal(shw_forest_get_input(scene.forest, 2), "infrared");
    assert_null(shw_forest_get_input(scene.forest, 3));
    free_scene(&scene);
}

/* The value of a grey image, as it is stored. */
static int value_of(const struct shw_image *image, int32_t x, int32_t y)
{
    size_t stride = image->stride > 0 ? image->stride : image->width * shw_pixel_size(image->format);
    const uint8_t *row = (const uint8_t *)image->pixels + (size_t)y * stride;

    return image->format == SHW_PIXEL_GREY16 ? ((const uint16_t *)(const void *)row)[x] : row[x];
}

/* Of the frame before, colours; of a plane, what is stored. */
static void channels_read_them(enum shw_pixel_format infrared)
{
    struct scene scene = make_scene(SHW_PIXEL_RGB8, infrared);
    struct shw_channel_reader_params params = {
        .inputs = inputs_of(&scene), .channels = OWN_CHANNELS, .kinds = own_kinds, .threads = 1};
    struct shw_channel_reader *reader = NULL;
    const struct shw_image *previous = &scene.input[2].image, *plane = &scene.input[0].image;
    int16_t values[9][WIDTH * HEIGHT];

    assert_int_equal(shw_channel_reader_create(&params, &reader), SHW_OK);
    for (uint32_t channel = 3; channel < 9; channel++)
        assert_int_equal(shw_channel_reader_get_channel(reader, channel, values[channel]), SHW_OK);
    for (int32_t y = 0; y < HEIGHT; y++)
        for (int32_t x = 0; x < WIDTH; x++) {
            int32_t left = x > 0 ? x - 1 : 0, right = x < WIDTH - 1 ? x + 1 : WIDTH - 1, i = y * WIDTH + x;
            int luma = luma_of(&scene.input[1].image, x, y);
            assert_int_equal(values[3][i], luma - luma_of(previous, x, y));
            assert_int_equal(values[4][i], luma_of(previous, left, y) - luma_of(previous, right, y));
            assert_int_equal(256 * values[5][i] + values[6][i], value_of(plane, x, y));
            assert_int_equal(values[7][i], (value_of(plane, left, y) - value_of(plane, right, y) + 2) >> 2);
            assert_int_equal(values[8][i], luma);
        }
    shw_channel_reader_destroy(&reader);
    free_scene(&scene);
}

TESTING_CASE(channels_read_planes_of_8_bits)
{
    channels_read_them(SHW_PIXEL_GREY8);
}

TESTING_CASE(channels_read_planes_of_16_bits)
{
    channels_read_them(SHW_PIXEL_GREY16);
}

/* Depths of bits that are the same and that are not, whole and in tiles. */
TESTING_CASE(techniques_give_the_same)
{
    static const enum shw_pixel_format formats[][2] = {{SHW_PIXEL_RGB8, SHW_PIXEL_GREY8},
                                                       {SHW_PIXEL_RGBA8, SHW_PIXEL_GREY16},
                                                       {SHW_PIXEL_GREY16, SHW_PIXEL_GREY8},
                                                       {SHW_PIXEL_RGB16, SHW_PIXEL_GREY16}};

    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        struct scene scene = make_scene(formats[f][0], formats[f][1]);
        struct testing_labelling expected = label(&scene, SHW_TECHNIQUE_CPU, 0);
        for (size_t t = 0; t < 3; t++)
            for (uint32_t side = 0; side < 50; side += 45) {
                struct testing_labelling got = label(&scene, techniques[t], side);
                testing_labelling_same("inputs", TESTING_ALL_OUTPUTS, &got, &expected);
                testing_labelling_free(&got);
            }
        testing_labelling_free(&expected);
        free_scene(&scene);
    }
    testing_device_check();
}

/* Without the frame before, results are those of a still scene. */
TESTING_CASE(a_first_frame_stands_still)
{
    struct scene scene = make_scene(SHW_PIXEL_RGB8, SHW_PIXEL_GREY8);
    struct shw_image previous = scene.input[2].image;
    struct testing_labelling moving = label(&scene, SHW_TECHNIQUE_CPU, 0), still;

    scene.input[2].image = scene.input[1].image;
    still = label(&scene, SHW_TECHNIQUE_CPU, 0);
    assert_memory_not_equal(moving.out.forest_leaves, still.out.forest_leaves, sizeof(uint32_t) * 3 * WIDTH * HEIGHT);
    scene.inputs.count = 2;
    for (size_t t = 0; t < 3; t++) {
        struct testing_labelling got = label(&scene, techniques[t], 0);
        testing_labelling_same("a first frame", TESTING_ALL_OUTPUTS, &got, &still);
        testing_labelling_free(&got);
    }
    testing_labelling_free(&still);
    testing_labelling_free(&moving);
    scene.input[2].image = previous;
    free_scene(&scene);
    testing_device_check();
}

static void expect_refused(struct scene *scene, const char *text)
{
    struct testing_log memory;
    struct testing_labelling out = testing_labelling(scene->forest, WIDTH, HEIGHT);
    struct shw_labeller_params params = {
        .forest = scene->forest, .outputs = TESTING_ALL_OUTPUTS, .threads = 1, .log = testing_log(&memory)};
    struct shw_channel_reader_params reading = {
        .inputs = inputs_of(scene), .channels = OWN_CHANNELS, .kinds = own_kinds, .threads = 1, .log = params.log};
    struct shw_channel_reader *reader = NULL;
    struct shw_labeller *labeller = NULL;

    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    assert_int_equal(shw_labeller_run(labeller, inputs_of(scene), &out.out), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, text));
    assert_int_equal(shw_channel_reader_create(&reading, &reader), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, text));
    assert_int_equal(memory.errors, 2);
    shw_labeller_destroy(&labeller);
    testing_labelling_free(&out);
}

TESTING_CASE(mistakes_are_named)
{
    struct scene scene = make_scene(SHW_PIXEL_RGB8, SHW_PIXEL_GREY8), changed = scene;

    changed.input[0].name = "ultraviolet";
    expect_refused(&changed, "ultraviolet is not read");
    changed.input[0].name = SHW_DEPTH;
    expect_refused(&changed, "depth is not read");
    changed.input[0].name = SHW_PREVIOUS;
    expect_refused(&changed, "previous is given twice");
    changed = scene;
    changed.input[1].name = "infrared";
    expect_refused(&changed, "infrared is given twice");
    changed = scene;
    changed.inputs.count = 1;
    expect_refused(&changed, "colour is missing");
    changed = scene;
    changed.input[0] = scene.input[2];
    changed.inputs.count = 2;
    expect_refused(&changed, "infrared is missing");
    changed = scene;
    changed.input[0].image.height--;
    expect_refused(&changed, "infrared has 61 x 42 pixels, the colour image 61 x 43");
    changed = scene;
    changed.input[2].image.width = 60;
    expect_refused(&changed, "previous has 60 x 43");
    changed = scene;
    changed.input[0].image.pixels = NULL;
    expect_refused(&changed, "infrared is not an image");
    changed = scene;
    changed.input[0].image = scene.input[2].image;
    expect_refused(&changed, "infrared must be grey");
    changed = scene;
    changed.input[2].image = scene.input[0].image;
    changed.input[2].image.format = SHW_PIXEL_GREY16;
    changed.input[2].image.width = 30;
    changed.input[2].image.stride = 0;
    changed.input[1].image.width = changed.input[0].image.width = 30;
    expect_refused(&changed, "previous must have the same bit depth");
    free_scene(&scene);
}

/* Nothing is recorded, so that no device need have made the images. */
TESTING_CASE(mistakes_of_recording_are_named)
{
    struct scene scene = make_scene(SHW_PIXEL_RGB8, SHW_PIXEL_GREY8);
    const struct shw_image_use use = {.format = VK_FORMAT_R8G8B8A8_UNORM,
                                      .extent = {WIDTH, HEIGHT},
                                      .before = {VK_IMAGE_LAYOUT_GENERAL, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0},
                                      .after = {VK_IMAGE_LAYOUT_GENERAL, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0}};
    struct shw_input input[] = {{.use = use}, {.name = "infrared", .use = use}, {.name = SHW_PREVIOUS, .use = use}};
    struct shw_inputs inputs = {3, input};
    struct testing_log memory;
    struct shw_labeller_params params = {.forest = scene.forest,
                                         .device = testing_device(),
                                         .outputs = SHW_OUTPUT_ARGMAX,
                                         .channels = SHW_TECHNIQUE_COMPUTE,
                                         .integrate = SHW_TECHNIQUE_COMPUTE,
                                         .evaluate = SHW_TECHNIQUE_COMPUTE,
                                         .width = WIDTH,
                                         .height = HEIGHT,
                                         .slots = 1,
                                         .log = testing_log(&memory)};
    uint64_t work[SHW_STAGE_COUNT], still[SHW_STAGE_COUNT];
    const struct shw_label_targets nowhere = {0};
    struct shw_labeller *labeller = NULL;

    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    assert_int_equal(shw_labeller_get_work(labeller, 0, &inputs, &nowhere, work), SHW_OK);
    inputs.count = 2;
    assert_int_equal(shw_labeller_get_work(labeller, 0, &inputs, &nowhere, still), SHW_OK);
    assert_true(still[0] > 0 && work[0] == still[0] + 2); /* two barriers */
    inputs.count = 1;
    assert_int_equal(shw_labeller_get_work(labeller, 0, &inputs, &nowhere, work), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "infrared is missing"));
    inputs.count = 3;
    input[1].use.extent.width--;
    assert_int_equal(shw_labeller_get_work(labeller, 0, &inputs, &nowhere, work), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "infrared has 60 x 43"));
    input[1].use = use;
    input[2].use.format = VK_FORMAT_R16G16B16A16_UINT;
    assert_int_equal(shw_labeller_get_work(labeller, 0, &inputs, &nowhere, work), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "previous must have the same bit depth"));
    input[2].use = use;
    input[2].use.before.layout = VK_IMAGE_LAYOUT_UNDEFINED;
    assert_int_equal(shw_labeller_get_work(labeller, 0, &inputs, &nowhere, work), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "previous is in VK_IMAGE_LAYOUT_UNDEFINED"));
    shw_labeller_destroy(&labeller);
    free_scene(&scene);
    testing_device_check();
}

/* A set whose examples have other inputs, too: the images of their neighbours. */
struct set {
    struct testing_examples examples;
    struct shw_input others[TESTING_EXAMPLES_MAX][3];
    uint32_t count; /* of them */
};

static enum shw_result read_example(void *user, uint32_t index, struct shw_labelled_image *example)
{
    struct set *set = user;
    struct shw_dataset *inner = &set->examples.dataset;
    enum shw_result result = inner->read(inner->user, index, example);
    const struct testing_example *next = &set->examples.examples[(index + 1) % inner->count];
    struct shw_input *others = set->others[index];

    others[0] = (struct shw_input){.name = "unread", .image = example->image};
    others[1] = (struct shw_input){.name = "infrared", .image = example->image};
    others[1].image.pixels = next->pixels;
    others[1].image.format = SHW_PIXEL_GREY8;
    others[1].image.stride = 0;
    others[2] = (struct shw_input){.name = SHW_PREVIOUS, .image = example->image};
    others[2].image.pixels = next->pixels;
    example->inputs = (struct shw_inputs){set->count, others};
    return result;
}

static void release_example(void *user, struct shw_labelled_image *example)
{
    struct set *set = user;

    set->examples.dataset.release(set->examples.dataset.user, example);
}

/* The hash of a forest whose training was interrupted. */
static uint64_t resume(const struct shw_trainer_params *params, const struct shw_dataset *dataset)
{
    const char *checkpoint = testing_path("checkpoint.ktx2");
    struct shw_trainer *trainer = NULL;
    bool finished = false;

    assert_int_equal(shw_trainer_create(params, dataset, &trainer), SHW_OK);
    for (int round = 0; round < 3; round++)
        assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
    assert_int_equal(shw_trainer_save(trainer, checkpoint), SHW_OK);
    shw_trainer_destroy(&trainer);
    assert_int_equal(shw_trainer_create(params, dataset, &trainer), SHW_OK);
    assert_int_equal(shw_trainer_load(trainer, checkpoint), SHW_OK);
    return testing_finish(trainer);
}

TESTING_CASE(training_reads_them)
{
    struct testing_examples_params small = {.seed = 3, .count = 5, .equal = true};
    struct set *set = calloc(1, sizeof *set);
    struct shw_trainer_params params = testing_training;
    struct shw_channel_info silent[4];
    struct shw_channel_kind silent_kind;
    struct shw_dataset dataset;
    struct testing_log memory;
    struct shw_forest *forest = NULL;
    uint64_t hash = 0, still = 0;

    assert_non_null(set);
    memcpy(silent, own_heat_channels, sizeof silent);
    silent[1].mirrored = SHW_MIRRORED_UNKNOWN;
    testing_examples_make(&small, &set->examples);
    dataset = set->examples.dataset;
    dataset.user = set;
    dataset.read = read_example;
    dataset.release = release_example;
    params.channels = OWN_CHANNELS;
    params.kinds = own_kinds;
    params.device = testing_device();
    params.mirror = true;
    params.log = testing_log(&memory);
    for (int i = 0; i < 4; i++) {
        params.technique = i % 2 == 0 ? SHW_TECHNIQUE_CPU : SHW_TECHNIQUE_COMPUTE;
        set->count = i < 2 ? 3 : 2;
        assert_int_equal(shw_train(&params, &dataset, &forest), SHW_OK);
        assert_int_equal(resume(&params, &dataset), shw_forest_hash(forest));
        if (i % 2 == 0)
            *(i == 0 ? &hash : &still) = shw_forest_hash(forest);
        assert_int_equal(shw_forest_hash(forest), i < 2 ? hash : still);
        shw_forest_destroy(&forest);
    }
    assert_true(hash != still);
    silent_kind = own_heat;
    silent_kind.channels = silent;
    params.kinds = (struct shw_channel_kinds){{&own_before, &silent_kind}};
    params.mirror = SHW_MIRROR_PAIRED;
    assert_int_equal(shw_train(&params, &dataset, &forest), SHW_ERROR_ARGUMENT);
    assert_non_null(
        strstr(memory.last, "paired flipping cannot be used with the channel low, whose kind does not say"));
    params.kinds = own_kinds;
    set->count = 1;
    assert_int_equal(shw_train(&params, &dataset, &forest), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "the input infrared is missing"));
    testing_examples_free(&set->examples);
    free(set);
    testing_device_check();
}

/* Who reads a file passes its kinds; a kind of the same name need not be the same. */
TESTING_CASE(files_are_read_with_kinds)
{
    static const struct shw_channel_kind elsewhere = {.version = SHW_CHANNEL_KIND_VERSION,
                                                      .name = "heat",
                                                      .channel_count = 4,
                                                      .channels = own_heat_channels,
                                                      .input = "ultraviolet",
                                                      .code = &shw_channel_code_stored};
    const struct shw_channel_kind boundless = {
        .version = SHW_CHANNEL_KIND_VERSION, .name = "heat", .channel_count = 2, .code = &shw_channel_code_second};
    struct scene scene = make_scene(SHW_PIXEL_RGB8, SHW_PIXEL_GREY8);
    struct testing_log memory;
    struct shw_forest_load_params load = {.log = testing_log(&memory)};
    struct shw_labeller_params params = {
        .forest = scene.forest, .outputs = SHW_OUTPUT_ARGMAX, .threads = 1, .log = load.log};
    struct shw_channel_reader_params reading = {
        .inputs = inputs_of(&scene), .channels = OWN_CHANNELS, .kinds = own_kinds, .threads = 1, .log = load.log};
    struct shw_channel_reader *reader = NULL;
    struct shw_explanation *explanation = NULL;
    struct shw_labeller *labeller = NULL;
    struct shw_forest *again = NULL;
    void *bytes = NULL;
    size_t size;

    assert_int_equal(shw_forest_save_memory(scene.forest, &bytes, &size), SHW_OK);
    assert_int_equal(shw_forest_load_memory(bytes, size, "forest", &load, &again), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "forest: channels: there is no channel kind 'before'"));
    load.kinds = (struct shw_channel_kinds){{&own_before, &boundless}};
    assert_int_equal(shw_forest_load_memory(bytes, size, "forest", &load, &again), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "the channel kind heat has no bound"));

    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    assert_int_equal(shw_channel_reader_create(&reading, &reader), SHW_OK);
    load.kinds = own_kinds;
    assert_int_equal(shw_forest_load_memory(bytes, size, "forest", &load, &again), SHW_OK);
    assert_int_equal(shw_forest_hash(again), shw_forest_hash(scene.forest));
    assert_int_equal(shw_labeller_set_forest(labeller, again), SHW_OK);
    assert_int_equal(shw_labeller_set_forest(labeller, scene.forest), SHW_OK);
    shw_forest_destroy(&again);
    load.kinds = (struct shw_channel_kinds){{&own_before, &elsewhere}};
    assert_int_equal(shw_forest_load_memory(bytes, size, "forest", &load, &again), SHW_OK);
    assert_string_equal(shw_forest_get_input(again, 2), "ultraviolet");
    assert_int_equal(shw_labeller_set_forest(labeller, again), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_explain(again, reader, 3, 3, &explanation), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_explain(scene.forest, reader, 3, 3, &explanation), SHW_OK);
    shw_explanation_free(&explanation);
    shw_forest_destroy(&again);
    shw_channel_reader_destroy(&reader);
    shw_labeller_destroy(&labeller);
    free(bytes);
    free_scene(&scene);
}

TESTING_FIXTURE(NULL, testing_device_teardown)
