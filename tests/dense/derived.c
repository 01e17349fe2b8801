/* The kinds hessian, tensor, orient, opponent and deviation against plain loops and doubles. */
#include "testing/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dense/channels/channels.h"
#include "dense/channels/filter_bank.h"
#include "shared/root.h"

enum { WIDTH = 37, HEIGHT = 29, PIXELS = WIDTH * HEIGHT };

/* Blobs, edges and noise, or black and white only. */
static void draw(struct testing_random *random, int round, bool wide, void *pixels)
{
    for (uint32_t i = 0; i < 3 * PIXELS; i++) {
        int x = (int)(i / 3 % WIDTH), y = (int)(i / 3 / WIDTH), value = (int)testing_random_below(random, 65536);
        if (round % 4 == 1)
            value = value & 32768 ? 65535 : 0;
        else if (round % 4 == 2)
            value = (x + y) / 5 % 2 * 50000 + value / 100;
        else if (round % 4 == 3)
            value = (int)(30000 + 20000 * sin(x * 0.4) * cos(y * 0.3) + value / 60);
        if (wide)
            ((uint16_t *)pixels)[i] = (uint16_t)value;
        else
            ((uint8_t *)pixels)[i] = (uint8_t)(value >> 8);
    }
}

static uint32_t inside(int at, uint32_t size)
{
    return at < 0 ? 0 : at >= (int)size ? size - 1 : (uint32_t)at;
}

static void make(const char *kind, uint32_t parameter, const struct shw_image *image, int16_t *planes)
{
    char text[40];

    snprintf(text, sizeof text, "%s:%u", kind, parameter);
    assert_int_equal(
        shw_channels_cpu(testing_channels(text), &(struct shw_channel_images){.of = {image}}, NULL, planes, NULL),
        SHW_OK);
}

static double luma(const struct shw_image *image, int x, int y)
{
    uint32_t at = 3 * (inside(y, image->height) * image->width + inside(x, image->width));
    int rgb[3];

    for (uint32_t c = 0; c < 3; c++)
        rgb[c] = image->format == SHW_PIXEL_RGB16 ? (16 * ((const uint16_t *)image->pixels)[at + c] + 128) / 257
                                                  : 16 * ((const uint8_t *)image->pixels)[at + c];
    return (77 * rgb[0] + 150 * rgb[1] + 29 * rgb[2] + 128) / 256;
}

static double filtered(const struct shw_image *image, int x, int y, uint32_t row, uint32_t column)
{
    const struct shw_filter_kernel *across = &shw_filter_kernels[row], *down = &shw_filter_kernels[column];
    int radius = (int)across->radius;
    double sum = 0;

    for (int v = -radius; v <= radius; v++)
        for (int u = -radius; u <= radius; u++)
            sum += luma(image, x + u, y + v) * across->weights[u + radius] * down->weights[v + radius];
    return sum / (1 << 28);
}

/* What the product of two first derivatives is multiplied by: so that a saddle has the curvature of a bowl. */
static double mixed(uint32_t scale)
{
    const struct shw_filter_kernel *first = &shw_filter_kernels[SHW_KERNEL_FIRST_1 + scale],
                                   *second = &shw_filter_kernels[SHW_KERNEL_SECOND_1 + scale];
    double slope = 0, curvature = 0;

    for (int u = -(int)first->radius; u <= (int)first->radius; u++) {
        slope += u * first->weights[u + (int)first->radius] / 16384.0;
        curvature += u * u * second->weights[u + (int)first->radius] / 32768.0;
    }
    return curvature / (slope * slope);
}

