/* Labelling by every technique, and every mixture of techniques, against the CPU, bit for bit; whole and in tiles. */
#include "testing/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing/labelling.h"
#include "testing/random_forest.h"

static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE};

static struct shw_labeller_params by(const struct shw_forest *forest, enum shw_technique channels,
                                     enum shw_technique integrate, enum shw_technique evaluate)
{
    return (struct shw_labeller_params){.forest = forest,
                                        .device = testing_device(),
                                        .channels = channels,
                                        .integrate = integrate,
                                        .evaluate = evaluate,
                                        .threads = 2};
}

static struct shw_labeller_params all_by(const struct shw_forest *forest, enum shw_technique technique)
{
    return by(forest, technique, technique, technique);
}

static void free_image(struct shw_image *image)
{
    free((void *)(uintptr_t)image->pixels);
}

/* A labeller of each technique sees the images in order, so that frames grow and are used in part. */
static void check_images(const struct random_forest_params *params, const struct shw_image *images, uint32_t count)
{
    struct shw_forest *forest = random_forest(params);
    struct shw_labeller *labellers[3] = {NULL};
    struct testing_log memory;
    char what[64];

    for (int t = 0; t < 3; t++) {
        struct shw_labeller_params labeller = all_by(forest, techniques[t]);
        labeller.outputs = TESTING_ALL_OUTPUTS;
        labeller.log = testing_log(&memory);
        assert_int_equal(shw_labeller_create(&labeller, &labellers[t]), SHW_OK);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct testing_labelling results[3];
        for (int t = 0; t < 3; t++) {
            results[t] = testing_labelling(forest, images[i].width, images[i].height);
            assert_int_equal(shw_labeller_run(labellers[t], SHW_COLOUR_IMAGE(images[i]), &results[t].out), SHW_OK);
            snprintf(what, sizeof what, "seed %u, %s", (unsigned)params->seed, shw_technique_name(techniques[t]));
            testing_labelling_same(what, TESTING_ALL_OUTPUTS, &results[t], &results[0]);
        }
        for (int t = 0; t < 3; t++)
            testing_labelling_free(&results[t]);
    }
    for (int t = 0; t < 3; t++)
        shw_labeller_destroy(&labellers[t]);
    shw_forest_destroy(&forest);
    testing_device_check();
}

/* Sizes that grow and shrink, in every format, with and without padding between rows. */
static void check_forest(const struct random_forest_params *params)
{
    static const uint32_t sizes[][2] = {{33, 31}, {1, 1}, {1, 7}, {40, 9}, {7, 1}, {24, 16}};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    struct testing_random random = {params->seed};
    struct shw_image images[COUNT];

    for (uint32_t i = 0; i < COUNT; i++)
        images[i] = testing_image(&random, sizes[i][0], sizes[i][1],
                                  (enum shw_pixel_format)(SHW_PIXEL_GREY8 + (i + params->seed) % 6), i % 3 * 4);
    check_images(params, images, COUNT);
    for (uint32_t i = 0; i < COUNT; i++)
        free_image(&images[i]);
}

#define FOREST_TEST(name, ...)                                                                                         \
    TESTING_CASE(name)                                                                                                 \
    {                                                                                                                  \
        const struct random_forest_params params = {__VA_ARGS__};                                                      \
        check_forest(&params);                                                                                         \
    }
FOREST_TEST(one_leaf, .seed = 1, .depth = 0, .classes = 1)
FOREST_TEST(one_class, .seed = 2, .depth = 5, .split_percent = 80, .classes = 1, .trees = 3)
FOREST_TEST(winn16, .seed = 3, .depth = 9, .split_percent = 80, .classes = 21, .trees = 8, .single_percent = 30)
FOREST_TEST(winn16_sums, .seed = 4, .depth = 9, .split_percent = 80, .trees = 5, .classes = 5, .single_percent = 30,
            .feature = &shw_feature_sum_difference)
FOREST_TEST(winn16_pixels, .seed = 20, .depth = 9, .split_percent = 80, .trees = 5, .classes = 5, .single_percent = 30,
            .feature = &shw_feature_pixel_difference)
FOREST_TEST(winn17, .seed = 5, .depth = 6, .split_percent = 70, .trees = 2, .channels = SHW_CHANNELS_WINN17)
FOREST_TEST(wide, .seed = 6, .depth = 8, .split_percent = 70, .trees = 7, .classes = 9, .channels = SHW_CHANNELS_WIDE)
FOREST_TEST(wide_sums, .seed = 7, .depth = 8, .split_percent = 70, .trees = 6, .classes = 8,
            .channels = SHW_CHANNELS_WIDE, .feature = &shw_feature_sum_difference)
