/* Detection: every technique and variant finds the windows that `cpu` finds. */
#include "testing/cascades.h"
#include "testing/device.h"
#include "testing/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/detect.h>

/* Of `compute`. The passes that make levels are the same for all: a test of these needs only the first. */
static const enum shw_detect_variant variants[] = {SHW_DETECT_BEST, SHW_DETECT_REGROUP, SHW_DETECT_GLOBAL,
                                                   SHW_DETECT_MIPMAP, SHW_DETECT_SHARED};
#define VARIANTS (uint32_t)(sizeof variants / sizeof *variants)

struct image {
    uint32_t width, height;
    enum shw_pixel_format format;
};

/* Of smooth blobs and noise, so that tests have something to tell apart at every scale. */
static struct shw_image make_image(const struct image *params, uint64_t seed)
{
    struct testing_random random = {seed};
    size_t pixel = shw_pixel_size(params->format), bytes = pixel * params->width * params->height;
    uint8_t *pixels = malloc(bytes);

    assert_non_null(pixels);
    for (size_t i = 0; i < bytes; i++) {
        size_t x = i / pixel % params->width, y = i / pixel / params->width;
        pixels[i] =
            (uint8_t)(x * x / (3 + i % pixel) + 5 * y + (x / 7 + y / 5) % 2 * 90 + testing_random_below(&random, 40));
    }
    return (struct shw_image){
        .pixels = pixels, .width = params->width, .height = params->height, .format = params->format};
}

static struct shw_detections run(const struct shw_detector_params *params, const struct shw_image *image)
{
    struct shw_detector *detector = NULL;
    struct shw_detections found = {0};

    assert_int_equal(shw_detector_create(params, &detector), SHW_OK);
    assert_int_equal(shw_detector_run(detector, image, &found), SHW_OK);
    shw_detector_destroy(&detector);
    return found;
}

static void check_found(const struct shw_detector_params *params, const struct shw_image *image,
                        const struct shw_detections *expected)
{
    struct shw_detections found = run(params, image);

    if (found.count != expected->count)
        print_message("%s %s: %u windows, not %u\n", shw_technique_name(params->technique),
                      shw_detect_variant_name(params->variant), found.count, expected->count);
    assert_int_equal(found.count, expected->count);
    if (found.count > 0)
        assert_memory_equal(found.items, expected->items, found.count * sizeof *found.items);
    free(found.items);
}

struct comparison {
    struct random_cascade_params cascade;
    struct shw_scan scan;
    struct image image;
    const uint32_t *regroup;
    uint32_t regroup_count, variant_count;
    bool is_validated, is_of_compute;
};

/* Returns how many windows are found. */
static uint32_t compare(const struct comparison *comparison)
{
    struct shw_cascade *cascade = random_cascade(&comparison->cascade);
    struct shw_image image = make_image(&comparison->image, comparison->cascade.seed);
    struct testing_log memory = {0};
    struct shw_detector_params params = {.cascade = cascade,
                                         .technique = SHW_TECHNIQUE_CPU,
                                         .scan = comparison->scan,
                                         .regroup = comparison->regroup,
                                         .regroup_count = comparison->regroup_count,
                                         .log = testing_log(&memory)};
    struct shw_detections expected = run(&params, &image);
    uint32_t count = expected.count;

    params.device = comparison->is_validated ? testing_device() : testing_device_plain();
    params.technique = SHW_TECHNIQUE_COMPUTE;
    for (uint32_t w = 0; w < comparison->variant_count; w++) {
        params.variant = variants[w];
        check_found(&params, &image, &expected);
    }
    params.technique = SHW_TECHNIQUE_FRAGMENT;
    if (!comparison->is_of_compute)
        check_found(&params, &image, &expected);
    free(expected.items);
    free((void *)image.pixels);
    shw_cascade_destroy(&cascade);
    return count;
}

static const struct image small = {61, 47, SHW_PIXEL_GREY8};

