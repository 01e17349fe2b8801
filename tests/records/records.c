/* The evaluator of record forests and its techniques on the host. */
#include "testing/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "testing/cases.h"
#include "testing/record_forests.h"

static const char *const vectors[] = {"none", "portable", "avx2", "avx512"};

static struct shw_record_evaluator *make_evaluator(const struct shw_record_forest *forest,
                                                   enum shw_record_technique technique, uint32_t threads,
                                                   const char *simd)
{
    const struct shw_record_evaluator_params params = {.forest = forest, .technique = technique, .threads = threads};
    struct shw_record_evaluator *evaluator = NULL;

    setenv("SHADEWOOD_SIMD", simd, 1);
    assert_int_equal(shw_record_evaluator_create(&params, &evaluator), SHW_OK);
    return evaluator;
}

/* A table with strides, some of which is unused, which holds NaN. */
struct table {
    struct shw_records records;
    float *values;
};

static struct table lay_out(const float *rows, uint64_t count, uint32_t attributes, struct testing_random *random)
{
    const uint32_t kind = testing_random_below(random, 3), more = testing_random_below(random, 3);
    const size_t columns = attributes + more, lines = count + more;
    struct table table = {.values = malloc(columns * lines * sizeof *table.values + 1)};

    assert_non_null(table.values);
    table.records = (struct shw_records){.values = table.values, .count = count, .attribute_count = attributes + more};
    if (kind == 1)
        table.records.record_stride = columns, table.records.attribute_stride = 1;
    if (kind == 2)
        table.records.record_stride = 1, table.records.attribute_stride = lines;
    for (size_t v = 0; v < columns * lines; v++)
        table.values[v] = NAN;
    for (uint64_t r = 0; r < count; r++)
        for (uint32_t a = 0; a < attributes; a++)
            table.values[kind == 2 ? a * lines + r : r * columns + a] = rows[r * attributes + a];
    return table;
}

/* Some of the results, as they are asked for, in memory of exactly their size. */
static void assert_same_results(struct shw_record_evaluator *evaluator, const struct shw_record_forest *forest,
                                const struct table *table, const struct plain_results *expected, uint32_t wanted)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
    const uint64_t count = table->records.count;
    const size_t sums_size = count * info->output_count * sizeof(int64_t);
    const size_t leaves_size = count * info->tree_count * sizeof(uint32_t), classes_size = count * sizeof(uint32_t);
    const size_t predictions_size = count * shw_record_forest_get_prediction_count(forest) * sizeof(float);
    float *predictions = malloc(predictions_size + 1);
    struct shw_record_results results = {
        .classes = wanted & 1 && expected->classes != NULL ? malloc(classes_size + 1) : NULL,
        .sums = wanted & 2 ? malloc(sums_size + 1) : NULL,
        .leaves = wanted & 4 ? malloc(leaves_size + 1) : NULL,
        .predictions = wanted & 8 || wanted == 1 ? malloc(predictions_size + 1) : NULL,
    };

    assert_int_equal(shw_record_evaluator_run(evaluator, &table->records, &results), SHW_OK);
    shw_record_forest_predict(forest, count, expected->sums, predictions);
    if (results.classes != NULL)
        assert_memory_equal(results.classes, expected->classes, classes_size);
    if (results.sums != NULL)
        assert_memory_equal(results.sums, expected->sums, sums_size);
    if (results.leaves != NULL)
        assert_memory_equal(results.leaves, expected->leaves, leaves_size);
    if (results.predictions != NULL)
        assert_memory_equal(results.predictions, predictions, predictions_size);
    free(results.classes);
    free(results.sums);
    free(results.leaves);
    free(results.predictions);
    free(predictions);
}

static uint64_t draw_count(struct testing_random *random)
{
    static const uint64_t counts[] = {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 200, 1100};

    return counts[testing_random_below(random, sizeof counts / sizeof *counts)];
}

