/* CURFIL's trees: reading, what they become, the way back, and its own prediction. */
#include "testing/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/image/image_file.h"
#include "formats/curfil.h"
#include "testing/labelling.h"
#include "testing/random_forest.h"

/* One test and two leaves, with the parts that differ between cases. */
#define TEXT(root, split, left)                                                                                        \
    "{\"accelerationMode\": \"cpu\", \"boxRadius\": \"7\", \"classLabelPriorDistribution\": {\"0\": \"30\", \"1\": "   \
    "10}" root                                                                                                         \
    ", \"tree\": {\"id\": \"0\", \"histogram\": {\"1,2,3 (0)\": \"5\", \"4,5,6 (1)\": 5}, \"split\": {" split          \
    "}, \"left\": {\"histogram\": {" left                                                                              \
    "}}, \"right\": {\"histogram\": {\"4,5,6 (1)\": \"4\", \"1,2,3 (0)\": \"4\"}}}}"
#define COLOUR                                                                                                         \
    "\"threshold\": \"-1.5\", \"feature\": {\"type\": \"color\", \"channel1\": \"2\", \"channel2\": 1, \"offset1\": "  \
    "[\"-128\", \"5\"], \"region1\": [\"0\", \"7\"], \"offset2\": [127, -3], \"region2\": [1, 127]}"
#define LEFT "\"1,2,3 (0)\": \"3\", \"4,5,6 (1)\": \"1\""

static enum shw_result parse(const char *text, struct testing_log *memory, struct shw_curfil_tree *tree)
{
    struct shw_log log = testing_log(memory);

    return shw_curfil_tree_parse(text, strlen(text), "tree.json", &log, tree);
}

static struct shw_forest *make_with(const struct shw_curfil_tree *trees, uint32_t count,
                                    const struct shw_curfil_settings *settings)
{
    const char *const names[] = {"a.json", "b.json", "c.json"};
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_forest *forest = NULL;

    assert_int_equal(shw_curfil_forest_make(trees, names, count, settings, "{}", &log, &forest), SHW_OK);
    return forest;
}

static struct shw_forest *make(const struct shw_curfil_tree *trees, uint32_t count,
                               enum shw_curfil_prediction prediction)
{
    return make_with(trees, count, &(struct shw_curfil_settings){.prediction = prediction});
}

TESTING_CASE(the_text_is_read)
{
    struct testing_log memory;
    struct shw_curfil_tree tree;
    const struct shw_curfil_test *test;

    assert_int_equal(parse(TEXT(", \"useDepthImages\": \"false\"", COLOUR, LEFT), &memory, &tree), SHW_OK);
    assert_int_equal(tree.node_count, 3);
    assert_int_equal(tree.class_count, 2);
    assert_true(tree.uses_lab && !tree.uses_depth && !tree.fills_depth && !tree.on_gpu);
    assert_memory_equal(tree.classes[1].colour, "\4\5\6", 3);
    assert_true(tree.classes[0].prior == 30 && tree.classes[1].prior == 10);
    assert_true(tree.nodes[0].is_split && tree.nodes[0].left == 1 && !tree.nodes[1].is_split &&
                !tree.nodes[2].is_split);
    test = &tree.nodes[0].test;
    assert_true(!test->is_depth && test->threshold == -1.5);
    assert_true(test->channel[0] == 2 && test->channel[1] == 1);
    assert_true(test->offset[0][0] == -128 && test->offset[0][1] == 5 && test->offset[1][0] == 127);
    assert_true(test->region[0][0] == 0 && test->region[0][1] == 7 && test->region[1][1] == 127);
    assert_true(tree.histograms[2] == 3 && tree.histograms[3] == 1);
    assert_true(tree.histograms[4] == 4 && tree.histograms[5] == 4);
    assert_string_equal(json_string_value(json_object_get(tree.configuration, "boxRadius")), "7");
    assert_null(json_object_get(tree.configuration, "tree"));
    shw_curfil_tree_free(&tree);
    shw_curfil_tree_free(&tree);
}

