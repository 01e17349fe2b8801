
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/records.h>

#include "formats/record_branches.h"
#include "formats/record_models.h"
#include "records/evaluate/record_code.h"
#include "testing/record_forests.h"

/* The plain meaning of a set of categories: XGBoost goes right if the number without its fraction is in the set. */
static bool is_inside(const uint32_t *categories, uint32_t count, float value)
{
    for (uint32_t c = 0; c < count; c++)
        if (value >= 0 && value < 16777216 && (uint32_t)value == categories[c])
            return true;
    return false;
}

#define CATEGORICAL                                                                                                    \
    "{\"version\": [1, 7, 4], \"learner\": {\"attributes\": {}, \"feature_names\": [], \"gradient_booster\": "         \
    "{\"name\": \"gbtree\", \"model\": {\"gbtree_model_param\": {\"num_parallel_tree\": \"1\"}, \"tree_info\": [0], "  \
    "\"trees\": [{\"tree_param\": {\"num_nodes\": \"3\", \"size_leaf_vector\": \"0\"}, \"left_children\": "            \
    "[1, -1, -1], \"right_children\": [2, -1, -1], \"split_indices\": [0, 0, 0], \"split_conditions\": "               \
    "[NaN, -1, 1.5], \"default_left\": [DEFAULT, 0, 0], \"split_type\": [1, 0, 0], \"categories\": [CATEGORIES], "     \
    "\"categories_nodes\": [0], \"categories_segments\": [0], \"categories_sizes\": [SIZE]}]}}, "                      \
    "\"learner_model_param\": {\"base_score\": \"5E-1\", \"num_class\": \"0\", \"num_feature\": \"1\"}, "              \
    "\"objective\": {\"name\": \"reg:squarederror\"}}}"

