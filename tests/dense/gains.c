/* What tests gained, as the provenance has it, against entropies that are computed from the leaves of all pixels. */
#include "testing/testing.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/forest.h>
#include <shadewood/label.h>

#include "dense/forest/gains.h"
#include "testing/examples.h"
#include "testing/labelling.h"
#include "testing/training.h"

#define CLASSES  3u
#define CHANNELS 3u

/* All pixels of all images, so that the samples of every tree are known. */
static struct shw_trainer_params settings(void)
{
    struct shw_trainer_params params = testing_training;

    params.pixels_per_image = SHW_PIXELS_ALL;
    params.technique = SHW_TECHNIQUE_CPU;
    params.single_percent = 40;
    return params;
}

static double n_log_n(double n)
{
    return n > 0 ? n * log2(n) : 0;
}

/* Times the entropy of its classes, the weight of a node. */
static double disorder(const double *counts)
{
    double all = 0, sum = 0;

    for (uint32_t c = 0; c < CLASSES; c++) {
        all += counts[c];
        sum += n_log_n(counts[c]);
    }
    return n_log_n(all) - sum;
}

struct expected {
    double levels[SHW_DEPTH_MAX][CHANNELS], tests[CHANNELS][CHANNELS + 1];
};

/* Adds what the tests below a node gain; `counts` of its leaves are known, and become known of the node. */
static void add_node(const struct shw_forest *forest, uint32_t tree, uint32_t index, uint32_t level,
                     double (*counts)[CLASSES], struct expected *expected)
{
    const struct shw_node node = shw_forest_get_node(forest, tree, index);
    struct shw_rectangle_difference difference;
    double gain;

    if (!node.is_split)
        return;
    add_node(forest, tree, node.left, level + 1, counts, expected);
    add_node(forest, tree, node.left + 1, level + 1, counts, expected);
    for (uint32_t c = 0; c < CLASSES; c++)
        counts[index][c] = counts[node.left][c] + counts[node.left + 1][c];
    gain = disorder(counts[index]) - disorder(counts[node.left]) - disorder(counts[node.left + 1]);
    difference = shw_rectangle_difference_unpack(&node.feature);
    if (difference.single) {
        expected->levels[level][difference.channel[0]] += gain;
        expected->tests[difference.channel[0]][CHANNELS] += gain;
    } else {
        const uint32_t a = difference.channel[0], b = difference.channel[1];

        expected->levels[level][a] += gain / 2;
        expected->levels[level][b] += gain / 2;
        expected->tests[a < b ? a : b][a < b ? b : a] += gain;
    }
}

/* The weights of samples by class at the leaves of a tree, as nodes. */
static double (*count_leaves(const struct shw_forest *forest, uint32_t tree, const struct testing_examples *examples,
                             const double *weights))[CLASSES]
{
    const struct shw_tree_info info = shw_forest_get_tree(forest, tree);
    double(*counts)[CLASSES] = calloc(info.node_count, sizeof *counts);
    uint32_t *nodes = calloc(info.leaf_count, sizeof *nodes);

    for (uint32_t n = 0; n < info.node_count; n++)
        if (!shw_forest_get_node(forest, tree, n).is_split)
            nodes[shw_forest_get_node(forest, tree, n).leaf] = n;
    for (uint32_t e = 0; e < examples->dataset.count; e++) {
        const struct testing_example *example = &examples->examples[e];
        const struct shw_labeller_params params = {.forest = forest, .outputs = SHW_OUTPUT_FOREST_LEAVES};
        const struct shw_image image = {
            .pixels = example->pixels, .width = example->width, .height = example->height, .format = SHW_PIXEL_RGB8};
        struct testing_labelling labelled = testing_label(&params, &image);
        const uint32_t pixels = image.width * image.height, *leaves = labelled.out.forest_leaves + tree * pixels;

        for (uint32_t i = 0; i < pixels; i++)
            if (example->labels[i] != SHW_LABEL_VOID)
                counts[nodes[leaves[i]]][example->labels[i]] += weights[example->labels[i]];
        testing_labelling_free(&labelled);
    }
    free(nodes);
    return counts;
}

