/* The kernels of the filter bank: their weights, the bounds of their channels, and weighted sums with vectors. */
#include "testing/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "dense/channels/channels.h"
#include "dense/channels/filter_bank.h"

#define ONE (1 << SHW_KERNEL_BITS)

static double gauss(int x, double sigma)
{
    return exp(-x * x / (2.0 * sigma * sigma));
}

/* The derivation of docs/channels.md: sampled, made exact by sums, rounded, and what rounding leaves goes to one
 * place. */
static void derive_gauss(int sigma, int *weights)
{
    int radius = 3 * sigma, rest = ONE;
    double sum = 0;

    for (int x = -radius; x <= radius; x++)
        sum += gauss(x, sigma);
    for (int x = -radius; x <= radius; x++)
        rest -= weights[radius + x] = (int)floor(gauss(x, sigma) / sum * ONE + 0.5);
    weights[radius] += rest;
}

static void derive_second(int sigma, int *weights)
{
    int radius = 3 * sigma, rest = 0;
    double sum = 0, mean = 0;

    for (int x = -radius; x <= radius; x++)
        sum += gauss(x, sigma);
    for (int x = -radius; x <= radius; x++)
        mean += ((double)(x * x) / (sigma * sigma) - 1) * gauss(x, sigma) / sum;
    for (int x = -radius; x <= radius; x++) {
        double value = ((double)(x * x) / (sigma * sigma) - 1 - mean) * gauss(x, sigma) / sum;
        rest -= weights[radius + x] = (int)floor(value * ONE + 0.5);
    }
    weights[radius] += rest;
}

static void derive_first(int sigma, int *weights)
{
    int radius = 3 * sigma, rest = ONE;
    double sum = 0;

    for (int x = 1; x <= radius; x++)
        sum += x * gauss(x, sigma);
    for (int x = 1; x <= radius; x++)
        rest -= weights[radius + x] = (int)floor(x * gauss(x, sigma) / sum * ONE + 0.5);
    weights[radius + sigma] += rest;
    weights[radius] = 0;
    for (int x = 1; x <= radius; x++)
        weights[radius - x] = -weights[radius + x];
}

TESTING_CASE(kernels_are_as_documented)
{
    static const struct {
        enum shw_kernel kernel;
        void (*derive)(int sigma, int *weights);
        int sigma, sum;
    } cases[] = {
        {SHW_KERNEL_GAUSS_1, derive_gauss, 1, ONE}, {SHW_KERNEL_GAUSS_2, derive_gauss, 2, ONE},
        {SHW_KERNEL_GAUSS_4, derive_gauss, 4, ONE}, {SHW_KERNEL_GAUSS_8, derive_gauss, 8, ONE},
        {SHW_KERNEL_SECOND_1, derive_second, 1, 0}, {SHW_KERNEL_SECOND_2, derive_second, 2, 0},
        {SHW_KERNEL_SECOND_4, derive_second, 4, 0}, {SHW_KERNEL_SECOND_8, derive_second, 8, 0},
        {SHW_KERNEL_FIRST_1, derive_first, 1, 0},   {SHW_KERNEL_FIRST_2, derive_first, 2, 0},
        {SHW_KERNEL_FIRST_4, derive_first, 4, 0},   {SHW_KERNEL_FIRST_8, derive_first, 8, 0},
    };

    assert_int_equal(sizeof cases / sizeof cases[0], SHW_KERNEL_COUNT);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct shw_filter_kernel *kernel = &shw_filter_kernels[cases[i].kernel];
        int weights[2 * SHW_KERNEL_RADIUS_MAX + 1], sum = 0;
        assert_int_equal(kernel->radius, 3 * cases[i].sigma);
        cases[i].derive(cases[i].sigma, weights);
        for (uint32_t tap = 0; tap <= 2 * kernel->radius; tap++) {
            assert_int_equal(kernel->weights[tap], weights[tap]);
            sum += kernel->weights[tap];
        }
        assert_int_equal(sum, cases[i].sum);
    }
}

TESTING_CASE(weighted_sums_are_the_same_with_vectors)
{
    enum { ROWS = SHW_WEIGHTED_SUM_MAX, WIDTH = 113 };
    static int16_t data[ROWS][WIDTH];
    const int16_t *rows[ROWS];
    int16_t weights[ROWS], fast[WIDTH], plain[WIDTH];
    struct testing_random random = {11};

    for (int round = 0; round < 300; round++) {
        uint32_t count = 1 + testing_random_below(&random, ROWS), width = 1 + testing_random_below(&random, WIDTH);
        for (uint32_t i = 0; i < count; i++) {
            rows[i] = data[i];
            weights[i] = (int16_t)testing_random_range(&random, -300, 300);
            for (uint32_t x = 0; x < width; x++)
                data[i][x] = (int16_t)testing_random_range(&random, -32768, 32767);
        }
        shw_weighted_sum(rows, weights, count, width, 15, fast, shw_simd_level());
        shw_weighted_sum(rows, weights, count, width, 15, plain, SHW_SIMD_NONE);
        for (uint32_t x = 0; x < width; x++) {
            int64_t sum = 0;
            for (uint32_t i = 0; i < count; i++)
                sum += (int64_t)weights[i] * data[i][x];
            assert_int_equal(plain[x], (int16_t)((sum + (1 << 14)) >> 15));
            assert_int_equal(fast[x], plain[x]);
        }
    }
}

