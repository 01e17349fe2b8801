/* Smoothing of distributions: close to a plain guided filter in doubles, and the same bits in parts, tiles, threads and
 * by every technique. */
#include "testing/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/image.h"
#include "dense/smooth/smooth.h"
#include "testing/device.h"
#include "testing/labelling.h"
#include "testing/random_forest.h"

#define CLASSES_MAX 21u

/* What is smoothed in a test: an image of 8-bit colours, and distributions that sum to 65535, or to 0. */
struct given {
    uint32_t width, height, classes;
    struct shw_image image;
    uint16_t *distribution, *smoothed, *labels;
};

/* Patches of colour and class, with noise in both of `noise` levels. `void_percent` of the pixels have no class. */
static struct given make(struct testing_random *random, uint32_t width, uint32_t height, uint32_t classes,
                         uint32_t noise, uint32_t void_percent)
{
    const size_t count = (size_t)width * height;
    struct given given = {.width = width, .height = height, .classes = classes};
    uint8_t *pixels = malloc(3 * count);

    given.distribution = calloc(count * classes, sizeof *given.distribution);
    given.smoothed = calloc(count * classes, sizeof *given.smoothed);
    given.labels = calloc(count, sizeof *given.labels);
    given.image = (struct shw_image){pixels, width, height, 3 * (size_t)width, SHW_PIXEL_RGB8};
    for (size_t i = 0; i < count; i++) {
        const uint32_t patch = (uint32_t)(i % width / 26 + i / width / 18) % 4;
        uint32_t rest = 65535, favoured = testing_random_below(random, 3) > 0 ? patch % classes
                                                                              : testing_random_below(random, classes);
        for (uint32_t c = 0; c < 3; c++)
            pixels[3 * i + c] = (uint8_t)(40 + 50 * patch + 7 * c + testing_random_below(random, noise + 1));
        if (testing_random_below(random, 100) < void_percent)
            continue;
        for (uint32_t c = 0; c < classes; c++) {
            uint32_t share = c == favoured ? 0 : testing_random_below(random, 1 + rest / (classes + 1));
            given.distribution[c * count + i] = (uint16_t)share;
            rest -= share;
        }
        given.distribution[favoured * count + i] = (uint16_t)rest;
    }
    return given;
}

static void release(struct given *given)
{
    free((void *)(uintptr_t)given->image.pixels);
    free(given->distribution);
    free(given->smoothed);
    free(given->labels);
}

static struct shw_smooth_tile tile_of(const struct given *given, uint32_t radius, uint32_t epsilon)
{
    return (struct shw_smooth_tile){
        .windows = shw_smooth_windows_of(&(struct shw_smoothing){radius, epsilon}),
        .full_width = given->width,
        .full_height = given->height,
        .given = {0, 0, given->width, given->height},
        .image = &given->image,
        .distribution = given->distribution,
        .classes = given->classes,
        .tile = {0, 0, given->width, given->height},
        .out_distribution = given->smoothed,
        .out_argmax = given->labels,
        .out_width = given->width,
        .out_height = given->height,
        .step = 1,
    };
}

/* The filter as the papers have it, in doubles. */
struct plain {
    uint32_t step, reach, columns, rows, classes;
    double epsilon;
    double *guide, *shares, *models, *means; /* per cell: 3; classes; 4 per class */
};

static double *at(double *values, const struct plain *plain, uint32_t x, uint32_t y, uint32_t each)
{
    return values + ((size_t)y * plain->columns + x) * each;
}

static void make_cells(const struct given *given, struct plain *plain)
{
    const size_t plane = (size_t)given->width * given->height;
    const uint8_t *pixels = given->image.pixels;

    for (uint32_t y = 0; y < given->height; y++)
        for (uint32_t x = 0; x < given->width; x++) {
            const uint32_t cx = x / plain->step, cy = y / plain->step;
            const double columns = fmin(plain->step, given->width - cx * plain->step);
            const double rows = fmin(plain->step, given->height - cy * plain->step);
            const size_t i = (size_t)y * given->width + x;
            for (uint32_t c = 0; c < 3; c++)
                at(plain->guide, plain, cx, cy, 3)[c] += pixels[3 * i + c] / (columns * rows);
            for (uint32_t c = 0; c < plain->classes; c++)
                at(plain->shares, plain, cx, cy, plain->classes)[c] +=
                    given->distribution[c * plane + i] / 65535.0 / (columns * rows);
        }
}

