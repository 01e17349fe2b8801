/* Texts that run: the same forests and labels as of compiled types, by every technique; what forests store of them. */
#include "testing/testing.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file_bytes.h"
#include "base/hash.h"
#include "base/ktx2.h"
#include "dense/channels/channels.h"
#include "dense/forest/code.h"
#include "dense/forest/forest.h"
#include "files/code/code.h"
#include "files/code/code_options.h"
#include "files/code/compile.h"
#include "files/code/forest_code.h"
#include "testing/device.h"
#include "testing/examples.h"
#include "testing/training.h"

extern const struct shw_feature_type sparse_sum;
extern const struct shw_channel_kind edge;

/* The cache of this program is a folder of its own. */
static int begin(void **state)
{
    (void)state;
    assert_int_equal(setenv("XDG_CACHE_HOME", testing_path("cache"), 1), 0);
    return mkdir(testing_path("cache"), 0700);
}

static struct shw_code_made make_example(const char *name)
{
    struct testing_log memory = {.errors = 0};
    const struct shw_log log = testing_log(&memory);
    struct shw_code_made made = {NULL, NULL};
    char path[512];

    snprintf(path, sizeof path, EXAMPLES "%s.glsl", name);
    assert_int_equal(shw_code_make_file(path, &log, &made), SHW_OK);
    return made;
}

static struct shw_trainer_params params_of(const struct shw_feature_type *feature, const struct shw_channel_kind *kind)
{
    struct shw_trainer_params params = testing_training;

    params.feature = feature;
    params.channels = "edge:2,rgb";
    params.kinds = (struct shw_channel_kinds){{kind}};
    return params;
}

TESTING_CASE(test_the_same_forest_as_of_compiled_types)
{
    static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_BLEND};
    struct testing_examples examples;

    testing_examples_make(&(struct testing_examples_params){.seed = 5}, &examples);
    for (uint32_t offset_min = 0; offset_min < 2; offset_min++) {
        struct shw_trainer_params compiled = params_of(&sparse_sum, &edge);
        struct shw_trainer_params text = params_of(make_example("sparse-sum").feature, make_example("edge").kind);
        uint64_t expected;

        compiled.offset_min = text.offset_min = offset_min;
        expected = testing_train(compiled, &examples, SHW_TECHNIQUE_CPU);
        for (int t = 0; t < 3; t++)
            assert_int_equal(testing_train(text, &examples, techniques[t]), expected);
    }
    testing_examples_free(&examples);
}

/* The library's own types, as text, with every parameter of training that candidates depend on: the hash of a forest
 * has the type's name, so the library's gets another one. */
TESTING_CASE(test_the_same_forests_as_of_library_types)
{
    static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_BLEND};
    static const char *const names[] = {"mean-difference", "pixel-difference"};
    struct testing_examples examples;

    testing_examples_make(&(struct testing_examples_params){.seed = 8}, &examples);
    for (int n = 0; n < 2; n++) {
        const struct shw_feature_type *text = make_example(names[n]).feature;
        struct shw_feature_type renamed = *shw_feature_type_by_name(names[n]);

        renamed.name = text->name;
        for (int v = 0; v < 3; v++) {
            struct shw_trainer_params params = testing_training;
            uint64_t expected;

            if (v != n && !testing_is_slow())
                continue;
            params.channels = "rgb,dx:2";
            params.single_percent = v == 0 ? 0 : 40;
            params.mirror = v == 1 ? SHW_MIRROR_PAIRED : SHW_MIRROR_NONE;
            params.offset_min = v == 2 ? 1 : 0;
            params.feature = &renamed;
            expected = testing_train(params, &examples, SHW_TECHNIQUE_CPU);
            params.feature = text;
            for (int t = 0; t < 3; t++)
                assert_int_equal(testing_train(params, &examples, techniques[t]), expected);
        }
    }
    testing_examples_free(&examples);
}

TESTING_CASE(test_techniques_train_the_same_with_more_of_the_language)
{
    struct testing_examples examples;
    struct shw_trainer_params params = params_of(make_example("ring").feature, make_example("edge").kind);
    uint64_t expected;

    testing_examples_make(&(struct testing_examples_params){.seed = 6}, &examples);
    params.mirror = SHW_MIRROR_PAIRED;
    expected = testing_train(params, &examples, SHW_TECHNIQUE_CPU);
    assert_int_equal(testing_train(params, &examples, SHW_TECHNIQUE_COMPUTE), expected);
    assert_int_equal(testing_train(params, &examples, SHW_TECHNIQUE_BLEND), expected);
    testing_examples_free(&examples);
}

static struct shw_forest *train(struct shw_trainer_params params, struct testing_examples *examples)
{
    struct shw_forest *forest = NULL;

    params.technique = SHW_TECHNIQUE_CPU;
    assert_int_equal(shw_train(&params, &examples->dataset, &forest), SHW_OK);
    return forest;
}

/* Labels of the example by a technique for all stages, in tiles that take `memory` bytes, or 0. */
static void label(const struct shw_forest *forest, const struct testing_example *example, enum shw_technique technique,
                  uint64_t memory, uint16_t *labels)
{
    struct shw_labeller_params params = {.forest = forest,
                                         .device = technique != SHW_TECHNIQUE_CPU ? testing_device() : NULL,
                                         .channels = technique,
                                         .integrate = technique,
                                         .evaluate = technique,
                                         .outputs = SHW_OUTPUT_ARGMAX,
                                         .memory = memory};
    const struct shw_image image = {example->pixels, example->width, example->height, 0, SHW_PIXEL_RGB8};
    const struct shw_labelling out = {.argmax = labels};
    struct shw_labeller *labeller = NULL;

    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    assert_int_equal(shw_labeller_run(labeller, SHW_COLOUR_IMAGE(image), &out), SHW_OK);
    shw_labeller_destroy(&labeller);
}

TESTING_CASE(test_techniques_label_the_same)
{
    static const char *const features[] = {"sparse-sum", "ring", "mean-difference", "pixel-difference"};
    static uint16_t labels[3][64 * 64];
    struct testing_examples examples;

    testing_examples_make(&(struct testing_examples_params){.seed = 7}, &examples);
    for (int f = 0; f < 4; f++) {
        struct shw_forest *forest =
            train(params_of(make_example(features[f]).feature, make_example("edge").kind), &examples);
        label(forest, &examples.examples[0], SHW_TECHNIQUE_CPU, 0, labels[0]);
        label(forest, &examples.examples[0], SHW_TECHNIQUE_COMPUTE, 0, labels[1]);
        label(forest, &examples.examples[0], SHW_TECHNIQUE_FRAGMENT, 0, labels[2]);
        assert_memory_equal(labels[0], labels[1], sizeof labels[0]);
        assert_memory_equal(labels[0], labels[2], sizeof labels[0]);
        shw_forest_destroy(&forest);
    }
    testing_examples_free(&examples);
}

