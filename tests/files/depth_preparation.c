/* Data preparation of depth: filling, against sweeps and linear systems as they are defined; normals of planes; heights
 * above the ground of rooms that are known. */
#include "testing/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense/channels/fill.h"
#include "files/depth/fill_colorization.h"
#include "files/depth/height.h"
#include "files/synth/scene.h"
#include "files/synth/synth.h"

enum { PIXELS_MAX = 12 * 9 };

/* Depth from 500 to 4500, missing with a probability of `percent`. */
static void draw_depth(struct testing_random *random, uint32_t percent, uint16_t *depth, size_t pixels)
{
    for (size_t i = 0; i < pixels; i++) {
        depth[i] = (uint16_t)(500 + testing_random_below(random, 4001));
        if (testing_random_below(random, 100) < percent)
            depth[i] = 0;
    }
}

/* The four sweeps of the thesis, one after another, each in the direction in which depth is carried. */
static void sweep(uint16_t *depth, int width, int height)
{
    for (int y = 0; y < height; y++)
        for (int x = width - 2; x >= 0; x--)
            if (depth[y * width + x] == 0)
                depth[y * width + x] = depth[y * width + x + 1];
    for (int y = 0; y < height; y++)
        for (int x = 1; x < width; x++)
            if (depth[y * width + x] == 0)
                depth[y * width + x] = depth[y * width + x - 1];
    for (int x = 0; x < width; x++)
        for (int y = 1; y < height; y++)
            if (depth[y * width + x] == 0)
                depth[y * width + x] = depth[(y - 1) * width + x];
    for (int x = 0; x < width; x++)
        for (int y = height - 2; y >= 0; y--)
            if (depth[y * width + x] == 0)
                depth[y * width + x] = depth[(y + 1) * width + x];
}

static const uint32_t sizes[][2] = {{1, 1}, {1, 9}, {12, 1}, {2, 2}, {3, 2}, {5, 4}, {12, 9}};
static const uint32_t percents[] = {0, 10, 50, 90, 98, 100};

#define SIZE_COUNT    (sizeof sizes / sizeof *sizes)
#define PERCENT_COUNT (sizeof percents / sizeof *percents)

static void fill_rect(const uint16_t *depth, struct shw_rect rect, uint32_t width, uint32_t height, uint16_t *filled)
{
    const struct shw_input input = {
        .image = {.pixels = depth, .width = width, .height = height, .format = SHW_PIXEL_GREY16}};

    assert_int_equal(shw_fill_simple(&input, rect, filled, (size_t)(rect.x1 - rect.x0)), SHW_OK);
}

/* Parts have the values of the whole image. */
static void fill_parts(struct testing_random *random, const uint16_t *depth, int32_t width, int32_t height,
                       const uint16_t *expected)
{
    for (uint32_t i = 0; i < 4; i++) {
        int32_t x = (int32_t)testing_random_below(random, (uint32_t)width);
        int32_t y = (int32_t)testing_random_below(random, (uint32_t)height);
        int32_t columns = 1 + (int32_t)testing_random_below(random, (uint32_t)(width - x));
        int32_t rows = 1 + (int32_t)testing_random_below(random, (uint32_t)(height - y));
        uint16_t part[PIXELS_MAX];

        fill_rect(depth, (struct shw_rect){x, y, x + columns, y + rows}, (uint32_t)width, (uint32_t)height, part);
        for (int32_t row = 0; row < rows; row++)
            assert_memory_equal(part + (ptrdiff_t)row * columns, expected + (ptrdiff_t)(y + row) * width + x,
                                (size_t)columns * sizeof *part);
    }
}

