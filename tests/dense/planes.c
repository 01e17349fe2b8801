/* Planes that channel lists name: their text, their ranges, and what kinds make of them. */
#include "testing/testing.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dense/channels/channels.h"
#include "dense/channels/pixels.h"
#include "dense/channels/plane_range.h"
#include "dense/input/inputs.h"
#include "testing/labelling.h"

static struct shw_channel_list parse(const char *text)
{
    struct shw_channel_list list;

    assert_int_equal(shw_channel_list_parse(text, NULL, NULL, &list), SHW_OK);
    return list;
}

static void refuse(const char *text, const char *expected)
{
    char why[SHW_CHANNEL_WHY_SIZE];
    struct shw_channel_list list;

    assert_false(shw_channel_list_read(text, NULL, &list, why));
    if (strstr(why, expected) == NULL)
        fail_msg("%s: '%s' does not say '%s'", text, why, expected);
}

TESTING_CASE(lists_name_planes)
{
    struct shw_channel_list list =
                                parse("gauss:2@nir,range:red=-1..0.5,ndiff:nir,red,log:1,plane:red,range:nir=0..10000"),
                            again;

    assert_string_equal(list.name, "gauss:2@nir,ndiff:nir,red,log:1,plane:red,range:nir=0..10000,range:red=-1..0.5");
    assert_int_equal(list.channel_count, 4);
    assert_string_equal(list.channels[0].name, "gauss-2@nir");
    assert_string_equal(list.channels[1].name, "ndiff-nir-red");
    assert_string_equal(list.channels[3].name, "plane-red");
    assert_int_equal(list.input_count, 3);
    assert_string_equal(list.inputs[0], SHW_COLOUR);
    assert_string_equal(list.inputs[1], "nir");
    assert_string_equal(list.inputs[2], "red");
    assert_true(list.ranges[1].low == 0 && list.ranges[1].high == 10000);
    assert_true(list.ranges[2].low == -1 && list.ranges[2].high == 0.5f);
    again = parse(list.name);
    assert_string_equal(again.name, list.name);
    assert_true(shw_channel_lists_equal(&list, &again));
    again = parse("gauss:2@nir,ndiff:nir,red,log:1,plane:red,range:nir=0..10001,range:red=-1..0.5");
    assert_false(shw_channel_lists_equal(&list, &again));
    again = parse("gauss:2@nir,ndiff:red,nir,log:1,plane:red,range:nir=0..10000,range:red=-1..0.5");
    assert_false(shw_channel_lists_equal(&list, &again));
}

TESTING_CASE(named_lists_read_planes)
{
    struct shw_channel_list list = parse("winn16@nir,rgb");

    assert_int_equal(list.channel_count, 10 + 3);
    assert_string_equal(list.channels[0].name, "gauss-1@nir");
    assert_string_equal(list.channels[9].name, "dy-4@nir");
    assert_int_equal(list.radius, 12);
    refuse("wide@nir", "position does not read planes");
}

TESTING_CASE(sixty_four_planes_are_the_most)
{
    char text[SHW_CHANNEL_LIST_NAME_SIZE] = "";
    struct shw_channel_list list;

    for (int i = 0; i < 64; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%splane:band-%d,range:band-%d=0..%d",
                 i > 0 ? "," : "", i, i, 1000 + i);
    list = parse(text);
    assert_int_equal(list.channel_count, 64);
    assert_int_equal(list.input_count, 65);
    assert_string_equal(list.channels[63].name, "plane-band-63");
    strcat(text, ",plane:more");
    refuse(text, "more than 64");
}