/* Solves a positive definite system of three equations by Gaussian elimination. */
static void solve(double matrix[3][4], double solution[3])
{
    for (int k = 0; k < 3; k++)
        for (int i = k + 1; i < 3; i++)
            for (int j = 3; j >= k; j--)
                matrix[i][j] -= matrix[i][k] / matrix[k][k] * matrix[k][j];
    for (int i = 2; i >= 0; i--) {
        solution[i] = matrix[i][3];
        for (int j = i + 1; j < 3; j++)
            solution[i] -= matrix[i][j] * solution[j];
        solution[i] /= matrix[i][i];
    }
}

/* Calls `add` for every cell of the window around (x, y); returns how many there are. */
#define FOR_WINDOW(plain, x, y, cx, cy)                                                                                \
    for (uint32_t cy = (y) > (plain)->reach ? (y) - (plain)->reach : 0;                                                \
         cy <= (y) + (plain)->reach && cy < (plain)->rows; cy++)                                                       \
        for (uint32_t cx = (x) > (plain)->reach ? (x) - (plain)->reach : 0;                                            \
             cx <= (x) + (plain)->reach && cx < (plain)->columns; cx++)

static void make_model(struct plain *plain, uint32_t x, uint32_t y, uint32_t class)
{
    double matrix[3][4] = {{0}}, mean[3] = {0}, mean_share = 0, count = 0,
           *model = at(plain->models, plain, x, y, 4 * plain->classes) + 4 * class;

    FOR_WINDOW(plain, x, y, cx, cy)
    {
        const double *guide = at(plain->guide, plain, cx, cy, 3);
        const double share = at(plain->shares, plain, cx, cy, plain->classes)[class];
        count++;
        mean_share += share;
        for (int i = 0; i < 3; i++) {
            mean[i] += guide[i];
            matrix[i][3] += guide[i] * share;
            for (int j = 0; j < 3; j++)
                matrix[i][j] += guide[i] * guide[j];
        }
    }
    mean_share /= count;
    for (int i = 0; i < 3; i++)
        mean[i] /= count;
    for (int i = 0; i < 3; i++) {
        matrix[i][3] = matrix[i][3] / count - mean[i] * mean_share;
        for (int j = 0; j < 3; j++)
            matrix[i][j] = matrix[i][j] / count - mean[i] * mean[j] + (i == j ? plain->epsilon : 0.0);
    }
    solve(matrix, model);
    model[3] = mean_share - model[0] * mean[0] - model[1] * mean[1] - model[2] * mean[2];
}

static void make_mean(struct plain *plain, uint32_t x, uint32_t y)
{
    double count = 0, *mean = at(plain->means, plain, x, y, 4 * plain->classes);

    FOR_WINDOW(plain, x, y, cx, cy)
    {
        const double *model = at(plain->models, plain, cx, cy, 4 * plain->classes);
        count++;
        for (uint32_t i = 0; i < 4 * plain->classes; i++)
            mean[i] += model[i];
    }
    for (uint32_t i = 0; i < 4 * plain->classes; i++)
        mean[i] /= count;
}

/* Between the centres of cells. */
static void find_place(uint32_t x, uint32_t step, uint32_t cells, uint32_t *first, uint32_t *next, double *weight)
{
    const double place = fmax(0.0, ((double)x + 0.5) / step - 0.5);

    *first = (uint32_t)place;
    *next = *first + 1 < cells ? *first + 1 : cells - 1;
    *weight = place - *first;
}

/* The mean colour of the pixels of the image that are at most two from a pixel in both directions. */
static void near_colour(const struct given *given, uint32_t x, uint32_t y, double colour[3])
{
    const uint8_t *pixels = given->image.pixels;
    uint32_t count = 0;

    for (int32_t ny = (int32_t)y - 2; ny <= (int32_t)y + 2; ny++)
        for (int32_t nx = (int32_t)x - 2; nx <= (int32_t)x + 2; nx++) {
            if (nx < 0 || ny < 0 || nx >= (int32_t)given->width || ny >= (int32_t)given->height)
                continue;
            count++;
            for (uint32_t c = 0; c < 3; c++)
                colour[c] += pixels[3 * ((size_t)ny * given->width + (size_t)nx) + c];
        }
    for (uint32_t c = 0; c < 3; c++)
        colour[c] /= count;
}

