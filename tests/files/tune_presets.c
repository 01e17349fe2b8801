/* Settings, the space, presets, and the folds of data sets. */
#include "testing/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/tune/folds.h"
#include "files/tune/look.h"
#include "files/tune/preset.h"
#include "files/tune/setting.h"
#include "files/tune/space.h"
#include "testing/examples.h"

TESTING_CASE(presets_of_the_program_are_valid)
{
    uint32_t count = 0;
    const char *name;

    for (; (name = shw_preset_name(count)) != NULL; count++) {
        struct shw_trainer_params params = {0};
        struct shw_preset preset;
        char why[SHW_SETTING_WHY_SIZE];

        assert_non_null(strstr(SHW_PRESETS_HELP, name));
        assert_int_equal(shw_preset_load(name, NULL, &preset), SHW_OK);
        assert_string_equal(preset.name, name);
        assert_true(shw_setting_apply(preset.setting, &params, why));
        assert_true(json_is_integer(json_object_get(preset.setting, SHW_SETTING_SMOOTH)));
        shw_preset_free(&preset);
    }
    assert_int_equal(count, 5);
}

TESTING_CASE(settings_become_parameters)
{
    json_t *setting = json_pack("{s:s, s:i, s:s, s:s, s:i, s:i, s:i, s:s, s:s, s:s, s:i, s:i}", "channels", "lab",
                                "depth", 9, "pixels", "all", "score", "gini", "offset", 10, "offset-min", 2, "size", 60,
                                "flip", "paired", "fill", "simple", "combine", "vote", "levels", 2, "folds", 3);
    struct shw_trainer_params params = {0};
    char why[SHW_SETTING_WHY_SIZE], *options;

    assert_true(shw_setting_apply(setting, &params, why));
    assert_string_equal(params.channels, "lab");
    assert_int_equal(params.depth, 9);
    assert_int_equal(params.pixels_per_image, SHW_PIXELS_ALL);
    assert_int_equal(params.score, SHW_SCORE_GINI);
    assert_int_equal(params.size_max, 21); /* all that the offset allows */
    assert_int_equal(params.offset_min, 2);
    assert_true(params.levels == 2 && params.folds == 3);
    assert_int_equal(params.mirror, SHW_MIRROR_PAIRED);
    assert_int_equal(params.fill, SHW_FILL_SIMPLE);
    assert_int_equal(params.combine, SHW_COMBINE_VOTE);
    options = shw_setting_options(setting);
    assert_string_equal(options, "--channels lab --depth 9 --score gini --offset 10 --offset-min 2 --size 60 --pixels "
                                 "all --combine vote --fill simple --flip paired --levels 2 --folds 3");
    free(options);
    json_decref(setting);
}

TESTING_CASE(wrong_settings_are_refused)
{
    static const struct {
        const char *text, *why;
    } cases[] = {{"{\"depht\": 3}", "depht"},          {"{\"depth\": 65}", "from 1 to 64"},
                 {"{\"depth\": \"3\"}", "from 1"},     {"{\"channels\": \"infra\"}", "channels"},
                 {"{\"score\": \"best\"}", "score"},   {"{\"feature\": \"x\"}", "feature type"},
                 {"{\"smooth\": 121}", "from 0 to"},   {"{\"flip\": 1}", "flip"},
                 {"{\"pixels\": \"some\"}", "pixels"}, {"{\"channels\": 7}", "channels"}};

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *setting = json_loads(cases[i].text, 0, NULL);
        struct shw_trainer_params params = {0};
        char why[SHW_SETTING_WHY_SIZE];

        assert_false(shw_setting_apply(setting, &params, why));
        assert_non_null(strstr(why, cases[i].why));
        json_decref(setting);
    }
}

TESTING_CASE(points_and_settings_belong_together)
{
    struct shw_space space;

    for (unsigned kind = 0; kind < 6; kind++) {
        shw_space_make(kind >= 4, kind % 2 == 1, kind >= 2 && kind < 4, &space);
        for (unsigned i = 0; i < 100; i++) {
            struct shw_search_random random = shw_search_random_of(kind, i);
            struct shw_dimension dimensions[SHW_DIMENSIONS_MAX];
            double values[SHW_DIMENSIONS_MAX], again[SHW_DIMENSIONS_MAX];
            struct shw_trainer_params params = {0};
            char why[SHW_SETTING_WHY_SIZE];
            json_t *setting, *same;

            for (uint32_t d = 0; d < space.count; d++)
                dimensions[d] = space.dimensions[d].range;
            shw_search_draw(dimensions, space.count, &random, values);
            setting = shw_space_setting(&space, values);
            assert_true(shw_setting_apply(setting, &params, why));
            assert_true(shw_space_point(&space, setting, again));
            same = shw_space_setting(&space, again);
            assert_true(json_equal(setting, same));
            json_decref(setting);
            json_decref(same);
        }
    }
}

