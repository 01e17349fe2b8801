/* Depth as cameras and renderers store it, on the host: labels, training, and what is refused. What becomes of a value
 * is tested in tests/dense/shared.c, depth on the device in tests/embed/depth.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense/channels/pixels.h"
#include "dense/own_kinds.h"
#include "testing/device.h"
#include "testing/examples.h"
#include "testing/labelling.h"
#include "testing/random_forest.h"
#include "testing/training.h"

enum { SIDE = 96, COUNT = SIDE * SIDE };

static const struct random_forest_params deep_forest = {.seed = 5,
                                                        .channels = "rgb,deep,depth",
                                                        .kinds = {{&own_deep}},
                                                        .depth = 6,
                                                        .split_percent = 80,
                                                        .trees = 2,
                                                        .classes = 3};

static const struct shw_depth depths[] = {
    {.kind = SHW_DEPTH_LINEAR, .unit = 1000},
    {.kind = SHW_DEPTH_PERSPECTIVE, .near_plane = 100, .far_plane = 30000},
    {.kind = SHW_DEPTH_LINEAR, .unit = 0.2f},
    {.kind = SHW_DEPTH_REVERSED, .near_plane = 50.5f, .far_plane = INFINITY},
};

/* Numbers of 0 to 2, or any integers; a few are missing. */
static void *make_texels(const struct shw_source_format *format, struct testing_random *random)
{
    size_t element = shw_pixel_size(format->pixel);
    uint8_t *texels = malloc(COUNT * element);

    assert_non_null(texels);
    for (uint32_t i = 0; i < COUNT; i++) {
        float value = (float)testing_random_below(random, 1000) / 500 - (i % 40 == 0 ? 1 : 0);
        uint32_t word = testing_random_below(random, UINT32_MAX);
        uint16_t narrow;
        if (format->pixel == SHW_PIXEL_GREY32_FLOAT || format->pixel == SHW_PIXEL_GREY16_FLOAT)
            memcpy(&word, &value, sizeof word);
        narrow = (uint16_t)(format->pixel == SHW_PIXEL_GREY16_FLOAT ? shw_half_of_float(word) : word);
        memcpy(texels + i * element, element == 2 ? (void *)&narrow : (void *)&word, element);
    }
    return texels;
}

static uint16_t *label_on_host(const struct shw_forest *forest, struct shw_device *device, enum shw_technique technique,
                               const struct shw_inputs *inputs)
{
    const struct shw_labeller_params params = {.forest = forest,
                                               .device = device,
                                               .outputs = SHW_OUTPUT_ARGMAX,
                                               .channels = technique,
                                               .integrate = technique,
                                               .evaluate = technique,
                                               .threads = 1,
                                               .width = 64,
                                               .height = 64};
    struct shw_labeller *labeller = NULL;
    uint16_t *labels = malloc(sizeof *labels * COUNT);

    assert_non_null(labels);
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    assert_int_equal(shw_labeller_run(labeller, inputs, &(struct shw_labelling){.argmax = labels}), SHW_OK);
    shw_labeller_destroy(&labeller);
    return labels;
}