TESTING_CASE(wrong_texts_are_refused)
{
    static const char *const cases[][2] = {
        {"{", "line 1"},
        {"[]", "there is no tree"},
        {"{\"tree\": {}}", "node 0: there is no histogram"},
        {"{\"tree\": {\"histogram\": {\"1,2 (0)\": 1}}}", "is not 'RED,GREEN,BLUE (LABEL)'"},
        {"{\"tree\": {\"histogram\": {\"1,2,256 (0)\": 1}}}", "is not 'RED,GREEN,BLUE (LABEL)'"},
        {"{\"tree\": {\"histogram\": {\"1,2,3 (1)\": 1}}}", "each label from 0 to 0 once"},
        {"{\"tree\": {\"histogram\": {\"1,2,3 (0)\": 1}}}", "classLabelPriorDistribution does not have"},
        {TEXT(", \"classNames\": [\"a\", 1]", COLOUR, LEFT), "the name of label 1 is not"},
        {TEXT(", \"useCIELab\": \"yes\"", COLOUR, LEFT), "useCIELab is neither true nor false"},
        {TEXT(", \"useDepthFilling\": 2", COLOUR, LEFT), "useDepthFilling is neither true nor false"},
        {TEXT(", \"histogramBias\": 1", COLOUR, LEFT), "histogramBias is not a number from 0"},
        {"{\"accelerationMode\": \"opencl\", \"classLabelPriorDistribution\": {\"0\": 1}, \"tree\": {\"histogram\": "
         "{\"1,2,3 (0)\": 1}}}",
         "accelerationMode is neither cpu nor gpu nor compare"},
        {TEXT("", "\"threshold\": \"x\", \"feature\": {\"type\": \"depth\"}", LEFT), "node 0: its threshold"},
        {TEXT("", "\"threshold\": \"1\", \"feature\": {\"type\": \"height\"}", LEFT),
         "no feature of type color or depth"},
        {TEXT("", "\"threshold\": 1, \"feature\": {\"type\": \"depth\", \"offset1\": [1]}", LEFT),
         "offset1 is not a pair"},
        {TEXT("", "\"threshold\": 1, \"feature\": {\"type\": \"depth\", \"offset1\": [1, 128]}", LEFT),
         "offset1 is not a whole number from -128 to 127"},
        {TEXT("",
              "\"threshold\": 1, \"feature\": {\"type\": \"color\", \"offset1\": [1, 1], \"region1\": [1, 1], "
              "\"channel1\": 3}",
              LEFT),
         "channel1 is not a whole number from 0 to 2"},
        {TEXT("", COLOUR, "\"1,2,3 (0)\": 1"), "node 1: its histogram does not have the root's 2 classes"},
        {TEXT("", COLOUR, "\"1,2,3 (0)\": 1, \"1,2,3 (1)\": 1"), "node 1: its histogram has other classes"},
        {TEXT("", COLOUR, "\"1,2,3 (0)\": -1, \"4,5,6 (1)\": 1"), "node 1: a count of the histogram"},
        {TEXT("", COLOUR, LEFT "}, \"left\": {\"1\": 2"), "node 1: it does not have two children"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct testing_log memory;
        struct shw_curfil_tree tree;
        assert_int_equal(parse(cases[i][0], &memory, &tree), SHW_ERROR_FORMAT);
        assert_null(tree.nodes);
        assert_int_equal(memory.errors, 1);
        if (strncmp(memory.last, "tree.json: ", 11) != 0 || strstr(memory.last, cases[i][1]) == NULL)
            fail_msg("no '%s' in: %s", cases[i][1], memory.last);
    }
}

TESTING_CASE(trees_must_agree)
{
    const char *const names[] = {"a.json", "b.json"};
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_curfil_tree trees[2];
    const struct shw_curfil_settings settings = {.prediction = SHW_CURFIL_CPU};
    struct shw_forest *forest = NULL;

    assert_int_equal(parse(TEXT("", COLOUR, LEFT), &memory, &trees[0]), SHW_OK);
    assert_int_equal(parse(TEXT(", \"useCIELab\": false", COLOUR, LEFT), &memory, &trees[1]), SHW_OK);
    assert_int_equal(shw_curfil_forest_make(trees, names, 2, &settings, "{}", &log, &forest), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "b.json: useCIELab"));
    trees[1].uses_lab = true;
    trees[1].classes[1].colour[2]++;
    assert_int_equal(shw_curfil_forest_make(trees, names, 2, &settings, "{}", &log, &forest), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "b.json: label 1 has another colour"));
    trees[1].bias = 0.25;
    assert_int_equal(shw_curfil_forest_make(trees, names, 2, &settings, "{}", &log, &forest), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "histogramBias is not as in a.json"));
    shw_curfil_tree_free(&trees[0]);
    shw_curfil_tree_free(&trees[1]);
}

