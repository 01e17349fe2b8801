/* Settings, the space, presets, and the folds of data sets. */
#include "testing/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "files/tune/folds.h"
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
    json_t *setting =
        json_pack("{s:s, s:i, s:s, s:s, s:i, s:i, s:s, s:s, s:s}", "channels", "lab", "depth", 9, "pixels", "all",
                  "score", "gini", "offset", 10, "size", 60, "flip", "paired", "fill", "simple", "combine", "vote");
    struct shw_trainer_params params = {0};
    char why[SHW_SETTING_WHY_SIZE], *options;

    assert_true(shw_setting_apply(setting, &params, why));
    assert_string_equal(params.channels, "lab");
    assert_int_equal(params.depth, 9);
    assert_int_equal(params.pixels_per_image, SHW_PIXELS_ALL);
    assert_int_equal(params.score, SHW_SCORE_GINI);
    assert_int_equal(params.size_max, 21); /* all that the offset allows */
    assert_int_equal(params.mirror, SHW_MIRROR_PAIRED);
    assert_int_equal(params.fill, SHW_FILL_SIMPLE);
    assert_int_equal(params.combine, SHW_COMBINE_VOTE);
    options = shw_setting_options(setting);
    assert_string_equal(options, "--channels lab --depth 9 --score gini --offset 10 --size 60 --pixels all --combine "
                                 "vote --fill simple --flip paired");
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

TESTING_CASE(data_choose_a_preset)
{
    static const struct {
        struct shw_data_look look;
        const char *preset;
    } cases[] = {
        {{100, 21, 320, 213, false, false, 0.9, 0.2, 0.3}, "photographs"},
        {{100, 21, 320, 213, true, false, 0.9, 0.2, 0.3}, "rgbd-rooms"},
        {{100, 2, 320, 213, false, false, 0.01, 0.2, 0.3}, "strokes"},
        {{100, 2, 512, 512, false, false, 1, 0, NAN}, "microscopy"},
        {{100, 3, 512, 512, false, false, 1, 0.3, 0.97}, "microscopy"},
        {{100, 30, 512, 512, false, false, 1, 0.3, 0.97}, "photographs"},
        {{100, 19, 1024, 512, false, false, 0.9, 0.1, 0.4}, "street-scenes"},
        {{100, 2, 1024, 512, false, false, 0.9, 0.1, 0.4}, "photographs"},
    };
    char why[128];

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(shw_preset_choose(&cases[i].look, why, sizeof why), cases[i].preset);
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
    examples.fail_at = 4;
    examples.fail_with = SHW_ERROR_IO;
    assert_int_equal(shw_data_look_at(&examples.dataset, &look), SHW_ERROR_IO);
    assert_int_equal(examples.held, 0);
    testing_examples_free(&examples);
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