static struct expected expect(const struct shw_forest *forest, const struct testing_examples *examples,
                              const double *weights)
{
    struct expected sum = {0};

    for (uint32_t t = 0; t < shw_forest_get_info(forest)->tree_count; t++) {
        double(*counts)[CLASSES] = count_leaves(forest, t, examples, weights);
        struct expected of_tree = {0};
        double mass = 0;

        add_node(forest, t, 0, 0, counts, &of_tree);
        for (uint32_t c = 0; c < CLASSES; c++)
            mass += counts[0][c];
        for (uint32_t level = 0; level < SHW_DEPTH_MAX; level++)
            for (uint32_t c = 0; c < CHANNELS; c++)
                sum.levels[level][c] += of_tree.levels[level][c] / mass;
        for (uint32_t a = 0; a < CHANNELS; a++)
            for (uint32_t b = 0; b <= CHANNELS; b++)
                sum.tests[a][b] += of_tree.tests[a][b] / mass;
        free(counts);
    }
    return sum;
}

static void assert_near(uint64_t units, double expected, const char *what)
{
    if (fabs((double)units / 4294967296.0 - expected) > 2e-5)
        fail_msg("%s: %.8f bits, not %.8f", what, (double)units / 4294967296.0, expected);
}

static struct shw_gains read_gains(const struct shw_forest *forest)
{
    json_t *training = json_loads(shw_forest_get_info(forest)->training, 0, NULL);
    struct shw_gains gains;

    assert_true(shw_gains_make(CHANNELS, &gains));
    assert_true(shw_gains_unpack(json_object_get(training, SHW_GAINS_MEMBER), &gains));
    json_decref(training);
    return gains;
}

static void check(struct shw_trainer_params params, struct testing_examples *examples, const double *weights)
{
    struct shw_forest *forest = NULL;
    struct expected expected;
    struct shw_gains gains;
    double all = 0;

    assert_int_equal(shw_train(&params, &examples->dataset, &forest), SHW_OK);
    expected = expect(forest, examples, weights);
    gains = read_gains(forest);
    for (uint32_t level = 0; level < SHW_DEPTH_MAX; level++)
        for (uint32_t c = 0; c < CHANNELS; c++) {
            assert_near(gains.levels[level * CHANNELS + c], expected.levels[level][c], "level");
            all += expected.levels[level][c];
        }
    for (uint32_t a = 0; a < CHANNELS; a++)
        for (uint32_t b = a; b <= CHANNELS; b++)
            assert_near(gains.tests[a * (CHANNELS + 1) + b], expected.tests[a][b], "test");
    assert_true(all > 0.5);
    shw_gains_free(&gains);
    shw_forest_destroy(&forest);
}

TESTING_CASE(gains_are_differences_of_entropy)
{
    static const double equal[CLASSES] = {1, 1, 1}, given[CLASSES] = {1, 2, 4};
    struct testing_examples_params of_examples = {.seed = 71, .void_percent = 20};
    struct shw_trainer_params params = settings();
    struct testing_examples examples;

    testing_examples_make(&of_examples, &examples);
    check(params, &examples, equal);
    params.score = SHW_SCORE_GINI;
    check(params, &examples, equal);
    params.ferns = true;
    check(params, &examples, equal);
    params.ferns = false;
    params.weighting = SHW_WEIGHTING_GIVEN;
    params.class_weights = given;
    check(params, &examples, given);
    testing_examples_free(&examples);
}

/* A test of three regions, the first of which has what division leaves. */
TESTING_CASE(regions_share_alike)
{
    const struct shw_feature_region regions[3] = {{.channel = 2}, {.channel = 0}, {.channel = 2}};
    struct shw_gains gains, sum, read;
    json_t *member;

    assert_true(shw_gains_make(CHANNELS, &gains) && shw_gains_make(CHANNELS, &sum) && shw_gains_make(CHANNELS, &read));
    shw_gains_count(&gains, 5, regions, 3, 100);
    assert_true(gains.levels[5 * CHANNELS] == 33 && gains.levels[5 * CHANNELS + 2] == 67);
    assert_true(gains.tests[2] == 100);
    shw_gains_add(&sum, &gains, 7);
    shw_gains_add(&sum, &gains, 256);
    assert_true(sum.levels[5 * CHANNELS + 2] == 67 * 256 / 7 + 67);
    member = shw_gains_pack(&sum);
    assert_int_equal(json_array_size(json_object_get(member, "levels")), 6);
    assert_true(shw_gains_unpack(member, &read));
    assert_memory_equal(read.levels, sum.levels, SHW_DEPTH_MAX * CHANNELS * sizeof *sum.levels);
    assert_memory_equal(read.tests, sum.tests, CHANNELS * (CHANNELS + 1) * sizeof *sum.tests);
    json_decref(member);
    shw_gains_free(&gains);
    shw_gains_free(&sum);
    shw_gains_free(&read);
}