TESTING_CASE(the_defaults_are_a_point_whose_work_is_one)
{
    struct shw_space space;
    double values[SHW_DIMENSIONS_MAX];
    json_t *empty = json_object(), *setting;

    shw_space_make(false, true, false, &space);
    assert_true(shw_space_point(&space, empty, values));
    assert_true(shw_space_work(&space, values) == 1);
    setting = shw_space_setting(&space, values);
    assert_string_equal(json_string_value(json_object_get(setting, "channels")), "winn16");
    assert_int_equal(json_integer_value(json_object_get(setting, "candidates")), 300);
    json_object_set_new(setting, "candidates", json_integer(900));
    json_object_set_new(setting, "flip", json_string("images"));
    assert_true(shw_space_point(&space, setting, values));
    assert_true(shw_space_work(&space, values) == 6);
    json_decref(setting);
    json_decref(empty);
}

TESTING_CASE(the_space_is_widened_for_a_setting)
{
    json_t *setting = json_pack("{s:s, s:i, s:i, s:i, s:i, s:s}", "channels", "gauss:1,tensor:2", "offset", 300,
                                "candidates", 3000, "pixels", 4000, "depth", 30, "flip", "images");
    struct shw_space space, small;
    double values[SHW_DIMENSIONS_MAX];
    char why[512];

    shw_space_make(false, false, false, &space);
    small = space;
    assert_false(shw_space_point(&space, setting, values));
    shw_space_widen(&space, setting);
    assert_true(shw_space_point(&space, setting, values));
    assert_true(shw_space_work(&space, values) == 10.0 * 4 * 2.5 * 2);
    shw_space_widen(&space, setting); /* once */
    assert_int_equal(space.dimensions[0].range.choices, small.dimensions[0].range.choices + 1);
    assert_true(shw_space_lighten(&space, setting, 1e9));
    assert_int_equal(json_integer_value(json_object_get(setting, "candidates")), 3000);
    assert_true(shw_space_lighten(&space, setting, 50));
    assert_int_equal(json_integer_value(json_object_get(setting, "candidates")), 750);
    assert_int_equal(json_integer_value(json_object_get(setting, "pixels")), 4000);
    assert_true(shw_space_lighten(&space, setting, 1));
    assert_int_equal(json_integer_value(json_object_get(setting, "candidates")), 100);
    assert_in_range(json_integer_value(json_object_get(setting, "pixels")), 590, 600);
    assert_true(shw_space_change(&small, "channels=wide|lab", why, sizeof why)); /* the user's choices stay */
    assert_true(shw_space_change(&small, "offset=2:9", why, sizeof why));
    shw_space_widen(&small, setting);
    assert_int_equal(small.dimensions[0].range.choices, 2);
    assert_false(shw_space_point(&small, setting, values));
    json_decref(setting);
}

