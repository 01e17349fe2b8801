/* Mean planes of forests of few shapes: their values are those of rectangles, and labels with them those without. */
#include "testing/testing.h"

#include <stdlib.h>

#include "dense/means/means.h"
#include "dense/pipeline/pipeline.h"
#include "dense/pipeline/registry.h"
#include "testing/device.h"
#include "testing/labelling.h"
#include "testing/random_forest.h"
#include "vulkan/device.h"

static struct testing_log log_memory;

static const struct random_forest_params usual = {.channels = SHW_CHANNELS_RGB,
                                                  .classes = 5,
                                                  .trees = 6,
                                                  .depth = 8,
                                                  .split_percent = 85,
                                                  .single_percent = 30,
                                                  .offset_max = 25,
                                                  .size_max = 30,
                                                  .shapes = 2};

static struct shw_pipeline_params params_of(const struct shw_forest *forest, bool keeps_integrals)
{
    struct shw_pipeline_params params = {.forest = forest,
                                         .outputs = SHW_OUTPUT_ARGMAX,
                                         .keeps_integrals = keeps_integrals,
                                         .log = testing_log(&log_memory)};

    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++)
        params.techniques[s] = shw_registry_find((enum shw_stage)s, SHW_TECHNIQUE_CPU);
    return params;
}

