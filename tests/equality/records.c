/* Record forests: every technique on a device finds the leaves, sums and classes of plain evaluation, whatever its
 * tuning. SHW_CASES=N runs N random cases instead of a few (testing/cases.h); each compiles shaders of its own. */
#include "testing/cases.h"
#include "testing/device.h"
#include "testing/record_forests.h"
#include "testing/testing.h"

#include <stdlib.h>
#include <string.h>

#include <shadewood/records.h>

static const enum shw_record_technique techniques[] = {SHW_RECORD_SPECULATIVE_MAPPED, SHW_RECORD_SPECULATIVE,
                                                       SHW_RECORD_WINDOWED, SHW_RECORD_FRAGMENT, SHW_RECORD_COMPUTE};
#define TECHNIQUES (uint32_t)(sizeof techniques / sizeof *techniques)

static struct shw_record_evaluator *make(struct shw_device *device, const struct shw_record_forest *forest,
                                         enum shw_record_technique technique, const struct shw_record_tuning *tuning)
{
    struct shw_record_evaluator_params params = {
        .forest = forest, .device = device, .technique = technique, .threads = 1};
    struct shw_record_evaluator *evaluator = NULL;
    struct testing_log log = {.errors = 0};

    if (tuning != NULL)
        params.tuning = *tuning;
    params.log = testing_log(&log);
    assert_int_equal(shw_record_evaluator_create(&params, &evaluator), SHW_OK);
    assert_int_equal(shw_record_evaluator_get_technique(evaluator), technique);
    assert_int_equal(log.errors, 0);
    return evaluator;
}

static void random_params(struct testing_random *random, struct random_record_forest_params *params)
{
    *params =
        (struct random_record_forest_params){.seed = testing_random_next(random),
                                             .shape = testing_random_below(random, 5),
                                             .trees = random_size(random, 9),
                                             .depth = random_size(random, 9),
                                             .attributes = random_size(random, 40),
                                             .outputs = random_size(random, 30),
                                             .task = random_chance(random, 30) ? SHW_RECORD_VALUES : SHW_RECORD_CLASSES,
                                             .one_value = random_chance(random, 40),
                                             .no_missing = random_chance(random, 20),
                                             .large_values = random_chance(random, 20),
                                             .sets = random_chance(random, 40) ? testing_random_below(random, 101) : 0};
    if (params->shape == TREE_CHAIN && random_chance(random, 50))
        params->depth = 20 + testing_random_below(random, 60);
}

static void random_tuning(struct testing_random *random, struct shw_record_tuning *tuning)
{
    *tuning = (struct shw_record_tuning){0};
    if (random_chance(random, 50))
        tuning->group_lanes = 1u << testing_random_below(random, random_chance(random, 70) ? 5 : 11);
    if (random_chance(random, 50))
        tuning->records_per_group = random_size(random, random_chance(random, 90) ? 70 : 1000000);
    if (random_chance(random, 50))
        tuning->reductions = 1 + testing_random_below(random, 8);
    if (random_chance(random, 50))
        tuning->window_levels = 1 + testing_random_below(random, 10);
}

/* Rows or columns, with padding that is never read. */
static void random_strides(struct testing_random *random, struct shw_records *records)
{
    size_t more = testing_random_below(random, 4);

    records->record_stride = records->attribute_count + more;
    records->attribute_stride = 1;
    if (random_chance(random, 30)) {
        records->record_stride = 1;
        records->attribute_stride = records->count + more;
    } else if (random_chance(random, 30)) {
        records->record_stride = 2 * (records->attribute_count + more);
        records->attribute_stride = 2;
    }
}

/* The same values by those strides; with has_missing, every ninth is the number that means missing. */
static float *lay_out(const float *rows, const struct shw_records *records)
{
    size_t size =
        (records->count - 1) * records->record_stride + (records->attribute_count - 1) * records->attribute_stride + 1;
    float *values = calloc(size, sizeof *values);

    assert_non_null(values);
    for (uint64_t r = 0; r < records->count; r++)
        for (uint32_t a = 0; a < records->attribute_count; a++) {
            uint64_t i = r * records->attribute_count + a;
            values[r * records->record_stride + a * records->attribute_stride] =
                records->has_missing && i % 9 == 0 ? records->missing : rows[i];
        }
    return values;
}

