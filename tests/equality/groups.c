/* Forests larger than what one binding of a storage buffer takes: trees are walked in groups, and leaves are bound in
 * parts. The limit is set so low that tiny forests exceed it. */
#include "testing/device.h"

#include <stdlib.h>
#include <string.h>

#include "dense/traverse/forest_table.h"
#include "testing/labelling.h"
#include "testing/random_forest.h"

enum { WIDTH = 22, HEIGHT = 13 };

static uint32_t *range(void)
{
    return &testing_device()->properties.limits.maxStorageBufferRange;
}

/* The least range with which the largest tree could be walked if its nodes were as large as the tests of ferns, times
 * `percent` / 100: smaller nodes of rectangles leave too little for the leaves. */
static uint32_t least_range(const struct shw_forest *forest, uint32_t percent)
{
    const struct shw_feature_type *type = shw_forest_get_info(forest)->feature;
    uint64_t most = 0, larger = shw_walk_node_texels(type, true) / shw_walk_node_texels(type, false);

    for (uint32_t t = 0; t < shw_forest_get_info(forest)->tree_count; t++) {
        uint64_t texels = larger * shw_walk_tree_texels(forest, t);
        most = texels > most ? texels : most;
    }
    return (uint32_t)(16 * most * percent / 100);
}

static uint32_t groups_of(const struct shw_forest *forest)
{
    return shw_walk_nodes_measure(forest, shw_forest_get_info(forest)->tree_count, shw_forest_table_most(*range()))
        .groups;
}

static bool has_parts(const struct shw_forest *forest)
{
    uint64_t most = shw_forest_table_most(*range());

    return shw_forest_table_size_of(forest, 1, most).leaves > most;
}

struct scene {
    struct shw_input list[2];
    struct shw_inputs inputs;
};

static void open_scene(struct testing_random *random, bool has_depth, struct scene *scene)
{
    scene->list[0] = (struct shw_input){.image = testing_image(random, WIDTH, HEIGHT, SHW_PIXEL_RGB8, 0)};
    scene->list[1] = (struct shw_input){.name = SHW_DEPTH, .image = testing_depth(random, WIDTH, HEIGHT)};
    scene->inputs = (struct shw_inputs){has_depth ? 2 : 1, scene->list};
}

static void close_scene(struct scene *scene)
{
    for (int i = 0; i < 2; i++)
        free((void *)(uintptr_t)scene->list[i].image.pixels);
}

static struct shw_labeller_params params_of(const struct shw_forest *forest, enum shw_technique technique,
                                            uint32_t outputs)
{
    return (struct shw_labeller_params){.forest = forest,
                                        .device = testing_device(),
                                        .channels = technique,
                                        .integrate = technique,
                                        .evaluate = technique,
                                        .outputs = outputs,
                                        .threads = 1};
}

static void label(struct shw_labeller *labeller, const struct scene *scene, uint32_t outputs,
                  struct testing_labelling *got)
{
    const struct shw_labelling out = {
        .tree_leaf = (outputs & SHW_OUTPUT_TREE_LEAF) != 0 ? got->out.tree_leaf : NULL,
        .forest_leaves = (outputs & SHW_OUTPUT_FOREST_LEAVES) != 0 ? got->out.forest_leaves : NULL,
        .distribution = (outputs & SHW_OUTPUT_DISTRIBUTION) != 0 ? got->out.distribution : NULL,
        .argmax = (outputs & SHW_OUTPUT_ARGMAX) != 0 ? got->out.argmax : NULL};

    assert_int_equal(shw_labeller_run(labeller, &scene->inputs, &out), SHW_OK);
}

static struct testing_labelling label_by(const struct shw_forest *forest, const struct scene *scene,
                                         enum shw_technique technique, uint32_t outputs)
{
    struct testing_labelling got = testing_labelling(forest, WIDTH, HEIGHT);
    struct shw_labeller_params params = params_of(forest, technique, outputs);
    struct shw_labeller *labeller = NULL;
    struct testing_log memory;

    params.log = testing_log(&memory);
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    label(labeller, scene, outputs, &got);
    shw_labeller_destroy(&labeller);
    return got;
}

/* With the limit that the largest tree just keeps, and with one that some trees share. */
static void check(const struct random_forest_params *params, bool has_depth, bool wants_parts)
{
    static const uint32_t outputs[] = {TESTING_ALL_OUTPUTS,      SHW_OUTPUT_TREE_LEAF,
                                       SHW_OUTPUT_FOREST_LEAVES, SHW_OUTPUT_DISTRIBUTION,
                                       SHW_OUTPUT_ARGMAX,        SHW_OUTPUT_ARGMAX | SHW_OUTPUT_DISTRIBUTION};
    struct shw_forest *forest = random_forest(params);
    struct testing_random random = {params->seed};
    uint32_t kept = *range();
    struct testing_labelling expected;
    struct scene scene;

    open_scene(&random, has_depth, &scene);
    expected = label_by(forest, &scene, SHW_TECHNIQUE_CPU, TESTING_ALL_OUTPUTS);
    for (uint32_t percent = 100; percent <= 130; percent += 30) {
        *range() = least_range(forest, percent);
        assert_true(groups_of(forest) > 1);
        assert_true(percent > 100 || has_parts(forest) == wants_parts);
        for (size_t o = 0; o < sizeof outputs / sizeof *outputs; o++)
            for (int t = SHW_TECHNIQUE_FRAGMENT; t <= SHW_TECHNIQUE_COMPUTE; t++) {
                struct testing_labelling got = label_by(forest, &scene, (enum shw_technique)t, outputs[o]);
                testing_labelling_same(shw_technique_name((enum shw_technique)t), outputs[o], &got, &expected);
                testing_labelling_free(&got);
            }
    }
    *range() = kept;
    testing_labelling_free(&expected);
    close_scene(&scene);
    shw_forest_destroy(&forest);
    testing_device_check();
}