static int32_t clamp(int32_t value, int32_t low, int32_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* The value of the plane's rectangle that begins at (x, y), from the channel's pixels one by one. */
static int32_t plain_value(const int16_t *channel, int32_t width, int32_t height, const struct shw_mean_plane *plane,
                           int32_t x, int32_t y, bool is_sum)
{
    int32_t left = clamp(x, 0, width - 1), top = clamp(y, 0, height - 1), sum = 0;
    int32_t right = clamp(x + (int32_t)plane->width, left + 1, width);
    int32_t bottom = clamp(y + (int32_t)plane->height, top + 1, height);

    for (int32_t row = top; row < bottom; row++)
        for (int32_t column = left; column < right; column++)
            sum += channel[row * width + column];
    return is_sum ? sum : sum / ((right - left) * (bottom - top));
}

static void check_values(const struct random_forest_params *params, uint32_t width, uint32_t height)
{
    struct testing_random random = {params->seed + width};
    struct shw_image image = testing_image(&random, width, height, SHW_PIXEL_RGB8, 0);
    struct shw_forest *forest = random_forest(params);
    const struct shw_pipeline_params of = params_of(forest, false);
    struct shw_input input = {.name = SHW_COLOUR, .image = image};
    struct shw_chosen_inputs inputs = {.of = {&input}};
    const struct shw_tile tile = shw_tile_whole(width, height);
    const struct shw_labelling none = {0};
    struct shw_pipeline pipeline;
    const int16_t *channels, *planes;

    shw_pipeline_begin(&of, &pipeline);
    assert_non_null(pipeline.means);
    assert_int_equal(shw_pipeline_host_planes(&pipeline, width, height), SHW_OK);
    for (uint32_t s = 0; s < 2; s++)
        assert_int_equal(shw_pipeline_run_host(&pipeline, s, &tile, &inputs, &none), SHW_OK);
    channels = pipeline.planes[0].host;
    planes = pipeline.planes[1].host;
    for (uint32_t p = 0; p < pipeline.means->count; p++) {
        const struct shw_mean_plane *plane = &pipeline.means->planes[p];
        const int32_t margin = (int32_t)pipeline.means->margin;
        for (int32_t y = -margin; y < (int32_t)height; y++)
            for (int32_t x = -margin; x < (int32_t)width; x++)
                if (*planes++ != plain_value(channels + (size_t)plane->channel * width * height, (int32_t)width,
                                             (int32_t)height, plane, x, y, pipeline.means->is_sum))
                    fail_msg("%ux%u: the rectangle of %u x %u of channel %u at (%d, %d)", width, height, plane->width,
                             plane->height, plane->channel, x, y);
    }
    shw_pipeline_end(&pipeline);
    shw_forest_destroy(&forest);
    free((void *)(uintptr_t)image.pixels);
}

TESTING_CASE(planes_hold_the_values_of_rectangles)
{
    static const uint32_t sizes[][2] = {{1, 1}, {3, 40}, {17, 5}, {70, 33}, {131, 97}};
    struct random_forest_params params = usual;
    const uint32_t count = (uint32_t)(sizeof sizes / sizeof *sizes);

    for (uint32_t s = 0; s < count + 17; s++)
        for (uint64_t seed = 1; seed < 3; seed++) {
            params.seed = seed;
            params.channels = s % 2 == 0 ? SHW_CHANNELS_LAB : SHW_CHANNELS_RGB; /* a* and b* have signs */
            params.size_max = seed > 1 ? 2 : s % 3 == 0 ? 28 : 30; /* 4 x 2, whose sums fit 16 bits; 15 x 31, 32 x 16 */
            params.feature = seed == 1 ? &shw_feature_mean_difference : &shw_feature_sum_difference;
            if (s < count)
                check_values(&params, sizes[s][0], sizes[s][1]);
            else
                check_values(&params, 64 + s - count, 9); /* each remainder of a block of vectors */
        }
}

/* What is not worth it, or does not fit, is evaluated from integral images. */
TESTING_CASE(planes_are_made_where_they_pay)
{
    const struct {
        struct random_forest_params params;
        bool on_host, on_device;
    } cases[] = {
        {usual, true, true},
        {{.shapes = 20, .trees = 20, .depth = 9, .split_percent = 90, .channels = SHW_CHANNELS_RGB}, false, true},
        {{.shapes = 20, .trees = 2, .depth = 9, .split_percent = 90, .channels = SHW_CHANNELS_RGB}, false, false},
        {{.shapes = 2, .trees = 6, .depth = 8, .split_percent = 90, .size_max = 60, .channels = SHW_CHANNELS_RGB},
         true,
         true}, /* 1 x 1 and 31 x 63 */
        {{.shapes = 2, .trees = 6, .depth = 8, .split_percent = 90, .size_max = 140, .channels = SHW_CHANNELS_RGB},
         false,
         false},
        {{.shapes = 1,
          .trees = 6,
          .depth = 8,
          .split_percent = 90,
          .size_max = 1,
          .channels = SHW_CHANNELS_RGB,
          .feature = &shw_feature_pixel_difference},
         false,
         false},
        {{.shapes = 2,
          .trees = 6,
          .depth = 8,
          .split_percent = 90,
          .size_max = 40,
          .channels = SHW_CHANNELS_RGB,
          .feature = &shw_feature_sum_difference},
         false,
         false},
        {{.shapes = 2, .trees = 6, .depth = 8, .split_percent = 90, .ferns = true, .channels = SHW_CHANNELS_RGB},
         false,
         false},
        {{.depth = 0}, false, false},
    };

    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int on_host = 0; on_host < 2; on_host++) {
            struct shw_forest *forest = random_forest(&cases[i].params);
            struct shw_means *means = shw_means_make(forest, on_host != 0);
            if ((means != NULL) != (on_host != 0 ? cases[i].on_host : cases[i].on_device))
                fail_msg("case %u: planes %s", i, means != NULL ? "are made" : "are not made");
            shw_means_free(means);
            shw_forest_destroy(&forest);
        }
}