static void check_results(struct shw_record_evaluator *evaluator, const struct shw_record_forest *forest,
                          const struct shw_records *records, const struct plain_results *expected, uint32_t wanted)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
    size_t sums = records->count * info->output_count * sizeof(int64_t),
           leaves = records->count * info->tree_count * sizeof(uint32_t), classes = records->count * sizeof(uint32_t);
    struct shw_record_results results = {0};

    if ((wanted & 1) != 0)
        assert_non_null(results.leaves = malloc(leaves));
    if ((wanted & 2) != 0)
        assert_non_null(results.sums = malloc(sums));
    if ((wanted & 4) != 0 && expected->classes != NULL)
        assert_non_null(results.classes = malloc(classes));
    if (results.leaves == NULL && results.classes == NULL && results.sums == NULL)
        assert_non_null(results.sums = malloc(sums));
    assert_int_equal(shw_record_evaluator_run(evaluator, records, &results), SHW_OK);
    if (results.leaves != NULL)
        assert_memory_equal(results.leaves, expected->leaves, leaves);
    if (results.sums != NULL)
        assert_memory_equal(results.sums, expected->sums, sums);
    if (results.classes != NULL)
        assert_memory_equal(results.classes, expected->classes, classes);
    free(results.leaves);
    free(results.sums);
    free(results.classes);
}

static void random_case(uint64_t seed)
{
    struct testing_random random = {seed};
    enum shw_record_technique technique = techniques[seed % 7 < 3 ? 0 : seed % TECHNIQUES];
    struct random_record_forest_params params;
    struct shw_record_tuning tuning;
    struct shw_records records = {.count = random_size(&random, 300), .missing = 0.5f};
    struct shw_record_forest *forest;
    struct shw_record_evaluator *evaluator;
    struct plain_results expected;
    float *rows, *values;

    random_params(&random, &params);
    random_tuning(&random, &tuning);
    testing_describe("%s, %llu records; lanes %u, records %u, reductions %u, levels %u",
                     shw_record_technique_name(technique), (unsigned long long)records.count, tuning.group_lanes,
                     tuning.records_per_group, tuning.reductions, tuning.window_levels);
    testing_describe("shape %d, %u trees, depth %u, %u attributes, %u outputs, sets in %u %%", params.shape,
                     params.trees, params.depth, params.attributes, params.outputs, params.sets);
    forest = random_record_forest(&params);
    records.attribute_count = params.attributes;
    records.has_missing = random_chance(&random, 50);
    random_strides(&random, &records);
    rows = random_records(forest, records.count, seed);
    values = lay_out(rows, &records);
    records.values = values;
    expected = plain_evaluate(forest, values, records.count, records.record_stride, records.attribute_stride,
                              records.has_missing ? &records.missing : NULL);
    evaluator = make(testing_device(), forest, technique, &tuning);
    check_results(evaluator, forest, &records, &expected, 1 + testing_random_below(&random, 7));
    shw_record_evaluator_destroy(&evaluator);
    testing_device_check();
    plain_results_free(&expected);
    free(values);
    free(rows);
    shw_record_forest_destroy(&forest);
}

TESTING_CASE_WITH(random_forests_agree, NULL, testing_sweep_teardown)
{
    testing_sweep(&(struct testing_sweep){.name = "records", .usual = 10, .run = random_case});
}

static void check_forest(const struct shw_record_forest *forest, const float *records, uint64_t count,
                         enum shw_record_technique technique, const struct shw_record_tuning *tuning)
{
    struct plain_results expected =
        plain_evaluate(forest, records, count, shw_record_forest_get_info(forest)->attribute_count, 1, NULL);
    struct shw_record_evaluator *evaluator = make(testing_device_plain(), forest, technique, tuning);