TESTING_CASE(test_simple_filling_is_four_sweeps)
{
    struct testing_random random = {1};

    for (uint32_t round = 0; round < 40; round++)
        for (size_t s = 0; s < SIZE_COUNT; s++)
            for (size_t p = 0; p < PERCENT_COUNT; p++) {
                size_t pixels = sizes[s][0] * sizes[s][1], left = 0;
                uint16_t depth[PIXELS_MAX] = {0}, expected[PIXELS_MAX];
                bool any = false;

                draw_depth(&random, percents[p], depth, pixels);
                memcpy(expected, depth, sizeof expected);
                for (size_t i = 0; i < pixels; i++)
                    any = any || depth[i] != 0;
                sweep(expected, (int)sizes[s][0], (int)sizes[s][1]);
                fill_parts(&random, depth, (int32_t)sizes[s][0], (int32_t)sizes[s][1], expected);
                fill_rect(depth, (struct shw_rect){0, 0, (int32_t)sizes[s][0], (int32_t)sizes[s][1]},
                          (uint32_t)sizes[s][0], (uint32_t)sizes[s][1], depth);
                assert_memory_equal(depth, expected, pixels * sizeof *depth);
                for (size_t i = 0; i < pixels; i++)
                    left += depth[i] == 0;
                assert_int_equal(left, any ? 0 : pixels);
            }
}

/* An image of up to PIXELS_MAX pixels with grey of its own calculation. */
struct colours {
    struct shw_image image;
    uint16_t samples[4 * PIXELS_MAX];
    double grey[PIXELS_MAX];
};

static void draw_colours(struct testing_random *random, enum shw_pixel_format format, uint32_t width, uint32_t height,
                         struct colours *colours)
{
    bool wide = format == SHW_PIXEL_RGB16 || format == SHW_PIXEL_GREY16;
    uint32_t samples = format == SHW_PIXEL_RGBA8 ? 4 : format == SHW_PIXEL_GREY8 || format == SHW_PIXEL_GREY16 ? 1 : 3;
    uint8_t *narrow = (uint8_t *)colours->samples;

    colours->image = (struct shw_image){.pixels = colours->samples, .width = width, .height = height, .format = format};
    for (uint32_t i = 0; i < width * height; i++) {
        double value[4] = {0};

        for (uint32_t s = 0; s < samples; s++) {
            /* few values, so that neighbours are often equal */
            uint32_t level = testing_random_below(random, 4) * 60 + testing_random_below(random, 3);
            if (wide)
                colours->samples[i * samples + s] = (uint16_t)(level * 257 + 5);
            else
                narrow[i * samples + s] = (uint8_t)level;
            value[s] = wide ? (level * 257 + 5) / 65535.0 : level / 255.0;
        }
        colours->grey[i] = samples == 1 ? value[0] : 0.299 * value[0] + 0.587 * value[1] + 0.114 * value[2];
    }
}

static double matrix[PIXELS_MAX][PIXELS_MAX + 1];

/* The equations as fill_colorization.h has them, for all pixels, in a dense matrix with the right side. */
static void make_equations(const struct colours *colours, const uint16_t *depth, double alpha)
{
    int width = (int)colours->image.width, height = (int)colours->image.height;

    memset(matrix, 0, sizeof matrix);
    for (int i = 0; i < width * height; i++) {
        int around[9], count = 0;
        double mean = 0, variance = 0, least = INFINITY, sum = 0, weight[9];

        matrix[i][i] = 1;
        if (depth[i] > 0 && alpha == 0) {
            matrix[i][width * height] = depth[i];
            continue;
        }
        for (int j = 0; j < width * height; j++)
            if (abs(j % width - i % width) <= 1 && abs(j / width - i / width) <= 1)
                around[count++] = j;
        for (int n = 0; n < count; n++)
            mean += colours->grey[around[n]] / count;
        for (int n = 0; n < count; n++)
            variance += pow(colours->grey[around[n]] - mean, 2) / count;
        for (int n = 0; n < count; n++)
            if (around[n] != i)
                least = fmin(least, pow(colours->grey[around[n]] - colours->grey[i], 2));
        variance = fmax(fmax(0.6 * variance, -least / log(0.01)), 2e-6);
        for (int n = 0; n < count; n++) {
            weight[n] = around[n] == i ? 0 : exp(-pow(colours->grey[around[n]] - colours->grey[i], 2) / variance);
            sum += weight[n];
        }
        for (int n = 0; n < count; n++)
            matrix[i][around[n]] -= weight[n] / sum;
        if (depth[i] > 0) {
            matrix[i][i] += alpha;
            matrix[i][width * height] = alpha * depth[i];
        }
    }
}

