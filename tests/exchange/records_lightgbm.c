/* LightGBM's models: what they say of records, and what is refused. */
#include "testing/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/record_models.h"
#include "exchange/record_open.h"
#include "testing/record_forests.h"

static void test_models(void **state)
{
    (void)state;
    check_record_model("lightgbm-binary.txt");
    check_record_model("lightgbm-ova.txt");
    check_record_model("lightgbm-sqrt.txt");
}

/* Reads a text; `message`, if not NULL, is what the one error says. */
static struct shw_record_forest *parse(const char *text, enum shw_result expected, const char *message)
{
    struct testing_log memory = {0};
    struct shw_log log = testing_log(&memory);
    struct shw_record_forest *forest = NULL;
    enum shw_result result = shw_record_model_parse(text, strlen(text), "m", "lightgbm", &log, &forest);

    if (result != expected)
        fail_msg("%d instead of %d: %s", result, expected, memory.last);
    if (message != NULL && strstr(memory.last, message) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", message, memory.last);
    assert_int_equal(memory.errors, expected != SHW_OK);
    return forest;
}

static void check_change(const char *name, const char *old, const char *new, enum shw_result expected,
                         const char *message)
{
    struct shw_file_bytes file = read_record_model(name);
    char *text = replace_in_model((const char *)file.bytes, old, new);
    struct shw_record_forest *forest = parse(text, expected, message);

    shw_record_forest_destroy(&forest);
    free(text);
    shw_file_bytes_free(&file);
}

static void test_refusals(void **state)
{
    static const struct {
        const char *old, *new, *message;
        enum shw_result result;
    } changes[] = {
        {"version=v4", "version=v5", "version \"v5\"", SHW_ERROR_VERSION},
        {"version=v4\n", "", "version is missing", SHW_ERROR_FORMAT},
        {"tree\n", "trees\n", "begins with the line", SHW_ERROR_FORMAT},
        {"num_class=1", "num_class=x", "num_class: \"x\" is not a whole number in 1..4096", SHW_ERROR_FORMAT},
        {"num_class=1", "num_class=2", "line 4: num_tree_per_iteration is 1, but num_class is 2", SHW_ERROR_FORMAT},
        {"max_feature_idx=2", "max_feature_idx=3", "feature_names has 3 names; there must be 4", SHW_ERROR_FORMAT},
        {"max_feature_idx=2", "max_feature_idx=65536", "0..65535", SHW_ERROR_FORMAT},
        {"binary sigmoid:1", "binary sigmoid:0", "sigmoid is not a number above 0", SHW_ERROR_FORMAT},
        {"binary sigmoid:1", "multiclass num_class:3", "multiclass with 1 classes", SHW_ERROR_FORMAT},
        {"binary sigmoid:1", "survival", "the objective \"survival\"", SHW_ERROR_FORMAT},
        {"objective=", "version=v4\nobjective=", "version is there already in line 2", SHW_ERROR_FORMAT},
        {"tree_sizes=500 500 500", "tree_sizes=500 500 500 500", "of 4 trees, but there are 3", SHW_ERROR_FORMAT},
        {"Tree=1", "Tree=2", "tree 1: Tree: \"2\" is not a whole number in 1..1", SHW_ERROR_FORMAT},
        {"num_leaves=5", "num_leaves=6", "tree 0: leaf_value has 5 numbers; there must be 6", SHW_ERROR_FORMAT},
        {"num_leaves=5", "num_leaves=4", "tree 0: leaf_value has more than 4 numbers", SHW_ERROR_FORMAT},
        {"num_leaves=5", "num_leaves=0", "num_leaves: \"0\"", SHW_ERROR_FORMAT},
        {"split_feature=0 1 2 0", "split_feature=0 1 3 0", "split_feature: \"3\" is not a whole number in 0..2",
         SHW_ERROR_FORMAT},
        {"split_feature=0 1 2 0", "split_feature=0 1 2", "split_feature has", SHW_ERROR_FORMAT},
        {"split_feature=0 1 2 0\n", "", "split_feature is missing", SHW_ERROR_FORMAT},
        {"threshold=0.10", "threshold=nan 0.10", "threshold: \"nan\" is not a number", SHW_ERROR_FORMAT},
        {"threshold=0.10", "threshold=0x1p3 0.10", "threshold: \"0x1p3\" is not a number", SHW_ERROR_FORMAT},
        {"binary sigmoid:1", "binary sigmoid:0x1", "sigmoid is not a number above 0", SHW_ERROR_FORMAT},
        {"threshold=0.10", "threshold=0.1f", "threshold: \"0.1f", SHW_ERROR_FORMAT},
        {"decision_type=2 8 10 6", "decision_type=2 8 12 6", "decision_type: there is no missing type 3",
         SHW_ERROR_FORMAT},
        {"decision_type=2 8 10 6", "decision_type=3 8 10 6", "threshold: no set of categories", SHW_ERROR_FORMAT},
        {"left_child=1 -1 -2 -4", "left_child=1 -1 -2 4", "left_child: \"4\" is not a whole number in -5..3",
         SHW_ERROR_FORMAT},
        {"left_child=1 -1 -2 -4", "left_child=1 -1 0 -4", "tree 0, node 0: it is below itself", SHW_ERROR_FORMAT},
        {"left_child=1 -1 -2 -4", "left_child=1 -1 -1 -4", "tree 0, leaf 0: it is the child of more than one node",
         SHW_ERROR_FORMAT},
        {"leaf_value=-0.5", "leaf_value=inf", "tree 0: leaf_value: that of leaf 0 is not", SHW_ERROR_FORMAT},
        {"is_linear=0", "is_linear=1", "tree 0: linear models at leaves (is_linear=1)", SHW_ERROR_FORMAT},
    };

    (void)state;
    for (size_t c = 0; c < sizeof changes / sizeof *changes; c++)
        check_change("lightgbm-binary.txt", changes[c].old, changes[c].new, changes[c].result, changes[c].message);
    check_change("lightgbm-sqrt.txt", "cat_boundaries=0 1 3", "cat_boundaries=0 4 3", SHW_ERROR_FORMAT,
                 "cat_boundaries do not ascend from 0");
    check_change("lightgbm-sqrt.txt", "cat_boundaries=0 1 3", "cat_boundaries=0 1 4", SHW_ERROR_FORMAT,
                 "cat_threshold has 3 numbers; there must be 4");
    check_change("lightgbm-sqrt.txt", "threshold=0 -0.5 1", "threshold=0 -0.5 0", SHW_ERROR_FORMAT,
                 "threshold: another split has the set of categories of split 2");
}

/* However a file is cut off, it is refused, unless what follows the trees is lost. */
static void test_cut_off(void **state)
{
    struct shw_file_bytes file = read_record_model("lightgbm-binary.txt");
    const size_t last = (size_t)(strstr((const char *)file.bytes, "end of trees") - (const char *)file.bytes) - 2;
    char *text = malloc(file.size + 1);

    (void)state;
    assert_non_null(text);
    for (size_t size = 0; size < last; size++) {
        memcpy(text, file.bytes, size);
        text[size] = '\0';
        shw_record_forest_destroy(&(struct shw_record_forest *){parse(text, SHW_ERROR_FORMAT, "m")});
    }
    free(text);
    shw_file_bytes_free(&file);
}

/* Files that do not say how many trees there are end with something else than trees. */
static void test_cut_off_between_trees(void **state)
{
    struct shw_file_bytes file = read_record_model("lightgbm-sqrt.txt");
    char *text = strndup((const char *)file.bytes, file.size), *second = strstr(text, "Tree=1"),
         *end = strstr(text, "feature importances");
    struct testing_log memory = {0};
    struct shw_log log = testing_log(&memory);
    struct shw_record_forest *forest = NULL;

    (void)state;
    assert_true(second != NULL && end != NULL);
    assert_int_equal(shw_record_model_parse(text, file.size, "m", "lightgbm", &log, &forest), SHW_OK);
    assert_int_equal(memory.errors, 0);
    assert_null(strstr(memory.last, "cut off"));
    shw_record_forest_destroy(&forest);
    *end = '\0';
    shw_record_forest_destroy(
        &(struct shw_record_forest *){parse(text, SHW_OK, "below its 2 trees the file does not end as LightGBM")});
    *second = '\0';
    shw_record_forest_destroy(&(struct shw_record_forest *){parse(text, SHW_OK, "below its 1 tree the file")});
    free(text);
    shw_file_bytes_free(&file);
}

static void test_objectives(void **state)
{
    static const struct {
        const char *text;
        enum shw_record_task task;
        enum shw_record_link link;
        double scale;
    } objectives[] = {
        {"regression", SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, 1},
        {"regression_l1 sqrt", SHW_RECORD_VALUES, SHW_RECORD_SIGNED_SQUARE, 1},
        {"huber", SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, 1},
        {"fair", SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, 1},
        {"quantile alpha:0.9", SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, 1},
        {"mape", SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, 1},
        {"poisson", SHW_RECORD_VALUES, SHW_RECORD_EXP, 1},
        {"gamma", SHW_RECORD_VALUES, SHW_RECORD_EXP, 1},
        {"tweedie tweedie_variance_power:1.5", SHW_RECORD_VALUES, SHW_RECORD_EXP, 1},
        {"cross_entropy", SHW_RECORD_VALUES, SHW_RECORD_LOGISTIC, 1},
        {"cross_entropy_lambda", SHW_RECORD_VALUES, SHW_RECORD_SOFTPLUS, 1},
        {"lambdarank", SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, 1},
        {"binary sigmoid:0.25", SHW_RECORD_CLASSES, SHW_RECORD_LOGISTIC, 0.25},
    };
    struct shw_file_bytes file = read_record_model("lightgbm-binary.txt");

    (void)state;
    for (size_t o = 0; o < sizeof objectives / sizeof *objectives; o++) {
        char *text = replace_in_model((const char *)file.bytes, "binary sigmoid:1", objectives[o].text);
        struct shw_record_forest *forest = parse(text, SHW_OK, NULL);
        const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
        assert_int_equal(info->task, objectives[o].task);
        assert_int_equal(info->link, objectives[o].link);
        assert_true(info->link_scale == objectives[o].scale);
        assert_string_equal(info->attribute_names[2], "Column_2");
        shw_record_forest_destroy(&forest);
        free(text);
    }
    shw_file_bytes_free(&file);
}

/* Without an objective, which the user then had, predictions are sums; and lines may end as on Windows. */
static void test_others(void **state)
{
    struct shw_file_bytes file = read_record_model("lightgbm-binary.txt");
    char *text = replace_in_model((const char *)file.bytes, "objective=binary sigmoid:1\n", ""), *windows, *to;
    struct shw_record_forest *forest = parse(text, SHW_OK, NULL), *same;

    (void)state;
    assert_int_equal(shw_record_forest_get_info(forest)->task, SHW_RECORD_VALUES);
    assert_int_equal(shw_record_forest_get_info(forest)->link, SHW_RECORD_IDENTITY);
    to = windows = malloc(2 * strlen(text) + 1);
    for (const char *from = text; *from != '\0'; from++) {
        if (*from == '\n')
            *to++ = '\r';
        *to++ = *from;
    }
    *to = '\0';
    same = parse(windows, SHW_OK, NULL);
    assert_true(shw_record_forest_hash(same) == shw_record_forest_hash(forest));
    shw_record_forest_destroy(&same);
    shw_record_forest_destroy(&forest);
    free(windows);
    free(text);
    shw_file_bytes_free(&file);
}

/* Sets of the attribute that a threshold above has tested, for which zero may be missing. */
#define SET_BELOW                                                                                                      \
    "tree\nversion=v4\nnum_class=1\nmax_feature_idx=0\nfeature_names=a\n\nTree=0\nnum_leaves=4\nnum_cat=2\n"           \
    "split_feature=0 0 0\nthreshold=5.5 0 1\ndecision_type=TYPE 1 1\nleft_child=1 -1 -3\nright_child=2 -2 -4\n"        \
    "leaf_value=1 2 3 4\ncat_boundaries=0 1 2\ncat_threshold=649 649\nshrinkage=1\n\n"

/* 649 is the set of 0, 3, 7 and 9. */
static uint32_t leaf_below(float value, uint32_t type)
{
    const bool is_missing = isnan(value) || (type >> 2 == 1 && fabsf(value) <= 1e-35f);
    const bool is_right = is_missing ? (type & 2) == 0 : value > 5.5f;
    const bool is_inside = value > -1 && value < 10 && (649 >> (int)value & 1) != 0;

    return is_right ? (is_inside ? 2 : 3) : is_inside ? 0 : 1;
}

static void test_set_below_threshold(void **state)
{
    static const char *const types[] = {"4", "6", "8", "10"}; /* missing: zero, NaN; each right, left */

    (void)state;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        char *text = replace_in_model(SET_BELOW, "TYPE", types[t]);
        struct shw_record_forest *forest = parse(text, SHW_OK, NULL);
        for (int i = -8; i <= 44; i++) {
            const float value = i == 44 ? NAN : (float)i / 4;
            struct plain_results results = plain_evaluate(forest, &value, 1, 1, 1, NULL);
            assert_int_equal(record_leaf_source(shw_record_forest_get_info(forest), 0, results.leaves[0]),
                             leaf_below(value, (uint32_t)atoi(types[t])));
            plain_results_free(&results);
        }
        shw_record_forest_destroy(&forest);
        free(text);
    }
}