TESTING_CASE(test_trees)
{
    static const struct random_cascade_params cascades[] = {
        {.seed = 1, .kind = SHW_CASCADE_PIXELS},
        {.seed = 2, .kind = SHW_CASCADE_SCALED, .stumps = true, .stages = 40, .trees = 1, .pass_percent = 90},
        {.seed = 3, .kind = SHW_CASCADE_PIXELS, .depth = 2, .trees = 1, .stages = 20, .restarts = true},
        {.seed = 4, .kind = SHW_CASCADE_SCALED, .depth = 6, .trees = 4, .stages = 3},
        {.seed = 5, .kind = SHW_CASCADE_PIXELS, .depth = 11, .trees = 2, .stages = 4, .restarts = true},
        {.seed = 6, .kind = SHW_CASCADE_SCALED, .depth = 10, .trees = 2, .stages = 4},
        {.seed = 7, .kind = SHW_CASCADE_PIXELS, .depth = 1, .trees = 9, .stages = 70, .pass_percent = 97},
    };

    for (size_t c = 0; c < sizeof cascades / sizeof *cascades; c++)
        assert_true(compare(&(struct comparison){.cascade = cascades[c],
                                                 .scan = {.min_size = 16},
                                                 .image = small,
                                                 .variant_count = VARIANTS,
                                                 .is_validated = c < 2}) > 0);
    testing_device_check();
}

/* HAAR and LBP, whose variants are all the same; wider than what a work group makes at once, with windows left out over
 * several tiles. */
TESTING_CASE(test_rectangles)
{
    static const struct random_cascade_params cascades[] = {
        {.seed = 70, .stages = 5, .restarts = true},
        {.seed = 71, .stages = 8, .trees = 5, .depth = 5, .pass_percent = 80, .restarts = true},
        {.seed = 72, .window_width = 9, .window_height = 23, .stumps = true, .pass_percent = 40, .stages = 2},
        {.seed = 73, .window_width = 31, .window_height = 10, .stages = 1, .pass_percent = 10, .restarts = true},
    };
    static const struct image images[] = {
        {610, 33, SHW_PIXEL_GREY8}, {97, 61, SHW_PIXEL_GREY8}, {35, 270, SHW_PIXEL_RGB8}, {20, 23, SHW_PIXEL_GREY8}};
    uint32_t count = 0;

    for (uint32_t c = 0; c < sizeof cascades / sizeof *cascades; c++)
        for (int kind = SHW_CASCADE_HAAR; kind <= SHW_CASCADE_LBP; kind++)
            for (uint32_t i = c % 2; i < sizeof images / sizeof *images; i += 2) {
                struct comparison comparison = {.cascade = cascades[c],
                                                .scan = {.step = i < 2 ? 0 : i - 1},
                                                .image = images[i],
                                                .variant_count = 1,
                                                .is_validated = c < 1,
                                                .is_of_compute = true};
                comparison.cascade.kind = (enum shw_cascade_kind)kind;
                count += compare(&comparison);
            }
    assert_true(count > 1000);
    testing_device_check();
}

TESTING_CASE(test_levels)
{
    static const struct shw_cascade_planes planes[] = {
        {.shrink = 1, .blur_before = true}, {.shrink = 3, .blur_after = true, .octaves = true},
        {.shrink = 4, true, true, true},    {.shrink = 2, .octaves = true},
        {.shrink = 16, true, true, false},
    };
    static const struct image images[] = {{121, 64, SHW_PIXEL_RGB8}, {64, 97, SHW_PIXEL_GREY16}};

    for (uint32_t p = 0; p < sizeof planes / sizeof *planes; p++)
        compare(&(struct comparison){.cascade = {.seed = 10 + p,
                                                 .planes = planes[p],
                                                 .window_width = 4,
                                                 .window_height = 4,
                                                 .levels_per_octave = 1 + p % 3},
                                     .image = images[p % 2],
                                     .variant_count = 1});
}

/* More than the first pass can halve. */
TESTING_CASE(test_many_octaves)
{
    const struct comparison comparison = {.cascade = {.seed = 20,
                                                      .planes = {.shrink = 1, .blur_before = true, .octaves = true},
                                                      .window_width = 2,
                                                      .window_height = 2,
                                                      .levels_per_octave = 1},
                                          .scan = {.min_size = 8},
                                          .image = {71, 66, SHW_PIXEL_GREY8},
                                          .variant_count = 1,
                                          .is_validated = true};

    assert_true(compare(&comparison) > 0);
    testing_device_check();
}

