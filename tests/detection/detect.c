/* Detection on the host, against its plain definition. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "detection/detect/plan.h"
#include "plain_detection.h"
#include "testing/cascades.h"
#include "testing/cases.h"

static const char *const simds[] = {"none", "portable", "avx2", "avx512"};

struct picture {
    uint8_t *grey;
    struct shw_image image;
};

/* Blobs and noise, so that tests go both ways near to each other. */
static struct picture draw_picture(struct testing_random *random, uint32_t width, uint32_t height)
{
    struct picture picture = {malloc((size_t)width * height), {.width = width, .height = height}};
    uint32_t noise = 1 + testing_random_below(random, 60), period = 3 + testing_random_below(random, 30);

    assert_non_null(picture.grey);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            picture.grey[(size_t)y * width + x] =
                (uint8_t)(90 + 60 * sin((double)x / period) * cos((double)y / period) +
                          testing_random_below(random, noise));
    picture.image.pixels = picture.grey;
    picture.image.format = SHW_PIXEL_GREY8;
    return picture;
}

static struct shw_detector *make_detector(const struct shw_cascade *cascade, const struct shw_scan *scan,
                                          uint32_t threads)
{
    const struct shw_detector_params params = {
        .cascade = cascade, .technique = SHW_TECHNIQUE_CPU, .scan = *scan, .threads = threads};
    struct shw_detector *detector = NULL;

    assert_int_equal(shw_detector_create(&params, &detector), SHW_OK);
    return detector;
}

static void expect_same(const struct shw_detections *found, const struct shw_detections *expected)
{
    assert_int_equal(found->count, expected->count);
    for (uint32_t i = 0; i < found->count; i++)
        assert_memory_equal(&found->items[i], &expected->items[i], sizeof *found->items);
}

/* Runs with all vector instructions that there are. */
static void expect_everywhere(const struct shw_cascade *cascade, const struct shw_scan *scan,
                              const struct shw_image *image, uint32_t threads, const struct shw_detections *expected,
                              const uint64_t *survivors)
{
    const struct shw_cascade_info *info = shw_cascade_get_info(cascade);
    bool leaves_out = scan->step == 0 && (info->kind == SHW_CASCADE_HAAR || info->kind == SHW_CASCADE_LBP);
    uint32_t stages = info->stage_count;
    uint64_t *counted = calloc(stages + 1, sizeof *counted);

    assert_non_null(counted);
    for (size_t s = 0; s < sizeof simds / sizeof *simds; s++) {
        struct shw_detector *detector;
        struct shw_detections found;
        assert_int_equal(setenv("SHADEWOOD_SIMD", simds[s], 1), 0);
        detector = make_detector(cascade, scan, threads);
        assert_int_equal(shw_detector_run(detector, image, &found), SHW_OK);
        expect_same(&found, expected);
        assert_int_equal(shw_detector_get_survivors(detector, counted, stages + 1), SHW_OK);
        assert_memory_equal(counted, survivors, (stages + 1) * sizeof *counted);
        if (leaves_out)
            assert_true(shw_detector_count_windows(detector, image->width, image->height) >= counted[0]);
        else
            assert_int_equal(shw_detector_count_windows(detector, image->width, image->height), counted[0]);
        free(found.items);
        shw_detector_destroy(&detector);
    }
    assert_int_equal(unsetenv("SHADEWOOD_SIMD"), 0);
    free(counted);
}

/* Every scan that there is, on a picture. */
static void compare_case(const struct random_cascade_params *params, const struct shw_scan *scan,
                         struct testing_random *random, uint32_t width, uint32_t height)
{
    struct shw_cascade *cascade = random_cascade(params);
    const struct shw_cascade_info *info = shw_cascade_get_info(cascade);
    struct picture picture = draw_picture(random, width, height);
    const struct plain_image plain = {picture.grey, (int32_t)width, (int32_t)height};
    uint64_t *survivors = calloc(info->stage_count + 1, sizeof *survivors);
    struct shw_detections expected;

    assert_non_null(survivors);
    expected = plain_detect(cascade, scan, &plain, survivors);
    testing_describe("%u x %u, %u stages, %u windows found", width, height, info->stage_count, expected.count);
    expect_everywhere(cascade, scan, &picture.image, 1 + testing_random_below(random, 3), &expected, survivors);
    free(expected.items);
    free(survivors);
    free(picture.grey);
    shw_cascade_destroy(&cascade);
}