/* Numbers that LightGBM takes for 0 lie on one side of a threshold between 0 and them. */
static void test_tiny_thresholds(void **state)
{
    static const struct {
        const char *threshold;
        float value;
        uint32_t leaf;
    } cases[] = {{"-1e-36", -1e-35f, 1}, {"-1e-36", -1.1e-35f, 0}, {"-1e-36", 0, 1},     {"1e-36", 1e-35f, 0},
                 {"1e-36", 1.1e-35f, 1}, {"1e-36", -1e-35f, 0},    {"-1e-36", 1e-35f, 1}};

    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char *text = replace_in_model("tree\nversion=v4\nnum_class=1\nmax_feature_idx=0\nfeature_names=a\n\nTree=0\n"
                                      "num_leaves=2\nnum_cat=0\nsplit_feature=0\nthreshold=LIMIT\ndecision_type=0\n"
                                      "left_child=-1\nright_child=-2\nleaf_value=1 2\nshrinkage=1\n\nend of trees\n",
                                      "LIMIT", cases[c].threshold);
        struct shw_record_forest *forest = parse(text, SHW_OK, NULL);
        struct plain_results results = plain_evaluate(forest, &cases[c].value, 1, 1, 1, NULL);
        assert_int_equal(record_leaf_source(shw_record_forest_get_info(forest), 0, results.leaves[0]), cases[c].leaf);
        plain_results_free(&results);
        shw_record_forest_destroy(&forest);
        free(text);
    }
}

