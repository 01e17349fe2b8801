/* Models of other programs as record forests: leaves, predictions and classes as those programs have them
 * (scripts/record_fixtures.py), thresholds at their edges, and files that are wrong. */
#include "testing/testing.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/records.h>

#include "base/file_bytes.h"
#include "formats/record_formats.h"
#include "formats/record_models.h"
#include "testing/record_forests.h"

TESTING_CASE(leaves_and_predictions_are_the_originals)
{
    static const char *const models[] = {"sklearn-boosting-binary.json",
                                         "sklearn-boosting-classes.json",
                                         "sklearn-boosting-exponential.json",
                                         "sklearn-boosting-values.json",
                                         "sklearn-extra-classes.json",
                                         "sklearn-extra-values.json",
                                         "sklearn-forest-classes.json",
                                         "sklearn-forest-values.json",
                                         "sklearn-histogram-binary.json",
                                         "sklearn-histogram-classes.json",
                                         "sklearn-histogram-values.json",
                                         "sklearn-tree-classes.json",
                                         "sklearn-tree-values.json",
                                         "xgboost-binary-hinge.ubj",
                                         "xgboost-binary-logitraw.ubj",
                                         "xgboost-categories.json",
                                         "xgboost-count-poisson.ubj",
                                         "xgboost-dart.ubj",
                                         "xgboost-labels.ubj",
                                         "xgboost-multi-softmax.ubj",
                                         "xgboost-one-category.ubj",
                                         "xgboost-parallel.json",
                                         "xgboost-rank-map.ubj",
                                         "xgboost-rank-ndcg.ubj",
                                         "xgboost-rank-pairwise.ubj",
                                         "xgboost-reg-absoluteerror.ubj",
                                         "xgboost-reg-gamma.ubj",
                                         "xgboost-reg-logistic.ubj",
                                         "xgboost-reg-pseudohubererror.ubj",
                                         "xgboost-reg-squaredlogerror.ubj",
                                         "xgboost-reg-tweedie.ubj",
                                         "xgboost-squarederror.json",
                                         "xgboost-survival-aft.ubj",
                                         "xgboost-survival-cox.ubj",
                                         "xgboost-targets.json"};

    for (size_t m = 0; m < sizeof models / sizeof *models; m++)
        check_record_model(models[m]);
}

TESTING_CASE(names_and_training_are_kept)
{
    struct shw_record_forest *forest = open_record_model("xgboost-dart.ubj");
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);

    assert_string_equal(info->attribute_names[1], "größe");
    assert_non_null(strstr(info->training, "\"imported_from\":\"xgboost\""));
    assert_non_null(strstr(info->training, "\"files\":[\"xgboost-dart.ubj\"]"));
    assert_non_null(strstr(info->training, "\"objective\":\"binary:logistic\""));
    assert_non_null(strstr(info->training, "\"version\":[1,7,4]"));
    shw_record_forest_destroy(&forest);
    forest = open_record_model("sklearn-forest-classes.json");
    info = shw_record_forest_get_info(forest);
    assert_null(info->attribute_names);
    assert_string_equal(info->class_names[3], "oak");
    assert_non_null(strstr(info->training, "RandomForestClassifier"));
    shw_record_forest_destroy(&forest);
}

static bool goes_right(const struct shw_record_forest *forest, float value)
{
    struct plain_results results = plain_evaluate(forest, &value, 1, 1, 1, NULL);
    bool right = results.leaves[0] == 1;

    plain_results_free(&results);
    return right;
}

#define STUMP                                                                                                          \
    "{\"format\": \"record-trees\", \"version\": 1, \"task\": \"values\", \"attributes\": 1, \"outputs\": 1, "         \
    "\"test\": \"TEST\", \"trees\": [{\"children_left\": [1, -1, -1], \"children_right\": [2, -1, -1], "               \
    "\"feature\": [0, 0, 0], \"threshold\": [LIMIT, 0, 0], \"value\": [0, 1, 2], "                                     \
    "\"missing_go_to_left\": [MISSING, 0, 0]}]}"

static struct shw_record_forest *make_stump(const char *test, const char *limit, const char *missing)
{
    char *with_test = replace_in_model(STUMP, "TEST", test), *with_limit = replace_in_model(with_test, "LIMIT", limit);
    char *whole = replace_in_model(with_limit, "MISSING", missing);
    struct shw_record_forest *forest = parse_record_model(whole);