/* Normalised probabilities of a pixel. */
static void plain_pixel(const struct given *given, struct plain *plain, uint32_t x, uint32_t y, double *shares)
{
    uint32_t x0, x1, y0, y1;
    double pixel[3] = {0, 0, 0}, wx, wy, sum = 0;

    near_colour(given, x, y, pixel);
    find_place(x, plain->step, plain->columns, &x0, &x1, &wx);
    find_place(y, plain->step, plain->rows, &y0, &y1, &wy);
    for (uint32_t c = 0; c < plain->classes; c++) {
        double model[4];
        for (uint32_t i = 0; i < 4; i++) {
            const uint32_t place = 4 * c + i, each = 4 * plain->classes;
            model[i] = (1 - wy) * ((1 - wx) * at(plain->means, plain, x0, y0, each)[place] +
                                   wx * at(plain->means, plain, x1, y0, each)[place]) +
                       wy * ((1 - wx) * at(plain->means, plain, x0, y1, each)[place] +
                             wx * at(plain->means, plain, x1, y1, each)[place]);
        }
        shares[c] = fmax(0.0, model[0] * pixel[0] + model[1] * pixel[1] + model[2] * pixel[2] + model[3]);
        sum += shares[c];
    }
    for (uint32_t c = 0; c < plain->classes; c++)
        shares[c] /= sum;
}

/* The largest difference of a probability between the library and the plain filter; checks sums and labels. */
static double compare(const struct given *given, const struct shw_smooth_windows *windows)
{
    const uint32_t step = 1u << windows->bits, columns = (given->width + step - 1) / step;
    const uint32_t rows = (given->height + step - 1) / step;
    const size_t cells = (size_t)columns * rows, plane = (size_t)given->width * given->height;
    struct plain plain = {.step = step,
                          .reach = windows->cells,
                          .columns = columns,
                          .rows = rows,
                          .classes = given->classes,
                          .epsilon = windows->epsilon / 16.0,
                          .guide = calloc(cells * 3, sizeof(double)),
                          .shares = calloc(cells * given->classes, sizeof(double)),
                          .models = calloc(cells * given->classes * 4, sizeof(double)),
                          .means = calloc(cells * given->classes * 4, sizeof(double))};
    double worst = 0;

    make_cells(given, &plain);
    for (uint32_t y = 0; y < rows; y++)
        for (uint32_t x = 0; x < columns; x++)
            for (uint32_t c = 0; c < given->classes; c++)
                make_model(&plain, x, y, c);
    for (uint32_t y = 0; y < rows; y++)
        for (uint32_t x = 0; x < columns; x++)
            make_mean(&plain, x, y);
    for (uint32_t y = 0; y < given->height; y++)
        for (uint32_t x = 0; x < given->width; x++) {
            const size_t i = (size_t)y * given->width + x;
            double shares[CLASSES_MAX];
            uint32_t sum = 0;
            plain_pixel(given, &plain, x, y, shares);
            for (uint32_t c = 0; c < given->classes; c++) {
                worst = fmax(worst, fabs(given->smoothed[c * plane + i] / 65535.0 - shares[c]));
                sum += given->smoothed[c * plane + i];
                assert_true(given->smoothed[c * plane + i] <= given->smoothed[given->labels[i] * plane + i]);
            }
            assert_int_equal(sum, 65535);
        }
    free(plain.guide);
    free(plain.shares);
    free(plain.models);
    free(plain.means);
    return worst;
}