#define GROUP_TEST(name, has_depth, wants_parts, ...)                                                                  \
    TESTING_CASE(name)                                                                                                 \
    {                                                                                                                  \
        const struct random_forest_params params = {__VA_ARGS__};                                                      \
        check(&params, has_depth, wants_parts);                                                                        \
    }
GROUP_TEST(means, false, false, .seed = 1, .channels = SHW_CHANNELS_RGB, .trees = 7, .depth = 10, .split_percent = 90,
           .classes = 5)
GROUP_TEST(leaves_in_parts, false, true, .seed = 2, .channels = SHW_CHANNELS_RGB, .trees = 6, .depth = 9,
           .split_percent = 92, .classes = 24)
GROUP_TEST(votes, false, true, .seed = 3, .channels = SHW_CHANNELS_RGB, .trees = 5, .depth = 10, .split_percent = 90,
           .classes = 30, .combine = SHW_COMBINE_VOTE)
GROUP_TEST(shared_leaves, false, false, .seed = 4, .channels = SHW_CHANNELS_RGB, .trees = 6, .depth = 10,
           .split_percent = 90, .classes = 9, .shares_leaves = true)
GROUP_TEST(pixels_without_depth, true, true, .seed = 5, .channels = "depth", .trees = 6, .depth = 10,
           .split_percent = 92, .classes = 8, .feature = &shw_feature_kinect_difference)
GROUP_TEST(fourteen_trees, false, true, .seed = 6, .channels = SHW_CHANNELS_RGB, .trees = 14, .depth = 9,
           .split_percent = 90, .classes = 3)

/* Forests of the same labeller, with other groups each. */
TESTING_CASE(forests_take_turns)
{
    static const struct random_forest_params few = {
        .seed = 7, .channels = SHW_CHANNELS_RGB, .trees = 3, .depth = 10, .split_percent = 92, .classes = 20};
    static const struct random_forest_params many = {
        .seed = 8, .channels = SHW_CHANNELS_RGB, .trees = 9, .depth = 7, .split_percent = 80, .classes = 20};
    struct shw_forest *forests[2] = {random_forest(&few), random_forest(&many)};
    struct shw_labeller_params params = params_of(forests[0], SHW_TECHNIQUE_COMPUTE, TESTING_ALL_OUTPUTS);
    uint32_t kept = *range();
    struct testing_random random = {9};
    struct shw_labeller *labeller = NULL;
    struct testing_log memory;
    struct scene scene;

    open_scene(&random, false, &scene);
    params.log = testing_log(&memory);
    params.room = (struct shw_forest_room){9, 20, 6000};
    *range() = least_range(forests[0], 100);
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    for (int i = 0; i < 4; i++) {
        const struct shw_forest *forest = forests[i % 2];
        struct testing_labelling got = testing_labelling(forest, WIDTH, HEIGHT);
        struct testing_labelling expected = label_by(forest, &scene, SHW_TECHNIQUE_CPU, TESTING_ALL_OUTPUTS);
        assert_true(i == 0 || shw_labeller_has_room(labeller, forest));
        assert_int_equal(shw_labeller_set_forest(labeller, forest), SHW_OK);
        label(labeller, &scene, TESTING_ALL_OUTPUTS, &got);
        testing_labelling_same("taking turns", TESTING_ALL_OUTPUTS, &got, &expected);
        testing_labelling_free(&got);
        testing_labelling_free(&expected);
    }
    shw_labeller_destroy(&labeller);
    *range() = kept;
    close_scene(&scene);
    shw_forest_destroy(&forests[0]);
    shw_forest_destroy(&forests[1]);
    testing_device_check();
}

static void refuse(const struct shw_forest *forest, const char *text)
{
    struct shw_labeller_params params = params_of(forest, SHW_TECHNIQUE_COMPUTE, SHW_OUTPUT_ARGMAX);
    struct shw_log *log = &testing_device()->log, kept = *log;
    struct shw_labeller *labeller = NULL;
    struct testing_log memory;

    params.width = WIDTH;
    params.height = HEIGHT;
    *log = testing_log(&memory);
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_ERROR_LIMIT);
    assert_null(labeller);
    *log = kept;
    assert_int_equal(memory.errors, 1);
    if (strstr(memory.last, text) == NULL)
        fail_msg("no '%s' in: %s", text, memory.last);
}

/* A single tree, or leaves, that are too large: one line with the sizes. */
TESTING_CASE(what_is_too_large_is_refused)
{
    static const struct random_forest_params trees = {
        .seed = 10, .channels = SHW_CHANNELS_RGB, .trees = 2, .depth = 10, .split_percent = 92, .classes = 2};
    static const struct random_forest_params leaves = {
        .seed = 11, .channels = SHW_CHANNELS_RGB, .trees = 9, .depth = 8, .split_percent = 92, .classes = 400};
    struct shw_forest *forest = random_forest(&trees);
    uint32_t kept = *range();

    *range() = least_range(forest, 45);
    refuse(forest, "need a storage buffer of");
    shw_forest_destroy(&forest);
    forest = random_forest(&leaves);
    *range() = least_range(forest, 100);
    refuse(forest, "the distributions of the forest's leaves need storage buffers of");
    *range() = kept;
    shw_forest_destroy(&forest);
    testing_device_check();
}

TESTING_FIXTURE(NULL, testing_device_teardown)