static void evaluate_random(uint64_t seed)
{
    struct testing_random random = {seed};
    const struct random_record_forest_params params = {
        .seed = testing_random_next(&random),
        .trees = random_size(&random, 40),
        .depth = 1 + testing_random_below(&random, 12),
        .attributes = random_size(&random, 40),
        .outputs = random_size(&random, 6),
        .task = random_chance(&random, 70) ? SHW_RECORD_CLASSES : SHW_RECORD_VALUES,
        .link = random_chance(&random, 50) ? SHW_RECORD_SOFTMAX : SHW_RECORD_IDENTITY,
        .mean = random_chance(&random, 30),
        .one_value = random_chance(&random, 50),
        .no_missing = random_chance(&random, 50),
        .large_values = random_chance(&random, 50),
        .sets = random_chance(&random, 40) ? testing_random_below(&random, 101) : 0,
    };
    struct shw_record_forest *forest = random_record_forest(&params);
    const uint64_t count = draw_count(&random);
    float *rows = random_records(forest, count, seed);
    struct table table = lay_out(rows, count, params.attributes, &random);
    struct plain_results expected;

    table.records.has_missing = random_chance(&random, 30);
    table.records.missing = random_chance(&random, 10) ? NAN : -0.0f;
    if (count > 0 && random_chance(&random, 50))
        table.records.missing = rows[testing_random_below(&random, (uint32_t)count) * params.attributes];
    expected = plain_evaluate(forest, rows, count, params.attributes, 1,
                              table.records.has_missing ? &table.records.missing : NULL);
    for (uint32_t v = 0; v <= sizeof vectors / sizeof *vectors; v++) {
        struct shw_record_evaluator *evaluator =
            v == 0 ? make_evaluator(forest, SHW_RECORD_SERIAL, 0, "none")
                   : make_evaluator(forest, SHW_RECORD_CPU, 1 + testing_random_below(&random, 4), vectors[v - 1]);
        testing_describe("%s %s", v == 0 ? "serial" : "cpu", v == 0 ? "" : vectors[v - 1]);
        assert_same_results(evaluator, forest, &table, &expected, 15);
        assert_same_results(evaluator, forest, &table, &expected, 1 + testing_random_below(&random, 14));
        shw_record_evaluator_destroy(&evaluator);
        assert_null(evaluator);
    }
    plain_results_free(&expected);
    free(table.values);
    free(rows);
    shw_record_forest_destroy(&forest);
}

TESTING_CASE_WITH(test_random, NULL, testing_sweep_teardown)
{
    testing_sweep(&(struct testing_sweep){.name = "records", .usual = 150, .run = evaluate_random});
}

/* Forests that meet limits: all techniques find what the plain evaluation does. */
static void assert_all_agree(const struct random_record_forest_params *params, uint64_t count)
{
    struct shw_record_forest *forest = random_record_forest(params);
    float *rows = random_records(forest, count, params->seed + 1);
    struct plain_results expected =
        plain_evaluate(forest, rows, count, shw_record_forest_get_info(forest)->attribute_count, 1, NULL);

    for (uint32_t v = 0; v <= sizeof vectors / sizeof *vectors; v++) {
        struct shw_record_evaluator *evaluator =
            make_evaluator(forest, v == 0 ? SHW_RECORD_SERIAL : SHW_RECORD_CPU, 2, v == 0 ? "none" : vectors[v - 1]);
        assert_evaluates(evaluator, forest, rows, count, &expected);
        shw_record_evaluator_destroy(&evaluator);
    }
    plain_results_free(&expected);
    free(rows);
    shw_record_forest_destroy(&forest);
}

TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, test_limits)
{
    assert_all_agree(&(struct random_record_forest_params){.seed = 1, .shape = TREE_LEAF, .trees = 1}, 100);
    assert_all_agree(&(struct random_record_forest_params){.seed = 2, .shape = TREE_LEAF, .trees = 70}, 3);
    assert_all_agree(
        &(struct random_record_forest_params){
            .seed = 3, .shape = TREE_CHAIN, .trees = 2, .depth = 4096, .attributes = 1},
        70);
    assert_all_agree(
        &(struct random_record_forest_params){
            .seed = 4, .shape = TREE_BALANCED, .trees = 3, .depth = 9, .attributes = SHW_RECORD_ATTRIBUTES_MAX},
        9);
    assert_all_agree(
        &(struct random_record_forest_params){.seed = 6, .shape = TREE_CHAIN, .trees = 2, .depth = 4096, .sets = 50},
        70);
    assert_all_agree(
        &(struct random_record_forest_params){.seed = 5, .trees = 9, .outputs = SHW_RECORD_OUTPUTS_MAX, .depth = 3},
        67);
}