TESTING_CASE(the_space_changes_as_the_user_says)
{
    static const struct {
        const char *text, *why;
    } cases[] = {{"depth", "NAME=LOW:HIGH"},     {"trees=3", "none of the settings"}, {"depth=", "LOW:HIGH"},
                 {"depth=9:9", "from 1 to 64"},  {"depth=0:5", "from 1 to 64"},       {"channels=", "1 to 16"},
                 {"channels=lab|nonsense", "'"}, {"score=|gini", "1 to 16"},          {"depth=5:200", "from 1 to 64"}};
    struct shw_space space;
    double values[SHW_DIMENSIONS_MAX];
    json_t *setting = json_pack("{s:s, s:i}", "channels", "wide", "depth", 22), *nearest;
    char why[512];

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        shw_space_make(false, false, false, &space);
        assert_false(shw_space_change(&space, cases[i].text, why, sizeof why));
        if (strstr(why, cases[i].why) == NULL)
            fail_msg("%s: %s", cases[i].text, why);
    }
    shw_space_make(false, false, false, &space);
    assert_true(shw_space_change(&space, "channels=lab|gauss:1,log:2", why, sizeof why));
    assert_true(shw_space_change(&space, "depth=8:14", why, sizeof why));
    assert_true(shw_space_change(&space, "bins=16|32", why, sizeof why));
    assert_true(shw_space_change(&space, "pixels=500", why, sizeof why));
    assert_false(shw_space_point(&space, setting, values));
    nearest = shw_space_nearest(&space, setting);
    assert_string_equal(json_string_value(json_object_get(nearest, "channels")), "lab");
    assert_int_equal(json_integer_value(json_object_get(nearest, "depth")), 14);
    assert_int_equal(json_integer_value(json_object_get(nearest, "pixels")), 500);
    assert_int_equal(json_integer_value(json_object_get(nearest, "bins")), 32);
    json_decref(nearest);
    json_decref(setting);
}

/* The fields that decide, of data with 100 images of 320 x 213 pixels. */
#define LOOK(classes_, depth_, labelled_, saturation_, hue_, place_)                                                   \
    {                                                                                                                  \
        .images = 100, .width = 320, .height = 213, .classes = classes_, .has_depth = depth_, .diagonal = 384,         \
        .area = 68160, .evenness = 0.8, .labelled = labelled_, .saturation = saturation_, .one_hue = hue_,             \
        .place = place_                                                                                                \
    }

TESTING_CASE(data_choose_a_preset)
{
    static const struct {
        struct shw_data_look look;
        const char *preset;
    } cases[] = {
        {LOOK(21, false, 0.9, 0.2, 0.3, 0.08), "photographs"}, {LOOK(21, true, 0.9, 0.2, 0.3, 0.4), "rgbd-rooms"},
        {LOOK(2, false, 0.01, 0.2, 0.3, 0.4), "strokes"},      {LOOK(2, false, 1, 0, NAN, 0), "microscopy"},
        {LOOK(3, false, 1, 0.3, 0.97, 0), "microscopy"},       {LOOK(30, false, 1, 0.3, 0.97, 0), "photographs"},
        {LOOK(21, false, 1, 0, NAN, 0.1), "photographs"},      {LOOK(11, false, 0.9, 0.1, 0.4, 0.4), "street-scenes"},
        {LOOK(11, false, 0.9, 0, NAN, 0.4), "street-scenes"},  {LOOK(3, false, 0.9, 0.1, 0.4, 0.4), "photographs"},
    };
    char why[SHW_LOOK_WHY_SIZE];

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(shw_preset_choose(&cases[i].look, why), cases[i].preset);
        assert_true(why[0] != '\0');
    }
}

TESTING_CASE(data_are_looked_at)
{
    struct testing_examples examples;
    struct shw_data_look look;

    testing_examples_make(&(struct testing_examples_params){.seed = 2, .count = 5, .void_percent = 50, .equal = true},
                          &examples);
    assert_int_equal(shw_data_look_at(&examples.dataset, &look), SHW_OK);
    assert_int_equal(look.images, 5);
    assert_int_equal(look.classes, 3);
    assert_int_equal(look.width, 24);
    assert_true(look.has_depth && look.has_height);
    assert_true(look.labelled > 0.2 && look.labelled < 0.8);
    assert_true(look.saturation > 0.05 && look.one_hue >= 0 && look.one_hue <= 1);
    assert_true(look.diagonal > 24 && look.place <= 1);
    examples.fail_at = 4;
    examples.fail_with = SHW_ERROR_IO;
    assert_int_equal(shw_data_look_at(&examples.dataset, &look), SHW_ERROR_IO);
    assert_int_equal(examples.held, 0);
    testing_examples_free(&examples);
}

#define RENDERED_WIDTH  96u
#define RENDERED_HEIGHT 72u

/* Images that look like those of a kind of data. */
struct rendered {
    uint8_t (*pixels)[3];
    uint16_t *labels;
    void (*paint)(uint32_t image, uint32_t x, uint32_t y, uint8_t pixel[3], uint16_t *label);
};

static enum shw_result read_rendered(void *user, uint32_t index, struct shw_labelled_image *example)
{
    struct rendered *rendered = user;