static void check_categories(const uint32_t *categories, uint32_t count, bool default_left)
{
    char list[128] = "", size[16], *with_default, *with_list, *whole;
    struct shw_record_forest *forest;
    static const float fractions[] = {0, 0.25f, 0.999f};

    for (uint32_t c = 0; c < count; c++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%u", c > 0 ? ", " : "", categories[c]);
    snprintf(size, sizeof size, "%u", count);
    with_default = replace_in_model(CATEGORICAL, "DEFAULT", default_left ? "1" : "0");
    with_list = replace_in_model(with_default, "CATEGORIES", list);
    whole = replace_in_model(with_list, "SIZE", size);
    forest = parse_record_model(whole);
    for (int32_t i = -3; i < 40; i++)
        for (size_t f = 0; f < sizeof fractions / sizeof *fractions; f++) {
            float value = (float)i + fractions[f];
            struct plain_results results = plain_evaluate(forest, &value, 1, 1, 1, NULL);
            assert_int_equal(record_leaf_source(shw_record_forest_get_info(forest), 0, results.leaves[0]),
                             is_inside(categories, count, value) ? 2 : 1);
            plain_results_free(&results);
        }
    for (size_t v = 0; v < 5; v++) {
        float value = (float[]){NAN, INFINITY, -INFINITY, -0.0f, 1e9f}[v];
        struct plain_results results = plain_evaluate(forest, &value, 1, 1, 1, NULL);
        bool right = isnan(value) ? !default_left : is_inside(categories, count, value);
        assert_int_equal(record_leaf_source(shw_record_forest_get_info(forest), 0, results.leaves[0]), right ? 2 : 1);
        plain_results_free(&results);
    }
    free(with_default);
    free(with_list);
    free(whole);
    shw_record_forest_destroy(&forest);
}

TESTING_CASE(categories_are_decided_alike)
{
    struct testing_random random = {9};

    check_categories((const uint32_t[]){0}, 1, true);
    check_categories((const uint32_t[]){7, 3}, 2, false);
    check_categories(NULL, 0, true);
    check_categories(NULL, 0, false);
    for (int i = 0; i < 60; i++) {
        uint32_t categories[8], count = 0;
        for (uint32_t c = 0; c < 8; c++)
            if (testing_random_below(&random, 2) == 0)
                categories[count++] = 4 * c + testing_random_below(&random, 4);
        check_categories(categories, count, i % 2 == 0);
    }
}

#define SPLITS     7u /* of the complete tree: the children of node n are 2 n + 1 and 2 n + 2 */
#define CATEGORIES 10u

/* Splits on sets of two attributes, so that many tests are decided by those above them. */
struct nested {
    uint32_t attribute[SPLITS];
    bool default_left[SPLITS];
    bool inside[SPLITS][CATEGORIES];
};

static struct nested random_nested(struct testing_random *random)
{
    struct nested nested;

    for (uint32_t n = 0; n < SPLITS; n++) {
        nested.attribute[n] = testing_random_below(random, 2);
        nested.default_left[n] = testing_random_below(random, 2) == 0;
        for (uint32_t c = 0; c < CATEGORIES; c++)
            nested.inside[n][c] = testing_random_below(random, 3) == 0;
    }
    return nested;
}

static void append(char *text, size_t size, const char *format, int number)
{
    snprintf(text + strlen(text), size - strlen(text), format, number);
}

/* An array of a number for each node: of leaves `leaf`. */
static void append_array(char *text, size_t size, const char *name, const int *numbers, int leaf)
{
    snprintf(text + strlen(text), size - strlen(text), "\"%s\": [", name);
    for (uint32_t n = 0; n < 2 * SPLITS + 1; n++)
        append(text, size, n > 0 ? ", %d" : "%d", n < SPLITS ? numbers[n] : leaf);
    append(text, size, "], ", 0);
}

static void append_categories(char *text, size_t size, const struct nested *nested)
{
    char segments[256] = "\"categories_segments\": [", sizes[256] = "\"categories_sizes\": [";
    int all = 0;

    append(text, size, "\"categories_nodes\": [0, 1, 2, 3, 4, 5, 6], \"categories\": [", 0);
    for (uint32_t n = 0; n < SPLITS; n++) {
        int first = all;
        for (uint32_t c = 0; c < CATEGORIES; c++)
            if (nested->inside[n][c])
                append(text, size, all++ > 0 ? ", %d" : "%d", (int)c);
        append(segments, sizeof segments, n > 0 ? ", %d" : "%d", first);
        append(sizes, sizeof sizes, n > 0 ? ", %d" : "%d", all - first);
    }
    append(text, size, "], ", 0);
    snprintf(text + strlen(text), size - strlen(text), "%s], %s]", segments, sizes);
}

static struct shw_record_forest *make_nested(const struct nested *nested)
{
    static char text[8192];
    int left[SPLITS], right[SPLITS], attribute[SPLITS], condition[SPLITS] = {0}, by_default[SPLITS], type[SPLITS];

    for (uint32_t n = 0; n < SPLITS; n++) {
        left[n] = (int)(2 * n + 1);
        right[n] = (int)(2 * n + 2);
        attribute[n] = (int)nested->attribute[n];
        by_default[n] = nested->default_left[n];
        type[n] = 1;
    }
    snprintf(text, sizeof text,
             "{\"learner\": {\"learner_model_param\": {\"base_score\": \"0\", \"num_feature\": "
             "\"2\"}, \"objective\": {\"name\": \"reg:squarederror\"}, \"gradient_booster\": "
             "{\"name\": \"gbtree\", \"model\": {\"gbtree_model_param\": {}, \"tree_info\": [0], "
             "\"trees\": [{\"tree_param\": {}, ");
    append_array(text, sizeof text, "left_children", left, -1);
    append_array(text, sizeof text, "right_children", right, -1);
    append_array(text, sizeof text, "split_indices", attribute, 0);
    append_array(text, sizeof text, "split_conditions", condition, 1);
    append_array(text, sizeof text, "default_left", by_default, 0);
    append_array(text, sizeof text, "split_type", type, 0);
    append_categories(text, sizeof text, nested);
    append(text, sizeof text, "}]}}}}", 0);
    return parse_record_model(text);
}

static uint32_t walk_nested(const struct nested *nested, const float record[2])
{
    uint32_t n = 0;

    while (n < SPLITS) {
        float value = record[nested->attribute[n]];
        bool right = isnan(value) ? !nested->default_left[n]
                                  : value >= 0 && value < CATEGORIES && nested->inside[n][(uint32_t)value];
        n = 2 * n + 1 + right;
    }
    return n;
}

/* NaN at last. */
static float nested_value(uint32_t number)
{
    return number <= CATEGORIES + 1 ? (float)number - 0.5f : NAN;
}

TESTING_CASE(nested_categories_are_decided_alike)
{
    struct testing_random random = {13};

    for (int i = 0; i < 40; i++) {
        const struct nested nested = random_nested(&random);
        struct shw_record_forest *forest = make_nested(&nested);
        for (uint32_t v = 0; v < (CATEGORIES + 3) * (CATEGORIES + 3); v++) {
            const float record[2] = {nested_value(v % (CATEGORIES + 3)), nested_value(v / (CATEGORIES + 3))};
            struct plain_results results = plain_evaluate(forest, record, 1, 2, 1, NULL);
            assert_int_equal(record_leaf_source(shw_record_forest_get_info(forest), 0, results.leaves[0]),
                             walk_nested(&nested, record));
            plain_results_free(&results);
        }
        shw_record_forest_destroy(&forest);
    }
}

enum reading { XGBOOST, LIGHTGBM, ONNX };

/* As the importers have them: two that are equal cancel each other. */
static void put_cut(int32_t *cuts, uint32_t *count, int32_t cut)
{
    if (*count > 0 && cuts[*count - 1] == cut)
        --*count;
    else
        cuts[(*count)++] = cut;
}

static void put_member(int32_t *cuts, uint32_t *count, enum reading reading, double member)
{
    put_cut(cuts, count,
            member == 0 && reading == LIGHTGBM ? shw_record_threshold_at_most(-1) : shw_record_threshold_below(member));
    put_cut(cuts, count,
            reading == ONNX ? shw_record_threshold_at_most(member) : shw_record_threshold_below(member + 1));
}

static void check_cuts(const int32_t *cuts, uint32_t count, const uint32_t *set, float value)
{
    const int32_t code = shw_record_code_of(value);
    uint32_t below = 0;

    while (below < count && cuts[below] < code)
        below++;
    assert_int_equal(shw_record_set_goes_right(set, code, 0), below % 2);
    assert_int_equal(shw_record_set_goes_right(set, SHW_RECORD_CODE_MISSING, 1), 1);
}

static void check_set(struct testing_random *random, enum reading reading)
{
    const uint32_t begin = testing_random_below(random, 3) > 0 ? 0 : testing_random_below(random, (1u << 23) - 200);
    uint32_t count = 0, *set = NULL;
    int32_t cuts[400];

    for (uint32_t c = 0; c < 100; c++)
        if (testing_random_below(random, 3) == 0 || c == 99)
            put_member(cuts, &count, reading, begin + c);
    assert_true(shw_record_set_of_cuts(cuts, count, true, &set));
    assert_non_null(set);
    for (uint32_t c = 0; c <= count; c++)
        for (int32_t by = -1; by <= 1; by++)
            check_cuts(cuts, count, set, shw_record_code_value(cuts[c % count] + by));
    for (int32_t h = -4; h < 204; h++)
        check_cuts(cuts, count, set, (float)begin + (float)h / 2);
    check_cuts(cuts, count, set, INFINITY);
    check_cuts(cuts, count, set, -INFINITY);
    free(set);
}

static void check_no_set(enum reading reading, double first, double second)
{
    uint32_t count = 0, *set = NULL;
    int32_t cuts[4];

    put_member(cuts, &count, reading, first);
    put_member(cuts, &count, reading, second);
    assert_true(shw_record_set_of_cuts(cuts, count, true, &set));
    assert_null(set);
}

TESTING_CASE(sets_say_what_cuts_say)
{
    struct testing_random random = {17};
    uint32_t *set = NULL;

    for (int i = 0; i < 300; i++)
        check_set(&random, (enum reading)(i % 3));
    check_no_set(ONNX, 1, 2.5);
    check_no_set(ONNX, -3, 2);
    check_no_set(ONNX, 1, 1 << 23);
    check_no_set(XGBOOST, 3, 1 << 24);
    check_no_set(XGBOOST, 3, 16000000);
    assert_true(shw_record_set_of_cuts((const int32_t[]){shw_record_threshold_below(3)}, 1, true, &set));
    assert_null(set);
}