static uint32_t draw_angles(struct testing_random *random, uint32_t angles[32])
{
    uint32_t step = 1 + testing_random_below(random, 31), count = 1 + testing_random_below(random, 4);

    step |= 1; /* no angle twice */
    angles[0] = testing_random_below(random, 32);
    for (uint32_t a = 1; a < count; a++)
        angles[a] = (angles[a - 1] + step) % 32;
    return count;
}

static void draw_scan(struct testing_random *random, bool has_angles, uint32_t angles[32], struct shw_scan *scan)
{
    angles[0] = 0;
    scan->angles = angles;
    scan->angle_count = has_angles && random_chance(random, 50) ? draw_angles(random, angles) : 1;
    if (random_chance(random, 30))
        scan->max_size = scan->min_size + testing_random_below(random, 40);
}

/* Mostly with room for windows. */
static void draw_size(struct testing_random *random, uint32_t most, uint32_t *width, uint32_t *height)
{
    random_extent(random, most, width, height);
    if (random_chance(random, 85)) {
        *width = most / 4 + testing_random_below(random, most);
        *height = most / 4 + testing_random_below(random, most);
    }
}

static void compare_pixels(uint64_t seed)
{
    struct testing_random random = {seed};
    uint32_t angles[32], width, height;
    bool is_square = random_chance(&random, 60);
    struct random_cascade_params params = {.seed = seed,
                                           .kind = SHW_CASCADE_PIXELS,
                                           .window_width = 2 + testing_random_below(&random, 12),
                                           .stages = 1 + testing_random_below(&random, 12),
                                           .depth = 1 + testing_random_below(&random, 5),
                                           .restarts = random_chance(&random, 25),
                                           .planes = {.shrink = random_size(&random, 3),
                                                      .blur_before = random_chance(&random, 50),
                                                      .blur_after = random_chance(&random, 50),
                                                      .octaves = random_chance(&random, 50)}};
    struct shw_scan scan = {.min_size = random_chance(&random, 30) ? 10 + testing_random_below(&random, 30) : 1,
                            .levels_per_octave = 1 + testing_random_below(&random, 16),
                            .step = random_chance(&random, 60) ? 1 : 1 + testing_random_below(&random, 4)};

    params.window_height = is_square ? params.window_width : 2 + testing_random_below(&random, 12);
    draw_scan(&random, is_square, angles, &scan);
    draw_size(&random, 48, &width, &height);
    compare_case(&params, &scan, &random, width, height);
}

static void compare_scaled(uint64_t seed)
{
    struct testing_random random = {seed};
    uint32_t angles[32], width, height;
    const struct random_cascade_params params = {.seed = seed,
                                                 .kind = SHW_CASCADE_SCALED,
                                                 .stages = 1 + testing_random_below(&random, 30),
                                                 .trees = 1 + testing_random_below(&random, 2),
                                                 .depth = 1 + testing_random_below(&random, 7),
                                                 .pass_percent = 60 + testing_random_below(&random, 40),
                                                 .restarts = random_chance(&random, 25)};
    struct shw_scan scan = {.min_size = 4 + testing_random_below(&random, 25),
                            .scale_factor = 1.05 + 0.01 * testing_random_below(&random, 60),
                            .stride = 0.02 + 0.01 * testing_random_below(&random, 30)};

    draw_scan(&random, true, angles, &scan);
    draw_size(&random, 60, &width, &height);
    compare_case(&params, &scan, &random, width, height);
}

static void compare_rectangles(uint64_t seed)
{
    struct testing_random random = {seed};
    uint32_t angles[32], width, height;
    const struct random_cascade_params params = {.seed = seed,
                                                 .kind =
                                                     random_chance(&random, 60) ? SHW_CASCADE_HAAR : SHW_CASCADE_LBP,
                                                 .window_width = 4 + testing_random_below(&random, 16),
                                                 .window_height = 4 + testing_random_below(&random, 16),
                                                 .stages = 1 + testing_random_below(&random, 8),
                                                 .trees = 1 + testing_random_below(&random, 4),
                                                 .depth = 1 + testing_random_below(&random, 4),
                                                 .stumps = random_chance(&random, 40),
                                                 .restarts = random_chance(&random, 75)};
    struct shw_scan scan = {.min_size = random_chance(&random, 30) ? 5 + testing_random_below(&random, 20) : 1,
                            .scale_factor = random_chance(&random, 20)
                                                ? 2 /* at which OpenCV's step changes */
                                                : 1.05 + 0.01 * testing_random_below(&random, 60),
                            .step = random_chance(&random, 60) ? 0 : 1 + testing_random_below(&random, 3)};

    draw_scan(&random, false, angles, &scan);
    draw_size(&random, 48, &width, &height);
    compare_case(&params, &scan, &random, width, height);
}