    free(with_test);
    free(with_limit);
    free(whole);
    return forest;
}

static void check_limit(const char *limit)
{
    struct shw_record_forest *at_most = make_stump("<=", limit, "true"), *below = make_stump("<", limit, "false");
    double number = strcmp(limit, "\"-Infinity\"") == 0 ? -INFINITY : strtod(limit, NULL);
    float values[] = {(float)number, 0, 0, 0, -0.0f, FLT_MIN, -FLT_TRUE_MIN, FLT_MAX, -FLT_MAX, INFINITY, -INFINITY};

    if (strcmp(limit, "\"Infinity\"") == 0)
        number = INFINITY;
    values[0] = (float)number;
    values[1] = nextafterf(values[0], INFINITY);
    values[2] = nextafterf(values[0], -INFINITY);
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
        assert_int_equal(goes_right(at_most, values[v]), !((double)values[v] <= number));
        assert_int_equal(goes_right(below, values[v]), !((double)values[v] < number));
    }
    assert_false(goes_right(at_most, NAN));
    assert_true(goes_right(below, NAN));
    shw_record_forest_destroy(&at_most);
    shw_record_forest_destroy(&below);
}

#define SET_STUMP                                                                                                      \
    "{\"format\": \"record-trees\", \"version\": 2, \"task\": \"values\", \"attributes\": 1, \"outputs\": 1, "         \
    "\"trees\": [{\"children_left\": [1, -1, -1], \"children_right\": [2, -1, -1], \"feature\": [0, 0, 0], "           \
    "\"threshold\": [null, 0, 0], \"set\": [SET, null, null], \"value\": [0, 1, 2]}]}"

static bool set_goes_right(const char *set, float value)
{
    char *text = replace_in_model(SET_STUMP, "SET", set);
    struct shw_record_forest *forest = parse_record_model(text);
    const bool is_right = goes_right(forest, value);

    shw_record_forest_destroy(&forest);
    free(text);
    return is_right;
}

TESTING_CASE(sets_are_read)
{
    assert_false(set_goes_right("{\"members\": [3, [5, 9]]}", 3.9f));
    assert_true(set_goes_right("{\"members\": [3, [5, 9]]}", 4));
    assert_false(set_goes_right("{\"members\": [3, [5, 9]]}", 9.5f));
    assert_true(set_goes_right("{\"members\": [3, [5, 9]], \"members_go_right\": true}", 9.5f));
    assert_false(set_goes_right("{\"members\": [3], \"members_go_right\": true, \"whole\": true}", 3.5f));
    assert_true(set_goes_right("{\"members\": [0]}", -0.5f));
    assert_false(set_goes_right("{\"members\": [0], \"from_below\": true}", -0.5f));
    assert_true(set_goes_right("{\"members\": [0], \"from_below\": true}", -1));
    assert_false(set_goes_right("{\"members\": [16777215]}", 16777215));
    assert_true(set_goes_right("{\"members\": [16777215]}", 16777216));
    assert_true(set_goes_right("{\"members\": [1]}", NAN));
}

/* Numbers that are float32 and that lie between two of them. */
TESTING_CASE(thresholds_decide_as_in_double_precision)
{
    static const char *const limits[] = {"0.5",
                                         "0.1",
                                         "0.1000000014901161",
                                         "0.10000000149011612",
                                         "0.10000000149011613",
                                         "16777216.5",
                                         "16777217",
                                         "0",
                                         "-0.0",
                                         "1e-45",
                                         "7e-46",
                                         "-7e-46",
                                         "1e-320",
                                         "-1e-320",
                                         "3.4028234663852886e38",
                                         "3.4028235677973366e38",
                                         "1e300",
                                         "-1e300",
                                         "-0.3",
                                         "Infinity",
                                         "-Infinity",
                                         "\"Infinity\"",
                                         "\"-Infinity\""};
    struct testing_random random = {7};
    char limit[32];

    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++)
        check_limit(limits[l]);
    for (int i = 0; i < 300; i++) {
        double number = ldexp((double)testing_random_next(&random), testing_random_range(&random, -220, 60));
        snprintf(limit, sizeof limit, "%.17g", i % 2 == 0 ? number : -number);
        check_limit(limit);
    }
}