/* The library's dx:2 as text: the same channel makes the same trees, and labels by every technique. */
TESTING_CASE(test_the_same_channel_as_of_a_library_kind)
{
    static uint16_t expected[64 * 64], labels[64 * 64];
    static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT};
    struct shw_trainer_params params = testing_training;
    struct testing_examples examples;
    struct shw_forest *library, *text;

    testing_examples_make(&(struct testing_examples_params){.seed = 9}, &examples);
    params.channels = "dx:2";
    library = train(params, &examples);
    params.channels = "derivative";
    params.kinds = (struct shw_channel_kinds){{make_example("derivative").kind}};
    text = train(params, &examples);
    label(library, &examples.examples[0], SHW_TECHNIQUE_CPU, 0, expected);
    for (int t = 0; t < 3; t++) {
        label(text, &examples.examples[0], techniques[t], 0, labels);
        assert_memory_equal(labels, expected, sizeof labels);
    }
    for (uint32_t t = 0; t < testing_training.tree_count; t++)
        assert_int_equal(shw_forest_get_tree(text, t).leaf_count, shw_forest_get_tree(library, t).leaf_count);
    assert_true(shw_forest_get_tree(text, 0).leaf_count > 8);
    shw_forest_destroy(&library);
    shw_forest_destroy(&text);
    testing_examples_free(&examples);
}

/* --- Passes --- */

/* tests/code/texts/passes.glsl, pixel by pixel, from whole images of its passes. A reach is that of the greatest
 * parameter. */

struct mixed {
    const uint8_t *pixels; /* RGB */
    int32_t width, height, r;
    int32_t *light, *spread, *dots;
};

static int32_t clamped(int32_t value, int32_t low, int32_t high)
{
    return value < low ? low : value > high ? high : value;
}

static size_t place_of(const struct mixed *mixed, int32_t x, int32_t y)
{
    return (size_t)clamped(y, 0, mixed->height - 1) * (size_t)mixed->width + (size_t)clamped(x, 0, mixed->width - 1);
}

static int32_t sample(const struct mixed *mixed, int component, int32_t x, int32_t y)
{
    return 16 * mixed->pixels[3 * place_of(mixed, x, y) + (size_t)component];
}

static void expect_mixed(const struct mixed *mixed, int16_t *channels)
{
    const size_t plane = (size_t)mixed->width * (size_t)mixed->height;

#define EACH_PIXEL                                                                                                     \
    for (int32_t y = 0; y < mixed->height; y++)                                                                        \
        for (int32_t x = 0; x < mixed->width; x++)
    EACH_PIXEL mixed->light[place_of(mixed, x, y)] =
        clamped(sample(mixed, 0, x, y) + 2 * sample(mixed, 1, x, y) - sample(mixed, 2, x, y), -5000, 5000);
    EACH_PIXEL
    {
        int32_t total = 0;

        for (int32_t dx = -mixed->r; dx <= mixed->r; dx++)
            total += mixed->light[place_of(mixed, x + dx, y)];
        mixed->spread[place_of(mixed, x, y)] = clamped((total >> 2) - sample(mixed, 0, x + 5, y - 1), -3000, 3000);
    }
    EACH_PIXEL mixed->dots[place_of(mixed, x, y)] =
        clamped(mixed->light[place_of(mixed, x + 12, y + 1)] * 3 - mixed->light[place_of(mixed, x - 12, y - 12)] +
                    mixed->spread[place_of(mixed, x, y + 7)],
                -32767, 32767);
    EACH_PIXEL
    {
        channels[place_of(mixed, x, y)] =
            (int16_t)clamped((mixed->dots[place_of(mixed, x - 1, y + 2)] >> 4) +
                                 mixed->spread[place_of(mixed, x + 2, y - 2)] - sample(mixed, 2, x + 1, y + 1),
                             -4000, 4000);
        channels[plane + place_of(mixed, x, y)] =
            (int16_t)clamped(mixed->dots[place_of(mixed, x, y)] - 5 * x, -32767, 32767);
    }
#undef EACH_PIXEL
}

static void read_mixed(const struct shw_channel_kind *kind, uint32_t r, struct shw_channel_list *list)
{
    const struct shw_channel_kinds kinds = {{kind}};
    char name[16], why[SHW_CHANNEL_WHY_SIZE];

    snprintf(name, sizeof name, "mixed:%u", r);
    assert_true(shw_channel_list_read(name, &kinds, list, why));
    assert_int_equal(list->radius, 2 + 12 + 5); /* first() reads dots(), and that spread_out(), for any parameter */
}

/* By `cpu` as a whole and in a part, for a size. */
static void check_mixed(const struct shw_channel_kind *kind, uint32_t r, uint32_t width, uint32_t height)
{
    const size_t pixels = (size_t)width * height;
    struct testing_random random = {width * 1000 + height};
    uint8_t *bytes = malloc(3 * pixels);
    int32_t *numbers = malloc(3 * pixels * sizeof *numbers);
    int16_t *expected = malloc(2 * pixels * sizeof *expected), *made = malloc(2 * pixels * sizeof *made);
    const struct mixed mixed = {bytes,   (int32_t)width,   (int32_t)height,     (int32_t)r,
                                numbers, numbers + pixels, numbers + 2 * pixels};
    const struct shw_image image = {bytes, width, height, 0, SHW_PIXEL_RGB8};
    struct shw_channel_list list;
    struct shw_channel_part part = {
        .list = &list, .count = 2, .images = {.of = {&image}}, .rect = {0, 0, (int32_t)width, (int32_t)height}};

    assert_true(bytes != NULL && numbers != NULL && expected != NULL && made != NULL);
    for (size_t i = 0; i < 3 * pixels; i++)
        bytes[i] = (uint8_t)testing_random_below(&random, 256);
    read_mixed(kind, r, &list);
    expect_mixed(&mixed, expected);
    assert_int_equal(shw_channels_cpu(&list, &part.images, NULL, made, NULL), SHW_OK);
    assert_memory_equal(made, expected, 2 * pixels * sizeof *made);
    part.rect.x0 = part.rect.x1 / 3;
    part.rect.y0 = part.rect.y1 / 2;
    assert_int_equal(shw_channel_part_cpu(&part, made, NULL), SHW_OK);
    for (uint32_t c = 0, at = 0; c < 2; c++)
        for (int32_t y = part.rect.y0; y < part.rect.y1; y++)
            for (int32_t x = part.rect.x0; x < part.rect.x1; x++)
                assert_int_equal(made[at++], expected[c * pixels + place_of(&mixed, x, y)]);
    free(made);
    free(expected);
    free(numbers);
    free(bytes);
}