/* Gaussian elimination with pivots. */
static void eliminate(int count, double *solution)
{
    for (int c = 0; c < count; c++) {
        int pivot = c;

        for (int r = c; r < count; r++)
            pivot = fabs(matrix[r][c]) > fabs(matrix[pivot][c]) ? r : pivot;
        for (int k = 0; k <= count; k++) {
            double kept = matrix[c][k];
            matrix[c][k] = matrix[pivot][k];
            matrix[pivot][k] = kept;
        }
        for (int r = 0; r < count; r++) {
            double factor = matrix[r][c] / matrix[c][c];
            for (int k = c; r != c && k <= count && factor != 0; k++)
                matrix[r][k] -= factor * matrix[c][k];
        }
    }
    for (int c = 0; c < count; c++)
        solution[c] = matrix[c][count] / matrix[c][c];
}

static void check_colorization(struct testing_random *random, const uint32_t size[2], uint32_t percent,
                               enum shw_pixel_format format, double alpha)
{
    const struct shw_colorization how = {.alpha = alpha};
    size_t pixels = size[0] * size[1];
    uint16_t depth[PIXELS_MAX] = {0}, filled[PIXELS_MAX];
    double expected[PIXELS_MAX];
    struct colours colours;
    bool any = false;

    draw_colours(random, format, size[0], size[1], &colours);
    draw_depth(random, percent, depth, pixels);
    memcpy(filled, depth, sizeof filled);
    for (size_t i = 0; i < pixels; i++)
        any = any || depth[i] > 0;
    assert_int_equal(shw_fill_colorization(filled, size[0], size[1], &colours.image, &how, "test", NULL), SHW_OK);
    if (!any || pixels == 1) {
        assert_memory_equal(filled, depth, pixels * sizeof *depth);
        return;
    }
    make_equations(&colours, depth, alpha);
    eliminate((int)pixels, expected);
    for (size_t i = 0; i < pixels; i++) {
        assert_true(fabs(filled[i] - expected[i]) < 0.5001);
        if (alpha == 0 && depth[i] > 0)
            assert_int_equal(filled[i], depth[i]);
    }
}

TESTING_CASE(test_colorization_solves_its_equations)
{
    static const enum shw_pixel_format formats[] = {SHW_PIXEL_RGB8, SHW_PIXEL_RGBA8, SHW_PIXEL_GREY8, SHW_PIXEL_RGB16,
                                                    SHW_PIXEL_GREY16};
    static const double alphas[] = {0, 1, 0.3};
    struct testing_random random = {2};

    if (!shw_can_colorize())
        testing_skip("this build has no solver");
    for (size_t s = 0; s < SIZE_COUNT; s++)
        for (size_t p = 0; p < PERCENT_COUNT; p++)
            for (size_t f = 0; f < 5; f++)
                for (size_t a = 0; a < 3; a++)
                    check_colorization(&random, sizes[s], percents[p], formats[f], alphas[a]);
}

/* Between equal weights a value lies in the middle, and the upper neighbour of a half is taken. */
TESTING_CASE(test_halves_are_rounded_up)
{
    const struct shw_colorization how = {.alpha = 0};
    const uint8_t grey[3] = {7, 7, 7};
    const int step = testing_is_slow() ? 1 : 37;
    const struct shw_image image = {.pixels = grey, .width = 3, .height = 1, .format = SHW_PIXEL_GREY8};

    if (!shw_can_colorize())
        testing_skip("this build has no solver");
    for (uint16_t low = 1; low < 2000; low = (uint16_t)(low + step)) {
        uint16_t depth[3] = {low, 0, (uint16_t)(low + 1)};

        assert_int_equal(shw_fill_colorization(depth, 3, 1, &image, &how, "test", NULL), SHW_OK);
        assert_int_equal(depth[1], low + 1);
    }
}