/* Regions are chosen by what this counts: planes of images that are thin consist of margins. */
TESTING_CASE(regions_are_counted_with_margins)
{
    static const uint32_t sizes[][2] = {{1, 1}, {65535, 1}, {1, 65535}, {16000, 20}, {300, 200}};
    struct random_forest_params params = usual;
    struct shw_forest *forest;
    struct shw_pipeline_params of;
    struct shw_pipeline pipeline;

    params.seed = 3;
    forest = random_forest(&params);
    of = params_of(forest, false);
    shw_pipeline_begin(&of, &pipeline);
    assert_non_null(pipeline.means);
    assert_true(pipeline.means->margin > 0);
    for (uint32_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const uint64_t width = sizes[s][0] + pipeline.means->margin, height = sizes[s][1] + pipeline.means->margin;
        assert_true(shw_pipeline_region_pixels(&pipeline, sizes[s][0], sizes[s][1]) >= (width + 7) / 8 * 8 * height);
    }
    shw_pipeline_end(&pipeline);
    shw_forest_destroy(&forest);
}

static struct shw_labeller_params labeller_of(const struct shw_forest *forest, enum shw_technique technique)
{
    return (struct shw_labeller_params){.forest = forest,
                                        .device = technique != SHW_TECHNIQUE_CPU ? testing_device() : NULL,
                                        .channels = technique,
                                        .integrate = technique,
                                        .evaluate = technique,
                                        .threads = 2};
}

/* Against fragment, which makes no such planes; whole images, and the last one in tiles as well. */
TESTING_CASE(labels_are_the_same)
{
    static const uint32_t sizes[][2] = {{1, 1}, {3, 40}, {70, 33}, {260, 90}, {1500, 1}, {1, 1500}};

    for (uint32_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct random_forest_params params = usual;
        struct testing_random random = {s};
        struct shw_image image = testing_image(&random, sizes[s][0], sizes[s][1], SHW_PIXEL_RGB8, 0);
        struct shw_labeller_params labeller;
        struct testing_labelling expected;
        struct shw_forest *forest;

        params.seed = s;
        if (s == 3)
            params.offset_max = params.size_max = 12;
        params.combine = s == 2 ? SHW_COMBINE_VOTE : SHW_COMBINE_MEAN;
        forest = random_forest(&params);
        labeller = labeller_of(forest, SHW_TECHNIQUE_FRAGMENT);
        expected = testing_label(&labeller, &image);
        for (int way = 0; way < 6; way++) {
            const enum shw_technique technique = way % 2 == 0 ? SHW_TECHNIQUE_CPU : SHW_TECHNIQUE_COMPUTE;
            struct testing_labelling got;
            labeller = labeller_of(forest, technique);
            if (way >= 4) /* by both */
                labeller.integrate = way == 4 ? SHW_TECHNIQUE_COMPUTE : SHW_TECHNIQUE_CPU;
            labeller.device = testing_device();
            if (s == 3 && (way == 2 || way == 3))
                labeller.memory = way == 2 ? 400u << 10 : 1u << 20;
            got = testing_label(&labeller, &image);
            assert_int_equal(got.tiled, labeller.memory > 0);
            testing_labelling_same(shw_technique_name(technique), TESTING_ALL_OUTPUTS, &got, &expected);
            testing_labelling_free(&got);
        }
        testing_labelling_free(&expected);
        shw_forest_destroy(&forest);
        free((void *)(uintptr_t)image.pixels);
    }
    testing_device_check();
}

/* Work groups of several heights, as shared memory allows, or none, and loads of words or of halves of them, also of
 * tests on single pixels. */
