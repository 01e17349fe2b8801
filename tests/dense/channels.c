/* Channels on the CPU: filter bank, Lab, positions, motion, each against a plain definition. */
#include "testing/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dense/channels/channels.h"
#include "dense/channels/filter_bank.h"
#include "dense/feature/mirror.h"
#include "shared/base_planes.h"
#include "shared/types.h"

TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, depths_agree)
{
    for (uint32_t v = 0; v < 256; v++) {
        assert_int_equal(shw_base_from_16(257 * v), shw_base_from_8(v));
        assert_int_equal(shw_base_luma(16 * v, 16 * v, 16 * v), 16 * v);
    }
    for (uint32_t v = 0; v < 65535; v++)
        assert_in_range(shw_base_from_16(v + 1) - shw_base_from_16(v), 0, 1);
    assert_int_equal(shw_position(0, 1), 2040);
    assert_int_equal(shw_position(65534, 65535), 4079);
}

/* A sample of an image as base value; the border is clamped. Colour 3 is luma. */
static int64_t base(const struct shw_image *image, int x, int y, int colour)
{
    int column = x < 0 ? 0 : x >= (int)image->width ? (int)image->width - 1 : x;
    int row = y < 0 ? 0 : y >= (int)image->height ? (int)image->height - 1 : y;
    const char *at =
        (const char *)image->pixels + (size_t)row * image->stride + (size_t)column * shw_pixel_size(image->format);
    int grey = image->format == SHW_PIXEL_GREY8 || image->format == SHW_PIXEL_GREY16;
    int wide = image->format >= SHW_PIXEL_GREY16;
    int64_t rgb[3];

    for (int c = 0; c < 3; c++) {
        int place = grey ? 0 : c;
        rgb[c] =
            wide ? (((const uint16_t *)(const void *)at)[place] * 16 + 128) / 257 : ((const uint8_t *)at)[place] * 16;
    }
    return colour < 3 ? rgb[colour] : (77 * rgb[0] + 150 * rgb[1] + 29 * rgb[2] + 128) / 256;
}

static int64_t round_down_half_up(int64_t value, int64_t unit)
{
    int64_t sum = 2 * value + unit, twice = 2 * unit;
    return sum >= 0 ? sum / twice : -((-sum + twice - 1) / twice);
}

/* One separable term with the stated intermediate rounding, scaled by 2^21. */
static int64_t separable(const struct shw_image *image, int x, int y, int colour, enum shw_kernel row,
                         enum shw_kernel column)
{
    const struct shw_filter_kernel *across = &shw_filter_kernels[row], *down = &shw_filter_kernels[column];
    int radius = (int)across->radius;
    int64_t sum = 0;

    for (int v = -radius; v <= radius; v++) {
        int64_t line = 0;
        for (int u = -radius; u <= radius; u++)
            line += across->weights[u + radius] * base(image, x + u, y + v, colour);
        sum += down->weights[v + radius] * round_down_half_up(line, 1 << 11);
    }
    return sum;
}

static int64_t filtered(const struct shw_image *image, int x, int y, const char *name)
{
    static const char *const names[] = {"1", "2", "4", "8"};
    int scale = 0, sigma;
    char kind[16];

    assert_int_equal(sscanf(name, "%15[a-z]", kind), 1);
    sigma = name[strlen(name) - 1] - '0';
    while (atoi(names[scale]) != sigma)
        scale++;
    enum shw_kernel g = SHW_KERNEL_GAUSS_1 + scale, h = SHW_KERNEL_SECOND_1 + scale, d = SHW_KERNEL_FIRST_1 + scale;
    if (strcmp(kind, "gauss") == 0) {
        int colour = name[6] == 'r' ? 0 : name[6] == 'g' ? 1 : 2;
        return round_down_half_up(separable(image, x, y, colour, g, g), 1 << 17);
    }
    if (strcmp(kind, "log") == 0)
        return round_down_half_up(separable(image, x, y, 3, h, g) + separable(image, x, y, 3, g, h), 1 << 17);
    if (strcmp(kind, "dx") == 0)
        return round_down_half_up(separable(image, x, y, 3, d, g), 1 << 17);
    assert_string_equal(kind, "dy");
    return round_down_half_up(separable(image, x, y, 3, g, d), 1 << 17);
}