TESTING_CASE(test_too_many_pixels_are_refused)
{
    const struct shw_colorization how = {.alpha = 0};
    uint32_t width = 2049, height = 2048;
    struct testing_log memory = {0};
    struct shw_log log = testing_log(&memory);
    uint8_t *grey = calloc(width, height);
    uint16_t *depth = calloc((size_t)width * height, sizeof *depth);
    const struct shw_image image = {.pixels = grey, .width = width, .height = height, .format = SHW_PIXEL_GREY8};

    depth[0] = 1;
    assert_int_equal(shw_fill_colorization(depth, width, height, &image, &how, "a.png", &log), SHW_ERROR_LIMIT);
    assert_non_null(strstr(memory.last, "a.png"));
    assert_non_null(strstr(memory.last, "4196351"));
    free(grey);
    free(depth);
}

/* The depth of a plane normal . X = distance for a camera. */
static void render_plane(const double normal[3], double distance, const struct shw_camera *camera, uint32_t width,
                         uint32_t height, uint16_t *depth)
{
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            double across = (x - camera->centre[0]) / camera->focal[0],
                   down = (y - camera->centre[1]) / camera->focal[1];
            double z = distance / (normal[0] * across + normal[1] * down + normal[2]);

            depth[y * width + x] = z > 0 && z < 65535 ? (uint16_t)lround(z) : 0;
        }
}

TESTING_CASE(test_normals_are_those_of_planes)
{
    static const double planes[][3] = {{0, 0, -1}, {0, -0.8, -0.6}, {0.6, 0, -0.8}, {-0.36, -0.48, -0.8}};
    enum { WIDTH = 40, HEIGHT = 30 };
    const struct shw_camera camera = {{33, 35}, {18, 16}};
    uint16_t depth[WIDTH * HEIGHT];

    for (size_t p = 0; p < sizeof planes / sizeof *planes; p++) {
        double(*normals)[3];
        size_t count;

        render_plane(planes[p], -20000, &camera, WIDTH, HEIGHT, depth);
        assert_int_equal(shw_find_normals(depth, WIDTH, HEIGHT, &camera, NULL, &normals, &count), SHW_OK);
        assert_true(count > WIDTH * HEIGHT / 3);
        for (size_t n = 0; n < count; n++)
            for (int i = 0; i < 3; i++)
                assert_true(fabs(normals[n][i] - planes[p][i]) < 0.002);
        free(normals);
    }
}

/* Nothing but a floor, seen by a camera that is tilted and rolled. */
TESTING_CASE(test_heights_of_a_floor_are_zero)
{
    enum { WIDTH = 64, HEIGHT = 48 };
    const struct shw_camera camera = {{52, 52}, {31.5, 23.5}};
    double up[3] = {0.1, -0.8, -0.5}, length = sqrt(0.01 + 0.64 + 0.25);
    uint16_t depth[WIDTH * HEIGHT], heights[WIDTH * HEIGHT];
    struct shw_ground ground;

    for (int i = 0; i < 3; i++)
        up[i] /= length;
    render_plane(up, -1500, &camera, WIDTH, HEIGHT, depth);
    assert_int_equal(shw_find_ground(depth, WIDTH, HEIGHT, &camera, NULL, &ground), SHW_OK);
    for (int i = 0; i < 3; i++)
        assert_true(fabs(ground.up[i] - up[i]) < 1e-3);
    assert_true(fabs(ground.lowest + 1500) < 10);
    shw_make_heights(depth, WIDTH, HEIGHT, &camera, &ground, heights);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        assert_true(depth[i] == 0 ? heights[i] == 0 : heights[i] >= 1 && heights[i] < 20);
}