    for (uint32_t i = 0; i < RENDERED_WIDTH * RENDERED_HEIGHT; i++)
        rendered->paint(index, i % RENDERED_WIDTH, i / RENDERED_WIDTH, rendered->pixels[i], &rendered->labels[i]);
    *example = (struct shw_labelled_image){
        .name = "rendered",
        .image = {.pixels = rendered->pixels, RENDERED_WIDTH, RENDERED_HEIGHT, .format = SHW_PIXEL_RGB8},
        .labels = rendered->labels};
    return SHW_OK;
}

static void release_rendered(void *user, struct shw_labelled_image *example)
{
    (void)user;
    (void)example;
}

static uint32_t noise(uint32_t image, uint32_t x, uint32_t y)
{
    uint32_t n = image * 0x9e3779b9u ^ x * 0x85ebca6bu ^ y * 0xc2b2ae35u;

    n = (n ^ n >> 15) * 0x2c1b3c6du;
    return n ^ n >> 13;
}

static void set_pixel(uint8_t pixel[3], uint32_t red, uint32_t green, uint32_t blue)
{
    pixel[0] = (uint8_t)red;
    pixel[1] = (uint8_t)green;
    pixel[2] = (uint8_t)blue;
}

/* Seen from a car: sky, houses of two kinds, trees, pavements, a road, poles; 4 to 3. */
static void paint_street(uint32_t image, uint32_t x, uint32_t y, uint8_t pixel[3], uint16_t *label)
{
    const uint32_t horizon = 26 + noise(image, 0, 0) % 14, block = noise(image, 1 + x / 12, 1);
    const uint32_t roof = horizon - 6 - block % 12;

    *label = y < roof                                           ? 0
             : y < horizon                                      ? (uint16_t)(1 + block / 16 % 3)
             : x + (y - horizon) > 40 && x < 56 + (y - horizon) ? 4
                                                                : 5;
    if (x == 8 + noise(image, 7, 0) % 80 && y > 12 && y < 45)
        *label = 6;
    set_pixel(pixel, 40 + *label * 30u, 120, 200 - *label * 20u);
}

/* The upper half and the lower one. */
static void paint_halves(uint32_t image, uint32_t x, uint32_t y, uint8_t pixel[3], uint16_t *label)
{
    (void)image;
    *label = y < RENDERED_HEIGHT / 2 ? 1 : 3;
    set_pixel(pixel, x, y, 0);
}

/* Which is which changes from image to image. */
static void paint_alternating(uint32_t image, uint32_t x, uint32_t y, uint8_t pixel[3], uint16_t *label)
{
    paint_halves(image, x, y, pixel, label);
    *label = image % 2 == 0 ? *label : (uint16_t)(4 - *label);
}

/* Things of seven classes anywhere. */
static void paint_things(uint32_t image, uint32_t x, uint32_t y, uint8_t pixel[3], uint16_t *label)
{
    *label = (uint16_t)(noise(image, x / 24, y / 24) % 7);
    set_pixel(pixel, *label * 30u, 250 - *label * 30u, noise(0, *label, 0) % 256);
}

/* Grey lines on a bright ground. */
static void paint_membranes(uint32_t image, uint32_t x, uint32_t y, uint8_t pixel[3], uint16_t *label)
{
    const uint32_t grey = 90 + noise(image, x, y) % 20;

    *label = (x + 3 * image) % 17 < 3 || (y + 5 * image) % 23 < 3;
    set_pixel(pixel, *label ? grey : grey + 80, *label ? grey : grey + 80, *label ? grey : grey + 80);
}

/* Rows of plants on soil, each image shifted. */
static void paint_plants(uint32_t image, uint32_t x, uint32_t y, uint8_t pixel[3], uint16_t *label)
{
    *label = (x + 11 * image) % 32 < 8 ? 1 + noise(image, x / 8, y / 12) % 2 : 0;
    set_pixel(pixel, *label ? 60 : 120, *label ? 130 + *label * 20u : 90, *label ? 50 : 70 + noise(image, x, y) % 20);
}

/* A thing of two classes in the middle of the image. */
static void paint_centred(uint32_t image, uint32_t x, uint32_t y, uint8_t pixel[3], uint16_t *label)
{
    *label = x > 24 + image % 5 && x < 70 && y > 20 && y < 60 - image % 7;
    set_pixel(pixel, *label ? 150 : noise(image, x / 9, y / 9) % 256, 100, noise(image, 2, 2) % 256);
}