/* With each result alone and all of them, for each kind of vectors. */
static void assert_few_agree(const struct random_record_forest_params *params, uint64_t count)
{
    struct shw_record_forest *forest = random_record_forest(params);
    const uint32_t attributes = shw_record_forest_get_info(forest)->attribute_count;
    float *rows = random_records(forest, count, params->seed + count);
    const struct table table = {{.values = rows, .count = count, .attribute_count = attributes}, rows};
    struct plain_results expected = plain_evaluate(forest, rows, count, attributes, 1, NULL);

    for (uint32_t v = 0; v < sizeof vectors / sizeof *vectors; v++) {
        struct shw_record_evaluator *evaluator = make_evaluator(forest, SHW_RECORD_CPU, 1, vectors[v]);
        assert_same_results(evaluator, forest, &table, &expected, 15);
        assert_same_results(evaluator, forest, &table, &expected, 2);
        assert_same_results(evaluator, forest, &table, &expected, 4);
        assert_same_results(evaluator, forest, &table, &expected, 8);
        shw_record_evaluator_destroy(&evaluator);
    }
    plain_results_free(&expected);
    free(rows);
    shw_record_forest_destroy(&forest);
}

/* Few records, and as many more than whole groups, by all forms that they are evaluated in: one to a thousand trees,
 * from leaves alone to long chains, with the tests of one attribute or of more than the vectors' tables have, with few
 * thresholds and many, for one output and several. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, test_few)
{
    static const struct random_record_forest_params cases[] = {
        {.trees = 1, .depth = 1, .outputs = 1},
        {.trees = 1000, .depth = 1, .outputs = 1, .attributes = 30},
        {.trees = 300, .depth = 3, .outputs = 1, .attributes = 12, .no_missing = true},
        {.trees = 1000, .depth = 6, .outputs = 1, .attributes = 30, .shape = TREE_MIXED},
        {.trees = 100, .depth = 6, .outputs = 1, .attributes = 30, .shape = TREE_BALANCED},
        {.trees = 9, .depth = 5, .outputs = 1, .attributes = 3, .shape = TREE_BALANCED},
        {.trees = 20, .depth = 7, .outputs = 1, .attributes = 60, .shape = TREE_BALANCED},
        {.trees = 17, .depth = 8, .outputs = 1, .attributes = 100, .shape = TREE_BALANCED},
        {.trees = 30, .depth = 4, .outputs = 1, .attributes = 240, .shape = TREE_BALANCED, .no_missing = true},
        {.trees = 30, .depth = 4, .outputs = 1, .attributes = 2000, .no_missing = true},
        {.trees = 6, .depth = 11, .outputs = 1, .attributes = 20, .shape = TREE_BALANCED},
        {.trees = 40, .depth = 9, .outputs = 1, .attributes = 2, .shape = TREE_BALANCED},
        {.trees = 40, .depth = 9, .outputs = 1, .attributes = 2, .shape = TREE_BALANCED, .no_missing = true},
        {.trees = 5, .depth = 11, .outputs = 1, .attributes = 20, .shape = TREE_BALANCED, .no_missing = true},
        {.trees = 7, .depth = 11, .outputs = 1, .attributes = 40, .shape = TREE_BALANCED, .no_missing = true},
        {.trees = 30, .depth = 6, .outputs = 1, .attributes = 30, .no_missing = true},
        {.trees = 30, .depth = 6, .outputs = 1, .attributes = 60, .no_missing = true},
        {.trees = 40, .depth = 30, .outputs = 1, .attributes = 9, .shape = TREE_CHAIN},
        {.trees = 70, .depth = 6, .outputs = 3, .attributes = 9, .one_value = true},
        {.trees = 70, .depth = 6, .outputs = 4, .attributes = 9},
        {.trees = 33, .depth = 6, .outputs = 7, .attributes = 9},
        {.trees = 90, .depth = 7, .outputs = 1, .attributes = 9, .sets = 20},
        {.trees = 20, .depth = 10, .outputs = 2, .attributes = 5, .sets = 90},
    };
    static const uint64_t counts[] = {1, 31, 70};

    for (uint32_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (uint32_t n = 0; n < sizeof counts / sizeof *counts; n++) {
            struct random_record_forest_params params = cases[c];
            params.seed = 100 + c;
            params.task = c % 2 == 0 ? SHW_RECORD_VALUES : SHW_RECORD_CLASSES;
            testing_describe("case %u, %llu records", c, (unsigned long long)counts[n]);
            assert_few_agree(&params, counts[n]);
        }
}

/* A forest of one attribute with different thresholds, in balanced trees of the depth. The highest one is that of a
 * root, which sends what is missing to the right. */