#define PASSES EXAMPLES "../../tests/code/texts/passes.glsl"

TESTING_CASE(test_passes_make_what_they_say)
{
    static const uint32_t sizes[][2] = {{1, 1}, {1, 40}, {40, 1}, {7, 5}, {63, 64}, {65, 66}, {130, 201}};
    struct shw_code_made made = {NULL, NULL};

    assert_int_equal(shw_code_make_file(PASSES, NULL, &made), SHW_OK);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (uint32_t r = 1; r <= 5; r += 2)
            check_mixed(made.kind, r, sizes[s][0], sizes[s][1]);
    shw_code_let_go(&made);
}

/* The same trees by every technique, from the same channels, and the same labels, also in small tiles. */
TESTING_CASE(test_passes_by_every_technique)
{
    static const enum shw_technique label_by[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT};
    static const enum shw_technique train_by[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_BLEND};
    static uint16_t labels[3][64 * 64];
    struct shw_trainer_params params = testing_training;
    struct shw_code_made made = {NULL, NULL};
    struct testing_examples examples;
    struct shw_forest *forest;
    uint64_t hashes[3];

    testing_examples_make(&(struct testing_examples_params){.seed = 21}, &examples);
    assert_int_equal(shw_code_make_file(PASSES, NULL, &made), SHW_OK);
    params.channels = "mixed:2,dx:1,mixed:5";
    params.kinds = (struct shw_channel_kinds){{made.kind}};
    for (int t = 0; t < 3; t++)
        hashes[t] = testing_train(params, &examples, train_by[t]);
    assert_int_equal(hashes[1], hashes[0]);
    assert_int_equal(hashes[2], hashes[0]);
    forest = train(params, &examples);
    for (int t = 0; t < 3; t++) {
        label(forest, &examples.examples[0], label_by[t], 0, labels[t]);
        assert_memory_equal(labels[t], labels[0], sizeof labels[t]);
        label(forest, &examples.examples[0], label_by[t], 200000, labels[t]);
        assert_memory_equal(labels[t], labels[0], sizeof labels[t]);
    }
    assert_true(shw_forest_get_tree(forest, 0).leaf_count > 8);
    shw_forest_destroy(&forest);
    shw_code_let_go(&made);
    testing_examples_free(&examples);
}

/* --- What is compiled --- */

static struct shw_code_text *read_example(const char *name)
{
    struct shw_code_text *text = NULL;
    struct shw_file_bytes file;
    char path[512];

    snprintf(path, sizeof path, EXAMPLES "%s.glsl", name);
    assert_int_equal(shw_file_bytes_read(path, 65536, NULL, &file), SHW_OK);
    assert_int_equal(shw_code_text_read(name, (char *)file.bytes, file.size, NULL, &text), SHW_OK);
    shw_file_bytes_free(&file);
    return text;
}

/* An example by another name, so that no other test has made its shaders, for what `needs` says. */
static struct shw_code_made make_renamed(const char *name, const char *renamed, const struct shw_code_needs *needs)
{
    struct shw_file_bytes file = {0};
    struct shw_code_made made;
    char path[512], *text, *at;

    snprintf(path, sizeof path, EXAMPLES "%s.glsl", name);
    assert_int_equal(shw_file_bytes_read(path, 65536, NULL, &file), SHW_OK);
    text = calloc(1, file.size + 64);
    assert_non_null(text);
    at = strstr((char *)file.bytes, name);
    assert_non_null(at);
    sprintf(text, "%.*s%s%s", (int)(at - (char *)file.bytes), (char *)file.bytes, renamed, at + strlen(name));
    shw_file_bytes_free(&file);
    assert_int_equal(shw_code_make_while("renamed.glsl", text, strlen(text), SHW_CODE_RUN, needs, NULL, NULL, &made),
                     SHW_OK);
    free(text);
    return made;
}

/* A live save is as fast as what it compiles is little. */
TESTING_CASE(test_only_shaders_that_are_used_are_compiled)
{
    const uint32_t compute = 1u << SHW_TECHNIQUE_COMPUTE, blend = 1u << SHW_TECHNIQUE_BLEND,
                   fragment = 1u << SHW_TECHNIQUE_FRAGMENT;
    const struct shw_code_needs host = {1u << SHW_TECHNIQUE_CPU, 1u << SHW_TECHNIQUE_CPU, 1u << SHW_TECHNIQUE_CPU};
    const struct shw_code_made ring = make_renamed("ring", "used", NULL);
    const struct shw_code_made own = make_renamed("derivative", "used", &host);
    struct shw_code_made other;
    static uint16_t labels[64 * 64];
    struct testing_examples examples;
    struct shw_trainer_params params = testing_training;
    struct shw_forest *forest;

    /* When they are asked for. */
    testing_examples_make(&(struct testing_examples_params){.seed = 11}, &examples);
    params.feature = ring.feature;
    params.kinds = (struct shw_channel_kinds){{own.kind}};
    params.channels = "rgb,used";
    forest = train(params, &examples);
    label(forest, &examples.examples[0], SHW_TECHNIQUE_CPU, 0, labels);
    assert_int_equal(shw_code_shader_count(&ring), 0);
    assert_int_equal(shw_code_shader_count(&own), 0);
    label(forest, &examples.examples[0], SHW_TECHNIQUE_COMPUTE, 0, labels);
    assert_int_equal(shw_code_shader_count(&ring), 1);
    assert_int_equal(shw_code_shader_count(&own), 4); /* of floats, and of integers; of two passes that read neither */
    label(forest, &examples.examples[0], SHW_TECHNIQUE_FRAGMENT, 0, labels);
    assert_in_range(shw_code_shader_count(&ring), 2, 3); /* by one tree, by four */
    assert_int_equal(shw_code_shader_count(&own), 8);
    shw_forest_destroy(&forest);
    testing_examples_free(&examples);

    /* Beforehand. */
    other = make_renamed("ring", "labels", &(struct shw_code_needs){.channels = compute, .evaluate = compute});
    assert_int_equal(shw_code_shader_count(&other), 1);
    other = make_renamed("ring", "trains", &(struct shw_code_needs){.training = compute});
    assert_int_equal(shw_code_shader_count(&other), 4);
    other = make_renamed("ring", "trains", &(struct shw_code_needs){.training = blend, .evaluate = fragment});
    assert_int_equal(shw_code_shader_count(&other), 8);
    other = make_renamed("derivative", "shown", &(struct shw_code_needs){.channels = fragment, .evaluate = compute});
    assert_int_equal(shw_code_shader_count(&other), 4);
}