/* A tree of sets of every second category, each below one before: more and more copies, 17,473 nodes for 3 splits. */
static char *put_growing_tree(char *to, int tree, int splits)
{
    static const char *const keys[] = {"split_feature", "threshold",  "decision_type",  "left_child",
                                       "right_child",   "leaf_value", "cat_boundaries", "cat_threshold"};

    to += sprintf(to, "Tree=%d\nnum_leaves=%d\nnum_cat=%d\n", tree, splits + 1, splits);
    for (int k = 0; k < 8; k++) {
        to += sprintf(to, "%s=", keys[k]);
        for (int s = 0; s < splits + (k == 5 || k == 6); s++)
            to += k == 2   ? sprintf(to, "1 ")
                  : k == 3 ? sprintf(to, "%d ", s + 1 < splits ? s + 1 : -splits - 1)
                  : k == 4 ? sprintf(to, "%d ", -s - 1)
                  : k == 7 ? sprintf(to, "%u ", 0x55555555u)
                           : sprintf(to, "%d ", s);
        to += sprintf(to, "\n");
    }
    return to + sprintf(to, "shrinkage=1\n\n");
}

static void check_growth(int trees, int splits, const char *message)
{
    char *text = malloc(4096 + 512 * (size_t)trees), *to = text;

    assert_non_null(text);
    to += sprintf(to, "tree\nversion=v4\nnum_class=1\nmax_feature_idx=11\nfeature_names=a b c d e f g h i j k l\n\n");
    for (int t = 0; t < trees; t++)
        to = put_growing_tree(to, t, splits);
    shw_record_forest_destroy(&(struct shw_record_forest *){parse(text, SHW_ERROR_LIMIT, message)});
    free(text);
}

static void test_growth(void **state)
{
    (void)state;
    check_growth(
        1, 12,
        "tree 0: with its tests of sets, such as that of node 0, written out as thresholds, it has more than 65536");
    check_growth(241, 3, "more than 784 nodes, and all trees before it 4193520");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_models),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_objectives),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_set_below_threshold),
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_tiny_thresholds),
        cmocka_unit_test(test_cut_off_between_trees),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