/* Thresholds in units of channels, the flags of both predictions, and votes that add up as CURFIL's. */
TESTING_CASE(the_forest_of_a_tree)
{
    struct testing_log memory;
    struct shw_curfil_tree tree;
    struct shw_forest *forest;
    struct shw_node node;
    const uint16_t *left, *right;

    assert_int_equal(parse(TEXT("", COLOUR, LEFT), &memory, &tree), SHW_OK);
    forest = make(&tree, 1, SHW_CURFIL_AS_TRAINED);
    node = shw_forest_get_node(forest, 0, 0);
    assert_string_equal(shw_forest_get_info(forest)->channels, "depth,lab-linear");
    assert_string_equal(shw_forest_get_info(forest)->classes[1].name, "#040506");
    assert_int_equal(node.feature.words[0], 4 | 3 << 12 | 1 << 25);
    assert_int_equal(node.feature.words[1], 0xff80 | 5 << 16);
    assert_int_equal(node.feature.words[2], 7 << 16);
    assert_int_equal(node.feature.words[3], 127 | 0xfffdu << 16);
    assert_int_equal(node.feature.words[4], 1 | 127 << 16);
    assert_int_equal(node.t0, -47); /* greater than -1.5 * 32 */
    assert_int_equal(node.t1, INT32_MAX);
    left = shw_forest_get_distribution(forest, 0, 0);
    right = shw_forest_get_distribution(forest, 0, 1);
    /* 3/4 * 3/4 and 1/4 * 1/4 of 5/8, which is the largest sum; 1/2 * 3/4 and 1/2 * 1/4 */
    assert_in_range(left[0] - left[1], 65535 * 4 / 5 - 2, 65535 * 4 / 5 + 2);
    assert_in_range(right[0] - right[1], 65535 * 2 / 5 - 2, 65535 * 2 / 5 + 2);
    shw_forest_destroy(&forest);
    forest = make(&tree, 1, SHW_CURFIL_GPU);
    assert_int_equal(shw_forest_get_node(forest, 0, 0).feature.words[0], 4 | 3 << 12 | 1 << 25 | 1 << 28);
    shw_forest_destroy(&forest);
    tree.nodes[0].test.is_depth = true;
    tree.nodes[0].test.threshold = 0.25;
    forest = make(&tree, 1, SHW_CURFIL_CPU);
    node = shw_forest_get_node(forest, 0, 0);
    assert_int_equal(node.feature.words[0], 7u << 25);
    assert_int_equal(node.t0, 4001);
    shw_forest_destroy(&forest);
    shw_curfil_tree_free(&tree);
}