/* The image that drives one channel at its centre to its largest value, or with `sign` -1 to its smallest. */
static void worst_image(uint8_t *pixels, enum shw_kernel row0, enum shw_kernel column0, enum shw_kernel row1,
                        enum shw_kernel column1, int sign)
{
    const struct shw_filter_kernel *kernels = shw_filter_kernels;
    uint32_t size = 2 * kernels[row0].radius + 1;

    for (uint32_t y = 0; y < size; y++)
        for (uint32_t x = 0; x < size; x++) {
            int weight = kernels[row0].weights[x] * kernels[column0].weights[y];
            if (row1 < SHW_KERNEL_COUNT)
                weight += kernels[row1].weights[x] * kernels[column1].weights[y];
            pixels[y * size + x] = weight * sign > 0 ? 255 : 0;
        }
}

static int centre_of_worst(enum shw_kernel row0, enum shw_kernel column0, enum shw_kernel row1, enum shw_kernel column1,
                           const char *list, int sign)
{
    static uint8_t pixels[49 * 49];
    static int16_t plane[49 * 49];
    uint32_t radius = shw_filter_kernels[row0].radius, size = 2 * radius + 1;
    struct shw_image image = {pixels, size, size, 0, SHW_PIXEL_GREY8};

    worst_image(pixels, row0, column0, row1, column1, sign);
    assert_int_equal(testing_channels(list)->radius, radius);
    assert_int_equal(
        shw_channels_cpu(testing_channels(list), &(struct shw_channel_images){.of = {&image}}, NULL, plane, NULL),
        SHW_OK);
    return plane[radius * size + radius];
}

/* max_abs is no smaller than what exact arithmetic gives plus all rounding, and the worst image reaches it within that
 * rounding. */
TESTING_CASE(bounds_are_tight)
{
    for (uint32_t scale = 0; scale < SHW_KERNEL_SCALES; scale++) {
        enum shw_kernel g = SHW_KERNEL_GAUSS_1 + scale, h = SHW_KERNEL_SECOND_1 + scale, d = SHW_KERNEL_FIRST_1 + scale;
        uint32_t size = 2 * shw_filter_kernels[g].radius + 1;
        char log[16], dx[16], dy[16];
        double positive = 0, norm = 0;
        int bound;
        snprintf(log, sizeof log, "log:%d", 1 << scale);
        snprintf(dx, sizeof dx, "dx:%d", 1 << scale);
        snprintf(dy, sizeof dy, "dy:%d", 1 << scale);
        bound = (int)testing_channels(log)->channels[0].max_abs;
        for (uint32_t y = 0; y < size; y++) {
            norm += (abs(shw_filter_kernels[g].weights[y]) + abs(shw_filter_kernels[h].weights[y])) / (double)ONE;
            for (uint32_t x = 0; x < size; x++) {
                int weight = shw_filter_kernels[g].weights[x] * shw_filter_kernels[h].weights[y] +
                             shw_filter_kernels[h].weights[x] * shw_filter_kernels[g].weights[y];
                positive += weight > 0 ? weight / ((double)ONE * ONE) : 0;
            }
        }
        /* an intermediate is off by at most half of 1/8, a channel by at most half on top */
        assert_true(floor(4080 * positive + norm / 16 + 0.5) <= bound);
        assert_true(abs(centre_of_worst(h, g, g, h, log, 1) - bound) <= 1);
        assert_true(abs(centre_of_worst(h, g, g, h, log, -1) + bound) <= 1);
        assert_int_equal(testing_channels(dx)->channels[0].max_abs, 4080);
        assert_int_equal(centre_of_worst(d, g, SHW_KERNEL_COUNT, g, dx, 1), 4080);
        assert_int_equal(centre_of_worst(d, g, SHW_KERNEL_COUNT, g, dx, -1), -4080);
        assert_int_equal(centre_of_worst(g, d, SHW_KERNEL_COUNT, g, dy, 1), 4080);
        assert_int_equal(centre_of_worst(g, d, SHW_KERNEL_COUNT, g, dy, -1), -4080);
    }
}