static double light(double v)
{
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static double curve(double t)
{
    return t > 216.0 / 24389 ? cbrt(t) : t * 841 / 108 + 4.0 / 29;
}

static double lab_reference(double r, double g, double b, char which)
{
    double x = curve((0.412453 * light(r) + 0.357580 * light(g) + 0.180423 * light(b)) / 0.950456);
    double y = curve(0.212671 * light(r) + 0.715160 * light(g) + 0.072169 * light(b));
    double z = curve((0.019334 * light(r) + 0.119193 * light(g) + 0.950227 * light(b)) / 1.088754);

    return which == 'l' ? 116 * y - 16 : which == 'a' ? 500 * (x - y) : 200 * (y - z);
}

/* Of luma to the frame before. */
static int64_t change(const struct shw_image *image, const struct shw_image *before, int x, int y)
{
    return base(image, x, y, 3) - base(before, x, y, 3);
}

static int64_t motion(const struct shw_image *image, const struct shw_image *before, int x, int y, const char *name)
{
    static const int smooth[] = {1, 2, 1}, derive[] = {-1, 0, 1};
    const int *across = name[4] == 'x' ? derive : smooth, *down = name[4] == 'x' ? smooth : derive;
    int64_t sum = 0;

    for (int i = 0; i < 9; i++)
        sum += across[i % 3] * down[i / 3] * change(image, before, x + i % 3 - 1, y + i / 3 - 1);
    return round_down_half_up(sum, 4);
}

static void check_channel(const struct shw_image *image, const struct shw_image *before,
                          const struct shw_region *region, const struct shw_channel_info *info, const int16_t *plane)
{
    bool is_colour = strlen(info->name) == 1 && strchr("rgb", info->name[0]) != NULL;
    bool is_lab = info->fraction_bits == 5;

    for (int y = 0; y < (int)image->height; y++)
        for (int x = 0; x < (int)image->width; x++) {
            int64_t value = plane[(size_t)y * image->width + (size_t)x], expected;
            if (is_lab) {
                double reference =
                    lab_reference((double)base(image, x, y, 0) / 4080, (double)base(image, x, y, 1) / 4080,
                                  (double)base(image, x, y, 2) / 4080, info->name[0]);
                assert_true(fabs((double)value / 32 - reference) <= 0.06);
                expected = value;
            } else if (is_colour)
                expected = base(image, x, y, (int)(strcspn("rgb", info->name)));
            else if (strcmp(info->name, "x") == 0)
                expected = (2 * ((int64_t)region->x + x) + 1) * 2040 / region->full_width;
            else if (strcmp(info->name, "y") == 0)
                expected = (2 * ((int64_t)region->y + y) + 1) * 2040 / region->full_height;
            else if (strcmp(info->name, "dt") == 0)
                expected = change(image, before, x, y);
            else if (strcmp(info->name, "abs-dt") == 0)
                expected = llabs(change(image, before, x, y));
            else if (strncmp(info->name, "dt-", 3) == 0)
                expected = motion(image, before, x, y, info->name);
            else if (strncmp(info->name, "abs-", 4) == 0)
                expected = llabs(filtered(image, x, y, info->name + 4));
            else
                expected = filtered(image, x, y, info->name);
            assert_int_equal(value, expected);
            assert_true(llabs(value) <= info->max_abs);
        }
}

TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, channels_follow_their_definitions)
{
    static const uint32_t sizes[][2] = {{1, 1}, {1, 7}, {7, 1}, {21, 12}, {3, 50}, {17, 200}};
    static const char *const lists[] = {SHW_CHANNELS_WINN16,
                                        SHW_CHANNELS_WINN17,
                                        SHW_CHANNELS_WIDE,
                                        SHW_CHANNELS_RGB,
                                        SHW_CHANNELS_LAB,
                                        "dy:8,gauss:8,rgb,dx:1,abs-dx:8,dy:1,abs-dy:1",
                                        "abs-dy:8,lab,dx:8,abs-dx:1,position,abs-log:2,gauss:2",
                                        "dt",
                                        "log:1,dt-gradient,rgb,dt"};
    static uint16_t pixels[17000];
    struct testing_random random = {12};

    for (int round = 0; round < 54; round++) {
        const uint32_t *size = sizes[(round + round / 6) % 6];
        enum shw_pixel_format format = SHW_PIXEL_GREY8 + round % 6;
        const struct shw_channel_list *list = testing_channels(lists[round / 6]);
        struct shw_image image = {pixels, size[0], size[1], 0, format}, before;
        struct shw_region region = {
            size[0], size[1], testing_random_below(&random, 1000), testing_random_below(&random, 1000), 1100, 1205};
        uint32_t count = list->channel_count;
        int16_t *planes = malloc(count * size[0] * size[1] * sizeof *planes);

        for (size_t i = 0; i < sizeof pixels / sizeof pixels[0]; i++)
            pixels[i] = (uint16_t)testing_random_next(&random);
        image.stride = (size[0] + 1) * shw_pixel_size(format);
        before = image;
        before.pixels = pixels + 1999;
        assert_non_null(planes);
        assert_int_equal(
            shw_channels_cpu(list, &(struct shw_channel_images){.of = {&image, &before}}, &region, planes, NULL),
            SHW_OK);
        for (uint32_t channel = 0; channel < count; channel++)
            check_channel(&image, &before, &region, &list->channels[channel], planes + channel * size[0] * size[1]);
        free(planes);
    }
}