FOREST_TEST(rgb, .seed = 8, .depth = 6, .split_percent = 70, .classes = 4, .trees = 4, .channels = SHW_CHANNELS_RGB)
FOREST_TEST(lab, .seed = 9, .depth = 6, .split_percent = 70, .classes = 17, .trees = 9, .channels = SHW_CHANNELS_LAB)
FOREST_TEST(three_hundred_classes, .seed = 10, .depth = 5, .split_percent = 80, .classes = 300, .trees = 3,
            .channels = SHW_CHANNELS_RGB)
FOREST_TEST(forty_trees, .seed = 11, .depth = 7, .split_percent = 60, .classes = 12, .trees = 40,
            .channels = SHW_CHANNELS_RGB)
FOREST_TEST(votes, .seed = 21, .depth = 7, .split_percent = 70, .classes = 21, .trees = 8, .combine = SHW_COMBINE_VOTE)
FOREST_TEST(unbalanced_and_deep, .seed = 12, .depth = 20, .split_percent = 40, .classes = 6, .trees = 5,
            .single_percent = 50)
FOREST_TEST(the_deepest, .seed = 13, .depth = SHW_DEPTH_MAX, .split_percent = 3, .trees = 2,
            .channels = SHW_CHANNELS_RGB)
FOREST_TEST(shared_leaves, .seed = 21, .depth = 9, .split_percent = 80, .classes = 11, .trees = 6,
            .shares_leaves = true)
FOREST_TEST(ferns, .seed = 22, .depth = 9, .split_percent = 80, .classes = 21, .trees = 6, .single_percent = 30,
            .ferns = true)
FOREST_TEST(ferns_of_sums, .seed = 23, .depth = 6, .split_percent = 95, .classes = 5, .trees = 9, .ferns = true,
            .feature = &shw_feature_sum_difference, .combine = SHW_COMBINE_VOTE)
FOREST_TEST(ferns_of_pixels, .seed = 24, .depth = 12, .split_percent = 60, .classes = 3, .trees = 5, .ferns = true,
            .feature = &shw_feature_pixel_difference, .shares_leaves = true, .extreme = true)
FOREST_TEST(ferns_too_deep_for_tables, .seed = 25, .depth = 24, .split_percent = 40, .trees = 3, .ferns = true)
FOREST_TEST(extreme_thresholds, .seed = 14, .depth = 8, .split_percent = 70, .trees = 5, .extreme = true)
FOREST_TEST(rectangles_beyond_the_image, .seed = 15, .depth = 7, .split_percent = 70, .trees = 4, .offset_max = 32767,
            .size_max = 300, .channels = SHW_CHANNELS_RGB)
FOREST_TEST(large_rectangles, .seed = 16, .depth = 7, .split_percent = 70, .trees = 4, .offset_max = 60,
            .size_max = 400, .feature = &shw_feature_sum_difference)

/* A wide image and a high one: room for both at once could be more than the device has. */
TESTING_CASE(wide_then_high)
{
    static const struct random_forest_params params = {
        .seed = 17, .depth = 6, .split_percent = 70, .trees = 5, .classes = 3, .channels = SHW_CHANNELS_WINN16};
    struct testing_random random = {18};
    struct shw_image images[] = {
        testing_image(&random, 40, 30, SHW_PIXEL_RGB8, 0), testing_image(&random, 2500, 3, SHW_PIXEL_GREY16, 0),
        testing_image(&random, 3, 2500, SHW_PIXEL_RGB8, 0), testing_image(&random, 64, 48, SHW_PIXEL_GREY8, 0)};

    check_images(&params, images, 4);
    for (int i = 0; i < 4; i++)
        free_image(&images[i]);
}

/* Each output alone, where leaf planes of one tree may suffice, and in pairs. */
TESTING_CASE(any_choice_of_outputs)
{
    static const struct random_forest_params params = {
        .seed = 20, .depth = 6, .split_percent = 80, .classes = 6, .trees = 6, .channels = SHW_CHANNELS_RGB};
    struct shw_forest *forest = random_forest(&params);
    struct testing_random random = {21};
    struct shw_image image = testing_image(&random, 19, 14, SHW_PIXEL_RGB8, 0);
    struct shw_labeller_params cpu = all_by(forest, SHW_TECHNIQUE_CPU);
    struct testing_labelling expected = testing_label(&cpu, &image);
    const uint32_t step = testing_is_slow() ? 2 : 4;

    for (int t = 0; t < 3; t++)
        for (uint32_t outputs = 1; outputs <= TESTING_ALL_OUTPUTS; outputs += outputs < 4 ? 1 : step) {
            struct shw_labeller_params labeller = all_by(forest, techniques[t]);
            struct testing_labelling got;
            labeller.outputs = outputs;
            got = testing_label(&labeller, &image);
            testing_labelling_same(shw_technique_name(techniques[t]), outputs, &got, &expected);
            testing_labelling_free(&got);
        }
    testing_labelling_free(&expected);
    free_image(&image);
    shw_forest_destroy(&forest);
    testing_device_check();
}