/* The most votes over three trees are those of CURFIL, whatever their sums. */
TESTING_CASE(votes_are_in_the_order_of_curfil)
{
    struct testing_random random = {6};
    struct testing_log memory;
    unsigned different = 0;

    for (int round = 0; round < 300; round++) {
        struct shw_curfil_tree trees[3];
        struct shw_forest *forest;
        double votes[2] = {0}, plain[2] = {0};
        uint32_t sums[2] = {0};
        for (uint32_t t = 0; t < 3; t++) {
            double *counts;
            assert_int_equal(parse(TEXT("", COLOUR, LEFT), &memory, &trees[t]), SHW_OK);
            counts = trees[t].histograms + 2;
            trees[t].classes[0].prior = 1 + testing_random_below(&random, 20);
            for (int c = 0; c < 2; c++)
                counts[c] = 1 + testing_random_below(&random, 30);
            for (int c = 0; c < 2; c++) {
                plain[c] += counts[c] / (counts[0] + counts[1]);
                votes[c] += counts[c] / (counts[0] + counts[1]) * trees[t].classes[c].prior /
                            (trees[t].classes[0].prior + trees[t].classes[1].prior);
            }
        }
        forest = make(trees, 3, SHW_CURFIL_CPU);
        for (uint32_t t = 0; t < 3; t++) {
            for (int c = 0; c < 2; c++)
                sums[c] += shw_forest_get_distribution(forest, t, 0)[c];
            shw_curfil_tree_free(&trees[t]);
        }
        if (votes[0] - votes[1] > 1e-3 || votes[1] - votes[0] > 1e-3)
            assert_int_equal(sums[1] > sums[0], votes[1] > votes[0]);
        different += (plain[1] > plain[0]) != (votes[1] > votes[0]);
        shw_forest_destroy(&forest);
    }
    assert_true(different > 10);
}

/* The part of a leaf's samples is subtracted before the shares of the classes count; filling becomes the forest's. */
TESTING_CASE(bias_and_filling_are_kept)
{
    struct testing_log memory;
    struct shw_curfil_tree tree, again;
    struct shw_forest *plain, *biased, *stated, *nothing;
    char *text;

    assert_int_equal(
        parse(TEXT(", \"histogramBias\": \"0.3\", \"useDepthFilling\": \"true\"", COLOUR, LEFT), &memory, &tree),
        SHW_OK);
    assert_true(tree.bias == 0.3 && tree.fills_depth);
    plain = make_with(&tree, 1, &(struct shw_curfil_settings){.has_bias = true});
    biased = make(&tree, 1, SHW_CURFIL_AS_TRAINED);
    stated = make_with(&tree, 1, &(struct shw_curfil_settings){.has_bias = true, .bias = 0.3});
    nothing = make_with(&tree, 1, &(struct shw_curfil_settings){.has_bias = true, .bias = 0.9});
    /* of 3 and 1 samples, 1.2 are subtracted from each class */
    assert_true(shw_forest_get_distribution(plain, 0, 0)[1] > 0);
    assert_int_equal(shw_forest_get_distribution(biased, 0, 0)[0], 65535);
    assert_true(shw_forest_hash(biased) == shw_forest_hash(stated) &&
                shw_forest_hash(biased) != shw_forest_hash(plain));
    assert_true(shw_forest_hash(nothing) == shw_forest_hash(plain)); /* nothing would remain */
    assert_int_equal(shw_forest_get_info(biased)->fill, SHW_FILL_SIMPLE);

    assert_int_equal(shw_curfil_tree_format(biased, "x", 0, NULL, &text), SHW_OK);
    assert_int_equal(shw_curfil_tree_parse(text, strlen(text), "x", NULL, &again), SHW_OK);
    assert_true(again.fills_depth && again.bias == 0);
    shw_forest_destroy(&stated);
    stated = make(&again, 1, SHW_CURFIL_AS_TRAINED);
    assert_true(shw_forest_hash(stated) == shw_forest_hash(biased));
    free(text);
    shw_curfil_tree_free(&tree);
    shw_curfil_tree_free(&again);
    shw_forest_destroy(&plain);
    shw_forest_destroy(&biased);
    shw_forest_destroy(&stated);
    shw_forest_destroy(&nothing);
}