/* What has been compiled later is kept, too, and what is lacking is compiled. */
TESTING_CASE(test_the_cache_grows)
{
    struct testing_log memory = {.errors = 0};
    const struct shw_log log = testing_log(&memory);
    struct shw_code_text *text = read_example("ring");
    const uint64_t sets[] = {0, 1, 0xf0, 1, 0};
    uint64_t all = 0;

    assert_int_equal(mkdir(testing_path("grows"), 0700), 0);
    assert_int_equal(setenv("XDG_CACHE_HOME", testing_path("grows"), 1), 0);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        struct shw_code_compiled compiled;

        memory.last[0] = '\0';
        assert_int_equal(shw_code_compile(text, sets[i], NULL, &log, &compiled), SHW_OK);
        assert_int_equal(strstr(memory.last, "compiled by /") != NULL, i == 0);
        all |= sets[i];
        assert_int_equal(shw_code_find_missing(&compiled, shw_code_all_shaders(text)),
                         shw_code_all_shaders(text) & ~all);
        shw_code_compiled_free(&compiled);
    }
    assert_int_equal(setenv("XDG_CACHE_HOME", testing_path("cache"), 1), 0);
    shw_code_text_free(&text);
}

/* A forest brings its texts, which run only if they are trusted. */
TESTING_CASE(test_forests_bring_their_texts)
{
    struct testing_log memory = {.errors = 0};
    const struct shw_log log = testing_log(&memory);
    const struct shw_forest_load_params params = {.log = log};
    static const struct shw_feature_type *const types[] = {&sparse_sum};
    const struct shw_forest_load_params with = {.features = types, .feature_count = 1, .kinds = {{&edge}}, .log = log};
    struct testing_examples examples;
    struct shw_forest *forest, *again = NULL;
    struct shw_forest_code *code;
    void *bytes, *resaved;
    size_t size, resize;
    uint32_t count;
    uint64_t hash;

    testing_examples_make(&(struct testing_examples_params){.seed = 7}, &examples);
    forest = train(params_of(make_example("sparse-sum").feature, make_example("edge").kind), &examples);
    hash = shw_forest_hash(forest);
    assert_int_equal(shw_forest_save_memory(forest, &bytes, &size), SHW_OK);
    assert_true(shw_forest_code_list(bytes, size, &code, &count));
    assert_int_equal(count, 2);
    assert_string_equal(code[0].name, "sparse-sum");
    assert_true(code[0].is_feature);
    assert_string_equal(code[0].text, make_example("sparse-sum").feature->text);
    assert_string_equal(code[1].name, "edge");
    shw_forest_code_free(&code, count);
    shw_forest_destroy(&forest);

    /* The library alone, and untrusted: refused */
    assert_int_equal(shw_forest_load_memory(bytes, size, "forest", &params, &again), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "which was not allowed to run"));
    assert_int_equal(shw_code_forest_load_memory(bytes, size, "forest", SHW_CODE_REFUSED, &params, &again),
                     SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "the feature type sparse-sum (21 lines), the channel kind edge (25 lines)"));
    assert_non_null(strstr(memory.last, "--trust-code"));
    assert_null(again);

    /* Looked at, trusted, and with the compiled types: the same forest, which is saved as the same bytes */
    assert_int_equal(shw_code_forest_load_memory(bytes, size, "forest", SHW_CODE_LOOK_ONLY, &params, &again), SHW_OK);
    assert_int_equal(shw_forest_hash(again), hash);
    assert_int_equal(shw_forest_save_memory(again, &resaved, &resize), SHW_OK);
    assert_int_equal(resize, size);
    assert_memory_equal(bytes, resaved, size);
    free(resaved);
    shw_forest_destroy(&again);
    assert_int_equal(shw_code_forest_load_memory(bytes, size, "forest", SHW_CODE_TRUSTED, &params, &again), SHW_OK);
    assert_int_equal(shw_forest_hash(again), hash);
    shw_forest_destroy(&again);
    assert_int_equal(shw_forest_load_memory(bytes, size, "forest", &with, &again), SHW_OK);
    assert_int_equal(shw_forest_hash(again), hash);
    shw_forest_destroy(&again);
    free(bytes);
    testing_examples_free(&examples);
}