TESTING_CASE(labels_are_the_same_on_any_device)
{
    static const uint32_t limits[] = {9000, 14000, 18000, 24000, 32768, 49152};
    struct testing_random random = {11};
    struct shw_image image = testing_image(&random, 201, 77, SHW_PIXEL_RGB8, 0);
    struct shw_device *device = testing_device();
    const uint32_t limit = device->properties.limits.maxComputeSharedMemorySize;
    const bool halves = device->enabled.storage_16bit;
    uint32_t planes = 0, integrals = 0;

    for (uint32_t f = 0; f < 5; f++) {
        struct random_forest_params params = usual;
        struct shw_labeller_params labeller;
        struct testing_labelling expected;
        struct shw_forest *forest;
        struct shw_means *means;

        params.seed = f;
        params.size_max = f == 0 ? 1 : f == 1 ? 7 : f == 4 ? 2 : 40;
        params.channels = f % 2 == 0 ? SHW_CHANNELS_LAB : SHW_CHANNELS_RGB; /* a* and b* have signs */
        params.feature = f == 3   ? &shw_feature_pixel_difference
                         : f == 4 ? &shw_feature_sum_difference
                                  : &shw_feature_mean_difference;
        forest = random_forest(&params);
        means = shw_means_make(forest, false);
        assert_int_equal(means != NULL, f != 3);
        labeller = labeller_of(forest, SHW_TECHNIQUE_FRAGMENT);
        expected = testing_label(&labeller, &image);
        labeller = labeller_of(forest, SHW_TECHNIQUE_COMPUTE);
        for (uint32_t l = 0; l < sizeof limits / sizeof *limits && limits[l] <= limit; l++)
            for (int by_halves = 0; by_halves <= (int)halves; by_halves++) {
                struct testing_labelling got;
                device->properties.limits.maxComputeSharedMemorySize = limits[l];
                device->enabled.storage_16bit = by_halves != 0;
                if (means != NULL)
                    ++*(shw_means_compute_fits(device, means) ? &planes : &integrals);
                got = testing_label(&labeller, &image);
                testing_labelling_same("compute", TESTING_ALL_OUTPUTS, &got, &expected);
                testing_labelling_free(&got);
            }
        device->properties.limits.maxComputeSharedMemorySize = limit;
        device->enabled.storage_16bit = halves;
        testing_labelling_free(&expected);
        shw_means_free(means);
        shw_forest_destroy(&forest);
    }
    assert_true(planes > 0 && integrals > 0);
    free((void *)(uintptr_t)image.pixels);
    testing_device_check();
}

/* Forests of few shapes and others take each other's place. */
TESTING_CASE(forests_are_replaced)
{
    struct testing_random random = {7};
    struct shw_image image = testing_image(&random, 90, 61, SHW_PIXEL_RGB8, 0);

    for (int t = 0; t < 2; t++) {
        const enum shw_technique technique = t == 0 ? SHW_TECHNIQUE_CPU : SHW_TECHNIQUE_COMPUTE;
        struct shw_forest *forests[4];
        struct shw_labeller_params params;
        struct shw_labeller *labeller = NULL;

        for (uint32_t f = 0; f < 4; f++) {
            struct random_forest_params of = usual;
            of.seed = f;
            of.shapes = f % 2 == 0 ? 2 + f : 0;
            forests[f] = random_forest(&of);
        }
        params = labeller_of(forests[0], technique);
        params.outputs = TESTING_ALL_OUTPUTS;
        params.log = testing_log(&log_memory);
        assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
        for (uint32_t turn = 0; turn < 7; turn++) {
            const struct shw_forest *forest = forests[turn * 3 % 4];
            struct shw_labeller_params alone = labeller_of(forest, SHW_TECHNIQUE_FRAGMENT);
            struct testing_labelling expected, got;
            alone.device = testing_device();
            expected = testing_label(&alone, &image);
            if (turn > 0)
                assert_int_equal(shw_labeller_set_forest(labeller, forest), SHW_OK);
            got = testing_labelling(forest, image.width, image.height);
            assert_int_equal(shw_labeller_run(labeller, SHW_COLOUR_IMAGE(image), &got.out), SHW_OK);
            testing_labelling_same("after another", TESTING_ALL_OUTPUTS, &got, &expected);
            testing_labelling_free(&got);
            testing_labelling_free(&expected);
        }
        shw_labeller_destroy(&labeller);
        for (uint32_t f = 0; f < 4; f++)
            shw_forest_destroy(&forests[f]);
    }
    free((void *)(uintptr_t)image.pixels);
    testing_device_check();
}

TESTING_FIXTURE(NULL, testing_device_teardown)