/* Every forest of the type over its channels comes back. */
TESTING_CASE(export_is_read_back)
{
    static const char *const channels[] = {"depth,lab-linear", "constant-depth:1000,rgb"};
    struct testing_random random = {9};

    for (int round = 0; round < 6; round++) {
        struct shw_node nodes[63];
        uint16_t distributions[32][3];
        const struct shw_tree tree = {
            .nodes = nodes, .node_count = 63, .distributions = &distributions[0][0], .leaf_count = 0};
        const struct shw_tree list[3] = {tree, tree, tree};
        struct shw_class classes[3] = {{"wall \xc3\xa4", {1, 2, 3}}, {"b", {4, 5, 6}}, {"c", {7, 8, 9}}};
        struct shw_forest_params params = {.info = {.channels = channels[round % 2],
                                                    .feature = &shw_feature_curfil_difference,
                                                    .class_count = 3,
                                                    .classes = classes,
                                                    .tree_count = 3},
                                           .trees = list};
        struct shw_curfil_tree trees[3];
        struct shw_forest *forest = NULL, *again;
        for (uint32_t n = 0; n < 63; n++) {
            bool depth = testing_random_below(&random, 2) == 0;
            uint32_t channel = 2 | 3 << 12;
            nodes[n] = (struct shw_node){.left = n, .leaf = n - 31};
            if (n >= 31)
                continue;
            nodes[n] = (struct shw_node){.is_split = true, .left = 2 * n + 1, .t1 = INT32_MAX};
            nodes[n].t0 =
                testing_random_range(&random, INT32_MIN / 2, INT32_MAX / 2) >> testing_random_below(&random, 30);
            nodes[n].feature.words[0] = 1u << 25 | (depth ? 3u << 26 : channel + testing_random_below(&random, 2)) |
                                        (uint32_t)(round / 3) << 28;
            for (int i = 0; i < 2; i++) {
                nodes[n].feature.words[1 + 2 * i] = testing_random_below(&random, 128) | 0xff80u << 16;
                nodes[n].feature.words[2 + 2 * i] =
                    testing_random_below(&random, 128) | testing_random_below(&random, 128) << 16;
            }
        }
        for (int l = 0; l < 32; l++) {
            distributions[l][0] = (uint16_t)testing_random_below(&random, 40000);
            distributions[l][1] = (uint16_t)testing_random_below(&random, 25536);
            distributions[l][2] = (uint16_t)(65535 - distributions[l][0] - distributions[l][1]);
        }
        assert_int_equal(shw_forest_create(&params, &forest), SHW_OK);
        for (uint32_t t = 0; t < 3; t++) {
            char *text;
            assert_int_equal(shw_curfil_tree_format(forest, "x", t, NULL, &text), SHW_OK);
            assert_int_equal(shw_curfil_tree_parse(text, strlen(text), "x", NULL, &trees[t]), SHW_OK);
            free(text);
        }
        again = make(trees, 3, SHW_CURFIL_AS_TRAINED);
        assert_true(shw_forest_hash(again) == shw_forest_hash(forest));
        for (uint32_t t = 0; t < 3; t++)
            shw_curfil_tree_free(&trees[t]);
        shw_forest_destroy(&again);
        shw_forest_destroy(&forest);
    }
}