/* All mixtures of three techniques over three stages, on two images of which the second is larger. */
TESTING_CASE(every_mixture)
{
    static const struct random_forest_params params = {
        .seed = 30, .depth = 7, .split_percent = 70, .classes = 5, .trees = 5};
    struct shw_forest *forest = random_forest(&params);
    struct testing_random random = {31};
    struct shw_image images[] = {testing_image(&random, 21, 13, SHW_PIXEL_RGB8, 0),
                                 testing_image(&random, 27, 18, SHW_PIXEL_RGB16, 0)};
    struct shw_labeller_params cpu = all_by(forest, SHW_TECHNIQUE_CPU);
    struct testing_labelling expected[] = {testing_label(&cpu, &images[0]), testing_label(&cpu, &images[1])};
    char what[64];

    for (int m = 0; m < 27; m++) {
        struct shw_labeller_params labeller = by(forest, techniques[m / 9], techniques[m / 3 % 3], techniques[m % 3]);
        struct shw_labeller *mixture = NULL;
        labeller.outputs = TESTING_ALL_OUTPUTS;
        snprintf(what, sizeof what, "%s, %s, %s", shw_technique_name(labeller.channels),
                 shw_technique_name(labeller.integrate), shw_technique_name(labeller.evaluate));
        assert_int_equal(shw_labeller_create(&labeller, &mixture), SHW_OK);
        for (int i = 0; i < 2; i++) {
            struct testing_labelling got = testing_labelling(forest, images[i].width, images[i].height);
            assert_int_equal(shw_labeller_run(mixture, SHW_COLOUR_IMAGE(images[i]), &got.out), SHW_OK);
            testing_labelling_same(what, TESTING_ALL_OUTPUTS, &got, &expected[i]);
            testing_labelling_free(&got);
        }
        shw_labeller_destroy(&mixture);
    }
    for (int i = 0; i < 2; i++) {
        testing_labelling_free(&expected[i]);
        free_image(&images[i]);
    }
    shw_forest_destroy(&forest);
    testing_device_check();
}

/* Tiles of at most these sizes, to which their margins are added; so the image must be larger than both. */
static void check_tiles(const struct random_forest_params *params, const uint32_t (*tiles)[2], uint32_t count,
                        uint32_t image_width, uint32_t image_height)
{
    struct shw_forest *forest = random_forest(params);
    struct testing_random random = {params->seed};
    struct shw_image image = testing_image(&random, image_width, image_height, SHW_PIXEL_RGBA8, 0);
    struct shw_labeller_params whole = all_by(forest, SHW_TECHNIQUE_CPU);
    struct testing_labelling expected = testing_label(&whole, &image);
    uint32_t margin = shw_forest_get_reach(forest) + testing_channels(params->channels)->radius;
    char what[64];

    for (uint32_t i = 0; i < count; i++)
        for (int m = 0; m < 5; m++) {
            enum shw_technique first = techniques[m % 3], last = techniques[m < 3 ? m : (m + 1) % 3];
            struct shw_labeller_params labeller = by(forest, first, first, last);
            struct testing_labelling got;
            labeller.width = tiles[i][0] + 2 * margin;
            labeller.height = tiles[i][1] + 2 * margin;
            snprintf(what, sizeof what, "tiles of %ux%u by %s and %s", tiles[i][0], tiles[i][1],
                     shw_technique_name(first), shw_technique_name(last));
            got = testing_label(&labeller, &image);
            assert_true(got.tiled);
            testing_labelling_same(what, TESTING_ALL_OUTPUTS, &got, &expected);
            testing_labelling_free(&got);
        }
    testing_labelling_free(&expected);
    free_image(&image);
    shw_forest_destroy(&forest);
    testing_device_check();
}

TESTING_CASE(tiles_change_nothing)
{
    static const struct random_forest_params params = {.seed = 40,
                                                       .depth = 6,
                                                       .split_percent = 70,
                                                       .classes = 5,
                                                       .trees = 5,
                                                       .offset_max = 12,
                                                       .size_max = 4,
                                                       .channels = SHW_CHANNELS_WINN16};
    static const uint32_t tiles[][2] = {{40, 1000}, {33, 30}, {1000, 32}};

    check_tiles(&params, tiles, 3, 105, 95);
}

