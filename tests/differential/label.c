/* Labelling random images by random forests: every mixture of techniques, vector instructions and threads, tiles of
 * any size, pieces of any size, parts of any size and step and windows around them give what `cpu` gives, and
 * explanations say the same. */
#include "testing/device.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/explain.h>

#include "base/image.h"
#include "dense/label/window.h"
#include "dense/own_kinds.h"
#include "dense/smooth/smooth.h"
#include "random_label.h"
#include "testing/cases.h"
#include "testing/labelling.h"

enum { IMAGES = 2, INPUTS = 8, EXPLAINED = 3, PARTS = 2, STEP_MAX = 9 };

/* An image with the inputs that a forest reads. */
struct picture {
    struct shw_image images[INPUTS];
    struct shw_input list[INPUTS];
    struct shw_inputs inputs;
};

static bool reads(const struct shw_forest *forest, const char *name)
{
    for (uint32_t i = 0; shw_forest_get_input(forest, i) != NULL; i++)
        if (strcmp(shw_forest_get_input(forest, i), name) == 0)
            return true;
    return false;
}

static struct shw_image make_input(struct testing_random *random, const struct shw_image *colour, const char *name,
                                   enum shw_pixel_format format)
{
    if (strcmp(name, SHW_DEPTH) == 0 || strcmp(name, SHW_HEIGHT) == 0)
        return testing_depth(random, colour->width, colour->height);
    if (format == SHW_PIXEL_GREY32_FLOAT)
        return testing_floats(random, colour->width, colour->height);
    return testing_image(random, colour->width, colour->height, format, 0);
}

static void random_inputs(struct testing_random *random, const struct shw_forest *forest, struct picture *picture)
{
    enum shw_pixel_format formats[INPUTS] = {(enum shw_pixel_format)(SHW_PIXEL_GREY8 + testing_random_below(random, 6)),
                                             SHW_PIXEL_NONE,
                                             random_chance(random, 50) ? SHW_PIXEL_GREY8 : SHW_PIXEL_GREY16,
                                             SHW_PIXEL_NONE,
                                             SHW_PIXEL_NONE,
                                             random_chance(random, 50) ? SHW_PIXEL_GREY8 : SHW_PIXEL_GREY16,
                                             random_chance(random, 50) ? SHW_PIXEL_GREY8 : SHW_PIXEL_GREY16,
                                             random_chance(random, 70) ? SHW_PIXEL_GREY32_FLOAT : SHW_PIXEL_GREY8};
    static const char *const names[INPUTS] = {SHW_COLOUR, SHW_PREVIOUS, OWN_PLANE, SHW_DEPTH,
                                              SHW_HEIGHT, "pa",         "pb",      TESTING_FLOAT_PLANE};
    bool has_previous = random_chance(random, 70);

    memset(picture, 0, sizeof *picture);
    picture->images[0] = random_picture(random, formats[0], 2 * testing_random_below(random, 3));
    formats[1] =
        (formats[0] >= SHW_PIXEL_GREY16 ? SHW_PIXEL_GREY16 : SHW_PIXEL_GREY8) + testing_random_below(random, 3);
    picture->inputs.inputs = picture->list;
    for (uint32_t i = 0; i < INPUTS; i++) {
        if (i > 0 && (!reads(forest, names[i]) || (i == 1 && !has_previous)))
            continue;
        if (i > 0)
            picture->images[i] = make_input(random, &picture->images[0], names[i], formats[i]);
        picture->list[picture->inputs.count++] = (struct shw_input){.name = names[i], .image = picture->images[i]};
    }
    testing_describe(" %u inputs;", picture->inputs.count);
}

static void free_picture(struct picture *picture)
{
    for (uint32_t i = 0; i < INPUTS; i++)
        free((void *)(uintptr_t)picture->images[i].pixels);
}

static void choose_simd(const char *level)
{
    if (level == NULL)
        unsetenv("SHADEWOOD_SIMD");
    else
        setenv("SHADEWOOD_SIMD", level, 1);
}