static struct shw_record_forest *forest_of_thresholds(uint32_t trees, uint32_t depth)
{
    const uint32_t nodes = (2u << depth) - 1, leaves = 1u << depth;
    struct shw_record_forest_info info = {.task = SHW_RECORD_VALUES,
                                          .attribute_count = 1,
                                          .output_count = 1,
                                          .values_per_leaf = 1,
                                          .tree_count = trees,
                                          .node_count = trees * nodes,
                                          .leaf_count = trees * leaves};
    struct shw_record_tree *tree = calloc(trees, sizeof *tree);
    struct shw_record_node *node = calloc((size_t)trees * nodes, sizeof *node);
    int32_t *values = calloc((size_t)trees * leaves, sizeof *values);
    struct shw_record_forest *forest = NULL;

    assert_true(tree != NULL && node != NULL && values != NULL);
    for (uint32_t t = 0; t < trees; t++) {
        tree[t] = (struct shw_record_tree){.first_node = t * nodes, .node_count = nodes};
        for (uint32_t n = 0; n < nodes; n++)
            node[t * nodes + n] =
                n < leaves - 1
                    ? (struct shw_record_node){.is_split = true,
                                               .left = 2 * n + 1,
                                               .missing_right = n % 3 == 0,
                                               .zero_missing = n % 5 == 0,
                                               .threshold = (int32_t)(((t + 1) * (leaves - 1) - n) * 20000u - 1000u)}
                    : (struct shw_record_node){.left = n, .leaf = n - (leaves - 1)};
    }
    for (uint32_t l = 0; l < trees * leaves; l++)
        values[l] = (int32_t)l;
    info.trees = tree, info.nodes = node, info.leaf_values = values;
    assert_int_equal(shw_record_forest_create(&info, NULL, &forest), SHW_OK);
    free(tree);
    free(node);
    free(values);
    return forest;
}

/* At and beyond the numbers of thresholds that ranks of 8 and 16 bits can tell apart. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, test_thresholds)
{
    static const struct {
        uint32_t trees, depth;
    } cases[] = {{1, 7}, {2, 7}, {1, 8}, {256, 1}, {2, 8}, {1, 15}, {2, 15}, {1, 16}, {65536, 1}, {3, 15}};

    for (uint32_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct shw_record_forest *forest = forest_of_thresholds(cases[c].trees, cases[c].depth);
        const uint64_t count = cases[c].trees > 1000 ? 30 : 300;
        float *rows = random_records(forest, count, c);
        struct plain_results expected = plain_evaluate(forest, rows, count, 1, 1, NULL);
        for (uint32_t v = 0; v < sizeof vectors / sizeof *vectors; v++) {
            struct shw_record_evaluator *evaluator = make_evaluator(forest, SHW_RECORD_CPU, 1, vectors[v]);
            assert_evaluates(evaluator, forest, rows, count, &expected);
            shw_record_evaluator_destroy(&evaluator);
        }
        plain_results_free(&expected);
        free(rows);
        shw_record_forest_destroy(&forest);
    }
}

/* Trees of one split by a set, of as many categories apart as ranks have to tell from each other. */
static struct shw_record_forest *forest_of_sets(uint32_t trees, uint32_t words, uint32_t flags, uint32_t first)
{
    const uint32_t size = 2 + words;
    struct shw_record_forest_info info = {.task = SHW_RECORD_VALUES,
                                          .attribute_count = 1,
                                          .output_count = 1,
                                          .values_per_leaf = 1,
                                          .tree_count = trees,
                                          .node_count = trees * 3,
                                          .leaf_count = trees * 2,
                                          .set_word_count = trees * size};
    struct shw_record_tree *tree = calloc(trees, sizeof *tree);
    struct shw_record_node *node = calloc((size_t)trees * 3, sizeof *node);
    int32_t *values = calloc((size_t)trees * 2, sizeof *values);
    uint32_t *sets = calloc((size_t)trees * size, sizeof *sets);
    struct shw_record_forest *forest = NULL;