/* One window, none, and windows of several tiles; what does not fit into shared memory. */
TESTING_CASE(test_windows)
{
    static const struct image images[] = {{12, 12, SHW_PIXEL_GREY8},
                                          {13, 12, SHW_PIXEL_RGBA8},
                                          {11, 40, SHW_PIXEL_GREY8},
                                          {1, 1, SHW_PIXEL_GREY8},
                                          {60, 21, SHW_PIXEL_GREY16}};

    for (size_t i = 0; i < sizeof images / sizeof *images; i++)
        compare(&(struct comparison){.cascade = {.seed = 30, .planes = {.shrink = 1}, .pass_percent = 100},
                                     .image = images[i],
                                     .variant_count = 2});
    for (uint32_t step = 2; step < 5; step++)
        compare(&(struct comparison){
            .cascade = {.seed = 31, .window_width = 40, .window_height = 9, .planes = {.shrink = 1}},
            .scan = {.step = step},
            .image = small,
            .variant_count = 1});
    compare(
        &(struct comparison){.cascade = {.seed = 32, .window_width = 100, .window_height = 90, .planes = {.shrink = 1}},
                             .image = {140, 105, SHW_PIXEL_GREY8},
                             .variant_count = 1});
}

TESTING_CASE(test_angles)
{
    static const uint32_t angles[] = {4, 0, 13, 31}, quarter[] = {8};

    for (int kind = SHW_CASCADE_PIXELS; kind <= SHW_CASCADE_SCALED; kind++) {
        struct comparison comparison = {
            .cascade = {.seed = 40, .kind = (enum shw_cascade_kind)kind, .pass_percent = 85},
            .scan = {.min_size = 16, .angles = angles, .angle_count = 4},
            .image = small,
            .variant_count = VARIANTS};
        assert_true(compare(&comparison) > 0);
        comparison.cascade.depth = 10;
        comparison.scan.angles = quarter;
        comparison.scan.angle_count = comparison.variant_count = 1;
        assert_true(compare(&comparison) > 0);
    }
}

/* More are found than there is room for at first. */
TESTING_CASE(test_many_found)
{
    const struct comparison comparison = {.cascade = {.seed = 50,
                                                      .window_width = 2,
                                                      .window_height = 2,
                                                      .planes = {.shrink = 1},
                                                      .pass_percent = 99,
                                                      .stages = 3},
                                          .image = {120, 60, SHW_PIXEL_GREY8},
                                          .variant_count = 1};

    assert_true(compare(&comparison) > 4096);
}

/* So many tiles of windows that they are taken in pieces: each level and angle has one of its own. */
TESTING_CASE(test_pieces)
{
    static const uint32_t regroup = 1;
    uint32_t angles[32];
    const struct comparison comparison = {
        .cascade = {.seed = 60, .kind = SHW_CASCADE_SCALED, .stages = 2, .pass_percent = 90},
        .scan = {.min_size = 3, .scale_factor = 1.0101, .stride = 10, .angles = angles, .angle_count = 32},
        .image = small,
        .regroup = &regroup,
        .regroup_count = 1,
        .variant_count = 1,
        .is_of_compute = true};

    for (uint32_t a = 0; a < 32; a++)
        angles[a] = a;
    assert_true(compare(&comparison) > 0);
}

TESTING_CASE(test_regroup)
{
    static const uint32_t stages[] = {1, 2, 3, 7, 8, 9, 20, 500};

    for (uint32_t count = 0; count <= 8; count += 8)
        assert_true(compare(&(struct comparison){
                        .cascade = {.seed = 70, .stages = 24, .pass_percent = 90, .has_survivors = true, .trees = 2},
                        .image = small,
                        .regroup = count > 0 ? stages : NULL,
                        .regroup_count = count,
                        .variant_count = 2,
                        .is_validated = true}) > 0);
    testing_device_check();
}

TESTING_FIXTURE(NULL, testing_device_teardown)