TESTING_CASE(what_curfil_does_not_have_is_refused)
{
    struct random_forest_params other = {.seed = 1, .depth = 2};
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_node nodes[3] = {{.is_split = true, .left = 1, .t1 = 5}, {.left = 1}, {.left = 2, .leaf = 1}};
    const uint16_t distributions[2] = {65535, 65535};
    const struct shw_tree tree = {.nodes = nodes, .node_count = 3, .distributions = distributions};
    struct shw_forest_params params = {.info = {.channels = "depth,rgb,lab",
                                                .feature = &shw_feature_curfil_difference,
                                                .class_count = 1,
                                                .tree_count = 1},
                                       .trees = &tree};
    struct shw_forest *forest = random_forest(&other);
    char *text;

    assert_int_equal(shw_curfil_tree_format(forest, "x", 0, &log, &text), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "x: the feature type is mean-difference"));
    shw_forest_destroy(&forest);
    nodes[0].feature.words[0] = 2 | 2 << 12 | 1 << 25;
    assert_int_equal(shw_forest_create(&params, &forest), SHW_OK);
    assert_int_equal(shw_curfil_tree_format(forest, "x", 0, &log, &text), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "x: the channels are depth,rgb,lab"));
    shw_forest_destroy(&forest);
    params.info.channels = "depth,rgb";
    assert_int_equal(shw_forest_create(&params, &forest), SHW_OK);
    assert_int_equal(shw_curfil_tree_format(forest, "x", 0, &log, &text), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "x: tree 0, node 0: CURFIL has no tests of a single region or with an upper"));
    shw_forest_destroy(&forest);
    nodes[0].t1 = INT32_MAX;
    nodes[0].feature.words[1] = 128;
    assert_int_equal(shw_forest_create(&params, &forest), SHW_OK);
    assert_int_equal(shw_curfil_tree_format(forest, "x", 0, &log, &text), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "no offsets as far as (128, 0)"));
    shw_forest_destroy(&forest);
}

/* What CURFIL's predictions compute, in double precision (docs/exchange.md). */
struct plain {
    int32_t width, height;
    const uint8_t *rgb;
    const uint16_t *depth;
    bool on_gpu;
};

static int32_t depth_at(const struct plain *plain, int32_t x, int32_t y)
{
    return x < plain->width && y < plain->height ? plain->depth[y * plain->width + x] : 0;
}

static double component(const struct plain *plain, int32_t x, int32_t y, int channel)
{
    return plain->rgb[3 * (y * plain->width + x) + channel];
}

/* The sum of a channel, or the mean of what depth there is; false: undefined. `d`: millimetres at the pixel, 0: none.
 */
static bool sum_region(const struct plain *plain, const struct shw_curfil_test *test, int i, int32_t x, int32_t y,
                       int32_t d, double *sum)
{
    int32_t cx = x + (d > 0 ? test->offset[i][0] * 1000 / d : 0), cy = y + (d > 0 ? test->offset[i][1] * 1000 / d : 0);
    int32_t w = d > 0 ? test->region[i][0] * 1000 / d : 1, h = d > 0 ? test->region[i][1] * 1000 / d : 1, count = 0;

    w = w < 1 ? 1 : w;
    h = h < 1 ? 1 : h;
    *sum = 0;
    if (cx - w < 0 || cy - h < 0 || cx + w >= plain->width || cy + h >= plain->height)
        return false;
    for (int32_t row = cy - h + 1; row <= cy + h; row++)
        for (int32_t column = cx - w + 1; column <= cx + w; column++) {
            int32_t there = depth_at(plain, column, row);
            count += there > 0;
            *sum += test->is_depth ? there / 1000.0 : component(plain, column, row, test->channel[i]);
        }
    if (test->is_depth)
        *sum /= count > 0 ? count : 1;
    return !test->is_depth || count > 0;
}

static bool goes_left(const struct plain *plain, const struct shw_curfil_test *test, int32_t x, int32_t y)
{
    int32_t ahead = plain->on_gpu ? 1 : 0, d = depth_at(plain, x + ahead, y + ahead);
    double sums[2];

    if (d == 0 && !plain->on_gpu)
        return false;
    for (int i = 0; i < 2; i++)
        if (!sum_region(plain, test, i, x, y, d, &sums[i]))
            return false;
    return sums[0] - sums[1] <= test->threshold;
}

static uint32_t class_at(const struct plain *plain, const struct shw_curfil_tree *trees, uint32_t count, int32_t x,
                         int32_t y)
{
    double votes[8] = {0};
    uint32_t classes = trees[0].class_count, best = 0;

    for (uint32_t t = 0; t < count; t++) {
        const double *counts;
        double all = 0, priors = 0;
        uint32_t n = 0;
        while (trees[t].nodes[n].is_split)
            n = trees[t].nodes[n].left + (goes_left(plain, &trees[t].nodes[n].test, x, y) ? 0 : 1);
        counts = trees[t].histograms + (size_t)n * classes;
        for (uint32_t c = 0; c < classes; c++) {
            all += counts[c];
            priors += trees[t].classes[c].prior;
        }
        for (uint32_t c = 0; c < classes; c++)
            votes[c] += counts[c] / all * trees[t].classes[c].prior / priors;
    }
    for (uint32_t c = 1; c < classes; c++)
        best = votes[c] > votes[best] ? c : best;
    return best;
}