    assert_true(tree != NULL && node != NULL && values != NULL && sets != NULL);
    for (uint32_t t = 0; t < trees; t++) {
        uint32_t *set = sets + (size_t)t * size;
        tree[t] = (struct shw_record_tree){.first_node = 3 * t, .node_count = 3};
        node[3 * t] = (struct shw_record_node){
            .is_split = true, .left = 1, .missing_right = t % 3 == 0, .is_set = true, .threshold = (int32_t)(t * size)};
        node[3 * t + 1] = (struct shw_record_node){.left = 1};
        node[3 * t + 2] = (struct shw_record_node){.left = 2, .leaf = 1};
        values[2 * t] = (int32_t)t;
        set[0] = flags | first | (t % 2 == 0 ? SHW_RECORD_SET_MEMBERS_RIGHT : 0);
        set[1] = words;
        for (uint32_t w = 0; w < words; w++)
            set[2 + w] = t % 2 == 0 ? 0x55555555 : 0xf0f00ff1;
    }
    info.trees = tree, info.nodes = node, info.leaf_values = values, info.sets = sets;
    assert_int_equal(shw_record_forest_create(&info, NULL, &forest), SHW_OK);
    free(tree);
    free(node);
    free(values);
    free(sets);
    return forest;
}

/* At and beyond the numbers of categories that ranks of 8 and 16 bits can tell apart, the highest category, and every
 * way in which numbers become categories. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, test_sets)
{
    static const struct {
        uint32_t trees, words, flags, first;
    } cases[] = {{3, 1, 0, 0},
                 {3, 3, SHW_RECORD_SET_FROM_BELOW, 0},
                 {2, 7, SHW_RECORD_SET_WHOLE, 0},
                 {2, 8, 0, 0},
                 {2, 9, SHW_RECORD_SET_FROM_BELOW, 3},
                 {2, 2040, 0, 0},
                 {2, 2060, SHW_RECORD_SET_WHOLE, 0},
                 {2, 5, 0, (1u << 19) - 5},
                 {40, 1u << 16, 0, 0}};

    for (uint32_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct shw_record_forest *forest =
            forest_of_sets(cases[c].trees, cases[c].words, cases[c].flags, cases[c].first);
        const uint64_t count = 500;
        float *rows = random_records(forest, count, c);
        struct plain_results expected = plain_evaluate(forest, rows, count, 1, 1, NULL);
        for (uint32_t v = 0; v <= sizeof vectors / sizeof *vectors; v++) {
            struct shw_record_evaluator *evaluator = make_evaluator(forest, v == 0 ? SHW_RECORD_SERIAL : SHW_RECORD_CPU,
                                                                    1, v == 0 ? "none" : vectors[v - 1]);
            assert_evaluates(evaluator, forest, rows, count, &expected);
            shw_record_evaluator_destroy(&evaluator);
        }
        plain_results_free(&expected);
        free(rows);
        shw_record_forest_destroy(&forest);
    }
}

/* Predictions alone, of so many padded records that sums are kept for a part of them at a time. */
TESTING_CASE(test_predictions_alone)
{
    enum { RECORDS = 300, ATTRIBUTES = 3, STRIDE = 5 };
    struct shw_record_forest *forest = random_record_forest(&(struct random_record_forest_params){
        .seed = 8, .outputs = SHW_RECORD_OUTPUTS_MAX, .trees = 3, .attributes = ATTRIBUTES});
    float *rows = random_records(forest, RECORDS, 1), *padded = calloc((size_t)RECORDS * STRIDE, sizeof *padded);
    float *expected = calloc((size_t)RECORDS * SHW_RECORD_OUTPUTS_MAX, sizeof *expected),
          *found = calloc((size_t)RECORDS * SHW_RECORD_OUTPUTS_MAX, sizeof *found);
    struct plain_results plain = plain_evaluate(forest, rows, RECORDS, ATTRIBUTES, 1, NULL);
    const struct shw_records records = {.values = padded,
                                        .count = RECORDS,
                                        .attribute_count = ATTRIBUTES,
                                        .record_stride = STRIDE,
                                        .attribute_stride = 1};
    const struct shw_record_results results = {.predictions = found};
    struct shw_record_evaluator *evaluator = make_evaluator(forest, SHW_RECORD_CPU, 2, vectors[0]);

    assert_true(padded != NULL && expected != NULL && found != NULL);
    for (uint32_t r = 0; r < RECORDS; r++)
        memcpy(padded + r * STRIDE, rows + r * ATTRIBUTES, ATTRIBUTES * sizeof *rows);
    shw_record_forest_predict(forest, RECORDS, plain.sums, expected);
    assert_int_equal(shw_record_evaluator_run(evaluator, &records, &results), SHW_OK);
    assert_memory_equal(found, expected, (size_t)RECORDS * SHW_RECORD_OUTPUTS_MAX * sizeof *found);
    shw_record_evaluator_destroy(&evaluator);
    plain_results_free(&plain);
    free(rows);
    free(padded);
    free(expected);
    free(found);
    shw_record_forest_destroy(&forest);
}