TESTING_CASE(is_a_guided_filter)
{
    static const struct {
        uint32_t width, height, classes, radius, epsilon, noise;
        double most;
    } cases[] = {
        {61, 47, 5, 8, 7, 5, 0.005},  {61, 47, 5, 20, 7, 5, 0.005}, {83, 40, 21, 33, 7, 9, 0.005},
        {40, 83, 3, 70, 3, 2, 0.005}, {61, 47, 2, 16, 3, 1, 0.01},  {61, 47, 4, 15, 4096, 60, 0.003},
        {7, 5, 3, 120, 7, 20, 0.01},  {1, 1, 2, 8, 7, 0, 0.001},    {1, 60, 4, 32, 7, 9, 0.005},
        {64, 1, 4, 32, 7, 9, 0.005},  {61, 47, 5, 5, 7, 5, 0.005},  {264, 257, 2, 120, 7, 60, 0.005},
    };
    struct testing_random random = {31};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct given given = make(&random, cases[i].width, cases[i].height, cases[i].classes, cases[i].noise, 0);
        struct shw_smooth_tile tile = tile_of(&given, cases[i].radius, cases[i].epsilon);
        double worst;
        assert_int_equal(shw_smooth_cpu(&tile, NULL), SHW_OK);
        worst = compare(&given, &tile.windows);
        if (worst > cases[i].most)
            fail_msg("case %zu: a probability differs by %f", i, worst);
        release(&given);
    }
}

/* Patches of one colour and class each, whose classes are noisy: nearly every pixel gets the patch's class, and the
 * border stays where the colours have it. */
TESTING_CASE(labels_are_smooth_inside_and_end_at_edges)
{
    struct testing_random random = {32};
    struct given given = make(&random, 104, 72, 4, 4, 0);
    struct shw_smooth_tile tile = tile_of(&given, 6, 7);
    uint32_t wrong_before = 0, wrong = 0;

    assert_int_equal(shw_smooth_cpu(&tile, NULL), SHW_OK);
    for (uint32_t i = 0; i < given.width * given.height; i++) {
        const uint32_t patch = (i % given.width / 26 + i / given.width / 18) % 4;
        uint32_t largest = 0;
        for (uint32_t c = 1; c < 4; c++)
            if (given.distribution[c * 104 * 72 + i] > given.distribution[largest * 104 * 72 + i])
                largest = c;
        wrong_before += largest != patch;
        wrong += given.labels[i] != patch;
    }
    assert_true(wrong_before > 104 * 72 / 5);
    if (wrong >= 104 * 72 / 25)
        fail_msg("%u of %u wrong labels are left", wrong, wrong_before);
    release(&given);
}

/* Tiles, of which each knows only what is within reach, and parts with a step give what the whole gives. */
TESTING_CASE(tiles_are_parts_of_the_whole)
{
    struct testing_random random = {33};

    for (uint32_t number = 0; number < 40; number++) {
        struct given given =
            make(&random, 30 + testing_random_below(&random, 90), 20 + testing_random_below(&random, 80),
                 2 + testing_random_below(&random, 4), 1 + testing_random_below(&random, 40), number % 3 * 20);
        struct shw_smooth_tile whole = tile_of(&given, 1 + testing_random_below(&random, 40),
                                               1 + testing_random_below(&random, 50)),
                               tile = whole;
        const uint32_t reach = shw_smooth_reach(&whole.windows);
        const size_t plane = (size_t)given.width * given.height;
        struct shw_image piece;
        uint16_t *distribution, *labels, *known;
        size_t count;

        assert_int_equal(shw_smooth_cpu(&whole, NULL), SHW_OK);
        tile.tile.x = testing_random_below(&random, given.width);
        tile.tile.y = testing_random_below(&random, given.height);
        tile.tile.width = 1 + testing_random_below(&random, given.width - tile.tile.x);
        tile.tile.height = 1 + testing_random_below(&random, given.height - tile.tile.y);
        tile.step = 1 + testing_random_below(&random, 4);
        tile.out_width = (tile.tile.width - 1) / tile.step + 1;
        tile.out_height = (tile.tile.height - 1) / tile.step + 1;
        tile.given.x = tile.tile.x > reach ? tile.tile.x - reach : 0;
        tile.given.y = tile.tile.y > reach ? tile.tile.y - reach : 0;
        tile.given.width = (tile.tile.x + tile.tile.width + reach < given.width ? tile.tile.x + tile.tile.width + reach
                                                                                : given.width) -
                           tile.given.x;
        tile.given.height =
            (tile.tile.y + tile.tile.height + reach < given.height ? tile.tile.y + tile.tile.height + reach
                                                                   : given.height) -
            tile.given.y;
        piece = shw_image_part(&given.image, tile.given.x, tile.given.y, tile.given.width, tile.given.height);
        tile.image = &piece;
        known = malloc((size_t)tile.given.width * tile.given.height * given.classes * sizeof *known);
        for (uint32_t c = 0; c < given.classes; c++)
            for (uint32_t y = 0; y < tile.given.height; y++)
                memcpy(known + ((size_t)c * tile.given.height + y) * tile.given.width,
                       given.distribution + c * plane + (size_t)(tile.given.y + y) * given.width + tile.given.x,
                       tile.given.width * sizeof *known);
        tile.distribution = known;
        count = (size_t)tile.out_width * tile.out_height;
        distribution = malloc(count * given.classes * sizeof *distribution);
        labels = malloc(count * sizeof *labels);
        tile.out_distribution = distribution;
        tile.out_argmax = labels;
        assert_int_equal(shw_smooth_cpu(&tile, NULL), SHW_OK);
        for (uint32_t j = 0; j < tile.out_height; j++)
            for (uint32_t i = 0; i < tile.out_width; i++) {
                const size_t from = (size_t)(tile.tile.y + j * tile.step) * given.width + tile.tile.x + i * tile.step;
                assert_int_equal(labels[(size_t)j * tile.out_width + i], given.labels[from]);
                for (uint32_t c = 0; c < given.classes; c++)
                    assert_int_equal(distribution[c * count + (size_t)j * tile.out_width + i],
                                     given.smoothed[c * plane + from]);
            }
        free(known);
        free(distribution);
        free(labels);
        release(&given);
    }
}

