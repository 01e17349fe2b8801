/* The feature type pixel-difference is sum-difference on rectangles of one pixel, without integral images. */
#include "testing/testing.h"

#include <stdlib.h>
#include <string.h>

#include "dense/grow_device/round.h"
#include "dense/integrate/integral.h"
#include "dense/pipeline/pipeline.h"
#include "dense/train/params.h"
#include "shared/train_push.h"
#include "testing/device.h"
#include "testing/labelling.h"
#include "testing/random_forest.h"
#include "testing/training.h"

static const struct shw_feature_type *const pair[] = {&shw_feature_sum_difference, &shw_feature_pixel_difference};

/* Without vector instructions, `cpu` alone: to the device it is the same. */
static int technique_count(void)
{
    return getenv("SHADEWOOD_SIMD") != NULL ? 1 : 3;
}

static struct shw_forest *train(struct shw_trainer_params params, struct testing_examples *examples,
                                enum shw_technique technique)
{
    struct shw_forest *forest = NULL;

    params.technique = technique;
    params.device = technique != SHW_TECHNIQUE_CPU ? testing_device() : NULL;
    assert_int_equal(shw_train(&params, &examples->dataset, &forest), SHW_OK);
    return forest;
}

static void same_texture(const struct shw_forest *a, const struct shw_forest *b)
{
    struct shw_forest_texture x = shw_forest_get_texture(a), y = shw_forest_get_texture(b);

    assert_int_equal(x.width, y.width);
    assert_int_equal(x.height, y.height);
    assert_memory_equal(x.texels, y.texels, (size_t)16 * x.width * x.height * x.layers);
}

/* The same forest as of sums over one pixel, by every back end: images of several sizes, mirrored, small and large
 * nodes. */
TESTING_CASE(training_gives_the_forest_of_sums)
{
    static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_BLEND};
    static const char *const channels[] = {SHW_CHANNELS_RGB, SHW_CHANNELS_LAB, SHW_CHANNELS_WIDE};
    const struct testing_examples_params examples_params = {.seed = 3, .count = 5, .width = 45, .height = 37};
    struct testing_examples examples;

    testing_examples_make(&examples_params, &examples);
    examples.dataset.user = &examples;
    for (int set = 0; set < 3; set++)
        for (int t = 0; t < technique_count(); t++) {
            struct shw_trainer_params params = testing_training;
            struct shw_forest *forests[2];
            params.channels = channels[set];
            params.tree_count = 1;
            params.depth = 4;
            params.mirror = set == 1;
            params.thresholds = set == 2 ? SHW_THRESHOLDS_RANDOM : SHW_THRESHOLDS_BEST;
            params.single_percent = 30;
            params.pixels_per_image = set == 0 ? SHW_PIXELS_ALL : 400;
            for (int i = 0; i < 2; i++) {
                params.feature = pair[i];
                params.size_max = i == 0 ? 1 : 9;
                forests[i] = train(params, &examples, techniques[t]);
            }
            same_texture(forests[0], forests[1]);
            assert_true(shw_forest_hash(forests[0]) != shw_forest_hash(forests[1]));
            for (int i = 0; i < 2; i++)
                shw_forest_destroy(&forests[i]);
        }
    testing_device_check();
    testing_examples_free(&examples);
}

/* The trees of a forest by pixel differences, with another feature type. */
static struct shw_forest *as_sums(const struct random_forest_params *params, struct shw_tree *trees)
{
    struct shw_forest_params create = {.info = {.channels = params->channels,
                                                .feature = &shw_feature_sum_difference,
                                                .class_count = params->classes,
                                                .tree_count = params->trees},
                                       .trees = trees};
    struct shw_forest *forest = NULL;

    assert_int_equal(shw_forest_create(&create, &forest), SHW_OK);
    return forest;
}

static void check_labels(const struct random_forest_params *params, uint32_t width, uint32_t height, bool tiled)
{
    static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE};
    struct testing_random random = {params->seed};
    struct shw_image image = testing_image(&random, width, height, SHW_PIXEL_RGB8, 0);
    struct shw_tree *trees = random_trees(params);
    struct shw_forest *sums = as_sums(params, trees), *pixels = random_forest(params);
    struct shw_labeller_params labeller = {.forest = sums, .channels = SHW_TECHNIQUE_CPU};
    struct testing_labelling expected = testing_label(&labeller, &image);

    same_texture(sums, pixels);
    for (int t = 0; t < technique_count(); t++) {
        struct testing_labelling got;
        labeller = (struct shw_labeller_params){.forest = pixels,
                                                .device = techniques[t] != SHW_TECHNIQUE_CPU ? testing_device() : NULL,
                                                .channels = techniques[t],
                                                .integrate = techniques[t],
                                                .evaluate = techniques[t],
                                                .width = tiled ? width / 2 + 40 : 0,
                                                .height = tiled ? height / 2 + 40 : 0,
                                                .threads = 2};
        got = testing_label(&labeller, &image);
        testing_labelling_same(shw_technique_name(techniques[t]), TESTING_ALL_OUTPUTS, &got, &expected);
        testing_labelling_free(&got);
    }
    testing_labelling_free(&expected);
    random_trees_free(trees, params->trees);
    shw_forest_destroy(&sums);
    shw_forest_destroy(&pixels);
    free((void *)(uintptr_t)image.pixels);
}