TESTING_CASE(rendered_data_are_recognised)
{
    static const struct {
        void (*paint)(uint32_t image, uint32_t x, uint32_t y, uint8_t pixel[3], uint16_t *label);
        uint32_t classes;
        const char *preset;
    } cases[] = {{paint_street, 8, "street-scenes"},
                 {paint_things, 7, "photographs"},
                 {paint_membranes, 2, "microscopy"},
                 {paint_plants, 3, "photographs"},
                 {paint_centred, 2, "photographs"}};
    char why[SHW_LOOK_WHY_SIZE];

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint32_t count = 12; count <= 100; count += 88) {
            struct rendered rendered = {malloc(RENDERED_WIDTH * RENDERED_HEIGHT * 3),
                                        malloc(RENDERED_WIDTH * RENDERED_HEIGHT * 2), cases[i].paint};
            const struct shw_dataset dataset = {.count = count,
                                                .class_count = cases[i].classes,
                                                .user = &rendered,
                                                .read = read_rendered,
                                                .release = release_rendered};
            struct shw_data_look look;

            assert_int_equal(shw_data_look_at(&dataset, &look), SHW_OK);
            assert_string_equal(shw_preset_choose(&look, why), cases[i].preset);
            assert_true(fabs(look.diagonal - 120) < 1e-9);
            free(rendered.pixels);
            free(rendered.labels);
        }
}

/* The place says all, or nothing, or what images do not share. */
TESTING_CASE(what_the_place_says_is_measured)
{
    struct rendered rendered = {malloc(RENDERED_WIDTH * RENDERED_HEIGHT * 3),
                                malloc(RENDERED_WIDTH * RENDERED_HEIGHT * 2), paint_halves};
    struct shw_dataset dataset = {
        .count = 10, .class_count = 4, .user = &rendered, .read = read_rendered, .release = release_rendered};
    struct shw_data_look look;

    assert_int_equal(shw_data_look_at(&dataset, &look), SHW_OK);
    assert_true(look.place == 1 && look.classes == 2 && fabs(look.evenness - 1) < 1e-9);
    rendered.paint = paint_alternating;
    assert_int_equal(shw_data_look_at(&dataset, &look), SHW_OK);
    assert_true(look.place <= 0);
    dataset.count = 1;
    assert_int_equal(shw_data_look_at(&dataset, &look), SHW_OK);
    assert_true(look.place == 0);
    free(rendered.pixels);
    free(rendered.labels);
}

static json_int_t fitted(const char *name, const struct shw_data_look *look, const char *member)
{
    struct shw_preset preset;
    json_int_t value;

    assert_int_equal(shw_preset_load(name, NULL, &preset), SHW_OK);
    assert_int_equal(shw_preset_fit(&preset, look, 1), SHW_OK);
    value = json_integer_value(json_object_get(preset.setting, member));
    shw_preset_free(&preset);
    return value;
}

static bool has(const char *name, const struct shw_data_look *look, const char *member)
{
    struct shw_preset preset;
    bool is_there;

    assert_int_equal(shw_preset_load(name, NULL, &preset), SHW_OK);
    assert_int_equal(shw_preset_fit(&preset, look, 1), SHW_OK);
    is_there = json_object_get(preset.setting, member) != NULL;
    shw_preset_free(&preset);
    return is_there;
}