/* The member of the metadata: each damaged in one way. */
TESTING_CASE(test_damaged_texts_of_forests)
{
    static const struct {
        const char *from, *to, *message;
    } damages[] = {
        {"[{", "{\"a\": [{", "code in the metadata is not a list"},
        {"[{", "[], [{", "code in the metadata is not a list"},
        {"\"kind\"", "\"king\"", "code in the metadata: entry 1 has no kind"},
        {"\"text\":", "\"text\":null,\"test\":", "code in the metadata: entry 1 has no text"},
        {"\"text\":", "\"more\":1,\"text\":", "entry 1 has more than kind, name, hash and text"},
        {"\"feature\"", "\"future\"", "the kind 'future' instead of feature or channel"},
        {"\"hash\":\"", "\"hash\":\"0", "does not have the hash that the file says"},
        {"sum(channel", "min(channel", "the text of sparse-sum does not have the hash"},
        {"\"name\":\"edge\"", "\"name\":\"egde\"", "the text of the channel kind egde, which the forest does not use"},
        {"\"name\":\"sparse-sum\"", "\"name\":\"ring\"",
         "the text of the feature type ring, which the forest does not"},
    };
    struct testing_log memory = {.errors = 0};
    const struct shw_log log = testing_log(&memory);
    const struct shw_model_source source = shw_model_source(&shw_forest_model, "own.ktx2", &log);
    struct testing_examples examples;
    struct shw_forest *forest;
    json_t *code;
    char *text;

    testing_examples_make(&(struct testing_examples_params){.seed = 7}, &examples);
    forest = train(params_of(make_example("sparse-sum").feature, make_example("edge").kind), &examples);
    code = shw_forest_code_format(shw_forest_get_info(forest));
    text = json_dumps(code, JSON_COMPACT);
    assert_int_equal(shw_forest_code_check(code, shw_forest_get_info(forest), &source), SHW_OK);
    assert_int_equal(shw_forest_code_check(NULL, shw_forest_get_info(forest), &source), SHW_OK);
    json_decref(code);
    for (size_t d = 0; d < sizeof damages / sizeof *damages; d++) {
        const char *at = strstr(text, damages[d].from);
        char damaged[8192];

        assert_non_null(at);
        snprintf(damaged, sizeof damaged, "%.*s%s%s", (int)(at - text), text, damages[d].to,
                 at + strlen(damages[d].from));
        code = json_loads(damaged, JSON_DISABLE_EOF_CHECK, NULL);
        if (code == NULL) /* an object around it */
            code = json_object();
        if (shw_forest_code_check_list(code, &source) == SHW_OK)
            assert_int_equal(shw_forest_code_check(code, shw_forest_get_info(forest), &source), SHW_ERROR_FORMAT);
        if (strstr(memory.last, damages[d].message) == NULL)
            print_error("'%s', not '%s'\n", memory.last, damages[d].message);
        assert_non_null(strstr(memory.last, damages[d].message));
        json_decref(code);
    }
    free(text);
    shw_forest_destroy(&forest);
    testing_examples_free(&examples);
}

static unsigned count_files(const char *folder, char *last, size_t size)
{
    DIR *opened = opendir(folder);
    struct dirent *entry;
    unsigned count = 0;

    while (opened != NULL && (entry = readdir(opened)) != NULL)
        if (entry->d_name[0] != '.') {
            count++;
            snprintf(last, size, "%s/%s", folder, entry->d_name);
        }
    if (opened != NULL)
        closedir(opened);
    return count;
}

/* A file with another list of texts. */
static void with_code(const void *bytes, size_t size, json_t *code, void **changed, size_t *changed_size)
{
    const struct shw_ktx2_source source = {.name = "forest", .content = SHW_KTX2_FOREST};
    struct shw_ktx2 image = {0};
    json_t *root;
    char *text;

    assert_int_equal(shw_ktx2_read_metadata(bytes, size, &source, &image), SHW_OK);
    assert_int_equal(shw_ktx2_read(bytes, size, &source, &image), SHW_OK);
    root = json_loadb(image.metadata, image.metadata_length, 0, NULL);
    assert_int_equal(json_object_set_new(root, "code", code), 0);
    text = json_dumps(root, JSON_COMPACT);
    image.metadata = text;
    image.metadata_length = (uint32_t)strlen(text);
    assert_int_equal(shw_ktx2_write(&image, changed, changed_size), SHW_OK);
    json_decref(root);
    free(text);
}

static json_t *entry_of(const char *kind, const char *name, const char *text)
{
    const XXH128_hash_t value = XXH3_128bits(text, strlen(text));
    char hash[33];

    snprintf(hash, sizeof hash, "%016llx%016llx", (unsigned long long)value.high64, (unsigned long long)value.low64);
    return json_pack("{s:s, s:s, s:s, s:s}", "kind", kind, "name", name, "hash", hash, "text", text);
}

/* Texts that no forest uses are refused before anything is compiled, also where they are trusted. */
TESTING_CASE(test_hostile_texts_of_forests)
{
    struct testing_log memory = {.errors = 0};
    const struct shw_log log = testing_log(&memory);
    const struct shw_forest_load_params params = {.log = log};
    static const char *const expected[] = {"the text of the channel kind unused-0, which the forest does not use",
                                           "two texts of the feature type sparse-sum",
                                           "the text of the feature type aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, which",
                                           "code in the metadata: entry 1 has no text",
                                           "code in the metadata is not a list"};
    struct shw_trainer_params with_sum = testing_training;
    struct testing_examples examples;
    struct shw_forest *forest;
    const char *sum;
    char cache[512], last[1024];
    unsigned before;
    void *bytes;
    size_t size;

    testing_examples_make(&(struct testing_examples_params){.seed = 7}, &examples);
    with_sum.feature = make_example("sparse-sum").feature;
    forest = train(with_sum, &examples);
    sum = make_example("sparse-sum").feature->text;
    assert_int_equal(shw_forest_save_memory(forest, &bytes, &size), SHW_OK);
    shw_forest_destroy(&forest);
    snprintf(cache, sizeof cache, "%s", testing_path("cache/shadewood/code"));
    before = count_files(cache, last, sizeof last);
    for (size_t d = 0; d < sizeof expected / sizeof *expected; d++) {
        json_t *code = json_array();
        char text[512], name[5000];
        struct shw_forest *loaded = NULL;
        size_t changed_size;
        void *changed;

        if (d < 3)
            json_array_append_new(code, entry_of("feature", "sparse-sum", sum));
        for (int i = 0; d == 0 && i < 100; i++) {
            snprintf(name, sizeof name, "unused-%d", i);
            snprintf(text, sizeof text, "//!CHANNEL unused-%d\n//!OUTPUT one\n//!MAXIMUM 9\nint one() { return 1; }\n",
                     i);
            json_array_append_new(code, entry_of("channel", name, text));
        }
        if (d == 1) {
            snprintf(text, sizeof text,
                     "//!FEATURE sparse-sum\n//!PARAM c\n//!TYPE channel\nint response() { return 1; }");
            json_array_append_new(code, entry_of("feature", "sparse-sum", text));
        }
        memset(name, 'a', sizeof name - 1);
        name[sizeof name - 1] = '\0';
        if (d == 2)
            json_array_append_new(code, entry_of("feature", name, "//!FEATURE own\n"));
        if (d == 3)
            json_array_append_new(
                code, json_pack("{s:s, s:s, s:s, s:n}", "kind", "feature", "name", "sparse-sum", "hash", "", "text"));
        with_code(bytes, size, code, &changed, &changed_size);
        for (enum shw_code_trust trust = SHW_CODE_REFUSED; trust <= SHW_CODE_LOOK_ONLY; trust++) {
            assert_int_equal(shw_code_forest_load_memory(changed, changed_size, "forest", trust, &params, &loaded),
                             SHW_ERROR_FORMAT);
            assert_null(loaded);
            if (strstr(memory.last, expected[d]) == NULL)
                print_error("'%s', not '%s'\n", memory.last, expected[d]);
            assert_non_null(strstr(memory.last, expected[d]));
        }
        free(changed);
    }
    assert_int_equal(count_files(cache, last, sizeof last), before);
    free(bytes);
    testing_examples_free(&examples);
}

