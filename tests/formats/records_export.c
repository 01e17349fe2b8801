/* Record forests that are exported as trees in JSON come back. */
#include "testing/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/io/file_kind.h"
#include "files/output/record_trees.h"
#include "formats/record_formats.h"
#include "formats/record_models.h"
#include "testing/record_forests.h"

static void check_export(const struct shw_record_forest *forest)
{
    const char *path = testing_path("forest.json");
    struct testing_log memory = {0};
    const struct shw_log log = testing_log(&memory);
    struct shw_record_forest *again = NULL;

    assert_int_equal(shw_record_trees_write(forest, "forest", path, &log), SHW_OK);
    assert_true(shw_file_record_trees.is_ours(path, shw_file_record_trees.name));
    assert_int_equal(shw_record_forest_open(path, &log, &again), SHW_OK);
    assert_true(shw_record_forest_hash(again) == shw_record_forest_hash(forest));
    assert_int_equal(memory.errors, 0);
    shw_record_forest_destroy(&again);
}

TESTING_CASE(test_random_forests)
{
    for (uint32_t seed = 0; seed < 60; seed++) {
        struct random_record_forest_params params = {.seed = seed,
                                                     .trees = 1 + seed % 4,
                                                     .outputs = 1 + seed % 3,
                                                     .task = seed % 2 == 0 ? SHW_RECORD_CLASSES : SHW_RECORD_VALUES,
                                                     .mean = seed % 5 == 0,
                                                     .one_value = seed % 7 == 0,
                                                     .shares = seed % 6 == 2,
                                                     .no_missing = seed % 8 == 0,
                                                     .names = seed % 4 == 1,
                                                     .sets = seed % 5 == 3 ? 50 : 0};
        struct shw_record_forest *forest = random_record_forest(&params);
        check_export(forest);
        shw_record_forest_destroy(&forest);
    }
}

TESTING_CASE(test_models)
{
    static const char *const models[] = {"lightgbm-binary.txt", "lightgbm-sqrt.txt",          "lightgbm-ova.txt",
                                         "onnx-binary.onnx",    "onnx-targets.onnx",          "onnx-probit.onnx",
                                         "xgboost-dart.ubj",    "sklearn-forest-classes.json"};

    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        struct shw_record_forest *forest = open_record_model(models[m]);
        check_export(forest);
        shw_record_forest_destroy(&forest);
    }
}

/* A forest of one split and two leaves. */
static struct shw_record_forest *make_stump(int32_t threshold, int64_t base)
{
    const struct shw_record_tree tree = {.node_count = 3};
    const struct shw_record_node nodes[] = {
        {.is_split = true, .left = 1, .threshold = threshold}, {.left = 1, .source = 7}, {.left = 2, .leaf = 1}};
    const struct shw_record_forest_info info = {.task = SHW_RECORD_VALUES,
                                                .attribute_count = 1,
                                                .output_count = 1,
                                                .fraction_bits = 3,
                                                .values_per_leaf = 1,
                                                .base = &base,
                                                .tree_count = 1,
                                                .node_count = 3,
                                                .leaf_count = 2,
                                                .trees = &tree,
                                                .nodes = nodes,
                                                .leaf_values = (const int32_t[]){5, -7}};
    struct shw_record_forest *forest = NULL;

    assert_int_equal(shw_record_forest_create(&info, NULL, &forest), SHW_OK);
    return forest;
}

/* Thresholds that are numbers', and others. */
TESTING_CASE(test_thresholds)
{
    static const int32_t thresholds[] = {0,          -1,         -2,          1,           INT32_MAX,
                                         0x7f800000, 0x7f800001, -0x7f800001, -0x7f800002, INT32_MIN + 1};

    for (size_t t = 0; t < sizeof thresholds / sizeof *thresholds; t++) {
        struct shw_record_forest *forest = make_stump(thresholds[t], 3);
        check_export(forest);
        shw_record_forest_destroy(&forest);
    }
}

/* A base of more bits than a number in double precision has. */
TESTING_CASE(test_base)
{
    struct testing_log memory = {0};
    const struct shw_log log = testing_log(&memory);
    struct shw_record_forest *forest = make_stump(0, (INT64_C(1) << 60) + 1);

    assert_int_equal(shw_record_trees_write(forest, "forest", testing_path("none.json"), &log), SHW_ERROR_LIMIT);
    assert_non_null(strstr(memory.last, "forest: the base of output 0"));
    shw_record_forest_destroy(&forest);
}