TESTING_CASE(presets_fit_the_data)
{
    struct shw_data_look look = LOOK(11, false, 1, 0.1, 0.4, 0.4), larger = look, more = look, few = look, small = look,
                         uneven = look;

    larger.diagonal = 2 * look.diagonal;
    more.images = 8000;
    few.images = 10;
    few.area = 512 * 512;
    small.area = 64 * 48;
    uneven.evenness = 0.5;
    assert_true(has("photographs", &uneven, "sampling") && !has("photographs", &look, "sampling"));
    for (uint32_t i = 0; shw_preset_name(i) != NULL; i++) {
        const char *const name = shw_preset_name(i);
        const bool scales = strcmp(name, "photographs") == 0 || strcmp(name, "street-scenes") == 0;
        const json_int_t offset = fitted(name, &look, "offset"), samples = fitted(name, &look, "min-samples");
        struct shw_trainer_params params = {0};
        struct shw_preset preset;
        char why[SHW_SETTING_WHY_SIZE];

        assert_in_range(fitted(name, &larger, "offset"), scales ? 2 * offset - 1 : offset,
                        scales ? 2 * offset + 1 : offset);
        if (strcmp(name, "strokes") == 0)
            continue; /* all its pixels count */
        if (scales)
            assert_in_range(fitted(name, &larger, "smooth"), 2 * fitted(name, &look, "smooth") - 1, 100);
        assert_in_range(fitted(name, &more, "pixels"), 100, 200);
        assert_int_equal(fitted(name, &few, "pixels"), 10000);
        assert_int_equal(fitted(name, &small, "pixels"), 192);
        assert_int_equal(has(name, &look, "weights"),
                         has(name, &uneven, "weights") || strcmp(name, "photographs") == 0);
        assert_true(fitted(name, &more, "depth") > fitted(name, &few, "depth"));
        assert_true(fitted(name, &more, "min-samples") >= samples && samples >= fitted(name, &few, "min-samples"));
        larger.diagonal = 1e5;
        assert_int_equal(shw_preset_load(name, NULL, &preset), SHW_OK);
        assert_int_equal(shw_preset_fit(&preset, &larger, 1), SHW_OK);
        assert_true(shw_setting_apply(preset.setting, &params, why));
        shw_preset_free(&preset);
        larger.diagonal = 2 * look.diagonal;
    }
}

static void fits_levels(const char *name, uint32_t levels, const char *channels, json_int_t offset, json_int_t below)
{
    const struct shw_data_look look = {.images = 300, .classes = 5, .diagonal = 200, .area = 160 * 120, .evenness = 1};
    struct shw_preset preset;

    assert_int_equal(shw_preset_load(name, NULL, &preset), SHW_OK);
    assert_int_equal(shw_preset_fit(&preset, &look, levels), SHW_OK);
    assert_string_equal(json_string_value(json_object_get(preset.setting, "channels")), channels);
    assert_int_equal(json_integer_value(json_object_get(preset.setting, "offset")), offset);
    assert_int_equal(json_integer_value(json_object_get(preset.setting, "below-offset")), below);
    shw_preset_free(&preset);
}

/* With several levels, the uppermost looks far. */
TESTING_CASE(presets_fit_levels)
{
    const char *const rich = "wide,orient:2,tensor:2,opponent:1,opponent:4,deviation:4,lab";

    fits_levels("photographs", 1, rich, 83, 0);
    fits_levels("photographs", 2, "wide", 104, 11);
    fits_levels("street-scenes", 1, rich, 55, 0);
    fits_levels("street-scenes", 3, "wide", 104, 11);
    fits_levels("rgbd-rooms", 2, "depth,lab", 63, 0);
}

struct names {
    const char *const *names;
};

static const char *name_of(void *user, uint32_t index)
{
    return ((const struct names *)user)->names[index];
}

static struct shw_folds make_folds(const char *const *names, uint32_t images, enum shw_fold_kind kind, uint32_t count,
                                   uint32_t sample)
{
    static struct shw_dataset dataset;
    struct names user = {names};
    struct shw_folds folds;

    dataset = (struct shw_dataset){.count = images};
    assert_int_equal(shw_folds_make(&dataset, name_of, &user, kind, count, sample, 1, NULL, &folds), SHW_OK);
    return folds;
}

TESTING_CASE(images_are_dealt_evenly)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"};
    static const char *const framed[] = {"x/1", "x/2", "x/3", "y/1", "y/2", "y/3", "z/1", "z/2", "z/3"};
    unsigned counts[3] = {0};
    struct shw_folds folds = make_folds(names, 11, SHW_FOLD_AUTO, 3, 0);

    for (uint32_t i = 0; i < 11; i++)
        counts[folds.of[i]]++;
    for (unsigned f = 0; f < 3; f++)
        assert_in_range(counts[f], 3, 4);
    shw_folds_free(&folds);
    folds = make_folds(names, 11, SHW_FOLD_RUNS, 3, 0);
    for (uint32_t i = 1; i < 11; i++)
        assert_true(folds.of[i] >= folds.of[i - 1]);
    shw_folds_free(&folds);
    folds = make_folds(names, 11, SHW_FOLD_IMAGES, 3, 6);
    assert_int_equal(folds.example_count, 6);
    for (uint32_t i = 1; i < 6; i++)
        assert_true(folds.examples[i] > folds.examples[i - 1]);
    shw_folds_free(&folds);
    folds = make_folds(framed, 9, SHW_FOLD_AUTO, 3, 0);
    for (uint32_t i = 0; i < 9; i++)
        assert_int_equal(folds.of[i], folds.of[i / 3 * 3]);
    assert_true(folds.of[0] != folds.of[3] && folds.of[3] != folds.of[6] && folds.of[0] != folds.of[6]);
    shw_folds_free(&folds);
}