static enum shw_result read_nothing(void *user, uint32_t index, struct shw_labelled_image *image)
{
    (void)user, (void)index, (void)image;
    return SHW_ERROR_IO;
}

/* What cannot be drawn is refused before an image is read, with the file and the line; also if only the upper of two
 * levels draws it. */

TESTING_CASE(test_training_refuses_before_it_begins)
{
    static const char text[] = "//!FEATURE far\n//!PARAM c\n//!TYPE channel\n//!PARAM o\n//!TYPE offset\n"
                               "//!REACH max(o.x, -o.x) * 100\n//!BOUND greatest(c) * 1000\n"
                               "int response() { return o.x; }\n";
    struct shw_trainer_params possible = testing_training;
    struct testing_log memory = {.errors = 0};
    const struct shw_log log = testing_log(&memory);
    struct testing_examples examples;
    struct shw_code_made made;

    testing_examples_make(&(struct testing_examples_params){.seed = 7}, &examples);
    examples.dataset.read = read_nothing;
    assert_int_equal(shw_code_make("folder/far.glsl", text, sizeof text - 1, SHW_CODE_RUN, &log, &made), SHW_OK);
    for (int levels = 1; levels < 3; levels++) {
        struct shw_trainer_params params = testing_training;
        struct shw_forest *forest = NULL;

        params.feature = made.feature;
        params.log = log;
        params.offset_max = 656;
        params.levels = levels == 1 ? 0 : 2;
        params.below_offset_max = levels == 1 ? 0 : 12;
        assert_int_equal(shw_train(&params, &examples.dataset, &forest), SHW_ERROR_ARGUMENT);
        assert_non_null(strstr(memory.last, "far: folder/far.glsl:6: with offsets up to 656 and sizes up to "));
    }
    possible.feature = made.feature;
    possible.offset_max = 655;
    assert_int_equal(shw_train(&possible, &examples.dataset, &(struct shw_forest *){NULL}), SHW_ERROR_IO);
    testing_examples_free(&examples);
}

/* --- The cache --- */

static bool is_compiled; /* by the last call, not taken from the cache */

static struct shw_code_compiled compile_edge(void)
{
    struct testing_log memory = {.errors = 0};
    const struct shw_log log = testing_log(&memory);
    struct shw_code_text *text = read_example("edge");
    struct shw_code_compiled compiled = {.table = NULL};

    memory.last[0] = '\0';
    assert_int_equal(shw_code_compile(text, shw_code_all_shaders(text), NULL, &log, &compiled), SHW_OK);
    is_compiled = strstr(memory.last, "compiled by /") != NULL;
    assert_int_equal(shw_code_find_missing(&compiled, shw_code_all_shaders(text)), 0);
    shw_code_text_free(&text);
    return compiled;
}

/* What is compiled where there is no other compiler: by TinyCC, and again when there is one. */
TESTING_CASE(test_without_a_compiler)
{
    static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE};
    static const char text[] = "//!FEATURE small\n//!PARAM c\n//!TYPE channel\n//!PARAM a\n//!TYPE rectangle\n"
                               "const int T[3] = {5, -7, 9};\n"
                               "int response() { int s = 0; for (int i = 0; i < 3; i++) { int k[2] = {i, mean(c, a)}; "
                               "s += T[i] * k[i] / 3; } return s + sum(c, a) % 5u == 3u ? s : -s; }";
    const char *cache = testing_path("none/shadewood/code");
    struct testing_log memory = {.errors = 0};
    const struct shw_log log = testing_log(&memory);
    struct shw_code_compiled compiled;
    struct shw_code_text *parsed;
    struct testing_examples examples;
    struct shw_code_made made;
    char file[1024], path[4096];
    uint64_t hashes[2];

    snprintf(path, sizeof path, "%s", getenv("PATH"));
    assert_int_equal(setenv("XDG_CACHE_HOME", testing_path("none"), 1), 0);
    assert_int_equal(setenv("PATH", "/nowhere", 1), 0);
#ifndef HAS_TCC
    assert_int_equal(shw_code_make("small", text, sizeof text - 1, SHW_CODE_RUN, &log, &made), SHW_ERROR_UNSUPPORTED);
    assert_non_null(strstr(memory.last, "there is no C compiler"));
    testing_skip("libtcc was not there when this was built");
#endif
    assert_int_equal(shw_code_make("small", text, sizeof text - 1, SHW_CODE_RUN, &log, &made), SHW_OK);
    assert_non_null(strstr(memory.last, "TinyCC compiles it for the technique cpu"));
    assert_int_equal(count_files(cache, file, sizeof file), 2);
    assert_non_null(strstr(file, "-tcc."));
    testing_examples_make(&(struct testing_examples_params){.seed = 10}, &examples);
    for (int t = 0; t < 2; t++)
        hashes[t] = testing_train(params_of(made.feature, make_example("edge").kind), &examples, techniques[t]);
    assert_int_equal(hashes[0], hashes[1]);
    testing_examples_free(&examples);

    /* It is kept, and named again */
    memory.last[0] = '\0';
    assert_int_equal(shw_code_text_read("small", text, sizeof text - 1, &log, &parsed), SHW_OK);
    assert_int_equal(shw_code_compile(parsed, 0, NULL, &log, &compiled), SHW_OK);
    assert_non_null(strstr(memory.last, "TinyCC compiles it for the technique cpu"));
    assert_int_equal(count_files(cache, file, sizeof file), 2);
    assert_int_equal(setenv("PATH", path, 1), 0);
    assert_int_equal(shw_code_compile(parsed, 0, NULL, &log, &compiled), SHW_OK);
    assert_non_null(strstr(memory.last, "small: compiled by /"));
    assert_int_equal(count_files(cache, file, sizeof file), 4);
    assert_int_equal(setenv("PATH", "/nowhere", 1), 0);
    memory.last[0] = '\0';
    assert_int_equal(shw_code_compile(parsed, 0, NULL, &log, &compiled), SHW_OK); /* by that one */
    assert_string_equal(memory.last, "");
    assert_int_equal(setenv("PATH", path, 1), 0);
    assert_int_equal(setenv("XDG_CACHE_HOME", testing_path("cache"), 1), 0);
    shw_code_text_free(&parsed);
}