static struct shw_labelling choose_outputs(const struct testing_labelling *labelling, uint32_t outputs)
{
    return (struct shw_labelling){(outputs & SHW_OUTPUT_TREE_LEAF) != 0 ? labelling->out.tree_leaf : NULL,
                                  (outputs & SHW_OUTPUT_FOREST_LEAVES) != 0 ? labelling->out.forest_leaves : NULL,
                                  (outputs & SHW_OUTPUT_DISTRIBUTION) != 0 ? labelling->out.distribution : NULL,
                                  (outputs & SHW_OUTPUT_ARGMAX) != 0 ? labelling->out.argmax : NULL};
}

static struct testing_labelling run(struct shw_labeller *labeller, const struct shw_forest *forest, uint32_t outputs,
                                    const struct picture *picture)
{
    struct testing_labelling got = testing_labelling(forest, picture->images[0].width, picture->images[0].height);
    struct shw_labelling wanted = choose_outputs(&got, outputs);

    assert_int_equal(shw_labeller_run(labeller, &picture->inputs, &wanted), SHW_OK);
    return got;
}

/* The part's pixels of the whole image's planes. */
static void pick(const void *from, void *to, size_t element, uint32_t planes, const struct testing_labelling *whole,
                 const struct shw_part *part)
{
    char *next = to;

    for (uint32_t p = 0; p < planes; p++)
        for (uint32_t j = 0; j < part->height; j++)
            for (uint32_t i = 0; i < part->width; i++, next += element) {
                size_t y = (size_t)p * whole->height + part->y + (size_t)part->step * j;
                memcpy(next, (const char *)from + (y * whole->width + part->x + part->step * i) * element, element);
            }
}

static struct testing_labelling pick_part(const struct shw_forest *forest, const struct testing_labelling *whole,
                                          const struct shw_part *part)
{
    struct testing_labelling picked = testing_labelling(forest, part->width, part->height);

    pick(whole->out.tree_leaf, picked.out.tree_leaf, 4, 1, whole, part);
    pick(whole->out.forest_leaves, picked.out.forest_leaves, 4, whole->trees, whole, part);
    pick(whole->out.distribution, picked.out.distribution, 2, whole->classes, whole, part);
    pick(whole->out.argmax, picked.out.argmax, 2, 1, whole, part);
    return picked;
}

/* One side of a part: sometimes all that there is. */
static void random_side(struct testing_random *random, uint32_t length, uint32_t step, uint32_t *first, uint32_t *count)
{
    bool all = random_chance(random, 40);

    *first = all ? testing_random_below(random, length < step ? length : step) : testing_random_below(random, length);
    *count = (length - *first - 1) / step + 1;
    if (!all)
        *count = 1 + testing_random_below(random, *count);
}

static void check_parts(struct testing_random *random, struct shw_labeller *labeller, const struct shw_forest *forest,
                        uint32_t outputs, const struct picture *picture, const struct testing_labelling *whole)
{
    for (uint32_t i = 0; i < PARTS; i++) {
        struct shw_part part = {.step = 1 + testing_random_below(random, STEP_MAX)};
        struct testing_labelling expected, got;
        struct shw_labelling wanted;
        random_side(random, whole->width, part.step, &part.x, &part.width);
        random_side(random, whole->height, part.step, &part.y, &part.height);
        testing_describe(" part %u %u %u %u step %u;", part.x, part.y, part.width, part.height, part.step);
        expected = pick_part(forest, whole, &part);
        got = testing_labelling(forest, part.width, part.height);
        wanted = choose_outputs(&got, outputs);
        assert_int_equal(shw_labeller_run_part(labeller, &picture->inputs, &part, &wanted), SHW_OK);
        testing_labelling_same("part", outputs, &got, &expected);
        testing_labelling_free(&expected);
        testing_labelling_free(&got);
    }
}

/* The rectangle of an image, in memory of its own. */
static struct shw_image copy_window(const struct shw_image *image, const struct shw_region *window)
{
    const size_t row = window->width * shw_pixel_size(image->format);
    const struct shw_image part = shw_image_part(image, window->x, window->y, window->width, window->height);
    char *pixels = malloc(row * window->height);

    assert_non_null(pixels);
    for (uint32_t y = 0; y < window->height; y++)
        memcpy(pixels + y * row, (const char *)part.pixels + y * part.stride, row);
    return (struct shw_image){pixels, window->width, window->height, 0, part.format};
}