static void check_hessian(const struct shw_image *image, uint32_t scale)
{
    int16_t planes[2 * PIXELS];
    uint32_t gauss = SHW_KERNEL_GAUSS_1 + scale, second = SHW_KERNEL_SECOND_1 + scale,
             first = SHW_KERNEL_FIRST_1 + scale;

    make("hessian", 1u << scale, image, planes);
    for (uint32_t p = 0; p < image->width * image->height; p += 1 + 16 * scale) {
        int x = (int)(p % image->width), y = (int)(p / image->width);
        double xx = filtered(image, x, y, second, gauss), yy = filtered(image, x, y, gauss, second);
        double xy = mixed(scale) * filtered(image, x, y, first, first), root = hypot((xx - yy) / 2, xy);
        assert_true(fabs(planes[p] - ((xx + yy) / 2 + root)) < 2.5);
        assert_true(fabs(planes[image->width * image->height + p] - ((xx + yy) / 2 - root)) < 2.5);
    }
}

static void check_tensor(const struct shw_image *image, uint32_t scale)
{
    static const double window[] = {3 / 64.0, 16 / 64.0, 26 / 64.0, 16 / 64.0, 3 / 64.0};
    int16_t planes[2 * PIXELS], dx[PIXELS], dy[PIXELS];
    int step = scale > 1 ? 1 << (scale - 1) : 1;
    uint32_t pixels = image->width * image->height;

    make("tensor", 1u << scale, image, planes);
    make("dx", 1u << scale, image, dx);
    make("dy", 1u << scale, image, dy);
    for (uint32_t p = 0; p < pixels; p++) {
        double xx = 0, yy = 0, xy = 0, root;
        for (int v = -2; v <= 2; v++)
            for (int u = -2; u <= 2; u++) {
                uint32_t at = inside((int)(p / image->width) + v * step, image->height) * image->width +
                              inside((int)(p % image->width) + u * step, image->width);
                double weight = window[u + 2] * window[v + 2];
                xx += weight * dx[at] * dx[at];
                yy += weight * dy[at] * dy[at];
                xy += weight * dx[at] * dy[at];
            }
        root = hypot((xx - yy) / 2, xy);
        /* Products are rounded to 16, so their root is within 4 of what it would be. */
        assert_true(fabs(planes[p] - sqrt((xx + yy) / 2 + root)) < 5);
        assert_true(fabs(planes[pixels + p] - sqrt(fmax((xx + yy) / 2 - root, 0))) < 6);
        assert_true(planes[p] >= planes[pixels + p]);
    }
}

static void check_orient(const struct shw_image *image, uint32_t scale)
{
    int16_t planes[6 * PIXELS], dx[PIXELS], dy[PIXELS];
    uint32_t pixels = image->width * image->height;

    make("orient", 1u << scale, image, planes);
    make("dx", 1u << scale, image, dx);
    make("dy", 1u << scale, image, dy);
    for (uint32_t p = 0; p < pixels; p++) {
        double length = hypot(dx[p], dy[p]), angle = fmod(atan2(dy[p], dx[p]) * 180 / M_PI + 180, 180);
        uint32_t present = 0;
        for (uint32_t bin = 0; bin < 6; bin++) {
            double away = fabs(angle - 30 * bin);
            away = fmin(away, 180 - away);
            double share = away < 30 ? length * sin((30 - away) * M_PI / 180) / sin(M_PI / 6) : 0;
            assert_true(fabs(planes[bin * pixels + p] - share) < 0.75);
            present += planes[bin * pixels + p] > 0;
        }
        assert_in_range(present, 0, 2);
    }
}

static void check_opponent(const struct shw_image *image, uint32_t scale)
{
    int16_t planes[2 * PIXELS], gauss[3 * PIXELS];
    uint32_t pixels = image->width * image->height;

    make("opponent", 1u << scale, image, planes);
    make("gauss", 1u << scale, image, gauss);
    for (uint32_t p = 0; p < pixels; p++) {
        int red = gauss[p], green = gauss[pixels + p], blue = gauss[2 * pixels + p];
        assert_int_equal(planes[p], red - green);
        assert_int_equal(planes[pixels + p], (int)floor((red + green - 2 * blue) / 2.0 + 0.5));
    }
}