/* Rows longer than the strips that are made at a time. */
static void compare_wide(uint64_t seed)
{
    struct testing_random random = {seed};
    const struct random_cascade_params params = {
        .seed = seed,
        .planes = {.shrink = (uint32_t)seed, .blur_before = true, .blur_after = true, .octaves = seed % 2 == 0}};
    const struct shw_scan scan = {
        .min_size = 1, .levels_per_octave = 8, .step = 5, .angle_count = 1, .angles = &(uint32_t){0}};

    compare_case(&params, &scan, &random, 1100, 14 * (uint32_t)seed);
}

/* Rows whose number of pixels takes more than 15 bits, which vectors do not multiply by. */
static void compare_broad(uint64_t seed)
{
    struct testing_random random = {seed};
    const struct random_cascade_params params = {.seed = seed, .kind = SHW_CASCADE_SCALED, .stages = 8};
    const struct shw_scan scan = {
        .min_size = 9, .scale_factor = 1.2, .stride = 0.5, .angle_count = 2, .angles = (const uint32_t[]){0, 5}};

    compare_case(&params, &scan, &random, 33000, 13);
}

TESTING_CASE_WITH(windows_are_those_of_the_definition, NULL, testing_sweep_teardown)
{
    testing_sweep(&(struct testing_sweep){"pixels", 60, 20, compare_pixels, NULL});
    testing_sweep(&(struct testing_sweep){"scaled", 60, 20, compare_scaled, NULL});
    testing_sweep(&(struct testing_sweep){"rectangles", 150, 20, compare_rectangles, NULL});
    testing_sweep(&(struct testing_sweep){"wide", 3, 3, compare_wide, NULL});
    testing_sweep(&(struct testing_sweep){"broad", 1, 1, compare_broad, NULL});
}

/* All points of small windows at all angles: rounded to the nearest pixel, halves up, and inside the margin. */
TESTING_CASE(points_turn_about_the_centre)
{
    for (uint32_t angle = 0; angle < SHW_DETECT_ANGLES; angle++)
        for (int32_t size = 2; size <= 24; size++)
            for (int32_t i = 0; i < size * size; i++) {
                int32_t x = i % size, y = i / size, margin = (int32_t)shw_detect_turn_margin((uint32_t)size);
                double centre = (size - 1) / 2.0, across = x - centre, down = y - centre;
                double cosine = shw_detect_cosine(angle) / 256.0, sine = shw_detect_sine(angle) / 256.0;
                struct shw_detect_point point = shw_detect_turn_point(angle, (uint32_t)size, x, y);

                assert_int_equal(point.x, (int32_t)floor(centre + cosine * across + sine * down + 0.5));
                assert_int_equal(point.y, (int32_t)floor(centre + cosine * down - sine * across + 0.5));
                assert_in_range(point.x + margin, 0, size - 1 + 2 * margin);
                assert_in_range(point.y + margin, 0, size - 1 + 2 * margin);
                assert_true(fabs(cosine - cos(angle * 3.14159265358979323846 / 16)) < 1 / 256.0);
                assert_true(fabs(sine - sin(angle * 3.14159265358979323846 / 16)) < 1 / 256.0);
            }
}