/* Every number is decided at its neighbours as the number itself is. */
TESTING_CASE(test_codes_in_order)
{
    static const float numbers[] = {-INFINITY, -3e38f, -1.0f,  -1e-35f, -1e-38f, -1e-45f, 0.0f,
                                    1e-45f,    1e-38f, 1e-35f, 1.0f,    3e38f,   INFINITY};

    for (uint32_t n = 1; n < sizeof numbers / sizeof *numbers; n++)
        assert_true(shw_record_code_of(numbers[n - 1]) < shw_record_code_of(numbers[n]));
    assert_int_equal(shw_record_code_of(-0.0f), shw_record_code_of(0.0f));
    assert_int_equal(shw_record_code_of(NAN), SHW_RECORD_CODE_MISSING);
    assert_int_equal(shw_record_code_of(-NAN), SHW_RECORD_CODE_MISSING);
}

static void assert_refused(struct shw_record_evaluator *evaluator, struct testing_log *log,
                           const struct shw_records *records, const struct shw_record_results *results,
                           const char *message)
{
    memset(log->last, 0, sizeof log->last);
    assert_int_equal(shw_record_evaluator_run(evaluator, records, results), SHW_ERROR_ARGUMENT);
    assert_int_equal(log->last_item, SHW_LOG_ARGUMENT);
    assert_non_null(strstr(log->last, message));
}