TESTING_CASE(test_images_without_normals_have_heights)
{
    uint16_t heights[PIXELS_MAX];
    struct testing_random random = {3};

    for (size_t s = 0; s < SIZE_COUNT; s++)
        for (size_t p = 0; p < PERCENT_COUNT; p++) {
            const struct shw_camera camera = shw_camera_assume(sizes[s][0], sizes[s][1]);
            uint16_t depth[PIXELS_MAX];
            struct shw_ground ground;

            draw_depth(&random, percents[p], depth, PIXELS_MAX);
            assert_int_equal(shw_find_ground(depth, sizes[s][0], sizes[s][1], &camera, NULL, &ground), SHW_OK);
            assert_true(fabs(sqrt(pow(ground.up[0], 2) + pow(ground.up[1], 2) + pow(ground.up[2], 2)) - 1) < 1e-9);
            if (percents[p] == 100)
                assert_true(ground.up[1] == -1 && ground.lowest == 0);
            shw_make_heights(depth, sizes[s][0], sizes[s][1], &camera, &ground, heights);
            for (uint32_t i = 0; i < sizes[s][0] * sizes[s][1]; i++)
                assert_int_equal(heights[i] == 0, depth[i] == 0);
        }
}

static int compare(const void *a, const void *b)
{
    double one = *(const double *)a, two = *(const double *)b;

    return (one > two) - (one < two);
}

/* Rounds depth as a sensor does that measures disparity: to about 26 mm at 3 m. */
static void coarsen(uint16_t *depth, size_t pixels)
{
    for (size_t i = 0; i < pixels; i++) {
        double disparity = depth[i] > 0 ? round(350000.0 / depth[i]) : 0;

        depth[i] = disparity > 0 ? (uint16_t)lround(350000 / disparity) : 0;
    }
}

/* The median of the heights' errors in a synthetic room, in millimetres; -1 if its floor is hardly seen. *angle: that
 * between the true up and the one that was found, in degrees. */
static double median_error(uint64_t seed, bool coarse, double *angle)
{
    enum { WIDTH = 96, HEIGHT = 72, PIXELS = WIDTH * HEIGHT };
    const struct shw_synth_params params = {.width = WIDTH, .height = HEIGHT, .seed = seed, .holes = true};
    static uint8_t rgb[3 * PIXELS];
    static uint16_t labels[PIXELS], depth[PIXELS], heights[PIXELS];
    static double errors[PIXELS];
    static struct synth_scene scene;
    struct shw_camera camera = shw_camera_assume(WIDTH, HEIGHT);
    struct shw_ground ground;
    size_t count = 0, floor = 0;

    assert_int_equal(shw_synth_render(&params, 0, rgb, labels, depth), SHW_OK);
    if (coarse)
        coarsen(depth, PIXELS);
    synth_scene_make(seed, 0, false, &scene);
    camera.focal[0] = camera.focal[1] = WIDTH / 2.0 / scene.field;
    assert_int_equal(shw_find_ground(depth, WIDTH, HEIGHT, &camera, NULL, &ground), SHW_OK);
    shw_make_heights(depth, WIDTH, HEIGHT, &camera, &ground, heights);
    for (int i = 0; i < PIXELS; i++) {
        double across = (i % WIDTH - camera.centre[0]) / camera.focal[0];
        double down = (i / WIDTH - camera.centre[1]) / camera.focal[1];
        double upwards = scene.forward.y + across * scene.right.y - down * scene.up.y;

        floor += depth[i] > 0 && labels[i] == SYNTH_FLOOR;
        if (depth[i] > 0)
            errors[count++] = fabs(heights[i] - 1 - (1000 * scene.eye.y + depth[i] * upwards));
    }
    *angle = acos(fmin(1, ground.up[0] * scene.right.y - ground.up[1] * scene.up.y + ground.up[2] * scene.forward.y)) *
             57.29578;
    qsort(errors, count, sizeof *errors, compare);
    return floor * 50 < count ? -1 : errors[count / 2];
}

TESTING_CASE(test_heights_of_rooms_are_near_the_truth)
{
    unsigned rooms = 0;

    for (uint64_t seed = 0; seed < 60; seed++) {
        double angle, error = median_error(seed, seed % 3 == 0, &angle);

        rooms += error >= 0;
        assert_true(angle < 1);
        assert_true(error < 25);
    }
    assert_true(rooms >= 50);
}