TESTING_CASE(labels_are_those_of_sums)
{
    static const uint32_t sizes[][2] = {{1, 1}, {3, 40}, {17, 5}, {70, 33}, {130, 97}};
    struct random_forest_params params = {.channels = SHW_CHANNELS_WINN16,
                                          .feature = &shw_feature_pixel_difference,
                                          .classes = 5,
                                          .trees = 5,
                                          .depth = 8,
                                          .split_percent = 75,
                                          .single_percent = 30,
                                          .offset_max = 25,
                                          .size_max = 1};

    for (uint32_t s = 0; s < 5; s++) {
        params.seed = s + 1;
        check_labels(&params, sizes[s][0], sizes[s][1], false);
    }
    params.channels = SHW_CHANNELS_WIDE;
    check_labels(&params, 300, 211, true);
    params.offset_max = 32767;
    check_labels(&params, 90, 61, false);
    testing_device_check();
}

/* The list of stages has no integrate, and planes between are channels alone. */
TESTING_CASE(labelling_makes_no_integral_images)
{
    const struct random_forest_params params = {.feature = &shw_feature_pixel_difference, .depth = 3, .size_max = 1};
    struct shw_forest *forest = random_forest(&params);
    struct random_forest_params of_sums = params;
    struct shw_labeller_params labeller = {.outputs = SHW_OUTPUT_ARGMAX, .width = 640, .height = 480, .slots = 1};
    const uint64_t integrals = (uint64_t)16 * 641 * 481 * 4, channels = (uint64_t)16 * 640 * 480 * 2;
    struct shw_labeller_memory memory[2];
    uint32_t count = 0;

    for (const struct shw_pipeline_step *step = shw_pipeline_stages(forest, &count), *end = step + count; step < end;
         step++)
        assert_true(step->stage != SHW_STAGE_INTEGRATE);
    assert_int_equal(count, 2);
    of_sums.feature = &shw_feature_sum_difference;
    for (int t = 0; t < 2; t++) {
        enum shw_technique technique = t == 0 ? SHW_TECHNIQUE_FRAGMENT : SHW_TECHNIQUE_COMPUTE;
        struct shw_forest *sums = random_forest(&of_sums);
        labeller.device = testing_device();
        labeller.channels = labeller.integrate = labeller.evaluate = technique;
        for (int i = 0; i < 2; i++) {
            labeller.forest = i == 0 ? sums : forest;
            assert_int_equal(shw_labeller_get_memory(&labeller, &memory[i]), SHW_OK);
        }
        assert_true(memory[0].bytes >= integrals + channels); /* at the same time */
        assert_true(memory[1].bytes < integrals + channels);
        shw_forest_destroy(&sums);
    }
    shw_forest_destroy(&forest);
}

/* Training keeps channels of 2 bytes a pixel, on the host and on the device, and has no pass that integrates. */
TESTING_CASE(training_makes_no_integral_images)
{
    const struct testing_examples_params examples_params = {
        .seed = 3, .count = 3, .width = 40, .height = 32, .equal = 1};
    struct testing_examples examples;

    testing_examples_make(&examples_params, &examples);
    examples.dataset.user = &examples;
    for (int t = 0; t < 2; t++) {
        struct shw_trainer_params params = testing_training;
        struct shw_trainer *trainer = NULL;
        bool finished = false;
        params.feature = &shw_feature_pixel_difference;
        params.technique = t == 0 ? SHW_TECHNIQUE_CPU : SHW_TECHNIQUE_COMPUTE;
        params.device = t == 0 ? NULL : testing_device();
        assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_OK);
        assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
        assert_int_equal(trainer->images.resident, t == 0 ? 3 : 0);
        for (uint32_t i = 0; t == 0 && i < 3; i++) {
            assert_int_equal(trainer->images.images[i].planes, (size_t)i * 3 * 40 * 32);
            assert_int_equal(shw_train_image_bytes(&trainer->images, i), 3 * 40 * 32 * 2 + sizeof(uint32_t));
        }
        if (t == 1) {
            struct shw_compute_images_need need = shw_compute_images_measure(trainer, &shw_compute_of(trainer)->shapes);
            const struct shw_train_compute *training = trainer->state;
            assert_int_equal(need.all, 3 * 3 * 40 * 32 * 2);
            assert_null(training->integrals.integrate);
        }
        shw_trainer_destroy(&trainer);
    }
    testing_examples_free(&examples);
}

TESTING_CASE(rectangles_must_have_one_pixel)
{
    const struct shw_rectangle_difference difference = {.rectangle = {{0, 0, 2, 1}, {0, 0, 1, 1}}};
    struct shw_feature feature = shw_rectangle_difference_pack(&difference);
    struct shw_channel_list channels;
    char why[SHW_WHY_SIZE] = "";

    assert_int_equal(shw_channel_list_parse(SHW_CHANNELS_RGB, NULL, NULL, &channels), SHW_OK);
    assert_true(shw_feature_sum_difference.check(&feature, &channels, why));
    assert_false(shw_feature_pixel_difference.check(&feature, &channels, why));
    assert_non_null(strstr(why, "2 x 1 pixels"));
}

TESTING_FIXTURE(NULL, testing_device_teardown)