    assert_evaluates(evaluator, forest, records, count, &expected);
    shw_record_evaluator_destroy(&evaluator);
    plain_results_free(&expected);
}

static void check(const struct random_record_forest_params *params, uint64_t count, enum shw_record_technique technique,
                  const struct shw_record_tuning *tuning)
{
    struct shw_record_forest *forest = random_record_forest(params);
    float *records = random_records(forest, count, params->seed);

    check_forest(forest, records, count, technique, tuning);
    free(records);
    shw_record_forest_destroy(&forest);
}

/* Classes alone, which of one tree follow from leaves without sums. */
static void check_classes(const struct random_record_forest_params *params, enum shw_record_technique technique)
{
    struct shw_record_forest *forest = random_record_forest(params);
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
    float *values = random_records(forest, 90, params->seed);
    const struct shw_records records = {.values = values, .count = 90, .attribute_count = info->attribute_count};
    struct plain_results expected = plain_evaluate(forest, values, 90, info->attribute_count, 1, NULL);
    struct shw_record_evaluator *evaluator = make(testing_device_plain(), forest, technique, NULL);

    for (uint32_t wanted = 1; wanted <= 7; wanted++)
        check_results(evaluator, forest, &records, &expected, wanted);
    shw_record_evaluator_destroy(&evaluator);
    plain_results_free(&expected);
    free(values);
    shw_record_forest_destroy(&forest);
}

TESTING_CASE(classes_agree)
{
    check_classes(&(struct random_record_forest_params){.seed = 9, .trees = 1, .outputs = 1, .large_values = true},
                  SHW_RECORD_SPECULATIVE_MAPPED);
    check_classes(&(struct random_record_forest_params){.seed = 10, .trees = 1, .one_value = true, .depth = 7},
                  SHW_RECORD_WINDOWED);
    check_classes(&(struct random_record_forest_params){.seed = 11, .trees = 1, .outputs = 7, .shape = TREE_CHAIN},
                  SHW_RECORD_SPECULATIVE);
}

/* By ballots of one word and of two, by shuffles and through shared memory, as far as the device has subgroups. */
TESTING_CASE(forms_agree)
{
    const struct random_record_forest_params balanced = {.seed = 7, .trees = 2, .shape = TREE_BALANCED, .depth = 3},
                                             chain = {.seed = 8, .trees = 2, .shape = TREE_CHAIN, .depth = 40};
    const struct shw_record_tuning shuffles = {.reductions = 2}, shared = {.group_lanes = 16, .records_per_group = 5};

    check(&balanced, 100, SHW_RECORD_SPECULATIVE_MAPPED, NULL);
    check(&chain, 100, SHW_RECORD_SPECULATIVE_MAPPED, NULL);
    check(&balanced, 100, SHW_RECORD_SPECULATIVE_MAPPED, &shuffles);
    check(&balanced, 100, SHW_RECORD_SPECULATIVE_MAPPED, &shared);
}

/* Tests of sets, by every technique and form. */
TESTING_CASE(sets_agree)
{
    const struct random_record_forest_params
        small = {.seed = 41, .trees = 3, .shape = TREE_BALANCED, .depth = 3, .sets = 60},
        large = {.seed = 42, .trees = 4, .shape = TREE_RANDOM, .depth = 9, .sets = 50},
        one = {.seed = 43, .trees = 1, .depth = 5, .sets = 70};
    const struct shw_record_tuning shuffles = {.reductions = 2};

    for (uint32_t t = 0; t < TECHNIQUES; t++)
        check(&large, 2000, techniques[t], NULL);
    for (uint32_t t = 0; t < TECHNIQUES; t++)
        check(&small, 90, techniques[t], NULL);
    check(&small, 90, SHW_RECORD_SPECULATIVE_MAPPED, &shuffles);
    check_classes(&one, SHW_RECORD_COMPUTE);
}