static void append(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(char **text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    *text += vsprintf(*text, format, arguments);
    va_end(arguments);
}

static void append_node(char **text, struct testing_random *random, int depth)
{
    append(text, "{\"histogram\": {");
    for (int c = 0; c < 3; c++)
        append(text, "%s\"%d,0,0 (%d)\": \"%u\"", c > 0 ? ", " : "", c, c, 1 + testing_random_below(random, 99));
    append(text, "}");
    if (depth > 0) {
        bool is_depth = testing_random_below(random, 3) == 0;
        append(text, ", \"split\": {\"threshold\": \"%.9g\", \"feature\": {\"type\": \"%s\"",
               is_depth ? testing_random_range(random, -800, 800) / 1e3
                        : testing_random_range(random, -4000, 4000) + 0.5,
               is_depth ? "depth" : "color");
        for (int i = 1; i <= 2; i++)
            append(text, ", \"channel%d\": %u, \"offset%d\": [%d, %d], \"region%d\": [%u, %u]", i,
                   testing_random_below(random, 3), i, testing_random_range(random, -20, 20),
                   testing_random_range(random, -20, 20), i, testing_random_below(random, 9),
                   testing_random_below(random, 9));
        append(text, "}}, \"left\": ");
        append_node(text, random, depth - 1);
        append(text, ", \"right\": ");
        append_node(text, random, depth - 1);
    }
    append(text, "}");
}

static struct shw_curfil_tree random_tree(struct testing_random *random)
{
    struct testing_log memory;
    struct shw_curfil_tree tree;
    char *text = malloc(1u << 16), *end = text;

    assert_non_null(text);
    append(&end, "{\"accelerationMode\": \"gpu\", \"useCIELab\": \"false\", \"classLabelPriorDistribution\": "
                 "{\"0\": \"30\", \"1\": \"25\", \"2\": \"20\"}, \"tree\": ");
    append_node(&end, random, 6);
    append(&end, "}");
    assert_int_equal(parse(text, &memory, &tree), SHW_OK);
    free(text);
    return tree;
}

/* Labels a picture and its depth. */
static uint16_t *label(const struct shw_forest *forest, const struct shw_image *colour, const struct shw_image *depth)
{
    struct shw_input list[2] = {{.image = *colour}, {.name = SHW_DEPTH, .image = *depth}};
    const struct shw_labeller_params params = {.forest = forest,
                                               .channels = SHW_TECHNIQUE_CPU,
                                               .integrate = SHW_TECHNIQUE_CPU,
                                               .evaluate = SHW_TECHNIQUE_CPU,
                                               .outputs = SHW_OUTPUT_ARGMAX,
                                               .threads = 2};
    struct shw_labelling out = {.argmax = malloc((size_t)colour->width * colour->height * sizeof *out.argmax)};
    struct shw_labeller *labeller = NULL;

    assert_non_null(out.argmax);
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    assert_int_equal(shw_labeller_run(labeller, &(struct shw_inputs){2, list}, &out), SHW_OK);
    shw_labeller_destroy(&labeller);
    return out.argmax;
}

/* But for means of depth, which are rounded down to sixteenths of a millimetre. */
TESTING_CASE(predictions_are_those_of_plain_rules)
{
    enum { WIDTH = 96, HEIGHT = 72 };
    struct testing_random random = {17};

    for (int round = 0; round < 4; round++) {
        struct shw_image colour = testing_image(&random, WIDTH, HEIGHT, SHW_PIXEL_RGB8, 0),
                         depth = testing_depth(&random, WIDTH, HEIGHT);
        struct plain plain = {WIDTH, HEIGHT, colour.pixels, depth.pixels, round % 2 == 0};
        struct shw_curfil_tree trees[3];
        struct shw_forest *forest;
        uint32_t same = 0, seen[3] = {0};
        uint16_t *labels;
        for (int t = 0; t < 3; t++)
            trees[t] = random_tree(&random);
        for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) /* a room: 0.6 to 4.6 m, with holes */
            ((uint16_t *)(uintptr_t)depth.pixels)[i] =
                (uint16_t)(plain.depth[i] == 0 ? 0 : 600 + plain.depth[i] % 4000);
        forest = make(trees, 3, plain.on_gpu ? SHW_CURFIL_AS_TRAINED : SHW_CURFIL_CPU);
        labels = label(forest, &colour, &depth);
        for (int32_t i = 0; i < WIDTH * HEIGHT; i++) {
            uint32_t expected = class_at(&plain, trees, 3, i % WIDTH, i / WIDTH);
            same += labels[i] == expected;
            seen[expected]++;
        }
        if (WIDTH * HEIGHT - same > WIDTH * HEIGHT / 1000)
            fail_msg("%u of %u pixels differ", WIDTH * HEIGHT - same, WIDTH * HEIGHT);
        assert_true(seen[0] > 300 && seen[1] > 300 && seen[2] > 300);
        free(labels);
        shw_forest_destroy(&forest);
        for (int t = 0; t < 3; t++)
            shw_curfil_tree_free(&trees[t]);
        free((void *)(uintptr_t)colour.pixels);
        free((void *)(uintptr_t)depth.pixels);
    }
}