/* A part of an image of which nothing else is in memory than what is within reach, and sometimes more. */
static void check_window(struct testing_random *random, struct shw_labeller *labeller, const struct shw_forest *forest,
                         uint32_t outputs, const struct picture *picture, const struct testing_labelling *whole)
{
    const uint32_t reach = shw_labeller_reach(labeller), more = reach + testing_random_below(random, 3);
    struct shw_part part = {.step = 1 + testing_random_below(random, 2)};
    struct shw_region window = {.full_width = whole->width, .full_height = whole->height};
    struct shw_input inputs[INPUTS];
    struct testing_labelling expected, got;
    struct shw_pixel_range x, y;
    struct shw_labelling wanted;

    random_side(random, whole->width, part.step, &part.x, &part.width);
    random_side(random, whole->height, part.step, &part.y, &part.height);
    x = shw_within_reach(part.x, shw_part_span(part.width, part.step), more, whole->width);
    y = shw_within_reach(part.y, shw_part_span(part.height, part.step), more, whole->height);
    window.x = x.begin;
    window.y = y.begin;
    window.width = x.end - x.begin;
    window.height = y.end - y.begin;
    testing_describe(" window %u %u %u %u for %u %u %u %u step %u;", window.x, window.y, window.width, window.height,
                     part.x, part.y, part.width, part.height, part.step);
    for (uint32_t i = 0; i < picture->inputs.count; i++) {
        inputs[i] = picture->list[i];
        inputs[i].image = copy_window(&picture->list[i].image, &window);
    }
    expected = pick_part(forest, whole, &part);
    got = testing_labelling(forest, part.width, part.height);
    wanted = choose_outputs(&got, outputs);
    assert_int_equal(
        shw_labeller_run_window(labeller, &(struct shw_inputs){picture->inputs.count, inputs}, &window, &part, &wanted),
        SHW_OK);
    testing_labelling_same("window", outputs, &got, &expected);
    testing_labelling_free(&expected);
    testing_labelling_free(&got);
    for (uint32_t i = 0; i < picture->inputs.count; i++)
        free((void *)(uintptr_t)inputs[i].image.pixels);
}

/* One thread, no vector instructions, no device. */
static struct testing_labelling run_plain(const struct shw_forest *forest, bool smooths, const struct picture *picture)
{
    struct testing_log memory;
    struct shw_labeller_params params = {
        .forest = forest, .threads = 1, .outputs = TESTING_ALL_OUTPUTS, .log = testing_log(&memory)};
    struct shw_labeller *labeller = NULL;
    struct testing_labelling got;

    params.smoothing.radius = smooths ? 0 : SHW_SMOOTHING_NONE;
    choose_simd("none");
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    got = run(labeller, forest, TESTING_ALL_OUTPUTS, picture);
    shw_labeller_destroy(&labeller);
    return got;
}

static void check_explanation(const struct shw_explanation *explanation, const struct testing_labelling *expected)
{
    size_t pixels = (size_t)expected->width * expected->height;
    size_t at = (size_t)explanation->y * expected->width + explanation->x;

    assert_int_equal(explanation->tree_count, expected->trees);
    assert_int_equal(explanation->argmax, expected->out.argmax[at]);
    for (uint32_t t = 0; t < expected->trees; t++)
        assert_int_equal(explanation->trees[t].leaf, expected->out.forest_leaves[t * pixels + at]);
    for (uint32_t c = 0; c < expected->classes; c++)
        assert_int_equal(explanation->distribution[c], expected->out.distribution[c * pixels + at]);
}

/* What the forest says before smoothing. */
static void explain(struct testing_random *random, const struct shw_forest *forest, const struct picture *picture)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    struct testing_labelling expected = run_plain(forest, false, picture);
    struct shw_channel_reader_params params = {.inputs = &picture->inputs,
                                               .channels = info->channels,
                                               .kinds = own_kinds,
                                               .threads = 1 + testing_random_below(random, 2),
                                               .below = info->below};
    struct shw_channel_reader *reader = NULL;

    assert_int_equal(shw_channel_reader_create(&params, &reader), SHW_OK);
    for (int i = 0; i < EXPLAINED; i++) {
        struct shw_explanation *explanation = NULL;
        assert_int_equal(shw_explain(forest, reader, testing_random_below(random, expected.width),
                                     testing_random_below(random, expected.height), &explanation),
                         SHW_OK);
        check_explanation(explanation, &expected);
        shw_explanation_free(&explanation);
    }
    shw_channel_reader_destroy(&reader);
    testing_labelling_free(&expected);
}