/* Longer paths than are followed at once, and more nodes than a group of lanes evaluates at once. */
TESTING_CASE(large_trees_agree)
{
    const struct random_record_forest_params chain = {.seed = 1, .trees = 1, .shape = TREE_CHAIN, .depth = 4096},
                                             balanced = {.seed = 2, .trees = 1, .shape = TREE_BALANCED, .depth = 14};
    const struct shw_record_tuning one_level = {.window_levels = 1};

    check(&chain, 9, SHW_RECORD_SPECULATIVE, NULL);
    check(&chain, 9, SHW_RECORD_WINDOWED, &one_level);
    check(&chain, 9, SHW_RECORD_FRAGMENT, NULL);
    check(&balanced, 9, SHW_RECORD_SPECULATIVE_MAPPED, NULL);
    check(&balanced, 9, SHW_RECORD_WINDOWED, NULL);
}

/* A chain whose splits are right children, and so the entries with even numbers: a record d + 0.5 passes d + 1 splits.
 * Leaf values rise from `first` by `step`. */
static struct shw_record_forest *make_chains(uint32_t trees, uint32_t depth, int64_t first, int64_t step)
{
    const uint32_t node_count = 2 * depth + 1, leaf_count = depth + 1;
    struct shw_record_tree *tree = calloc(trees, sizeof *tree);
    struct shw_record_node *nodes = calloc((size_t)trees * node_count, sizeof *nodes);
    int32_t *values = calloc((size_t)trees * leaf_count, sizeof *values);
    const struct shw_record_forest_info info = {.task = SHW_RECORD_VALUES,
                                                .attribute_count = 1,
                                                .output_count = 1,
                                                .values_per_leaf = 1,
                                                .tree_count = trees,
                                                .node_count = trees * node_count,
                                                .leaf_count = trees * leaf_count,
                                                .trees = tree,
                                                .nodes = nodes,
                                                .leaf_values = values};
    struct shw_record_forest *forest = NULL;

    assert_true(tree != NULL && nodes != NULL && values != NULL);
    for (uint32_t t = 0; t < trees; t++) {
        struct shw_record_node *node = nodes + (size_t)t * node_count;
        tree[t] = (struct shw_record_tree){
            .first_node = t * node_count, .node_count = node_count, .first_leaf = t * leaf_count};
        for (uint32_t d = 0; d <= depth; d++) {
            node[2 * d] = (struct shw_record_node){
                .is_split = true, .left = 2 * d + 1, .threshold = shw_record_threshold_at_most(d)};
            if (d > 0)
                node[2 * d - 1] = (struct shw_record_node){.left = 2 * d - 1, .leaf = d - 1};
            values[(size_t)t * leaf_count + d] = (int32_t)(first + step * d);
        }
        node[2 * depth] = (struct shw_record_node){.left = 2 * depth, .leaf = depth};
    }
    assert_int_equal(shw_record_forest_create(&info, NULL, &forest), SHW_OK);
    free(tree);
    free(nodes);
    free(values);
    return forest;
}

/* A record that always goes right comes to the first entry beyond those that are evaluated at once, whose number is
 * even. */
TESTING_CASE(first_entries_beyond_agree)
{
    static const float records[] = {2 * 4096, 0, 7, 4096 - 1.5f};
    struct shw_record_forest *forest = make_chains(1, 4096, 0, 1);

    check_forest(forest, records, 4, SHW_RECORD_SPECULATIVE, NULL);
    shw_record_forest_destroy(&forest);
}

/* Every leaf of trees whose sides take one word, and two. */
TESTING_CASE(words_of_ballots_agree)
{
    static const uint32_t depths[] = {31, 32, 33, 63, 64, 65};
    float records[67];

    for (uint32_t r = 0; r < sizeof records / sizeof *records; r++)
        records[r] = (float)r - 0.5f;
    for (uint32_t d = 0; d < sizeof depths / sizeof *depths; d++) {
        struct shw_record_forest *forest = make_chains(1, depths[d], 3, 5);
        check_forest(forest, records, depths[d] + 2, SHW_RECORD_SPECULATIVE_MAPPED, NULL);
        shw_record_forest_destroy(&forest);
    }
}