/* CURFIL's own trees, on the image that it was asked to predict: 99.9 % of its pixels. */
TESTING_CASE(curfils_own_prediction)
{
    struct shw_curfil_tree trees[3];
    struct shw_image_file colour, depth;
    struct shw_label_file prediction;
    struct shw_forest *forest;
    uint16_t *labels;
    uint32_t pixels = 640 * 480, same = 0;
    char path[1100];

    testing_need_data("curfil_forest", "curfil_testdata", NULL);
    for (int t = 0; t < 3; t++) {
        snprintf(path, sizeof path, "%s/tree%d.json.gz", testing_data("curfil_forest"), t);
        assert_int_equal(shw_curfil_tree_read(&(const struct shw_import_source){.path = path}, NULL, &trees[t]),
                         SHW_OK);
    }
    snprintf(path, sizeof path, "%s/testing1_colors_prediction.png", testing_data("curfil_forest"));
    assert_int_equal(shw_label_file_read(path, SHW_LABELS_COLOUR, NULL, &prediction), SHW_OK);
    snprintf(path, sizeof path, "%s/testing1_colors.png", testing_data("curfil_testdata"));
    assert_int_equal(shw_image_file_read(path, &(struct shw_image_params){0}, NULL, &colour), SHW_OK);
    snprintf(path, sizeof path, "%s/testing1_depth.png", testing_data("curfil_testdata"));
    assert_int_equal(shw_input_file_read(SHW_DEPTH, path, &(struct shw_image_params){0}, NULL, &depth), SHW_OK);
    forest = make(trees, 3, SHW_CURFIL_AS_TRAINED);
    labels = label(forest, &colour.image, &depth.image);
    for (uint32_t i = 0; i < pixels; i++)
        same += memcmp(prediction.colours + 3 * i, trees[0].classes[labels[i]].colour, 3) == 0;
    printf("# %u of %u pixels differ\n", pixels - same, pixels);
    assert_true(same * 1000ull >= pixels * 999ull);
    free(labels);
    shw_forest_destroy(&forest);
    shw_label_file_free(&prediction);
    shw_image_file_free(&colour);
    shw_image_file_free(&depth);
    for (int t = 0; t < 3; t++)
        shw_curfil_tree_free(&trees[t]);
}