TESTING_CASE(too_few_images_are_reported)
{
    static const char *const names[] = {"x/a", "x/b", "y/c"};
    struct names user = {names};
    const struct shw_dataset dataset = {.count = 3};
    struct testing_log memory = {{0}, 0, 0, ""};
    const struct shw_log log = testing_log(&memory);
    struct shw_folds folds;

    assert_int_equal(shw_folds_make(&dataset, name_of, &user, SHW_FOLD_AUTO, 4, 0, 1, &log, &folds),
                     SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "4 folds need at least as many images; there are 3"));
    assert_int_equal(shw_folds_make(&dataset, name_of, &user, SHW_FOLD_FOLDERS, 3, 0, 1, &log, &folds),
                     SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "folders; there are 2"));
}

static bool go_on(void *user)
{
    (void)user;
    return true;
}

/* A fold is what training on the other images and labelling its own gives, with and without smoothing. */
TESTING_CASE(a_fold_is_measured_as_train_and_label_do)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    static const uint32_t radii[] = {0, 4};
    struct testing_examples examples;
    struct names user = {names};
    struct shw_folds folds;
    struct shw_fold_measure measure = {
        .training = {.tree_count = 2,
                     .depth = 4,
                     .candidates = 9,
                     .offset_max = 7,
                     .size_max = 5,
                     .seed = 3,
                     .technique = SHW_TECHNIQUE_CPU},
        .labelling = {.channels = SHW_TECHNIQUE_CPU, .integrate = SHW_TECHNIQUE_CPU, .evaluate = SHW_TECHNIQUE_CPU},
        .radii = radii,
        .radius_count = 2,
        .go_on = go_on};
    struct shw_accuracy found[2], expected;
    struct shw_dataset others;
    struct shw_forest *forest;

    testing_examples_make(&(struct testing_examples_params){.seed = 5, .count = 4, .void_percent = 10}, &examples);
    assert_int_equal(shw_folds_make(&examples.dataset, name_of, &user, SHW_FOLD_RUNS, 4, 0, 0, NULL, &folds), SHW_OK);
    for (unsigned r = 0; r < 2; r++)
        assert_int_equal(shw_accuracy_create(&found[r], 3, NULL), SHW_OK);
    assert_int_equal(shw_fold_measure(&folds, 3, &measure, found), SHW_OK); /* the last image */
    others = examples.dataset;
    others.count = 3;
    assert_int_equal(shw_train(&measure.training, &others, &forest), SHW_OK);
    for (unsigned r = 0; r < 2; r++) {
        struct shw_labeller_params params = measure.labelling;
        struct shw_labeller *labeller;
        struct shw_labelled_image example;
        uint16_t labels[64 * 64];

        params.forest = forest;
        params.outputs = SHW_OUTPUT_ARGMAX;
        params.smoothing.radius = radii[r];
        assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
        assert_int_equal(examples.dataset.read(examples.dataset.user, 3, &example), SHW_OK);
        assert_int_equal(
            shw_labeller_run(labeller, SHW_COLOUR_IMAGE(example.image), &(struct shw_labelling){.argmax = labels}),
            SHW_OK);
        assert_int_equal(shw_accuracy_create(&expected, 3, NULL), SHW_OK);
        shw_accuracy_add(&expected, example.labels, labels, (size_t)example.image.width * example.image.height);
        assert_memory_equal(expected.confusion, found[r].confusion, 9 * sizeof *expected.confusion);
        shw_accuracy_destroy(&expected);
        shw_accuracy_destroy(&found[r]);
        examples.dataset.release(examples.dataset.user, &example);
        shw_labeller_destroy(&labeller);
    }
    assert_int_equal(examples.held, 0);
    shw_forest_destroy(&forest);
    shw_folds_free(&folds);
    testing_examples_free(&examples);
}
