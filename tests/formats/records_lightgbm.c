/* LightGBM's models: what they say of records, and what is refused. */
#include "testing/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/record_formats.h"
#include "formats/record_models.h"
#include "records/model/doubles.h"
#include "testing/record_forests.h"
#include <shadewood/records.h>

TESTING_CASE(test_models)
{
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
    enum shw_result result = shw_record_model_read(
        &(const struct shw_import_source){.bytes = text, .size = strlen(text), .name = "m"}, "lightgbm", &log, &forest);

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

TESTING_CASE(test_refusals)
{
    static const struct {
        const char *old, *new, *message;
        enum shw_result result;
    } changes[] = {
        {"version=v4", "version=v5", "version \"v5\"", SHW_ERROR_VERSION},
        {"version=v4\n", "", "version is missing", SHW_ERROR_FORMAT},
        {"tree\n", "trees\n", "must begin with the line", SHW_ERROR_FORMAT},
        {"num_class=1", "num_class=x", "num_class: \"x\" is not a whole number in 1..4096", SHW_ERROR_FORMAT},
        {"num_class=1", "num_class=2", "line 4: num_tree_per_iteration is 1, but num_class is 2", SHW_ERROR_FORMAT},
        {"max_feature_idx=2", "max_feature_idx=3", "feature_names has 3 names; there must be 4", SHW_ERROR_FORMAT},
        {"max_feature_idx=2", "max_feature_idx=65536", "0..65535", SHW_ERROR_FORMAT},
        {"binary sigmoid:1", "binary sigmoid:0", "sigmoid is not a number above 0", SHW_ERROR_FORMAT},
        {"binary sigmoid:1", "multiclass num_class:3", "multiclass with 1 classes", SHW_ERROR_FORMAT},
        {"binary sigmoid:1", "survival", "the objective \"survival\"", SHW_ERROR_FORMAT},
        {"objective=", "version=v4\nobjective=", "version is already in line 2", SHW_ERROR_FORMAT},
        {"tree_sizes=500 500 500", "tree_sizes=500 500 500 500", "has 4 trees, but there are 3", SHW_ERROR_FORMAT},
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
        {"decision_type=2 8 10 6", "decision_type=2 8 12 6", "decision_type: its missing type is 3", SHW_ERROR_FORMAT},
        {"decision_type=2 8 10 6", "decision_type=3 8 10 6", "threshold: no set of categories", SHW_ERROR_FORMAT},
        {"left_child=1 -1 -2 -4", "left_child=1 -1 -2 4", "left_child: \"4\" is not a whole number in -5..3",
         SHW_ERROR_FORMAT},
        {"left_child=1 -1 -2 -4", "left_child=1 -1 0 -4", "tree 0, node 0: it is below itself", SHW_ERROR_FORMAT},
        {"left_child=1 -1 -2 -4", "left_child=1 -1 -1 -4", "tree 0, leaf 0: it is the child of more than one node",
         SHW_ERROR_FORMAT},
        {"leaf_value=-0.5", "leaf_value=inf", "tree 0: leaf_value: that of leaf 0 is not", SHW_ERROR_FORMAT},
        {"is_linear=0", "is_linear=1", "tree 0: linear models at leaves (is_linear=1)", SHW_ERROR_FORMAT},
    };

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
TESTING_CASE(test_cut_off)
{
    struct shw_file_bytes file = read_record_model("lightgbm-binary.txt");
    const size_t last = (size_t)(strstr((const char *)file.bytes, "end of trees") - (const char *)file.bytes) - 2;
    char *text = malloc(file.size + 1);

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
TESTING_CASE(test_cut_off_between_trees)
{
    struct shw_file_bytes file = read_record_model("lightgbm-sqrt.txt");
    char *text = strndup((const char *)file.bytes, file.size), *second = strstr(text, "Tree=1"),
         *end = strstr(text, "feature importances");
    struct testing_log memory = {0};
    struct shw_log log = testing_log(&memory);
    struct shw_record_forest *forest = NULL;

    assert_true(second != NULL && end != NULL);
    assert_int_equal(
        shw_record_model_read(&(const struct shw_import_source){.bytes = text, .size = file.size, .name = "m"},
                              "lightgbm", &log, &forest),
        SHW_OK);
    assert_int_equal(memory.errors, 0);
    assert_null(strstr(memory.last, "cut off"));
    shw_record_forest_destroy(&forest);
    *end = '\0';
    shw_record_forest_destroy(
        &(struct shw_record_forest *){parse(text, SHW_OK, "after its 2 trees the file does not end as LightGBM")});
    *second = '\0';
    shw_record_forest_destroy(&(struct shw_record_forest *){parse(text, SHW_OK, "after its 1 tree the file")});
    free(text);
    shw_file_bytes_free(&file);
}

TESTING_CASE(test_objectives)
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
TESTING_CASE(test_others)
{
    struct shw_file_bytes file = read_record_model("lightgbm-binary.txt");
    char *text = replace_in_model((const char *)file.bytes, "objective=binary sigmoid:1\n", ""), *windows, *to;
    struct shw_record_forest *forest = parse(text, SHW_OK, NULL), *same;

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

TESTING_CASE(test_set_below_threshold)
{
    static const char *const types[] = {"4", "6", "8", "10"}; /* missing: zero, NaN; each right, left */

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
TESTING_CASE(test_tiny_thresholds)
{
    static const struct {
        const char *threshold;
        float value;
        uint32_t leaf;
    } cases[] = {{"-1e-36", -1e-35f, 1}, {"-1e-36", -1.1e-35f, 0}, {"-1e-36", 0, 1},     {"1e-36", 1e-35f, 0},
                 {"1e-36", 1.1e-35f, 1}, {"1e-36", -1e-35f, 0},    {"-1e-36", 1e-35f, 1}};

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

/* A tree of sets of every second category, each below one before; with `words` above 1 also of the last one's first. */
static char *put_nested_sets(char *to, int tree, int splits, int words)
{
    static const char *const keys[] = {"split_feature", "threshold",  "decision_type",  "left_child",
                                       "right_child",   "leaf_value", "cat_boundaries", "cat_threshold"};

    to += sprintf(to, "Tree=%d\nnum_leaves=%d\nnum_cat=%d\n", tree, splits + 1, splits);
    for (int k = 0; k < 8; k++) {
        to += sprintf(to, "%s=", keys[k]);
        for (int s = 0; s < splits + (k == 5 || k == 6); s++) {
            to += k == 2   ? sprintf(to, "1 ")
                  : k == 3 ? sprintf(to, "%d ", s + 1 < splits ? s + 1 : -splits - 1)
                  : k == 4 ? sprintf(to, "%d ", -s - 1)
                  : k == 6 ? sprintf(to, "%d ", s * words)
                  : k == 7 ? sprintf(to, "%u ", 0x55555555u)
                           : sprintf(to, "%d ", s);
            for (int w = 1; k == 7 && w < words; w++)
                to += sprintf(to, w + 1 < words ? "0 " : "1 ");
        }
        to += sprintf(to, "\n");
    }
    return to + sprintf(to, "shrinkage=1\n\n");
}

static char *nested_sets(int trees, int splits, int words)
{
    char *text = malloc(4096 + 512 * (size_t)trees + 4 * (size_t)splits * (size_t)words), *to = text;

    assert_non_null(text);
    to += sprintf(to, "tree\nversion=v4\nnum_class=1\nmax_feature_idx=11\nfeature_names=a b c d e f g h i j k l\n\n");
    for (int t = 0; t < trees; t++)
        to = put_nested_sets(to, t, splits, words);
    return text;
}

/* As thresholds, sets below each other would grow by copies: 3 splits to 17,473 nodes. */
TESTING_CASE(test_sets_do_not_grow)
{
    char *deep = nested_sets(1, 12, 1), *many = nested_sets(241, 3, 1);
    struct shw_record_forest *forest = parse(deep, SHW_OK, NULL);

    assert_int_equal(shw_record_forest_get_info(forest)->node_count, 25);
    assert_int_equal(shw_record_forest_get_info(forest)->set_word_count, 12 * 3);
    shw_record_forest_destroy(&forest);
    forest = parse(many, SHW_OK, NULL);
    assert_int_equal(shw_record_forest_get_info(forest)->node_count, 241 * 7);
    shw_record_forest_destroy(&forest);
    free(deep);
    free(many);
}

/* Categories from 2^24 on, which float32 cannot tell apart, are in no set. */
TESTING_CASE(test_growth)
{
    char *text = nested_sets(1, 4, (1 << 19) + 1);

    shw_record_forest_destroy(&(struct shw_record_forest *){
        parse(text, SHW_ERROR_LIMIT,
              "tree 0: with its tests of sets, such as that of node 0, written out as thresholds, it has more than "
              "65536")});
    free(text);
}

/* Trees of 31 leaves whose splits are, but for a few, of about half of 300 categories. */
enum { WIDE_TREES = 40, WIDE_SPLITS = 30, WIDE_ATTRIBUTES = 4, WIDE_WORDS = 10, WIDE_RECORDS = 300 };

struct wide_tree {
    uint32_t attribute[WIDE_SPLITS], decision[WIDE_SPLITS], set[WIDE_SPLITS][WIDE_WORDS];
    double threshold[WIDE_SPLITS];
    int child[WIDE_SPLITS][2]; /* below 0: the leaf ~child */
};

/* Splits a leaf that was there before, as LightGBM grows trees. */
static void grow_wide_tree(struct testing_random *random, struct wide_tree *tree)
{
    int *place[WIDE_SPLITS + 1] = {NULL};

    for (uint32_t s = 0; s < WIDE_SPLITS; s++) {
        const uint32_t leaf = testing_random_below(random, s + 1);
        tree->attribute[s] = testing_random_below(random, WIDE_ATTRIBUTES);
        tree->decision[s] = testing_random_below(random, 5) > 0 ? 1 : 2 * testing_random_below(random, 6);
        tree->threshold[s] = testing_random_range(random, -600, 2400) / 8.0;
        for (uint32_t w = 0; w < WIDE_WORDS; w++)
            tree->set[s][w] = (uint32_t)testing_random_next(random) & (w + 1 < WIDE_WORDS ? UINT32_MAX : 0xfff);
        if (place[leaf] != NULL)
            *place[leaf] = (int)s;
        tree->child[s][0] = ~(int)leaf;
        tree->child[s][1] = ~(int)(s + 1);
        place[leaf] = &tree->child[s][0];
        place[s + 1] = &tree->child[s][1];
    }
}

static char *put_wide_tree(char *to, int number, const struct wide_tree *tree)
{
    uint32_t sets = 0;

    for (uint32_t s = 0; s < WIDE_SPLITS; s++)
        sets += tree->decision[s] & 1;
    to += sprintf(to, "Tree=%d\nnum_leaves=%d\nnum_cat=%u\nsplit_feature=", number, WIDE_SPLITS + 1, sets);
    for (uint32_t s = 0; s < WIDE_SPLITS; s++)
        to += sprintf(to, "%u ", tree->attribute[s]);
    to += sprintf(to, "\nthreshold=");
    for (uint32_t s = 0, set = 0; s < WIDE_SPLITS; s++)
        to += sprintf(to, "%.17g ", (tree->decision[s] & 1) != 0 ? set++ : tree->threshold[s]);
    to += sprintf(to, "\ndecision_type=");
    for (uint32_t s = 0; s < WIDE_SPLITS; s++)
        to += sprintf(to, "%u ", tree->decision[s]);
    for (int side = 0; side < 2; side++) {
        to += sprintf(to, side == 0 ? "\nleft_child=" : "\nright_child=");
        for (uint32_t s = 0; s < WIDE_SPLITS; s++)
            to += sprintf(to, "%d ", tree->child[s][side]);
    }
    to += sprintf(to, "\nleaf_value=");
    for (uint32_t leaf = 0; leaf <= WIDE_SPLITS; leaf++)
        to += sprintf(to, "%u ", leaf);
    to += sprintf(to, "\ncat_boundaries=");
    for (uint32_t set = 0; set <= sets; set++)
        to += sprintf(to, "%u ", set * WIDE_WORDS);
    to += sprintf(to, "\ncat_threshold=");
    for (uint32_t s = 0; s < WIDE_SPLITS; s++)
        for (uint32_t w = 0; (tree->decision[s] & 1) != 0 && w < WIDE_WORDS; w++)
            to += sprintf(to, "%u ", tree->set[s][w]);
    return to + sprintf(to, "\nshrinkage=1\n\n");
}

/* Tree::NumericalDecision and CategoricalDecision of LightGBM 4. */
static bool lightgbm_goes_left(const struct wide_tree *tree, uint32_t s, double value)
{
    const uint32_t missing = tree->decision[s] >> 2;
    const bool default_left = (tree->decision[s] & 2) != 0;
    int category;

    if ((tree->decision[s] & 1) != 0) {
        if (isnan(value) || value >= 2147483648.0 || value <= -2147483649.0)
            return false;
        category = (int)value;
        return category >= 0 && category < 32 * WIDE_WORDS && (tree->set[s][category / 32] >> category % 32 & 1) != 0;
    }
    if (isnan(value) && missing != 2)
        value = 0;
    if ((missing == 1 && fabs(value) <= (double)1e-35f) || (missing == 2 && isnan(value)))
        return default_left;
    return value <= tree->threshold[s];
}

static uint32_t lightgbm_leaf(const struct wide_tree *tree, const double *record)
{
    int n = 0;

    while (n >= 0)
        n = tree->child[n][!lightgbm_goes_left(tree, (uint32_t)n, record[tree->attribute[n]])];
    return (uint32_t)~n;
}

static float wide_value(struct testing_random *random)
{
    static const float special[] = {NAN, -0.0f,    -0.5f,    -1,   -1.5f, -7,       319,       319.5f,
                                    320, 16777215, 16777216, 3e9f, 1e30f, INFINITY, -INFINITY, 0.999f};
    const uint32_t kind = testing_random_below(random, 8);

    if (kind == 0)
        return special[testing_random_below(random, sizeof special / sizeof *special)];
    return (float)testing_random_below(random, 300) + (kind == 1 ? 0.75f : 0);
}

typedef void grow_function(struct testing_random *random, struct wide_tree *tree);

static struct shw_record_forest *make_model(struct testing_random *random, grow_function *grow, struct wide_tree *trees)
{
    char *text = malloc(WIDE_TREES * 12000), *to = text;
    struct shw_record_forest *forest;

    assert_non_null(text);
    to += sprintf(to, "tree\nversion=v4\nnum_class=1\nmax_feature_idx=%d\nfeature_names=a b c d\n\n",
                  WIDE_ATTRIBUTES - 1);
    for (int t = 0; t < WIDE_TREES; t++) {
        grow(random, &trees[t]);
        to = put_wide_tree(to, t, &trees[t]);
    }
    sprintf(to, "end of trees\n");
    forest = parse(text, SHW_OK, NULL);
    free(text);
    return forest;
}

static void check_leaves(const struct shw_record_forest *forest, const struct wide_tree *trees,
                         const struct shw_records *records, const double *originals,
                         enum shw_record_technique technique)
{
    const struct shw_record_evaluator_params params = {.forest = forest, .technique = technique, .threads = 1};
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
    uint32_t *leaves = malloc((size_t)WIDE_RECORDS * WIDE_TREES * sizeof *leaves);
    struct shw_record_evaluator *evaluator = NULL;

    assert_non_null(leaves);
    assert_int_equal(shw_record_evaluator_create(&params, &evaluator), SHW_OK);
    assert_int_equal(shw_record_evaluator_run(evaluator, records, &(struct shw_record_results){.leaves = leaves}),
                     SHW_OK);
    for (uint32_t r = 0; r < WIDE_RECORDS; r++)
        for (uint32_t t = 0; t < WIDE_TREES; t++)
            assert_int_equal(record_leaf_source(info, t, leaves[r * WIDE_TREES + t]),
                             lightgbm_leaf(&trees[t], originals + r * WIDE_ATTRIBUTES));
    shw_record_evaluator_destroy(&evaluator);
    free(leaves);
}

TESTING_CASE(test_wide_categories)
{
    static struct wide_tree trees[WIDE_TREES];
    static float values[WIDE_RECORDS * WIDE_ATTRIBUTES];
    static double originals[WIDE_RECORDS * WIDE_ATTRIBUTES];
    const struct shw_records records = {.values = values, .count = WIDE_RECORDS, .attribute_count = WIDE_ATTRIBUTES};
    struct testing_random random = {21};
    struct shw_record_forest *forest = make_model(&random, grow_wide_tree, trees);

    for (uint32_t v = 0; v < WIDE_RECORDS * WIDE_ATTRIBUTES; v++)
        originals[v] = (double)(values[v] = wide_value(&random));
    /* Fewer where no number comes to a test. */
    assert_true(shw_record_forest_get_info(forest)->node_count <= WIDE_TREES * (2 * WIDE_SPLITS + 1));
    check_leaves(forest, trees, &records, originals, SHW_RECORD_SERIAL);
    check_leaves(forest, trees, &records, originals, SHW_RECORD_CPU);
    shw_record_forest_destroy(&forest);
}

/* Thresholds several of which have the same float32, and numbers at them and next to them. Attributes are either of
 * categories or not, as LightGBM has them. */
static void grow_tree_of_doubles(struct testing_random *random, struct wide_tree *tree)
{
    grow_wide_tree(random, tree);
    for (uint32_t s = 0; s < WIDE_SPLITS; s++) {
        tree->attribute[s] = (tree->decision[s] & 1) + 2 * testing_random_below(random, 2);
        tree->threshold[s] = 1e9 + testing_random_below(random, 40) * 0x1p-22;
        if (testing_random_below(random, 8) == 0)
            tree->threshold[s] = 0;
    }
}

static double double_value(const struct wide_tree *trees, struct testing_random *random, uint32_t attribute)
{
    const struct wide_tree *tree = &trees[testing_random_below(random, WIDE_TREES)];
    const double number = tree->threshold[testing_random_below(random, WIDE_SPLITS)];
    const double category = testing_random_below(random, 8) > 0 ? testing_random_below(random, 320) : 0;

    if (testing_random_below(random, 20) == 0)
        return NAN;
    switch (testing_random_below(random, 5)) {
    case 0: return nextafter(attribute % 2 == 1 ? category : number, INFINITY);
    case 1: return nextafter(attribute % 2 == 1 ? category : number, -INFINITY);
    case 2: return attribute % 2 == 1 ? category - 0.5 : number;
    case 3: return attribute % 2 == 1 ? category - 1 : (double)1e-35f; /* the last ones that are 0, and -1 */
    default: return attribute % 2 == 1 ? category : 1e-36;
    }
}

/* The same, with a few sets of two categories or none, most of which become thresholds. */
static void grow_tree_of_few_categories(struct testing_random *random, struct wide_tree *tree)
{
    grow_tree_of_doubles(random, tree);
    for (uint32_t s = 0; s < WIDE_SPLITS; s++) {
        if (testing_random_below(random, 12) > 0)
            tree->decision[s] &= ~1u;
        tree->attribute[s] = (tree->decision[s] & 1) + 2 * testing_random_below(random, 2);
        memset(tree->set[s], 0, sizeof tree->set[s]);
        if (testing_random_below(random, 4) > 0)
            tree->set[s][testing_random_below(random, 2)] = 1u << testing_random_below(random, 32);
    }
}

static void check_doubles(grow_function *grow, bool has_copies)
{
    static struct wide_tree trees[WIDE_TREES];
    static double originals[WIDE_RECORDS * WIDE_ATTRIBUTES];
    struct testing_random random = {22};
    struct shw_record_forest *forest = make_model(&random, grow, trees);
    struct shw_record_doubles *doubles = NULL;
    struct shw_records records = {.count = WIDE_RECORDS};
    const struct shw_record_forest *ranks;
    float *values;

    assert_true(shw_record_forest_count_double_thresholds(forest) > WIDE_TREES);
    if (has_copies)
        assert_true(shw_record_forest_get_info(forest)->node_count > WIDE_TREES * (2 * WIDE_SPLITS + 1));
    assert_int_equal(shw_record_doubles_create(forest, "m", NULL, &doubles), SHW_OK);
    ranks = shw_record_doubles_get_forest(doubles);
    records.attribute_count = shw_record_forest_get_info(ranks)->attribute_count;
    records.values = values = malloc(WIDE_RECORDS * records.attribute_count * sizeof *values);
    assert_non_null(values);
    for (uint32_t v = 0; v < WIDE_RECORDS * WIDE_ATTRIBUTES; v++)
        originals[v] = double_value(trees, &random, v % WIDE_ATTRIBUTES);
    shw_record_doubles_convert(doubles, originals, WIDE_RECORDS, NULL, values);
    for (uint32_t v = 0; v < WIDE_RECORDS * WIDE_ATTRIBUTES; v++)
        originals[v] = fabs(originals[v]) <= (double)1e-35f ? 0 : originals[v]; /* as LightGBM does at first */
    check_leaves(ranks, trees, &records, originals, SHW_RECORD_SERIAL);
    check_leaves(ranks, trees, &records, originals, SHW_RECORD_CPU);
    free(values);
    shw_record_doubles_destroy(&doubles);
    shw_record_forest_destroy(&forest);
}

TESTING_CASE(test_doubles)
{
    check_doubles(grow_tree_of_doubles, false);
    check_doubles(grow_tree_of_few_categories, true);
}

/* What is not known is not made up. */
TESTING_CASE(test_forests_without_doubles)
{
    struct shw_record_forest *forest = open_record_model("xgboost-dart.ubj");
    struct testing_log memory = {0};
    const struct shw_log log = testing_log(&memory);
    struct shw_record_doubles *doubles = NULL;

    assert_int_equal(shw_record_forest_count_double_thresholds(forest), 0);
    assert_int_equal(shw_record_doubles_create(forest, "m", &log, &doubles), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "m: its thresholds are known in float32 only"));
    shw_record_forest_destroy(&forest);
}

enum { STUMPS = 1000, SUM_ATTRIBUTES = 8, SUM_RECORDS = 1 << SUM_ATTRIBUTES };

/* Of leaves that become smaller from tree to tree, as boosting makes them. */
static double stump_value(struct testing_random *random, uint32_t tree)
{
    return testing_random_range(random, -1000000, 1000000) / 1e7 * exp(-(double)tree / 200);
}

static int compare_reals(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Each leaf value is off by at most 2^-31 of the largest one, and a prediction by its rounding to float32 besides. */
TESTING_CASE(test_sums_are_bounded)
{
    static double values[STUMPS][2], errors[SUM_RECORDS];
    static uint32_t attributes[STUMPS];
    struct testing_random random = {31};
    char *text = malloc(STUMPS * 256), *to = text;
    struct shw_record_forest *forest;
    double largest = 0;

    assert_non_null(text);
    to += sprintf(to, "tree\nversion=v4\nnum_class=1\nmax_feature_idx=7\nfeature_names=a b c d e f g h\n\n");
    for (uint32_t t = 0; t < STUMPS; t++) {
        attributes[t] = testing_random_below(&random, SUM_ATTRIBUTES);
        for (uint32_t side = 0; side < 2; side++) {
            values[t][side] = stump_value(&random, t);
            largest = fmax(largest, fabs(values[t][side]));
        }
        to += sprintf(to,
                      "Tree=%u\nnum_leaves=2\nnum_cat=0\nsplit_feature=%u\nthreshold=0.5\ndecision_type=2\n"
                      "left_child=-1\nright_child=-2\nleaf_value=%.17g %.17g\nshrinkage=1\n\n",
                      t, attributes[t], values[t][0], values[t][1]);
    }
    sprintf(to, "end of trees\n");
    forest = parse(text, SHW_OK, NULL);
    for (uint32_t r = 0; r < SUM_RECORDS; r++) {
        float record[SUM_ATTRIBUTES], prediction;
        struct plain_results results;
        double sum = 0, error;
        for (uint32_t a = 0; a < SUM_ATTRIBUTES; a++)
            record[a] = (float)(r >> a & 1);
        for (uint32_t t = 0; t < STUMPS; t++)
            sum += values[t][r >> attributes[t] & 1];
        results = plain_evaluate(forest, record, 1, SUM_ATTRIBUTES, 1, NULL);
        shw_record_forest_predict(forest, 1, results.sums, &prediction);
        error = fabs((double)prediction - sum);
        assert_true(error <= STUMPS * 0x1p-31 * largest + 0x1p-24 * fabs(sum));
        errors[r] = error / fabs(sum);
        plain_results_free(&results);
    }
    qsort(errors, SUM_RECORDS, sizeof *errors, compare_reals);
    print_message("# relative errors of sums of %u trees: median %.1e, 99th percentile %.1e, greatest %.1e\n", STUMPS,
                  errors[SUM_RECORDS / 2], errors[SUM_RECORDS * 99 / 100], errors[SUM_RECORDS - 1]);
    free(text);
    shw_record_forest_destroy(&forest);
}