static void random_labeller(struct testing_random *random, const struct shw_forest *forest,
                            struct shw_labeller_params *params)
{
    static const char *const simd[] = {"none", "portable", "avx2", "avx512", NULL};
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    const struct shw_smooth_windows windows = shw_smooth_windows_of(&info->smoothing);
    uint32_t margin = shw_forest_get_reach(forest) + info->channel_list->radius + shw_smooth_reach(&windows);
    const char *level = simd[testing_random_below(random, 5)];

    random_mixture(random, true, params);
    params->outputs = random_outputs(random);
    if (margin < 2 * LABEL_SIDE_MAX && random_chance(random, 75)) { /* regions with tiles of at least one pixel */
        params->width = 2 * margin + random_size(random, LABEL_SIDE_MAX);
        params->height = 2 * margin + random_size(random, LABEL_SIDE_MAX);
    }
    if (random_chance(random, 25))
        params->memory = 4096 + random_size(random, 1 << 20);
    params->threads = 1 + testing_random_below(random, 3);
    choose_simd(level);
    testing_describe(", regions of %ux%u, memory %u, %u threads, simd %s;", params->width, params->height,
                     (unsigned)params->memory, params->threads, level != NULL ? level : "all");
}

static void check_image(struct testing_random *random, struct shw_labeller *labeller, const struct shw_forest *forest,
                        uint32_t outputs)
{
    const char *simd = getenv("SHADEWOOD_SIMD");
    char kept[16] = "";
    struct testing_labelling expected, got;
    struct picture picture;

    random_inputs(random, forest, &picture);
    if (simd != NULL)
        strncpy(kept, simd, sizeof kept - 1);
    expected = run_plain(forest, true, &picture);
    choose_simd(simd != NULL ? kept : NULL);
    got = run(labeller, forest, outputs, &picture);
    testing_labelling_same("run", outputs, &got, &expected);
    check_parts(random, labeller, forest, outputs, &picture, &expected);
    check_window(random, labeller, forest, outputs, &picture, &expected);
    if (random_chance(random, 30))
        explain(random, forest, &picture);
    testing_labelling_free(&expected);
    testing_labelling_free(&got);
    free_picture(&picture);
}

/* One labeller for several images, and for another forest after the first. */
static void runs_agree_in_a_case(uint64_t seed)
{
    struct testing_random random = {seed};
    struct testing_log memory;
    struct shw_labeller_params params = {.log = testing_log(&memory)};
    struct shw_labeller *labeller = NULL;
    struct shw_forest *forests[2] = {NULL};
    struct random_shape shape;
    uint32_t current = 0;

    random_shape_make(&random, &shape);
    params.forest = forests[0] = random_forest(&shape.params);
    params.device = random_chance(&random, 30) ? testing_device() : testing_device_plain();
    random_labeller(&random, params.forest, &params);
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    for (uint32_t i = 0; i < IMAGES; i++) {
        check_image(&random, labeller, forests[current], params.outputs);
        if (i == 0 && params.width == 0 && random_chance(&random, 30)) {
            random_shape_change(&random, &shape);
            forests[++current] = random_forest(&shape.params);
            assert_int_equal(shw_labeller_set_forest(labeller, forests[current]), SHW_OK);
        }
    }
    shw_labeller_destroy(&labeller);
    testing_device_check();
    for (uint32_t f = 0; f <= current; f++)
        shw_forest_destroy(&forests[f]);
    unsetenv("SHADEWOOD_SIMD");
}

TESTING_CASE_WITH(tiles_and_techniques_agree, NULL, testing_sweep_teardown)
{
    testing_sweep(&(struct testing_sweep){
        .name = "label", .usual = testing_is_slow() ? 60 : 24, .sanitized = 10, .run = runs_agree_in_a_case});
}

TESTING_FIXTURE(NULL, testing_device_teardown)