/* Without a frame before, and in the worst case. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, motion_is_zero_and_bounded)
{
    const struct shw_channel_list *list = testing_channels("dt,dt-gradient");
    uint8_t pixels[] = {0, 9, 255, 0, 77, 255, 0, 3, 255}, opposite[9];
    int16_t planes[4 * 9];
    struct shw_image image = {pixels, 3, 3, 0, SHW_PIXEL_GREY8}, before = {opposite, 3, 3, 0, SHW_PIXEL_GREY8};

    for (int i = 0; i < 9; i++)
        opposite[i] = (uint8_t)(255 - pixels[i]);
    assert_int_equal(list->input_count, 2);
    assert_string_equal(list->inputs[1], SHW_PREVIOUS);
    assert_int_equal(testing_channels(SHW_CHANNELS_WIDE)->input_count, 1);
    assert_int_equal(shw_channels_cpu(list, &(struct shw_channel_images){.of = {&image}}, NULL, planes, NULL), SHW_OK);
    for (int i = 0; i < 4 * 9; i++)
        assert_int_equal(planes[i], 0);
    assert_int_equal(shw_channels_cpu(list, &(struct shw_channel_images){.of = {&image, &before}}, NULL, planes, NULL),
                     SHW_OK);
    assert_int_equal(planes[0], -4080);
    assert_int_equal(planes[9], list->channels[1].max_abs);
    assert_int_equal(planes[2 * 9 + 4], list->channels[2].max_abs);
    assert_int_equal(shw_channels_cpu(list, &(struct shw_channel_images){.of = {&before, &image}}, NULL, planes, NULL),
                     SHW_OK);
    assert_int_equal(planes[2 * 9 + 4], -(int)list->channels[2].max_abs);
}

/* A constant image has constant Gaussians, no derivatives and no Laplacian, whatever its value. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, flat_images_stay_flat)
{
    static int16_t planes[27 * 9 * 5];
    uint8_t pixels[9 * 5];
    struct shw_image image = {pixels, 9, 5, 0, SHW_PIXEL_GREY8};

    for (int value = 0; value < 256; value++) {
        memset(pixels, value, sizeof pixels);
        assert_int_equal(shw_channels_cpu(testing_channels(SHW_CHANNELS_WIDE),
                                          &(struct shw_channel_images){.of = {&image}}, NULL, planes, NULL),
                         SHW_OK);
        for (int i = 0; i < 25 * 45; i++)
            assert_int_equal(planes[i], i < 9 * 45 ? 16 * value : 0);
        assert_int_equal(shw_channels_cpu(testing_channels(SHW_CHANNELS_LAB),
                                          &(struct shw_channel_images){.of = {&image}}, NULL, planes, NULL),
                         SHW_OK);
        for (int i = 45; i < 3 * 45; i++)
            assert_int_equal(planes[i], 0);
    }
}

TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, lab_stays_in_its_range)
{
    static uint8_t pixels[33 * 33 * 33 * 3];
    static int16_t planes[33 * 33 * 33 * 3];
    struct shw_image image = {pixels, 33 * 33, 33, 0, SHW_PIXEL_RGB8};
    const struct shw_channel_info *info = testing_channels(SHW_CHANNELS_LAB)->channels;
    uint8_t *pixel = pixels;
    double worst = 0;

    for (int r = 0; r < 33; r++)
        for (int g = 0; g < 33; g++)
            for (int b = 0; b < 33; b++) {
                *pixel++ = (uint8_t)(r * 255 / 32);
                *pixel++ = (uint8_t)(g * 255 / 32);
                *pixel++ = (uint8_t)(b * 255 / 32);
            }
    assert_int_equal(shw_channels_cpu(testing_channels(SHW_CHANNELS_LAB), &(struct shw_channel_images){.of = {&image}},
                                      NULL, planes, NULL),
                     SHW_OK);
    for (int i = 0; i < 33 * 33 * 33; i++)
        for (int c = 0; c < 3; c++) {
            int value = planes[c * 33 * 33 * 33 + i];
            double error = fabs(value / 32.0 - lab_reference(pixels[3 * i] / 255.0, pixels[3 * i + 1] / 255.0,
                                                             pixels[3 * i + 2] / 255.0, info[c].name[0]));
            assert_true(abs(value) <= (int)info[c].max_abs);
            worst = error > worst ? error : worst;
        }
    print_message("# largest error of Lab: %.4f\n", worst);
    assert_true(worst <= 0.06);
    assert_int_equal(testing_hash(planes, sizeof planes), 0xd7f2f68ae925c349);
}

TESTING_CASE(threads_change_nothing)
{
    static uint8_t pixels[61 * 47 * 3];
    static int16_t one[27 * 61 * 47], many[27 * 61 * 47];
    struct shw_image image = {pixels, 61, 47, 0, SHW_PIXEL_RGB8};
    struct testing_random random = {13};
    struct shw_thread_pool *pool;

    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)testing_random_next(&random);
    assert_int_equal(shw_thread_pool_create(3, &pool), SHW_OK);
    for (uint32_t i = 0; shw_channel_list_get_name(i) != NULL; i++) {
        const struct shw_channel_list *list = testing_channels(shw_channel_list_get_name(i));
        size_t size = list->channel_count * 61 * 47 * sizeof one[0];
        assert_int_equal(shw_channels_cpu(list, &(struct shw_channel_images){.of = {&image}}, NULL, one, NULL), SHW_OK);
        assert_int_equal(shw_channels_cpu(list, &(struct shw_channel_images){.of = {&image}}, NULL, many, pool),
                         SHW_OK);
        assert_memory_equal(one, many, size);
    }
    shw_thread_pool_destroy(&pool);
}

enum { MIRROR_WIDTH = 41, MIRROR_HEIGHT = 9, TENSOR_ROUNDING = 8, ORIENT_ROUNDING = 2 };

/* The channels of a list, of random inputs or of their mirror images. */
static void make_mirrored(const struct shw_channel_list *list, uint32_t width, uint32_t height, bool wide,
                          bool mirrored, int16_t *planes)
{
    static uint16_t pixels[SHW_INPUTS_MAX][MIRROR_WIDTH * MIRROR_HEIGHT * 3];
    struct testing_random random = {width * 1000 + height};
    struct shw_image images[SHW_INPUTS_MAX];
    struct shw_channel_images inputs = {0};

    for (uint32_t i = 0; i < list->input_count; i++) {
        bool colour = i == 0 || strcmp(list->inputs[i], SHW_PREVIOUS) == 0, bytes = colour && !wide;
        uint32_t samples = colour ? 3 : 1;
        for (uint32_t s = 0; s < width * height * samples; s++) {
            uint32_t x = s / samples % width, turned = s + (mirrored ? width - 1 - 2 * x : 0) * samples;
            uint16_t value = (uint16_t)(testing_random_next(&random) >> 20);
            if (bytes)
                ((uint8_t *)pixels[i])[turned] = (uint8_t)value;
            else
                pixels[i][turned] = value % 7 == 0 ? 0 : value;
        }
        images[i] = (struct shw_image){pixels[i], width, height, 0,
                                       bytes    ? SHW_PIXEL_RGB8
                                       : colour ? SHW_PIXEL_RGB16
                                                : SHW_PIXEL_GREY16};
        inputs.of[i] = &images[i];
    }
    assert_int_equal(shw_channels_cpu(list, &inputs, NULL, planes, NULL), SHW_OK);
}