/* Images of different sizes one after another, and colours instead of grey. */
TESTING_CASE(detectors_take_any_image)
{
    static const uint32_t sizes[][2] = {{64, 48}, {64, 60}, {1, 1}, {70, 11}, {12, 12}, {110, 120}, {64, 48}, {13, 13}};
    struct shw_cascade *cascade = random_cascade(&(struct random_cascade_params){
        .seed = 5, .kind = SHW_CASCADE_PIXELS, .planes = {.shrink = 1, .octaves = true}});
    const struct shw_scan scan = {
        .min_size = 1, .levels_per_octave = 2, .step = 1, .angle_count = 1, .angles = &(uint32_t){0}};
    struct shw_detector *detector = make_detector(cascade, &(struct shw_scan){0}, 2);
    struct testing_random random = {3};
    uint64_t survivors[16] = {0}, counted[16];
    uint32_t stages = shw_cascade_get_info(cascade)->stage_count;

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct picture picture = draw_picture(&random, sizes[s][0], sizes[s][1]);
        const struct plain_image plain = {picture.grey, (int32_t)sizes[s][0], (int32_t)sizes[s][1]};
        struct shw_detections expected = plain_detect(cascade, &scan, &plain, survivors), found;

        assert_int_equal(shw_detector_run(detector, &picture.image, &found), SHW_OK);
        expect_same(&found, &expected);
        free(found.items);
        free(expected.items);
        free(picture.grey);
    }
    assert_int_equal(shw_detector_get_survivors(detector, counted, stages + 1), SHW_OK);
    assert_memory_equal(counted, survivors, (stages + 1) * sizeof *counted);
    shw_detector_destroy(&detector);
    shw_cascade_destroy(&cascade);
}

TESTING_CASE(formats_have_the_same_grey)
{
    static const enum shw_pixel_format formats[] = {SHW_PIXEL_RGB8, SHW_PIXEL_RGBA8, SHW_PIXEL_BGRA8, SHW_PIXEL_RGB16,
                                                    SHW_PIXEL_RGBA16};
    enum { WIDTH = 37, HEIGHT = 29 };
    struct shw_cascade *cascade = random_cascade(&(struct random_cascade_params){.seed = 8, .planes = {.shrink = 1}});
    struct shw_detector *detector = make_detector(cascade, &(struct shw_scan){0}, 1);
    static uint8_t grey[WIDTH * HEIGHT], pixels[HEIGHT][8 * WIDTH + 6];
    struct shw_image image = {.pixels = grey, .width = WIDTH, .height = HEIGHT, .format = SHW_PIXEL_GREY8};
    struct testing_random random = {4};
    uint8_t colours[WIDTH * HEIGHT][3];
    struct shw_detections expected, found;

    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        for (int c = 0; c < 3; c++)
            colours[i][c] = (uint8_t)testing_random_next(&random);
        grey[i] = (uint8_t)((19595 * colours[i][0] + 38470 * colours[i][1] + 7471 * colours[i][2] + 32768) >> 16);
    }
    assert_int_equal(shw_detector_run(detector, &image, &expected), SHW_OK);
    assert_true(expected.count > 0);
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        size_t size = shw_pixel_size(formats[f]);
        bool is_wide = formats[f] == SHW_PIXEL_RGB16 || formats[f] == SHW_PIXEL_RGBA16;
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            for (int c = 0; c < 3; c++) {
                uint8_t value = colours[i][formats[f] == SHW_PIXEL_BGRA8 ? 2 - c : c];
                uint8_t *to = &pixels[i / WIDTH][(size_t)(i % WIDTH) * size + (size_t)c * (is_wide ? 2 : 1)];
                const uint16_t wide = (uint16_t)((uint32_t)value << 8 | testing_random_below(&random, 256));
                if (is_wide)
                    memcpy(to, &wide, sizeof wide);
                else
                    *to = value;
            }
        image = (struct shw_image){pixels, WIDTH, HEIGHT, sizeof *pixels, formats[f]};
        assert_int_equal(shw_detector_run(detector, &image, &found), SHW_OK);
        expect_same(&found, &expected);
        free(found.items);
    }
    free(expected.items);
    shw_detector_destroy(&detector);
    shw_cascade_destroy(&cascade);
}

static void expect_refused(const struct shw_detector_params *params, const char *why)
{
    struct testing_log memory = {0};
    struct shw_detector_params logged = *params;
    struct shw_detector *detector = NULL;

    logged.log = testing_log(&memory);
    assert_int_equal(shw_detector_create(&logged, &detector), SHW_ERROR_ARGUMENT);
    assert_null(detector);
    if (strstr(memory.last, why) == NULL)
        fail_msg("%s: not about %s", memory.last, why);
}