TESTING_CASE(test_arguments)
{
    struct shw_record_forest *forest =
        random_record_forest(&(struct random_record_forest_params){.seed = 1, .task = SHW_RECORD_VALUES});
    struct testing_log log;
    struct shw_record_evaluator_params params = {.forest = forest, .log = testing_log(&log)};
    struct shw_record_evaluator *evaluator = NULL;
    const float values[7] = {0};
    uint32_t words[64];
    int64_t sums[8];
    const struct shw_record_results leaves = {.leaves = words};

    params.technique = SHW_RECORD_COMPUTE;
    assert_int_equal(shw_record_evaluator_create(&params, &evaluator), SHW_ERROR_ARGUMENT);
    params.technique = (enum shw_record_technique)SHW_RECORD_TECHNIQUE_COUNT;
    assert_int_equal(shw_record_evaluator_create(&params, &evaluator), SHW_ERROR_ARGUMENT);
    params.technique = SHW_RECORD_AUTO;
    params.tuning.group_lanes = 48;
    assert_int_equal(shw_record_evaluator_create(&params, &evaluator), SHW_ERROR_ARGUMENT);
    params.tuning.group_lanes = 0;
    assert_int_equal(shw_record_evaluator_create(&params, &evaluator), SHW_OK);
    assert_int_equal(shw_record_evaluator_get_technique(evaluator), SHW_RECORD_CPU);

    assert_refused(evaluator, &log, &(struct shw_records){.values = values, .count = 1, .attribute_count = 6}, &leaves,
                   "6 attributes are given, but the forest has 7");
    assert_refused(evaluator, &log, &(struct shw_records){.count = 1, .attribute_count = 7}, &leaves, "values");
    assert_refused(evaluator, &log, &(struct shw_records){.values = values, .count = 1, .attribute_count = 7},
                   &(struct shw_record_results){0}, "no result");
    assert_refused(evaluator, &log, &(struct shw_records){.values = values, .count = 1, .attribute_count = 7},
                   &(struct shw_record_results){.classes = words}, "predicts values");
    assert_refused(
        evaluator, &log,
        &(struct shw_records){.values = values, .count = 3, .attribute_count = 7, .record_stride = SIZE_MAX / 2},
        &leaves, "strides");
    assert_int_equal(shw_record_evaluator_run(evaluator, &(struct shw_records){.attribute_count = 7}, &leaves), SHW_OK);
    assert_int_equal(shw_record_evaluator_run(evaluator,
                                              &(struct shw_records){.values = values, .count = 1, .attribute_count = 7},
                                              &(struct shw_record_results){.sums = sums}),
                     SHW_OK);
    assert_true(shw_record_evaluator_get_seconds(evaluator).outer == 0); /* few, without `timing` */
    assert_true(shw_record_evaluator_get_seconds(evaluator).inner == 0);
    shw_record_evaluator_destroy(&evaluator);
    shw_record_forest_destroy(&forest);
}

/* Times are measured of more records than a few, and of few with `timing`. */
TESTING_CASE(test_seconds)
{
    struct shw_record_forest *forest = random_record_forest(&(struct random_record_forest_params){.seed = 1});
    float *rows = random_records(forest, 9, 1);

    for (uint32_t count = 8; count <= 9; count++)
        for (uint32_t timing = 0; timing < 2; timing++) {
            const struct shw_record_evaluator_params params = {
                .forest = forest, .technique = SHW_RECORD_CPU, .timing = timing > 0};
            const struct shw_records records = {.values = rows, .count = count, .attribute_count = 7};
            struct shw_record_evaluator *evaluator = NULL;
            uint32_t classes[9];
            assert_int_equal(shw_record_evaluator_create(&params, &evaluator), SHW_OK);
            assert_int_equal(
                shw_record_evaluator_run(evaluator, &records, &(struct shw_record_results){.classes = classes}),
                SHW_OK);
            assert_true((shw_record_evaluator_get_seconds(evaluator).outer > 0) == (count > 8 || timing > 0));
            shw_record_evaluator_destroy(&evaluator);
        }
    free(rows);
    shw_record_forest_destroy(&forest);
}

TESTING_CASE(test_names)
{
    for (uint32_t t = 0; t < SHW_RECORD_TECHNIQUE_COUNT; t++)
        assert_non_null(shw_record_technique_name((enum shw_record_technique)t));
    assert_null(shw_record_technique_name((enum shw_record_technique)SHW_RECORD_TECHNIQUE_COUNT));
    assert_string_equal(shw_record_technique_name(SHW_RECORD_SPECULATIVE_MAPPED), "speculative-mapped");
    assert_false(shw_record_technique_needs_device(SHW_RECORD_CPU));
    assert_true(shw_record_technique_needs_device(SHW_RECORD_FRAGMENT));
}