/* By how much a channel that is derived from derivatives in x can differ, since halves are rounded up. */
static int rounding_of(const char *name)
{
    return strncmp(name, "tensor", 6) == 0   ? TENSOR_ROUNDING
           : strncmp(name, "orient", 6) == 0 ? ORIENT_ROUNDING
                                             : strncmp(name, "hessian", 7) == 0;
}

/* Channels of mirrored inputs, against what the kinds say that they are. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, mirror_images_have_the_channels_that_kinds_say)
{
    static const uint32_t widths[] = {1, 2, 5, 16, MIRROR_WIDTH};
    static int16_t planes[2][6 * MIRROR_WIDTH * MIRROR_HEIGHT];
    struct testing_kind kinds[TESTING_KINDS_MAX];
    uint32_t count = testing_channel_kinds(kinds), rounded = 0;

    for (uint32_t k = 0; k < count * 10; k++) {
        const struct shw_channel_list *list = testing_channels(kinds[k % count].text);
        uint32_t width = widths[k / count % 5], height = 1 + k % MIRROR_HEIGHT;

        make_mirrored(list, width, height, k / count >= 5, false, planes[0]);
        make_mirrored(list, width, height, k / count >= 5, true, planes[1]);
        for (uint32_t i = 0; i < list->channel_count * width * height; i++) {
            const struct shw_channel_info *info = &list->channels[i / (width * height)];
            uint32_t partner = shw_mirror_partner(list, i / (width * height)), row = i % (width * height) / width;
            int turned = planes[0][partner * width * height + row * width + width - 1 - i % width],
                there = planes[1][i];
            bool is_derivative = strstr(info->name, "dx") != NULL;
            int said = info->mirrored == SHW_MIRRORED_FIXED     ? planes[0][i]
                       : info->mirrored == SHW_MIRRORED_NEGATED ? -turned
                                                                : turned;
            assert_int_equal(info->mirrored == SHW_MIRRORED_NEGATED,
                             is_derivative && strstr(info->name, "abs") == NULL);
            assert_int_not_equal(info->mirrored, SHW_MIRRORED_UNKNOWN);
            rounded += said != there;
            if (abs(said - there) > (is_derivative ? 1 : rounding_of(info->name)))
                fail_msg("%s at %u of %u x %u is %d in the mirror image; its kind says %d", info->name, i % width,
                         width, height, there, said);
        }
    }
    assert_true(rounded > 0); /* or docs/channels.md says too little */
}