/* Depth on the host: the same labels by all techniques, whole and in tiles, as of millimetres. */
TESTING_CASE(depth_on_the_host_is_labelled)
{
    static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE};
    static const VkFormat formats[] = {VK_FORMAT_R32_SFLOAT, VK_FORMAT_R16_SFLOAT, VK_FORMAT_R16_UINT,
                                       VK_FORMAT_X8_D24_UNORM_PACK32};
    struct shw_forest *forest = random_forest(&deep_forest);
    struct testing_random random = {4};
    struct shw_image colour = testing_image(&random, SIDE, SIDE, SHW_PIXEL_RGB8, 0);
    uint16_t *millimetres = malloc(sizeof *millimetres * COUNT);

    assert_non_null(millimetres);
    for (uint32_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        const struct shw_source_format *format = shw_source_format_find(formats[f]);
        void *texels = make_texels(format, &random);
        const struct shw_input stored[2] = {
            {.image = colour},
            {.name = SHW_DEPTH, .image = {texels, SIDE, SIDE, 0, format->pixel}, .depth = depths[f]}};
        const struct shw_input made[2] = {{.image = colour},
                                          {.name = SHW_DEPTH, .image = {millimetres, SIDE, SIDE, 0, SHW_PIXEL_GREY16}}};
        uint16_t *expected;
        for (uint32_t i = 0; i < COUNT; i++)
            millimetres[i] = (uint16_t)shw_pixel_depth(
                format->pixel, (char *)texels + i * shw_pixel_size(format->pixel), shw_depth_scale(&depths[f]));
        expected = label_on_host(forest, NULL, SHW_TECHNIQUE_CPU, &(struct shw_inputs){2, made});
        for (int t = 0; t < 3; t++) {
            uint16_t *got = label_on_host(forest, testing_device(), techniques[t], &(struct shw_inputs){2, stored});
            assert_memory_equal(got, expected, sizeof *expected * COUNT);
            free(got);
        }
        free(expected);
        free(texels);
    }
    free(millimetres);
    free((void *)(uintptr_t)colour.pixels);
    shw_forest_destroy(&forest);
    testing_device_check();
}

/* Examples whose depth is made of their pixels, as floats of metres or as millimetres. */
struct set {
    struct testing_examples examples;
    struct shw_input depth[TESTING_EXAMPLES_MAX];
    float *metres[TESTING_EXAMPLES_MAX];
    uint16_t *millimetres[TESTING_EXAMPLES_MAX];
    bool is_float;
};

static enum shw_result read_example(void *user, uint32_t index, struct shw_labelled_image *example)
{
    struct set *set = user;
    struct shw_dataset *inner = &set->examples.dataset;
    enum shw_result result = inner->read(inner->user, index, example);
    struct shw_input *depth = &set->depth[index];

    *depth = (struct shw_input){.name = SHW_DEPTH, .image = example->image};
    depth->image.stride = 0;
    depth->image.format = set->is_float ? SHW_PIXEL_GREY32_FLOAT : SHW_PIXEL_GREY16;
    depth->image.pixels = set->is_float ? (void *)set->metres[index] : (void *)set->millimetres[index];
    if (set->is_float)
        depth->depth = (struct shw_depth){.kind = SHW_DEPTH_LINEAR, .unit = 1000};
    example->inputs = (struct shw_inputs){1, depth};
    return result;
}

static void release_example(void *user, struct shw_labelled_image *example)
{
    struct set *set = user;

    set->examples.dataset.release(set->examples.dataset.user, example);
}

static void make_set(struct set *set)
{
    testing_examples_make(&(struct testing_examples_params){.seed = 3, .equal = true}, &set->examples);
    for (uint32_t e = 0; e < set->examples.dataset.count; e++) {
        const struct testing_example *example = &set->examples.examples[e];
        uint32_t count = example->width * example->height;
        set->metres[e] = malloc(sizeof *set->metres[e] * count);
        set->millimetres[e] = malloc(sizeof *set->millimetres[e] * count);
        assert_true(set->metres[e] != NULL && set->millimetres[e] != NULL);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t value = example->pixels[3 * i] < 20 ? 0 : 3u * example->pixels[3 * i];
            set->millimetres[e][i] = (uint16_t)value;
            set->metres[e][i] = value == 0 ? NAN : (float)(value * 0.001 + (i % 3 - 1.0) * 0.0004);
        }
    }
}

/* The same forests of floats and of millimetres: also of a feature type that divides by depth, which has no samples
 * where it is missing. */