/* One line, which names the file. */
static void refuse_as(const char *format, const void *bytes, size_t size, const char *reason)
{
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_record_forest *forest = NULL;
    enum shw_result result;

    log.level = SHW_LOG_ERROR;
    result = shw_record_model_read(
        &(const struct shw_import_source){.bytes = bytes, .size = size, .name = "some-model"}, format, &log, &forest);
    if (result == SHW_OK)
        fail_msg("accepted, instead of: %s", reason);
    assert_null(forest);
    assert_int_equal(memory.errors, 1);
    if (strstr(memory.last, "some-model") == NULL || strstr(memory.last, reason) == NULL)
        fail_msg("no '%s' in: %s", reason, memory.last);
}

static void refuse(const void *bytes, size_t size, const char *reason)
{
    refuse_as(NULL, bytes, size, reason);
}

TESTING_CASE(wrong_models_are_refused)
{
    static const struct {
        const char *model, *old, *new, *reason;
    } cases[] = {
        {"xgboost-squarederror.json", "\"learner\"", "\"teacher\"",
         "neither a record forest nor a model of a format that is recognised by its contents (xgboost, "},
        {"xgboost-squarederror.json", "\"name\":\"gbtree\"", "\"name\":\"gblinear\"", "gblinear"},
        {"xgboost-squarederror.json", "reg:squarederror", "reg:expectileerror", "\"reg:expectileerror\""},
        {"xgboost-squarederror.json", "\"num_feature\":\"5\",\"num_target\"", "\"num_feature\":\"0\",\"num_target\"",
         "\"num_feature\""},
        {"xgboost-squarederror.json", "\"num_feature\":\"5\",\"num_target\"", "\"num_feature\":\"2\",\"num_target\"",
         "\"split_indices\""},
        {"xgboost-squarederror.json", "\"base_score\":\"", "\"base_score\":\"x", "\"base_score\""},
        {"xgboost-squarederror.json", "\"base_score\":\"", "\"base_score\":\"[1,2]", "\"base_score\""},
        {"xgboost-squarederror.json", "\"tree_info\":[0,", "\"tree_info\":[1,", "\"tree_info\""},
        {"xgboost-squarederror.json", "\"tree_info\":[0,", "\"tree_info\":[", "\"tree_info\""},
        {"xgboost-squarederror.json", "\"left_children\":[1,", "\"left_children\":[99,", "tree 0"},
        {"xgboost-squarederror.json", "\"left_children\":[1,", "\"left_children\":[0,", "tree 0, node 0"},
        {"xgboost-squarederror.json", "\"left_children\":[1,", "\"left_children\":[2,",
         "tree 0, node 2: it is the child of more than one node"},
        {"xgboost-squarederror.json", "\"left_children\":[1,", "\"left_children\":[1.5,", "\"left_children\""},
        {"xgboost-squarederror.json", "\"right_children\":[2,", "\"right_children\":[", "\"right_children\""},
        {"xgboost-squarederror.json", "\"right_children\":[2,", "\"right_children\":[-1,", "\"right_children\""},
        {"xgboost-squarederror.json", "\"default_left\":[", "\"default_left\":[2,", "\"default_left\""},
        {"xgboost-squarederror.json", "\"split_conditions\":[", "\"split_conditions\":[NaN,", "\"split_conditions\""},
        {"xgboost-squarederror.json", "\"split_type\":[0", "\"split_type\":[1",
         "tree 0: there are no \"categories\" of node 0"},
        {"xgboost-squarederror.json", "\"num_nodes\":\"29\",\"size_leaf_vector\":\"0\"",
         "\"num_nodes\":\"29\",\"size_leaf_vector\":\"3\"", "3 values"},
        {"xgboost-parallel.json", "\"num_class\":\"3\"", "\"num_class\":\"0\"", "multi:softprob"},
        {"xgboost-parallel.json", "\"num_target\":\"1\"", "\"num_target\":\"2\"", "3 classes"},
        {"xgboost-categories.json", "\"categories_sizes\":[5", "\"categories_sizes\":[6", "\"categories_sizes\""},
        {"xgboost-categories.json", "\"categories_nodes\":[0", "\"categories_nodes\":[1", "node 0"},
        {"xgboost-categories.json", "\"categories\":[0", "\"categories\":[-1", "\"categories\""},
        {"xgboost-categories.json", "\"left_children\":[1,", "\"left_children\":[0,", "tree 0, node 0"},
        {"sklearn-tree-values.json", "\"record-trees\"", "\"tree-records\"", "record-trees"},
        {"sklearn-tree-values.json", "\"version\": 1", "\"version\": 3", "version 3"},
        {"sklearn-tree-values.json", "\"task\": \"values\"", "\"task\": \"regression\"", "\"task\""},
        {"sklearn-tree-values.json", "\"attributes\": 5", "\"attributes\": 65537", "\"attributes\""},
        {"sklearn-tree-values.json", "\"attributes\": 5", "\"attributes\": [\"a\", 1]", "\"attributes\""},
        {"sklearn-tree-values.json", "\"outputs\": 2", "\"outputs\": 3", "some-model"},
        {"sklearn-tree-values.json", "\"combine\": \"mean\"", "\"combine\": \"product\"",
         "\"combine\" is \"product\", which is none of \"sum\", \"mean\""},
        {"sklearn-tree-values.json", "\"combine\": \"mean\"", "\"combine\": 3",
         "\"combine\" is none of \"sum\", \"mean\""},
        {"sklearn-tree-values.json", "\"leaves\": \"values\"", "\"leaves\": \"shares\"", "some-model"},
        {"sklearn-tree-values.json", "\"trees\": [", "\"trees\": [3, ", "tree 0"},
        {"sklearn-tree-values.json", "\"children_left\": [1", "\"children_left\": [0", "tree 0, node 0"},
        {"sklearn-tree-values.json", "\"children_right\": [", "\"children_right\": [-1, ", "\"children_right\""},
        {"sklearn-tree-values.json", "\"feature\": [", "\"feature\": [\"x\", ", "\"feature\""},
        {"sklearn-tree-values.json", "\"threshold\": [", "\"threshold\": [null, ", "\"threshold\""},
        {"sklearn-tree-values.json", "\"value\": [[", "\"value\": [[1], [", "\"value\""},
        {"sklearn-boosting-values.json", "\"base\": [", "\"base\": [1, ", "\"base\""},
        {"sklearn-boosting-values.json", "\"base\": [", "\"link_scale\": 0, \"base\": [", "\"link_scale\""},
        {"sklearn-forest-classes.json", "\"ash\", ", "", "4 outputs for 3 classes"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct shw_file_bytes bytes = read_record_model(cases[i].model);
        char *changed = replace_in_model((const char *)bytes.bytes, cases[i].old, cases[i].new);
        refuse(changed, strlen(changed), cases[i].reason);
        free(changed);
        shw_file_bytes_free(&bytes);
    }
}

TESTING_CASE(other_files_are_refused)
{
    refuse("", 0, "neither a record forest nor a model");
    refuse("a,b\n1,2\n", 8, "neither a record forest nor a model");
    refuse("{}", 2, "neither a record forest nor a model");
    refuse("{\"format\": 3}", 13, "not trees as arrays");
    refuse("{\"name\": \"tree\", \"version\": \"v4\", \"tree_info\": []}", 50,
           "some-model: a dump of a LightGBM model in JSON, of dump_model(): save the model as text by save_model()");
    refuse("booster[0]:\n0:[f0<1] yes=1,no=2\n", 32, "a dump of an XGBoost model");
    refuse("[{\"nodeid\": 0, \"leaf\": 1}]", 26, "a dump of an XGBoost model");
    refuse("\xabKTX 20\xbb\r\n\x1a\n", 12, "Shadewood's own");
    refuse("[1, 2]", 6, "saved as .json or .ubj, and those of scikit-learn exported by export_sklearn.py");
    refuse("{\"learner\": 3}", 14, "\"learner\"");
    refuse_as("trees", "{\"learner\": 3}", 14, "not trees as arrays (\"format\": \"record-trees\")");
    refuse("{\"learner\": {}, }", 17, "line 1");
}

TESTING_CASE(wrong_sets_are_refused)
{
    static const struct {
        const char *set, *reason;
    } cases[] = {{"{}", "element 0 of \"set\" has no \"members\""},
                 {"3", "element 0 of \"set\" has no \"members\""},
                 {"{\"members\": []}", "has no \"members\""},
                 {"{\"members\": [2, 2]}", "\"members\""},
                 {"{\"members\": [[3, 2]]}", "\"members\""},
                 {"{\"members\": [[3]]}", "neither a category nor"},
                 {"{\"members\": [1.5]}", "\"members\""},
                 {"{\"members\": [16777216]}", "\"members\""},
                 {"{\"members\": [1], \"whole\": 1}", "\"whole\" of element 0"},
                 {"{\"members\": [1], \"whole\": true, \"from_below\": true}", "which are not flags"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = replace_in_model(SET_STUMP, "SET", cases[i].set);
        refuse(text, strlen(text), cases[i].reason);
        free(text);
    }
}

static void check_cuts(const char *name)
{
    struct shw_file_bytes bytes = read_record_model(name);

    for (size_t size = 0; size < bytes.size; size++) {
        char *part = malloc(size + 1); /* of its own, so that a read behind its end is seen */
        assert_non_null(part);
        memcpy(part, bytes.bytes, size);
        part[size] = '\0';
        refuse(part, size, "");
        free(part);
    }
    shw_file_bytes_free(&bytes);
}

TESTING_CASE(parts_of_models_are_refused)
{
    check_cuts("xgboost-reg-gamma.ubj");
    check_cuts("xgboost-categories.json");
    check_cuts("sklearn-tree-classes.json");
}

/* A tree whose leaves have two values, as XGBoost 2.0 and, with "leaf_weights", later versions write it. */
#define VECTORS                                                                                                        \
    "{\"version\": [2, 0, 0], \"learner\": {\"gradient_booster\": {\"name\": \"gbtree\", \"model\": "                  \
    "{\"gbtree_model_param\": {\"num_parallel_tree\": \"1\", \"num_trees\": \"1\"}, \"iteration_indptr\": [0, 1], "    \
    "\"cats\": {}, \"tree_info\": [0], \"trees\": [{\"tree_param\": {\"num_nodes\": \"3\", \"size_leaf_vector\": "     \
    "\"2\"}, \"left_children\": [1, -1, -1], \"right_children\": [2, RIGHT], \"split_indices\": [0, 0, 0], "           \
    "\"split_conditions\": [0.5, NaN, NaN], \"default_left\": [true, false, false], "                                  \
    "\"base_weights\": [9, 9, 1, 2, 3, 4] MORE}]}}, \"learner_model_param\": {\"base_score\": \"BASE\", "              \
    "\"num_class\": \"0\", \"num_feature\": \"1\", \"num_target\": \"2\"}, \"objective\": {\"name\": "                 \
    "\"reg:squarederror\"}}}"

static void check_vectors(const char *right, const char *more, const char *base, const float expected[4])
{
    char *with_right = replace_in_model(VECTORS, "RIGHT", right),
         *with_more = replace_in_model(with_right, "MORE", more);
    char *whole = replace_in_model(with_more, "BASE", base);
    struct shw_record_forest *forest = parse_record_model(whole);
    struct plain_results results = plain_evaluate(forest, (const float[]){0.25f, 0.5f}, 2, 1, 1, NULL);
    float predictions[4];

    assert_int_equal(shw_record_forest_get_prediction_count(forest), 2);
    shw_record_forest_predict(forest, 2, results.sums, predictions);
    for (int i = 0; i < 4; i++)
        assert_true(predictions[i] == expected[i]);
    plain_results_free(&results);
    shw_record_forest_destroy(&forest);
    free(with_right);
    free(with_more);
    free(whole);
}

TESTING_CASE(newer_forms_are_read)
{
    check_vectors("-1, -1", "", "5E-1", (const float[]){1.5f, 2.5f, 3.5f, 4.5f});
    check_vectors("-1, -1", "", "[5E-1]", (const float[]){1.5f, 2.5f, 3.5f, 4.5f});
    check_vectors("-1, -1", "", "[2.5E-1,-1E0]", (const float[]){1.25f, 1, 3.25f, 3});
    check_vectors("1, 0", ", \"leaf_weights\": [30, 40, 10, 20]", "[0E0,0E0]", (const float[]){10, 20, 30, 40});
}