/* Puts what is left of the file with that ending, cut short, in its place; it may be loaded itself. */
static void cut_short(const char *folder, const char *ending)
{
    DIR *open_folder = opendir(folder);
    const struct dirent *entry;

    assert_non_null(open_folder);
    while ((entry = readdir(open_folder)) != NULL) {
        const size_t length = strlen(entry->d_name);
        char path[1400];
        static char bytes[1 << 22];
        FILE *stream;
        size_t size;

        if (length < strlen(ending) || strcmp(entry->d_name + length - strlen(ending), ending) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        stream = fopen(path, "rb");
        assert_non_null(stream);
        size = fread(bytes, 1, sizeof bytes, stream);
        fclose(stream);
        assert_int_equal(remove(path), 0);
        stream = fopen(path, "wb");
        assert_non_null(stream);
        assert_int_equal(fwrite(bytes, 1, size * 6 / 10, stream), size * 6 / 10);
        fclose(stream);
        assert_int_equal(chmod(path, 0600), 0);
    }
    closedir(open_folder);
}

/* Only what is in the cache is as fast as before: a damaged file is not taken, nor one that others could write. */
TESTING_CASE(test_cache)
{
    const char *cache = testing_path("cold/shadewood/code");
    char file[1024], spv[1024];
    struct shw_code_compiled first, second;
    struct stat status;
    FILE *stream;

    assert_int_equal(setenv("XDG_CACHE_HOME", testing_path("cold"), 1), 0);
    first = compile_edge();
    assert_true(is_compiled);
    assert_int_equal(count_files(cache, file, sizeof file), 2);
    assert_int_equal(stat(cache, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    second = compile_edge();
    assert_false(is_compiled);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(first.shaders[i].size, second.shaders[i].size);
        assert_memory_equal(first.shaders[i].words, second.shaders[i].words, first.shaders[i].size);
    }
    snprintf(spv, sizeof spv, "%.*s.spv", (int)(strrchr(file, '.') - file), file);
    stream = fopen(spv, "r+");
    assert_non_null(stream);
    fseek(stream, 5000, SEEK_SET);
    fputc('X', stream);
    fclose(stream);
    (void)compile_edge();
    assert_true(is_compiled);
    (void)compile_edge();
    assert_false(is_compiled);
    cut_short(cache, ".so");
    (void)compile_edge();
    assert_true(is_compiled);
    (void)compile_edge();
    assert_false(is_compiled);
    assert_int_equal(chmod(spv, 0666), 0);
    (void)compile_edge();
    assert_true(is_compiled);
    assert_int_equal(chmod(cache, 0777), 0);
    (void)compile_edge();
    assert_true(is_compiled);
    assert_int_equal(chmod(cache, 0700), 0);
    (void)compile_edge();
    assert_false(is_compiled);
    assert_int_equal(setenv("XDG_CACHE_HOME", testing_path("cache"), 1), 0);
}

static atomic_uint asked;

static bool give_up_soon(void *user)
{
    (void)user;
    return atomic_fetch_add(&asked, 1) < 40;
}

/* The child, and what it has begun, ends. */
/* A file of so many bytes that was used so many days ago. */
static void put_cached(const char *folder, const char *name, off_t size, unsigned days)
{
    const struct timespec then = {.tv_sec = time(NULL) - (time_t)days * 86400}, times[2] = {then, then};
    char path[1024];
    FILE *stream;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(ftruncate(fileno(stream), size), 0);
    assert_int_equal(fclose(stream), 0);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static bool has_cached(const char *folder, const char *name)
{
    char path[1024];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

/* What is old goes, then what is oldest; what is not of the cache stays, however old and large. */
TESTING_CASE(test_the_cache_stays_small)
{
#define A "00112233445566778899aabbccddeeff"
#define B "10112233445566778899aabbccddeeff"
#define C "20112233445566778899aabbccddeeff"
#define D "30112233445566778899aabbccddeeff"
    static const char *const strange[] = {"notes.txt",
                                          A ".txt",
                                          A,
                                          "short.so",
                                          "X0112233445566778899aabbccddeeff.so",
                                          A "-gcc.so",
                                          A "0.so",
                                          "AA112233445566778899aabbccddeeff.spv"};
    char folder[512];

    snprintf(folder, sizeof folder, "%s", testing_path("small"));
    assert_int_equal(mkdir(folder, 0700), 0);
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++)
        put_cached(folder, strange[i], 1 << 20, 400);
    put_cached(folder, A ".so", 1000, 91);
    put_cached(folder, A ".spv", 1000, 91);
    put_cached(folder, B ".so", 1000, 91); /* used by its other file, which alone is touched */
    put_cached(folder, B ".spv", 1000, 80);
    put_cached(folder, C "-tcc.so", 1000, 3);
    put_cached(folder, C "-tcc.spv", 1000, 3);
    put_cached(folder, D ".so", 1000, 2);
    assert_int_equal(symlink("notes.txt", testing_path("small/40112233445566778899aabbccddeeff.so")), 0);
    shw_code_cache_trim(folder, 5000, 90);
    assert_false(has_cached(folder, A ".so") || has_cached(folder, A ".spv"));
    assert_true(has_cached(folder, B ".so") && has_cached(folder, B ".spv") && has_cached(folder, C "-tcc.so"));
    shw_code_cache_trim(folder, 4999, 90);
    assert_false(has_cached(folder, B ".so") || has_cached(folder, B ".spv"));
    assert_true(has_cached(folder, C "-tcc.so") && has_cached(folder, C "-tcc.spv") && has_cached(folder, D ".so"));
    shw_code_cache_trim(folder, 0, 90);
    assert_false(has_cached(folder, C "-tcc.so") || has_cached(folder, D ".so"));
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++)
        assert_true(has_cached(folder, strange[i]));
    assert_true(has_cached(folder, "40112233445566778899aabbccddeeff.so"));
    shw_code_cache_trim(testing_path("there is none"), 0, 0);
#undef A
#undef B
#undef C
#undef D
}

/* A text that is taken from the cache is used; what is oldest goes when another is compiled. */
TESTING_CASE(test_what_is_used_stays_in_the_cache)
{
    const struct timespec then = {.tv_sec = time(NULL) - 100 * 86400}, times[2] = {then, then};
    char folder[1024], path[2048];
    struct shw_code_compiled compiled;

    assert_int_equal(setenv("XDG_CACHE_HOME", testing_path("used"), 1), 0);
    assert_int_equal(mkdir(testing_path("used"), 0700), 0);
    snprintf(folder, sizeof folder, "%s", testing_path("used/shadewood/code"));
    compiled = compile_edge();
    shw_code_compiled_free(&compiled);
    for (unsigned turn = 0; turn < 2; turn++) {
        struct dirent *entry;
        DIR *opened = opendir(folder);

        assert_non_null(opened);
        while ((entry = readdir(opened)) != NULL) {
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            if (entry->d_name[0] != '.')
                assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
        }
        closedir(opened);
        if (turn == 0) { /* used, and then it stays */
            compiled = compile_edge();
            assert_false(is_compiled);
            shw_code_compiled_free(&compiled);
        }
        shw_code_cache_trim(folder, SHW_CODE_CACHE_BYTES, SHW_CODE_CACHE_DAYS);
        assert_int_equal(count_files(folder, path, sizeof path), turn == 0 ? 2 : 0);
    }
    assert_int_equal(setenv("XDG_CACHE_HOME", testing_path("cache"), 1), 0);
}

TESTING_CASE(test_a_compiler_that_does_not_end_is_given_up)
{
    const struct shw_code_patience patience = {give_up_soon, NULL};
    struct shw_code_text *text = read_example("edge");
    struct shw_code_compiled compiled;
    char path[4096], cc[600], both[5000];
    FILE *stream;

    snprintf(path, sizeof path, "%s", getenv("PATH"));
    assert_int_equal(mkdir(testing_path("slow"), 0700), 0);
    snprintf(cc, sizeof cc, "%s", testing_path("slow/cc"));
    stream = fopen(cc, "w");
    assert_non_null(stream);
    fputs("#!/bin/sh\nsleep 100000\n", stream);
    assert_int_equal(fclose(stream), 0);
    assert_int_equal(chmod(cc, 0700), 0);
    snprintf(both, sizeof both, "%s:%s", testing_path("slow"), path);
    assert_int_equal(setenv("PATH", both, 1), 0);
    assert_int_equal(setenv("XDG_CACHE_HOME", testing_path("slow"), 1), 0);
    assert_int_equal(shw_code_compile(text, shw_code_all_shaders(text), &patience, NULL, &compiled),
                     SHW_ERROR_CANCELLED);
    assert_null(compiled.object);
    assert_int_equal(setenv("PATH", path, 1), 0);
    assert_int_equal(setenv("XDG_CACHE_HOME", testing_path("cache"), 1), 0);
    shw_code_text_free(&text);
}

/* More texts than fit at once, one after another; what is held stays what it is. */
TESTING_CASE(test_texts_make_room_for_others)
{
    const struct shw_code_made kept = make_example("edge");
    struct shw_code_made made, many[64];
    uint32_t count = 0;
    char text[256];

    for (int i = 0; i < 200; i++) {
        snprintf(text, sizeof text, "//!CHANNEL own\n//!OUTPUT own\n//!MAXIMUM %d\n\nint own() { return 1; }\n", i + 1);
        assert_int_equal(shw_code_make("own.glsl", text, strlen(text), SHW_CODE_LOOK, NULL, &made), SHW_OK);
        assert_int_equal(made.kind->get_info(0, 0).max_abs, i + 1);
        assert_false(shw_code_may_run(&made));
        shw_code_let_go(&made);
    }
    assert_string_equal(kept.kind->name, "edge");
    assert_true(shw_code_may_run(&kept));

    /* All at once do not fit. */
    for (int i = 0; i < 64; i++) {
        snprintf(text, sizeof text, "//!CHANNEL own\n//!OUTPUT own\n//!MAXIMUM %d\n\nint own() { return 2; }\n", i + 1);
        if (shw_code_make("own.glsl", text, strlen(text), SHW_CODE_LOOK, NULL, &many[count]) != SHW_OK)
            break;
        count++;
    }
    assert_in_range(count, 40, 63);
    while (count > 0)
        shw_code_let_go(&many[--count]);
    shw_code_let_go(&kept);
}

static void copy_example(const char *name, const char *to)
{
    struct shw_file_bytes file;
    char path[512];
    FILE *stream = fopen(testing_path(to), "wb");

    snprintf(path, sizeof path, EXAMPLES "%s.glsl", name);
    assert_non_null(stream);
    assert_int_equal(shw_file_bytes_read(path, 65536, NULL, &file), SHW_OK);
    assert_int_equal(fwrite(file.bytes, 1, file.size, stream), file.size);
    assert_int_equal(fclose(stream), 0);
    shw_file_bytes_free(&file);
}

TESTING_CASE(test_lists_of_channels)
{
    struct testing_log memory = {.errors = 0};
    const struct shw_log log = testing_log(&memory);
    struct shw_code_channels channels = {.text = NULL};
    char list[1024];

    assert_int_equal(
        shw_code_channels_take("gauss:1," EXAMPLES "edge.glsl:3,rgb," EXAMPLES "edge.glsl:1", &log, &channels), SHW_OK);
    assert_string_equal(channels.text, "gauss:1,edge:3,rgb,edge:1");
    assert_ptr_equal(channels.kinds.kinds[0], make_example("edge").kind);
    assert_null(channels.kinds.kinds[1]);
    assert_int_equal(shw_code_channels_take(EXAMPLES "ring.glsl", &log, &channels), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "ring.glsl defines a feature type"));
    assert_int_equal(shw_code_channels_take("lost.glsl", &log, &channels), SHW_ERROR_IO);
    copy_example("edge", "my,own,edge.glsl");
    snprintf(list, sizeof list, "rgb,%s:2", testing_path("my,own,edge.glsl"));
    assert_int_equal(shw_code_channels_take(list, &log, &channels), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "my,own,edge.glsl: the name of a text in a list of channels has no comma"));
    assert_int_equal(shw_code_channels_take("rgb,my:edge.glsl:2", &log, &channels), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "my:edge.glsl:2: the name of a text in a list of channels has no colon"));
}

TESTING_FIXTURE(begin, NULL)