TESTING_CASE(training_reads_depth)
{
    struct set *set = calloc(1, sizeof *set);
    struct shw_trainer_params params = testing_training;
    struct shw_dataset dataset;

    assert_non_null(set);
    make_set(set);
    dataset = set->examples.dataset;
    dataset.user = set;
    dataset.read = read_example;
    dataset.release = release_example;
    params.kinds = own_deep_kinds;
    params.device = testing_device();
    params.mirror = true;
    for (int scaled = 0; scaled < 2; scaled++) {
        uint64_t hash = 0;
        params.channels = scaled ? "depth,rgb" : "rgb,deep";
        params.feature = scaled ? &shw_feature_depth_pixel_difference : NULL;
        for (int i = 0; i < 3; i++) {
            struct shw_forest *forest = NULL;
            params.technique = i < 2 ? SHW_TECHNIQUE_CPU : SHW_TECHNIQUE_COMPUTE;
            set->is_float = i > 0;
            assert_int_equal(shw_train(&params, &dataset, &forest), SHW_OK);
            hash = i == 0 ? shw_forest_hash(forest) : hash;
            assert_int_equal(shw_forest_hash(forest), hash);
            shw_forest_destroy(&forest);
        }
    }
    for (uint32_t e = 0; e < dataset.count; e++) {
        free(set->metres[e]);
        free(set->millimetres[e]);
    }
    testing_examples_free(&set->examples);
    free(set);
    testing_device_check();
}