TESTING_CASE(damaged_gains_are_refused)
{
    static const char *const bad[] = {
        "{}",
        "{\"levels\": [[1, 2]], \"tests\": []}",
        "{\"levels\": [[1, 2, -3]], \"tests\": []}",
        "{\"levels\": [[1, 2, 3.5]], \"tests\": []}",
        "{\"levels\": [[1, 2, 281474976710657]], \"tests\": []}",
        "{\"levels\": [], \"tests\": [[1]]}",
        "{\"levels\": [], \"tests\": [[1, 3]]}",
        "{\"levels\": [], \"tests\": [[1, -1]]}",
        "{\"levels\": [], \"tests\": [[1, 2, 1]]}",
        "{\"levels\": [], \"tests\": [[1, 0, 3]]}",
        "{\"levels\": [], \"tests\": [[1, 0, null]]}",
        "{\"levels\": [], \"tests\": [[1, 0, 1, 2]]}",
    };
    struct shw_gains gains;

    assert_true(shw_gains_make(CHANNELS, &gains));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        json_t *member = json_loads(bad[i], 0, NULL);

        assert_non_null(member);
        if (shw_gains_unpack(member, &gains))
            fail_msg("accepted: %s", bad[i]);
        json_decref(member);
    }
    assert_false(shw_gains_unpack(NULL, &gains));
    shw_gains_free(&gains);
}

/* A merged forest has the sum; if one part does not say, the whole does not, and the parts keep what they have. */
TESTING_CASE(merged_forests_add_up)
{
    struct testing_examples_params of_examples = {.seed = 72};
    struct shw_trainer_params params = settings();
    struct testing_examples examples;
    struct shw_forest *forests[2] = {0}, *merged = NULL, *silent = NULL;
    struct shw_gains gains[2], sum;

    testing_examples_make(&of_examples, &examples);
    for (int i = 0; i < 2; i++, params.seed += 10) {
        assert_int_equal(shw_train(&params, &examples.dataset, &forests[i]), SHW_OK);
        gains[i] = read_gains(forests[i]);
    }
    const struct shw_forest_part both[] = {{forests[0], "a"}, {forests[1], "b"}};
    assert_int_equal(shw_forest_merge(both, 2, NULL, &merged), SHW_OK);
    sum = read_gains(merged);
    for (uint32_t i = 0; i < SHW_DEPTH_MAX * CHANNELS; i++)
        assert_true(sum.levels[i] == gains[0].levels[i] + gains[1].levels[i]);
    for (uint32_t i = 0; i < CHANNELS * (CHANNELS + 1); i++)
        assert_true(sum.tests[i] == gains[0].tests[i] + gains[1].tests[i]);
    shw_gains_free(&sum);
    shw_forest_destroy(&merged);

    {
        struct shw_forest_params of_silent = {.info = *shw_forest_get_info(forests[1])};
        const struct shw_node leaf = {0};
        static const uint16_t distribution[CLASSES] = {65535, 0, 0};
        const struct shw_tree tree = {.nodes = &leaf, .node_count = 1, .distributions = distribution};

        of_silent.info.training = "{}";
        of_silent.info.tree_count = 1;
        of_silent.trees = &tree;
        assert_int_equal(shw_forest_create(&of_silent, &silent), SHW_OK);
    }
    const struct shw_forest_part other[] = {{forests[0], "a"}, {silent, "b"}};
    assert_int_equal(shw_forest_merge(other, 2, NULL, &merged), SHW_OK);
    {
        json_t *training = json_loads(shw_forest_get_info(merged)->training, 0, NULL);
        const json_t *first = json_array_get(json_object_get(training, "merged"), 0);

        assert_null(json_object_get(training, SHW_GAINS_MEMBER));
        assert_non_null(json_object_get(json_object_get(first, "training"), SHW_GAINS_MEMBER));
        json_decref(training);
    }
    shw_forest_destroy(&merged);
    shw_forest_destroy(&silent);
    for (int i = 0; i < 2; i++) {
        shw_gains_free(&gains[i]);
        shw_forest_destroy(&forests[i]);
    }
    testing_examples_free(&examples);
}