TESTING_CASE(lists_with_planes_are_refused)
{
    refuse("rgb@nir", "rgb does not read planes");
    refuse("dt@nir", "dt does not read planes");
    refuse("gauss:2@NIR,gauss:2@nir", "the same as entry 1");
    refuse("gauss:2@", "is no name of a plane");
    refuse("gauss:2@depth", "is no name of a plane");
    refuse("gauss:2@colour", "is no name of a plane");
    refuse("gauss:2@posterior-0", "is no name of a plane");
    refuse("gauss:2@abcdefghijabcdefghijabcdefghijab", "is no name of a plane");
    refuse("gauss@nir", "needs a parameter");
    refuse("gauss:3@nir", "does not take the parameter 3");
    refuse("plane", "needs a plane");
    refuse("plane:", "is no name of a plane");
    refuse("ndiff:nir", "needs two planes");
    refuse("ndiff:nir,nir", "the same plane twice");
    refuse("ndiff:nir,Nir", "the same plane twice");
    refuse("ndiff:nir,log:1", "is no name of a plane");
    refuse("gauss:2@nir,gauss:2@nir", "the same as entry 1");
    refuse("plane:nir,range:red=0..1", "no channel reads");
    refuse("plane:nir,range:nir=0..1,range:nir=0..1", "two ranges of nir");
    refuse("plane:nir,range:nir=1..1", "no range such as");
    refuse("plane:nir,range:nir=2..1", "no range such as");
    refuse("plane:nir,range:nir=0..1e", "no range such as");
    refuse("plane:nir,range:nir=0x0..1", "no range such as");
    refuse("plane:nir,range:nir=nan..1", "no range such as");
    refuse("plane:nir,range:nir=0", "no range such as");
    refuse("plane:nir,range:nir", "no range such as");
    refuse("plane:nir,range:nir=0..1234567890123456", "no range such as");
    refuse("range:nir=0..1", "no channel reads");
    refuse("planes:nir", "plane, ndiff");
}

TESTING_CASE(ranges_are_written_as_short_as_they_can_be)
{
    static const char *const texts[] = {"0..1",         "-0.25..0.75",     "0..10000", "1e-05..1e+10", "0.1..0.2",
                                        "-1e+20..3000", "16777215..1e+08", "0..65535", "1.5..1.75"};
    struct testing_random random = {5};
    char text[SHW_RANGE_TEXT_SIZE];

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct shw_plane_range range;
        assert_true(shw_plane_range_read(texts[i], strlen(texts[i]), &range));
        shw_plane_range_write(&range, text);
        assert_string_equal(text, texts[i]);
    }
    for (int i = 0; i < 20000; i++) { /* all that are usual come back */
        float low =
            ldexpf((float)testing_random_range(&random, -8000000, 8000000), testing_random_range(&random, -40, 20));
        struct shw_plane_range range = {low, low + fabsf(low) + 1}, again;
        shw_plane_range_write(&range, text);
        assert_true(shw_plane_range_read(text, strlen(text), &again));
        assert_true(again.low == range.low && again.high == range.high);
    }
}

/* The sample that is expected, and by how much it may be missed. */
static long double exact_place(float value, float low, float high, long double *tolerance)
{
    long double greatest = fmaxf(fabsf(low), fabsf(high)), span = (long double)high - low;

    *tolerance = 0.5L + 65535 * greatest / span * 0x1p-28L;
    if (isnan(value) || value <= low)
        return 0;
    return value >= high ? 65535 : ((long double)value - low) / span * 65535;
}

TESTING_CASE(samples_are_the_place_in_the_range)
{
    static const float odd[] = {NAN, -NAN, INFINITY, -INFINITY, 0, -0.0f, 3.4e38f, -3.4e38f, 1e-45f, 1e-38f};
    struct testing_random random = {6};

    for (int i = 0; i < 200000; i++) {
        float low =
            ldexpf((float)testing_random_range(&random, -8000000, 8000000), testing_random_range(&random, -30, 10));
        float span = ldexpf((float)testing_random_range(&random, 1, 8000000), testing_random_range(&random, -30, 10));
        float high = low + span, value = low + span * (float)testing_random_range(&random, -100, 1100) / 1000;
        struct shw_depth depth = {SHW_DEPTH_RANGE, .near_plane = low, .far_plane = high};
        long double tolerance, expected;
        uint32_t got;
        if (!shw_plane_range_is_valid(low, high))
            continue;
        if (i % 16 == 0)
            value = odd[i / 16 % 10];
        expected = exact_place(value, low, high, &tolerance);
        got = shw_pixel_depth(SHW_PIXEL_GREY32_FLOAT, &value, shw_depth_scale(&depth));
        if (got > 65535 || fabsl((long double)got - expected) > tolerance)
            fail_msg("%a in %a..%a is %u, not %Lf", (double)value, (double)low, (double)high, got, expected);
    }
}