/* Nothing is recorded, so that no device need have made the images. */
TESTING_CASE(mistakes_are_named)
{
    static const struct {
        VkFormat format;
        enum shw_pixel_format pixel;
        struct shw_depth depth;
        const char *message; /* NULL: it is right */
    } cases[] = {
        {VK_FORMAT_D32_SFLOAT, SHW_PIXEL_GREY32_FLOAT, {0}, "the input depth does not store millimetres"},
        {VK_FORMAT_D24_UNORM_S8_UINT, SHW_PIXEL_X8_D24, {0}, "the input depth does not store millimetres"},
        {VK_FORMAT_D32_SFLOAT, SHW_PIXEL_GREY32_FLOAT, {.kind = SHW_DEPTH_PERSPECTIVE}, "they are at 0 and 0"},
        {VK_FORMAT_D32_SFLOAT,
         SHW_PIXEL_GREY32_FLOAT,
         {.kind = SHW_DEPTH_REVERSED, .near_plane = 0.1f, .far_plane = 1000},
         "needs its near plane at 1 to 65535 millimetres, and its far plane beyond; they are at 0.1 and 1000"},
        {VK_FORMAT_D32_SFLOAT,
         SHW_PIXEL_GREY32_FLOAT,
         {.kind = SHW_DEPTH_REVERSED, .near_plane = 100, .far_plane = 100},
         "at 100 and 100"},
        {VK_FORMAT_D32_SFLOAT,
         SHW_PIXEL_GREY32_FLOAT,
         {.kind = SHW_DEPTH_PERSPECTIVE, .near_plane = 100, .far_plane = NAN},
         "at 100 and nan"},
        {VK_FORMAT_R32_SFLOAT, SHW_PIXEL_GREY32_FLOAT, {.kind = SHW_DEPTH_LINEAR}, "needs the unit"},
        {VK_FORMAT_R32_SFLOAT, SHW_PIXEL_GREY32_FLOAT, {.kind = SHW_DEPTH_LINEAR, .unit = NAN}, "and has nan"},
        {VK_FORMAT_R32_SFLOAT,
         SHW_PIXEL_GREY32_FLOAT,
         {.kind = SHW_DEPTH_LINEAR, .unit = 1, .near_plane = 1},
         "near and far planes, but its depth is linear"},
        {VK_FORMAT_R32_SFLOAT,
         SHW_PIXEL_GREY32_FLOAT,
         {.kind = SHW_DEPTH_PERSPECTIVE, .unit = 1, .near_plane = 1, .far_plane = 2},
         "a unit, but its depth is not linear"},
        {VK_FORMAT_D16_UNORM,
         SHW_PIXEL_GREY16,
         {.near_plane = 100, .far_plane = 1000},
         "its kind is SHW_DEPTH_MILLIMETRES"},
        {VK_FORMAT_R16_UINT, SHW_PIXEL_GREY16, {.kind = (enum shw_depth_kind)9}, "a depth of kind 9"},
        {VK_FORMAT_R8_UNORM, SHW_PIXEL_GREY8, {.kind = SHW_DEPTH_LINEAR, .unit = 1}, "has 8 bits"},
        {VK_FORMAT_R16_UINT, SHW_PIXEL_GREY16, {.kind = SHW_DEPTH_LINEAR, .unit = 0.2f}, NULL},
        {VK_FORMAT_D16_UNORM, SHW_PIXEL_GREY16, {0}, NULL},
    };
    const struct shw_image_use use = {.format = VK_FORMAT_R8G8B8A8_UNORM,
                                      .extent = {SIDE, SIDE},
                                      .before = {VK_IMAGE_LAYOUT_GENERAL, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0},
                                      .after = {VK_IMAGE_LAYOUT_GENERAL, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0}};
    struct shw_forest *forest = random_forest(&deep_forest);
    struct testing_log memory;
    const struct shw_labeller_params params = {.forest = forest,
                                               .device = testing_device(),
                                               .outputs = SHW_OUTPUT_ARGMAX,
                                               .channels = SHW_TECHNIQUE_COMPUTE,
                                               .integrate = SHW_TECHNIQUE_COMPUTE,
                                               .evaluate = SHW_TECHNIQUE_COMPUTE,
                                               .width = SIDE,
                                               .height = SIDE,
                                               .slots = 1,
                                               .log = testing_log(&memory)};
    static uint32_t pixels[COUNT];
    static uint16_t labels[COUNT];
    const struct shw_image colour = {pixels, SIDE, SIDE, 0, SHW_PIXEL_RGBA8};
    const struct shw_label_targets nowhere = {0};
    struct shw_labeller *labeller = NULL;
    uint64_t work[SHW_STAGE_COUNT];

    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct shw_input input[] = {
            {.image = colour, .use = use},
            {.name = SHW_DEPTH, .image = {pixels, SIDE, SIDE, 0, cases[c].pixel}, .use = use, .depth = cases[c].depth}};
        const struct shw_inputs inputs = {2, input};
        const enum shw_result expected = cases[c].message != NULL ? SHW_ERROR_ARGUMENT : SHW_OK;
        input[1].use.format = cases[c].format;
        for (int call = 0; call < 2; call++) {
            memory.last[0] = '\0';
            assert_int_equal(call == 0 ? shw_labeller_get_work(labeller, 0, &inputs, &nowhere, work)
                                       : shw_labeller_run(labeller, &inputs, &(struct shw_labelling){.argmax = labels}),
                             expected);
            if (cases[c].message != NULL && strstr(memory.last, cases[c].message) == NULL)
                fail_msg("\"%s\" does not contain \"%s\"", memory.last, cases[c].message);
        }
    }
    struct shw_input wrong[] = {{.image = colour, .use = use, .depth = depths[0]},
                                {.name = SHW_DEPTH, .image = {pixels, SIDE, SIDE, 0, SHW_PIXEL_GREY16}}};
    assert_int_equal(
        shw_labeller_run(labeller, &(struct shw_inputs){2, wrong}, &(struct shw_labelling){.argmax = labels}),
        SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "the input colour has a struct shw_depth, which is for depth and planes"));
    wrong[0] = (struct shw_input){.image = {pixels, SIDE, SIDE, 0, SHW_PIXEL_GREY32_FLOAT}};
    assert_int_equal(
        shw_labeller_run(labeller, &(struct shw_inputs){2, wrong}, &(struct shw_labelling){.argmax = labels}),
        SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "the input colour has samples of more than 16 bits"));
    shw_labeller_destroy(&labeller);
    shw_forest_destroy(&forest);
    testing_device_check();
}

TESTING_FIXTURE(NULL, testing_device_teardown)