TESTING_CASE(wrong_parameters_are_refused)
{
    static const uint32_t wrong_angle = 32, turned = 3, twice[] = {1, 1}, falling[] = {4, 4};
    struct shw_cascade *pixels = random_cascade(&(struct random_cascade_params){.seed = 1, .window_height = 11});
    struct shw_cascade *scaled = random_cascade(&(struct random_cascade_params){.seed = 1, .kind = SHW_CASCADE_SCALED});

    expect_refused(&(struct shw_detector_params){0}, "cascade");
    expect_refused(&(struct shw_detector_params){.cascade = pixels, .technique = SHW_TECHNIQUE_BLEND}, "blend");
    expect_refused(&(struct shw_detector_params){.cascade = pixels, .technique = (enum shw_technique)77}, "technique");
    expect_refused(&(struct shw_detector_params){.cascade = pixels, .variant = (enum shw_detect_variant)9}, "variant");
    expect_refused(&(struct shw_detector_params){.cascade = pixels, .width = 7}, "width");
    expect_refused(&(struct shw_detector_params){.cascade = pixels, .regroup = falling, .regroup_count = 2}, "regroup");
    expect_refused(&(struct shw_detector_params){.cascade = pixels, .scan = {.scale_factor = 1.2}}, "scale_factor");
    expect_refused(&(struct shw_detector_params){.cascade = pixels, .scan = {.levels_per_octave = 17}}, "octave");
    expect_refused(&(struct shw_detector_params){.cascade = pixels, .scan = {.stride = 0.1}}, "stride");
    expect_refused(&(struct shw_detector_params){.cascade = pixels, .scan = {.step = 65536}}, "step");
    expect_refused(&(struct shw_detector_params){.cascade = pixels, .scan = {.min_size = 9, .max_size = 8}},
                   "max_size");
    expect_refused(&(struct shw_detector_params){.cascade = pixels, .scan = {.angle_count = 1, .angles = &turned}},
                   "square");
    expect_refused(&(struct shw_detector_params){.cascade = scaled, .scan = {.levels_per_octave = 2}}, "octave");
    expect_refused(&(struct shw_detector_params){.cascade = scaled, .scan = {.scale_factor = 1.01}}, "scale_factor");
    expect_refused(&(struct shw_detector_params){.cascade = scaled, .scan = {.scale_factor = NAN}}, "scale_factor");
    expect_refused(&(struct shw_detector_params){.cascade = scaled, .scan = {.stride = -1}}, "stride");
    expect_refused(&(struct shw_detector_params){.cascade = scaled, .scan = {.step = 1}}, "step");
    expect_refused(&(struct shw_detector_params){.cascade = scaled, .scan = {.angle_count = 1}}, "angles");
    expect_refused(&(struct shw_detector_params){.cascade = scaled, .scan = {.angle_count = 1, .angles = &wrong_angle}},
                   "32");
    expect_refused(&(struct shw_detector_params){.cascade = scaled, .scan = {.angle_count = 2, .angles = twice}},
                   "twice");
    shw_cascade_destroy(&pixels);
    shw_cascade_destroy(&scaled);
}

TESTING_CASE(images_that_do_not_fit_are_refused)
{
    struct shw_cascade *cascade = random_cascade(&(struct random_cascade_params){.seed = 1});
    const struct shw_detector_params params = {.cascade = cascade, .width = 40, .height = 30};
    static const uint8_t pixels[4 * 41 * 31];
    const struct shw_image images[] = {{pixels, 41, 30, 0, SHW_PIXEL_GREY8},
                                       {pixels, 40, 31, 0, SHW_PIXEL_GREY8},
                                       {pixels, 4, 4, 0, SHW_PIXEL_GREY32_FLOAT},
                                       {pixels, 0, 4, 0, SHW_PIXEL_GREY8}};
    struct shw_detector *detector = NULL;
    struct shw_detections found = {7, NULL};
    uint64_t survivors[3];

    assert_int_equal(shw_detector_create(&params, &detector), SHW_OK);
    assert_int_equal(shw_detector_get_technique(detector), SHW_TECHNIQUE_CPU);
    for (size_t i = 0; i < sizeof images / sizeof *images; i++)
        assert_int_equal(shw_detector_run(detector, &images[i], &found), SHW_ERROR_ARGUMENT);
    assert_int_equal(found.count, 7);
    assert_int_equal(shw_detector_get_survivors(detector, survivors, 3), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_detector_count_windows(detector, 0, 5), 0);
    assert_int_equal(shw_detector_count_windows(detector, 65536, 5), 0);
    shw_detector_destroy(&detector);
    shw_cascade_destroy(&cascade);
}