TESTING_CASE(tiles_of_position_channels)
{
    static const struct random_forest_params params = {.seed = 41,
                                                       .depth = 8,
                                                       .split_percent = 70,
                                                       .trees = 4,
                                                       .offset_max = 6,
                                                       .size_max = 4,
                                                       .feature = &shw_feature_sum_difference,
                                                       .channels = SHW_CHANNELS_WIDE};
    static const uint32_t tiles[][2] = {{20, 17}};

    check_tiles(&params, tiles, 1, 99, 83);
}

TESTING_CASE(tiles_of_one_row)
{
    static const struct random_forest_params params = {.seed = 42,
                                                       .depth = 6,
                                                       .split_percent = 70,
                                                       .trees = 4,
                                                       .offset_max = 3,
                                                       .size_max = 3,
                                                       .channels = SHW_CHANNELS_LAB};
    static const uint32_t tiles[][2] = {{1000, 1}, {1, 1000}, {2, 3}};

    check_tiles(&params, tiles, 3, 23, 21);
}

static void check_single_leaves(const struct shw_forest *forest, const struct shw_image *image)
{
    struct shw_labeller_params whole = all_by(forest, SHW_TECHNIQUE_CPU);
    struct testing_labelling expected = testing_label(&whole, image);

    for (int variant = 0; variant < 4; variant++) { /* the last: without vector instructions */
        struct shw_labeller_params labeller = all_by(forest, techniques[variant % 3]);
        struct testing_labelling got;
        labeller.width = 70;
        labeller.height = 4;
        if (variant == 3)
            setenv("SHADEWOOD_SIMD", "none", 1);
        got = testing_label(&labeller, image);
        unsetenv("SHADEWOOD_SIMD");
        assert_true(got.tiled);
        testing_labelling_same(shw_technique_name(techniques[variant % 3]), TESTING_ALL_OUTPUTS, &got, &expected);
        testing_labelling_free(&got);
    }
    testing_labelling_free(&expected);
}

/* Forests without tests have no reach, whatever their type divides by, so that tiles hold nothing of the rest of the
 * image: with tests, such types may read all of it. */
TESTING_CASE(tiles_of_single_leaves)
{
    static const struct shw_feature_type *const types[] = {
        &shw_feature_depth_mean_difference, &shw_feature_curfil_difference, &shw_feature_depth_pixel_difference,
        &shw_feature_kinect_difference};
    struct testing_random random = {43};
    struct shw_image image = testing_image(&random, 141, 9, SHW_PIXEL_RGBA8, 0);

    for (uint32_t i = 0; i < 4; i++) {
        const struct random_forest_params params = {.seed = 43 + i,
                                                    .depth = 0,
                                                    .trees = 3,
                                                    .classes = 3,
                                                    .feature = types[i],
                                                    .channels = "constant-depth:1000,lab"};
        struct shw_forest *forest = random_forest(&params);
        check_single_leaves(forest, &image);
        shw_forest_destroy(&forest);
    }
    free_image(&image);
    testing_device_check();
}

/* The side that a response does not count is read all the same: the tiles of a forest of single sides hold it. */
TESTING_CASE(tiles_of_single_sides)
{
    static const struct shw_feature_type *const types[] = {&shw_feature_pixel_difference, &shw_feature_mean_difference};
    static const uint32_t tiles[][2] = {{16, 1}};
    const struct shw_rectangle_difference single = {.single = true, .rectangle = {{0, 0, 1, 1}, {-5, -7, 8, 9}}};
    const struct shw_feature feature = shw_rectangle_difference_pack(&single);
    const struct shw_reach reach = shw_feature_pixel_difference.get_reach(&feature);

    assert_true(reach.x0 == -5 && reach.y0 == -7 && reach.x1 == 8 && reach.y1 == 9);
    setenv("SHADEWOOD_SIMD", "none", 1);
    for (uint32_t i = 0; i < 4; i++) {
        const struct random_forest_params params = {.seed = 53 + i,
                                                    .depth = 2,
                                                    .split_percent = 100,
                                                    .trees = 2,
                                                    .classes = 3,
                                                    .single_percent = 100,
                                                    .offset_max = 9,
                                                    .size_max = 2,
                                                    .feature = types[i % 2],
                                                    .ferns = i / 2 != 0,
                                                    .channels = "lab"};
        check_tiles(&params, tiles, 1, 43, 23);
    }
    unsetenv("SHADEWOOD_SIMD");
}

TESTING_FIXTURE(NULL, testing_device_teardown)