/* Sums of two trees that no longer fit in 32 bits, on either side. */
TESTING_CASE(large_sums_agree)
{
    static const int64_t firsts[] = {INT32_MAX, INT32_MAX / 2 + 1, INT32_MIN + 1, -(INT32_MAX / 2 + 2)};
    static const float records[] = {0, 1.5f, 9};

    for (uint32_t f = 0; f < sizeof firsts / sizeof *firsts; f++) {
        struct shw_record_forest *forest = make_chains(2, 2, firsts[f], firsts[f] > 0 ? -1 : 1);
        for (uint32_t t = 0; t < TECHNIQUES; t++)
            check_forest(forest, records, 3, techniques[t], NULL);
        shw_record_forest_destroy(&forest);
    }
}

/* Rows that can be loaded by fours and rows that cannot, of more attributes than are loaded at once. */
TESTING_CASE(rows_agree)
{
    static const uint32_t attributes[] = {10, 16, 18, 24};

    for (uint32_t a = 0; a < sizeof attributes / sizeof *attributes; a++)
        check(&(struct random_record_forest_params){.seed = 20 + a,
                                                    .shape = TREE_BALANCED,
                                                    .trees = 30,
                                                    .depth = 6,
                                                    .attributes = attributes[a],
                                                    .outputs = 1},
              100, SHW_RECORD_COMPUTE, NULL);
}

/* Groups of a work group that end at different times, one group alone in a work group, and more records a group than
 * there are. */
TESTING_CASE(groups_agree)
{
    const struct random_record_forest_params uneven = {.seed = 30, .shape = TREE_RANDOM, .trees = 6, .depth = 11},
                                             chain = {.seed = 31, .shape = TREE_CHAIN, .trees = 2, .depth = 90};
    const struct shw_record_tuning lanes = {.group_lanes = 16},
                                   records = {.window_levels = 4, .records_per_group = 5000},
                                   whole = {.group_lanes = 256, .records_per_group = 3};

    check(&uneven, 200, SHW_RECORD_WINDOWED, &lanes);
    check(&chain, 200, SHW_RECORD_WINDOWED, &lanes);
    check(&uneven, 200, SHW_RECORD_WINDOWED, &records);
    check(&uneven, 100, SHW_RECORD_WINDOWED, &whole);
}

/* Classes alone of forests whose trees are evaluated in several passes. */
TESTING_CASE(classes_of_passes_agree)
{
    check_classes(&(struct random_record_forest_params){.seed = 12, .trees = 600, .outputs = 19, .depth = 1},
                  SHW_RECORD_COMPUTE);
}

/* The most attributes, trees and outputs that there are. */
TESTING_CASE(limits_are_reached)
{
    const struct random_record_forest_params attributes = {.seed = 3, .attributes = 65536, .trees = 2},
                                             trees = {.seed = 4,
                                                      .trees = 65536,
                                                      .depth = 1,
                                                      .one_value = true,
                                                      .outputs = 2},
                                             outputs = {.seed = 5, .outputs = 4096, .trees = 1, .depth = 2};

    check(&attributes, 5, SHW_RECORD_SPECULATIVE, NULL);
    check(&attributes, 5, SHW_RECORD_FRAGMENT, NULL);
    check(&trees, 3, SHW_RECORD_SPECULATIVE_MAPPED, NULL);
    check(&trees, 3, SHW_RECORD_FRAGMENT, NULL);
    check(&outputs, 3, SHW_RECORD_WINDOWED, NULL);
    check(&outputs, 3, SHW_RECORD_FRAGMENT, NULL);
}

/* More than are drawn at once. */
TESTING_CASE(pieces_agree)
{
    const struct random_record_forest_params small = {.seed = 6, .attributes = 2, .trees = 1, .depth = 2};

    check(&small, 70000, SHW_RECORD_FRAGMENT, NULL);
}

TESTING_FIXTURE(NULL, testing_device_teardown)