TESTING_CASE(ranges_of_whole_samples_change_nothing)
{
    const struct shw_depth bytes = {SHW_DEPTH_RANGE, .near_plane = 0, .far_plane = 255};
    const struct shw_depth words = {SHW_DEPTH_RANGE, .near_plane = 0, .far_plane = 65535};

    for (uint32_t v = 0; v < 256; v++)
        assert_int_equal(shw_pixel_depth(SHW_PIXEL_GREY8, &(uint8_t){(uint8_t)v}, shw_depth_scale(&bytes)), 257 * v);
    for (uint32_t v = 0; v < 65536; v++) {
        float number = (float)v;
        assert_int_equal(shw_pixel_depth(SHW_PIXEL_GREY16, &(uint16_t){(uint16_t)v}, shw_depth_scale(&words)), v);
        assert_int_equal(shw_pixel_depth(SHW_PIXEL_GREY32_FLOAT, &number, shw_depth_scale(&words)), v);
    }
}

enum { WIDTH = 37, HEIGHT = 23 };

static int16_t *make(const struct shw_channel_list *list, const struct shw_image *colour,
                     const struct shw_image *planes)
{
    struct shw_channel_images images = {.of = {colour}};
    int16_t *channels = malloc(sizeof *channels * list->channel_count * WIDTH * HEIGHT);

    assert_non_null(channels);
    for (uint32_t i = 1; i < list->input_count; i++) {
        images.of[i] = &planes[i - 1];
        images.depth[i] = shw_input_scaling(list, i, &(struct shw_input){0});
    }
    assert_int_equal(shw_channels_cpu(list, &images, NULL, channels, NULL), SHW_OK);
    return channels;
}

/* Every kind on a plane is that kind on a grey image; both stand in one list with others between. */
TESTING_CASE(kinds_on_planes_are_those_on_grey_images)
{
    static const char *const kinds[] = {"gauss",  "log",     "dx",     "dy",     "abs-log",  "abs-dx",
                                        "abs-dy", "hessian", "tensor", "orient", "deviation"};
    struct testing_random random = {7};

    for (uint32_t i = 0; i < 11 * 4 * 2; i++) {
        enum shw_pixel_format format = i % 2 == 0 ? SHW_PIXEL_GREY8 : SHW_PIXEL_GREY16;
        struct shw_image noise = testing_image(&random, WIDTH, HEIGHT, SHW_PIXEL_RGB8, 3);
        struct shw_image planes[2] = {testing_image(&random, WIDTH, HEIGHT, format, 2),
                                      testing_image(&random, WIDTH, HEIGHT, SHW_PIXEL_GREY16, 0)};
        struct shw_channel_list on_plane, on_grey;
        char text[96];
        int16_t *got, *expected;
        uint32_t count, skip;
        snprintf(text, sizeof text, "gauss:1@other,%s:%u@it,hessian:1@other", kinds[i / 8], 1u << i / 2 % 4);
        on_plane = parse(text);
        assert_string_equal(on_plane.inputs[2], "it");
        snprintf(text, sizeof text, "%s:%u", kinds[i / 8], 1u << i / 2 % 4);
        on_grey = parse(text);
        skip = strcmp(kinds[i / 8], "gauss") == 0 ? 3 : 1; /* of the three, any */
        count = on_plane.entries[2].first - on_plane.entries[1].first;
        assert_int_equal(count * skip, on_grey.channel_count);
        got = make(&on_plane, &noise, (struct shw_image[]){planes[1], planes[0]});
        expected = make(&on_grey, &planes[0], NULL);
        for (uint32_t c = 0; c < count; c++) {
            assert_memory_equal(got + (1 + c) * WIDTH * HEIGHT, expected + skip * c * WIDTH * HEIGHT,
                                sizeof *got * WIDTH * HEIGHT);
            assert_int_equal(on_plane.channels[1 + c].max_abs, on_grey.channels[skip * c].max_abs);
            assert_int_equal(on_plane.channels[1 + c].mirrored, on_grey.channels[skip * c].mirrored);
        }
        free(got);
        free(expected);
        free((void *)(uintptr_t)noise.pixels);
        for (int p = 0; p < 2; p++)
            free((void *)(uintptr_t)planes[p].pixels);
    }
}