/* Tiles of one pixel: at all places between the centres of cells, and left and right of all of them. */
TESTING_CASE(pixels_are_parts_of_the_whole)
{
    static const uint32_t radii[] = {3, 10, 20, 40}; /* cells of 1, 2, 4 and 8 pixels */
    struct testing_random random = {38};
    struct given given = make(&random, 27, 22, 3, 20, 10);
    const size_t plane = (size_t)given.width * given.height;

    for (size_t r = 0; r < sizeof radii / sizeof *radii; r++) {
        struct shw_smooth_tile tile = tile_of(&given, radii[r], 7);
        uint16_t distribution[3], label;
        assert_int_equal(tile.windows.bits, r);
        assert_int_equal(shw_smooth_cpu(&tile, NULL), SHW_OK);
        tile.out_distribution = distribution;
        tile.out_argmax = &label;
        tile.out_width = tile.out_height = 1;
        tile.tile.width = tile.tile.height = 1;
        for (size_t i = 0; i < plane; i += i < 30 ? 1 : 5) {
            tile.tile.x = (uint32_t)(i % given.width);
            tile.tile.y = (uint32_t)(i / given.width);
            assert_int_equal(shw_smooth_cpu(&tile, NULL), SHW_OK);
            assert_int_equal(label, given.labels[i]);
            for (uint32_t c = 0; c < 3; c++)
                assert_int_equal(distribution[c], given.smoothed[c * plane + i]);
        }
    }
    release(&given);
}

/* Void pixels stay void, and others keep a distribution even among them. */
TESTING_CASE(void_pixels_stay_void)
{
    struct testing_random random = {34};

    for (uint32_t percent = 50; percent <= 100; percent += 10) {
        struct given given = make(&random, 70, 50, 3, 10, percent == 90 ? 99 : percent);
        struct shw_smooth_tile tile = tile_of(&given, 120, 7);
        assert_int_equal(shw_smooth_cpu(&tile, NULL), SHW_OK);
        for (uint32_t i = 0; i < 70 * 50; i++) {
            uint32_t before = 0, after = 0;
            for (uint32_t c = 0; c < 3; c++) {
                before += given.distribution[c * 3500 + i];
                after += given.smoothed[c * 3500 + i];
            }
            assert_int_equal(after, before);
            assert_true((given.labels[i] == SHW_LABEL_VOID) == (before == 0));
        }
        release(&given);
    }
}

/* A labeller gives what the filter makes of its own distributions: by every technique, in tiles, with little memory, in
 * parts, with any threads, and leaves are as before. */