static void check_deviation(const struct shw_image *image, int radius)
{
    int16_t plane[PIXELS];
    double count = (2 * radius + 1) * (2 * radius + 1);

    make("deviation", (uint32_t)radius, image, plane);
    for (uint32_t p = 0; p < image->width * image->height; p += (uint32_t)radius) {
        double sum = 0, squares = 0;
        for (int v = -radius; v <= radius; v++)
            for (int u = -radius; u <= radius; u++) {
                double value = luma(image, (int)(p % image->width) + u, (int)(p / image->width) + v);
                sum += value;
                squares += value * value;
            }
        /* exact up to here */
        assert_int_equal(plane[p], (int)sqrt(floor((squares - sum * sum / count) / count + 1e-7)));
    }
}

static void check(const struct shw_image *image)
{
    for (uint32_t scale = 0; scale < SHW_KERNEL_SCALES; scale++) {
        check_hessian(image, scale);
        check_tensor(image, scale);
        check_orient(image, scale);
        check_opponent(image, scale);
        check_deviation(image, 1 + 2 * (int)scale);
    }
    check_deviation(image, 8);
}

TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, derived_channels_follow_their_definitions)
{
    static const uint32_t sizes[][2] = {{WIDTH, HEIGHT}, {1, 1}, {1, 9}, {12, 1}, {2, 2}, {WIDTH, 5}};
    static uint16_t pixels[3 * PIXELS];
    struct testing_random random = {71};

    for (int round = 0; round < 8; round++) {
        const uint32_t *size = sizes[round < 4 ? 0 : round - 2];
        struct shw_image image = {pixels, size[0], size[1], 0, round % 2 ? SHW_PIXEL_RGB16 : SHW_PIXEL_RGB8};
        draw(&random, round, round % 2 != 0, pixels);
        check(&image);
    }
}

/* Images that drive each bound to its end: white where the weights of a direction are positive. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, bounds_are_reached_and_kept)
{
    static uint8_t pixels[49 * 49 * 3];
    static int16_t planes[6 * 49 * 49];
    static const char *const kinds[] = {"hessian", "tensor", "orient"};
    int most[3] = {0};

    for (uint32_t scale = 0; scale < SHW_KERNEL_SCALES; scale++)
        for (int turn = 0; turn < 24; turn++) {
            double angle = turn % 12 * M_PI / 12, across = cos(angle), down = sin(angle);
            struct shw_image image = {pixels, 49, 49, 0, SHW_PIXEL_RGB8};
            for (int i = 0; i < 49 * 49 * 3; i++) {
                double along = (i / 3 % 49 - 24) * across + (i / 3 / 49 - 24) * down;
                pixels[i] = (turn < 12 ? along > 0 : fabs(along) > 1 << scale) ? 255 : 0;
            }
            for (int k = 0; k < 3; k++) {
                char text[16];
                snprintf(text, sizeof text, "%s:%u", kinds[k], 1u << scale);
                const struct shw_channel_list *list = testing_channels(text);
                make(kinds[k], 1u << scale, &image, planes);
                for (uint32_t i = 0; i < list->channel_count * 49 * 49; i++) {
                    assert_in_range(abs(planes[i]), 0, list->channels[0].max_abs);
                    most[k] = abs(planes[i]) > most[k] ? abs(planes[i]) : most[k];
                }
            }
        }
    assert_in_range(most[0], 1900, 2020);
    assert_in_range(most[1], 3000, 4410);
    assert_in_range(most[2], 4080, 4410);
}

TESTING_CASE(roots_are_rounded_down)
{
    struct testing_random random = {72};

    for (int i = 0; i < 20000; i++) {
        uint32_t value = (uint32_t)testing_random_next(&random) >> testing_random_below(&random, 32);
        uint64_t root = shw_root(value), a = testing_random_below(&random, 1u << 26), b = value & 0x3ffffff, sum;
        assert_true(root * root <= value && (root + 1) * (root + 1) > value);
        sum = a * a + b * b;
        root = shw_hypotenuse((uint32_t)a, (uint32_t)b);
        assert_true(root * root <= sum && (root + 1) * (root + 1) > sum);
    }
    assert_int_equal(shw_root(0), 0);
    assert_int_equal(shw_root(UINT32_MAX), 65535);
    assert_int_equal(shw_root(65535u * 65535u - 1), 65534);
}