static uint32_t sample_of(const struct shw_image *image, uint32_t x, uint32_t y)
{
    const char *row =
        (const char *)image->pixels + y * (image->stride > 0 ? image->stride : shw_pixel_size(image->format) * WIDTH);

    return image->format == SHW_PIXEL_GREY8 ? 257u * ((const uint8_t *)row)[x]
                                            : ((const uint16_t *)(const void *)row)[x];
}

TESTING_CASE(normalised_differences)
{
    struct testing_random random = {8};
    struct shw_channel_list list = parse("ndiff:a,b,plane:a");

    for (uint32_t round = 0; round < 8; round++) {
        struct shw_image planes[2] = {
            testing_image(&random, WIDTH, HEIGHT, (round & 1) != 0 ? SHW_PIXEL_GREY8 : SHW_PIXEL_GREY16, 0),
            testing_image(&random, WIDTH, HEIGHT, (round & 2) != 0 ? SHW_PIXEL_GREY8 : SHW_PIXEL_GREY16, 2)};
        int16_t *got = make(&list, &planes[0], planes);
        for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
            int64_t a = sample_of(&planes[0], i % WIDTH, i / WIDTH), b = sample_of(&planes[1], i % WIDTH, i / WIDTH);
            double quotient = a + b == 0 ? 0 : 4080 * (double)(a - b) / (double)(a + b);
            assert_true(fabs(got[i] - quotient) <= 0.5);
            assert_int_equal(got[WIDTH * HEIGHT + i], (16 * a + 128) / 257);
        }
        free(got);
        for (int p = 0; p < 2; p++)
            free((void *)(uintptr_t)planes[p].pixels);
    }
}

static void check_choice(const char *channels, struct shw_input plane, const char *expected)
{
    static const uint8_t colour[3 * 4] = {0};
    struct shw_channel_list list = parse(channels);
    struct shw_chosen_inputs chosen;
    struct testing_log log;
    struct shw_log to = testing_log(&log);
    struct shw_input inputs[2] = {{.image = {colour, 2, 2, 0, SHW_PIXEL_RGB8}}, plane};
    uint32_t count = plane.name != NULL ? 2 : 1;

    assert_int_equal(shw_inputs_choose(&(struct shw_inputs){count, inputs}, &list, &to, &chosen),
                     expected == NULL ? SHW_OK : SHW_ERROR_ARGUMENT);
    if (expected != NULL && strstr(log.last, expected) == NULL)
        fail_msg("'%s' does not say '%s'", log.last, expected);
}

TESTING_CASE(planes_are_checked)
{
    static const float floats[4] = {0};
    static const uint16_t words[4] = {0};
    const struct shw_image grey = {words, 2, 2, 0, SHW_PIXEL_GREY16}, deep = {floats, 2, 2, 0, SHW_PIXEL_GREY32_FLOAT};
    const struct shw_depth range = {SHW_DEPTH_RANGE, .near_plane = 0, .far_plane = 1};
    const struct shw_depth linear = {SHW_DEPTH_LINEAR, .unit = 1}, upside = {SHW_DEPTH_RANGE, .near_plane = 1};

    check_choice("plane:nir", (struct shw_input){.name = "nir", .image = grey}, NULL);
    check_choice("plane:nir,range:nir=0..1", (struct shw_input){.name = "nir", .image = deep}, NULL);
    check_choice("plane:nir", (struct shw_input){.name = "nir", .image = deep, .depth = range}, NULL);
    check_choice("plane:nir", (struct shw_input){0}, "the input nir is missing");
    check_choice("plane:nir", (struct shw_input){.name = "red", .image = grey}, "red is not read");
    check_choice("plane:nir", (struct shw_input){.name = "nir", .image = deep}, "no range says");
    check_choice("plane:nir,range:nir=0..2", (struct shw_input){.name = "nir", .image = deep, .depth = range}, NULL);
    check_choice("plane:nir,range:nir=0..2", (struct shw_input){.name = "nir", .image = grey, .depth = linear},
                 "is for depth");
    check_choice("plane:nir", (struct shw_input){.name = "nir", .image = grey, .depth = linear}, "is for depth");
    check_choice("plane:nir", (struct shw_input){.name = "nir", .image = deep, .depth = upside},
                 "whose lower end is below");
    check_choice("plane:nir", (struct shw_input){.name = "nir", .image = {words, 1, 2, 0, SHW_PIXEL_GREY16}},
                 "has 1 x 2 pixels");
}