TESTING_CASE(labellers_smooth_what_they_run)
{
    static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE};
    static const enum shw_pixel_format formats[] = {SHW_PIXEL_RGB8, SHW_PIXEL_GREY8, SHW_PIXEL_RGB16, SHW_PIXEL_RGBA8};
    const struct random_forest_params forest_params = {
        .seed = 35, .classes = 6, .trees = 4, .depth = 6, .offset_max = 7, .size_max = 5, .channels = "rgb,log:1"};
    struct shw_forest *forest = random_forest(&forest_params);
    struct testing_random random = {36};

    for (uint32_t f = 0; f < 4; f++) {
        struct shw_image image = testing_image(&random, 61, 47, formats[f], 0);
        struct shw_labeller_params params = {.forest = forest,
                                             .device = testing_device(),
                                             .channels = SHW_TECHNIQUE_CPU,
                                             .integrate = SHW_TECHNIQUE_CPU,
                                             .evaluate = SHW_TECHNIQUE_CPU};
        struct testing_labelling plain = testing_label(&params, &image), expected, got;
        struct given given = {61, 47, 6, image, plain.out.distribution, NULL, NULL};
        struct shw_smooth_tile tile = tile_of(&given, 10 + f, 7);

        expected = testing_labelling(forest, 61, 47);
        memcpy(expected.out.tree_leaf, plain.out.tree_leaf, (size_t)61 * 47 * sizeof(uint32_t));
        memcpy(expected.out.forest_leaves, plain.out.forest_leaves, (size_t)4 * 61 * 47 * sizeof(uint32_t));
        tile.out_distribution = expected.out.distribution;
        tile.out_argmax = expected.out.argmax;
        assert_int_equal(shw_smooth_cpu(&tile, NULL), SHW_OK);
        params.smoothing = (struct shw_smoothing){10 + f, 7};
        for (uint32_t t = 0; t < 3; t++) {
            params.channels = params.integrate = params.evaluate = techniques[t];
            params.threads = 1 + t;
            params.memory = t == 1 ? 600000 : 0; /* several tiles, of channels and of smoothing */
            got = testing_label(&params, &image);
            testing_labelling_same("smoothed", TESTING_ALL_OUTPUTS, &got, &expected);
            testing_labelling_free(&got);
        }
        testing_labelling_free(&plain);
        testing_labelling_free(&expected);
        free((void *)(uintptr_t)image.pixels);
    }
    shw_forest_destroy(&forest);
    testing_device_check();
}

TESTING_CASE(wrong_smoothing_is_refused)
{
    const struct random_forest_params forest_params = {.seed = 37};
    struct shw_forest *forest = random_forest(&forest_params);
    struct testing_log memory;
    struct shw_labeller_params params = {.forest = forest, .outputs = SHW_OUTPUT_ARGMAX, .log = testing_log(&memory)};
    struct shw_labeller *labeller = NULL;

    params.smoothing.radius = SHW_SMOOTHING_RADIUS_MAX + 1;
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_ERROR_ARGUMENT);
    params.smoothing = (struct shw_smoothing){8, SHW_SMOOTHING_EPSILON_MAX + 1};
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "smoothing can have a radius of at most 120 pixels"));
    shw_forest_destroy(&forest);
}

/* Planes that have an element of each class, or sixteen bytes of a model, are most of it. */
TESTING_CASE(memory_is_counted)
{
    const struct shw_smooth_windows pixels = shw_smooth_windows_of(&(struct shw_smoothing){7, 0}),
                                    cells = shw_smooth_windows_of(&(struct shw_smoothing){32, 0});
    const uint64_t of_pixels = shw_smooth_cpu_bytes(&pixels, 512, 20, 1);

    assert_true(of_pixels > (2 + 2 + 16) * 20 * 512 * 512 && of_pixels < 2 * (2 + 2 + 16) * 20 * 600 * 600);
    assert_true(shw_smooth_cpu_bytes(&pixels, 512, 20, 9) > of_pixels + 8 * 16 * 512 * 512); /* models of a class */
    assert_true(shw_smooth_cpu_bytes(&pixels, 512, 40, 1) > of_pixels * 3 / 2);
    assert_true(shw_smooth_cpu_bytes(&pixels, 256, 20, 1) < of_pixels);
    assert_true(shw_smooth_cpu_bytes(&cells, 512, 20, 1) < of_pixels / 2);
}

TESTING_FIXTURE(NULL, testing_device_teardown)
