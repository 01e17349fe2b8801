#include "formats/lightgbm_tree.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/record_forest.h>

#include "base/log.h"
#include "base/text.h"
#include "shared/record.h"

/* A list of numbers in one line. */
struct list {
    const struct shw_lightgbm_text *text;
    const char *key;
    const struct shw_lightgbm_value *value;
    const char *at, *end;
};

SHW_PRINTF(3, 4)
enum shw_result shw_lightgbm_refuse(const struct shw_lightgbm_text *text, uint32_t line, const char *format, ...)
{
    char place[48] = "", reason[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    if (text->tree >= 0)
        snprintf(place, sizeof place, ", tree %" PRId64, text->tree);
    return shw_fail(text->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s, line %u%s: %s", text->name, line, place,
                    reason);
}

static size_t line_length(const struct shw_lightgbm_text *text)
{
    const char *end = memchr(text->at, '\n', (size_t)(text->end - text->at));
    size_t length = (size_t)((end != NULL ? end : text->end) - text->at);

    return length > 0 && text->at[length - 1] == '\r' ? length - 1 : length;
}

static void skip_line(struct shw_lightgbm_text *text)
{
    const char *end = memchr(text->at, '\n', (size_t)(text->end - text->at));

    text->at = end != NULL ? end + 1 : text->end;
    text->line++;
}

bool shw_lightgbm_begins(const struct shw_lightgbm_text *text, const char *start)
{
    return strncmp(text->at, start, strlen(start)) == 0; /* a zero byte follows the text */
}

bool shw_lightgbm_take(struct shw_lightgbm_text *text, const char *start, struct shw_lightgbm_value *rest)
{
    const size_t length = strlen(start);

    if (!shw_lightgbm_begins(text, start))
        return false;
    *rest = (struct shw_lightgbm_value){text->at + length, line_length(text) - length, text->line};
    skip_line(text);
    return true;
}

void shw_lightgbm_skip_empty(struct shw_lightgbm_text *text)
{
    while (text->at < text->end && line_length(text) == 0)
        skip_line(text);
}

static enum shw_result read_line(struct shw_lightgbm_text *text, const char *const *keys, uint32_t count,
                                 struct shw_lightgbm_value *values)
{
    size_t length = line_length(text);
    const char *equals = memchr(text->at, '=', length);
    size_t key_length = equals != NULL ? (size_t)(equals - text->at) : length;
    size_t value_start = equals != NULL ? key_length + 1 : length;

    if (text->at + length == text->end)
        return shw_lightgbm_refuse(text, text->line, "the file ends within this line");
    for (uint32_t k = 0; k < count; k++) {
        if (strlen(keys[k]) != key_length || memcmp(text->at, keys[k], key_length) != 0)
            continue;
        if (values[k].text != NULL)
            return shw_lightgbm_refuse(text, text->line, "%s is already in line %u", keys[k], values[k].line);
        values[k] = (struct shw_lightgbm_value){text->at + value_start, length - value_start, text->line};
    }
    skip_line(text);
    return SHW_OK;
}

enum shw_result shw_lightgbm_section(struct shw_lightgbm_text *text, const char *const *keys, uint32_t count,
                                     struct shw_lightgbm_value *values)
{
    memset(values, 0, count * sizeof *values);
    while (text->at < text->end && line_length(text) > 0 && !shw_lightgbm_begins(text, "Tree="))
        SHW_PROPAGATE(read_line(text, keys, count, values));
    return SHW_OK;
}

static struct list begin_list(const struct shw_lightgbm_text *text, const char *key,
                              const struct shw_lightgbm_value *value)
{
    return (struct list){text, key, value, value->text, value->text != NULL ? value->text + value->length : NULL};
}

static enum shw_result refuse_missing(const struct shw_lightgbm_text *text, const char *key)
{
    return shw_lightgbm_refuse(text, text->line, "%s is missing", key);
}

static void skip_blanks(struct list *list)
{
    while (list->at < list->end && *list->at == ' ')
        list->at++;
}

static enum shw_result refuse_number(const struct list *list, const char *what)
{
    size_t length = strcspn(list->at, " \r\n");

    return shw_lightgbm_refuse(list->text, list->value->line, "%s: \"%.*s\" is not %s", list->key,
                               (int)(length < 40 ? length : 40), list->at, what);
}

/* A number is followed by a blank or the end. What it begins with is looked at first, since the functions of the
 * standard library would skip the end of the line. */
static bool is_number(const struct list *list, const char *end)
{
    return end != list->at && end <= list->end && (end == list->end || *end == ' ');
}

static enum shw_result next_integer(struct list *list, int64_t low, int64_t high, int64_t *number)
{
    char range[64];
    long long value = 0;
    char *end = NULL;

    if (list->at < list->end && strchr("-0123456789", *list->at) != NULL)
        value = strtoll(list->at, &end, 10); /* saturates */
    if (end == NULL || !is_number(list, end) || value < low || value > high) {
        snprintf(range, sizeof range, "a whole number in %" PRId64 "..%" PRId64, low, high);
        return refuse_number(list, range);
    }
    list->at = end;
    *number = value;
    return SHW_OK;
}

static enum shw_result next_real(struct list *list, double *number)
{
    char *end = NULL;

    if (list->at < list->end && strchr("+-.0123456789iI", *list->at) != NULL)
        *number = shw_decimal_read(list->at, &end);
    if (end == NULL || !is_number(list, end) || isnan(*number))
        return refuse_number(list, "a number");
    list->at = end;
    return SHW_OK;
}

/* Each number takes a character, and a blank before the next one: memory stays in proportion to the file. */
static enum shw_result check_length(const struct list *list, uint32_t count)
{
    if (count > ((size_t)(list->end - list->at) + 1) / 2)
        return shw_lightgbm_refuse(list->text, list->value->line, "%s has fewer than %u numbers", list->key, count);
    return SHW_OK;
}

/* Before each number of a list but the first. */
static enum shw_result expect_more(struct list *list, uint32_t read, uint32_t count)
{
    skip_blanks(list);
    if (list->at == list->end)
        return shw_lightgbm_refuse(list->text, list->value->line, "%s has %u numbers; there must be %u", list->key,
                                   read, count);
    return SHW_OK;
}

static enum shw_result end_list(struct list *list, uint32_t count)
{
    skip_blanks(list);
    if (list->at != list->end)
        return shw_lightgbm_refuse(list->text, list->value->line, "%s has more than %u numbers", list->key, count);
    return SHW_OK;
}

enum shw_result shw_lightgbm_integer(const struct shw_lightgbm_text *text, const char *key,
                                     const struct shw_lightgbm_value *value, int64_t low, int64_t high, int64_t *number)
{
    struct list list = begin_list(text, key, value);

    if (value->text == NULL)
        return refuse_missing(text, key);
    SHW_PROPAGATE(next_integer(&list, low, high, number));
    return end_list(&list, 1);
}

static enum shw_result read_integers(struct list *list, uint32_t count, int64_t low, int64_t high, int64_t *numbers)
{
    for (uint32_t i = 0; i < count; i++) {
        SHW_PROPAGATE(expect_more(list, i, count));
        SHW_PROPAGATE(next_integer(list, low, high, &numbers[i]));
    }
    return end_list(list, count);
}

static enum shw_result read_reals(struct list *list, uint32_t count, double *numbers)
{
    for (uint32_t i = 0; i < count; i++) {
        SHW_PROPAGATE(expect_more(list, i, count));
        SHW_PROPAGATE(next_real(list, &numbers[i]));
    }
    return end_list(list, count);
}

static enum shw_result lightgbm_integers(const struct shw_lightgbm_text *text, const char *key,
                                         const struct shw_lightgbm_value *value, uint32_t count, int64_t low,
                                         int64_t high, int64_t **numbers)
{
    struct list list = begin_list(text, key, value);
    enum shw_result result;

    if (value->text == NULL)
        return refuse_missing(text, key);
    SHW_PROPAGATE(check_length(&list, count));
    *numbers = calloc((size_t)count + 1, sizeof **numbers);
    if (*numbers == NULL)
        return shw_fail_memory(text->log, text->name);
    result = read_integers(&list, count, low, high, *numbers);
    if (result != SHW_OK) {
        free(*numbers);
        *numbers = NULL;
    }
    return result;
}

/* A value as exactly `count` whole numbers from `low` to `high`, or as numbers that may be infinite, but not NaN; they
 * are to be freed with free(). Errors: FORMAT, MEMORY. */
static enum shw_result lightgbm_reals(const struct shw_lightgbm_text *text, const char *key,
                                      const struct shw_lightgbm_value *value, uint32_t count, double **numbers)
{
    struct list list = begin_list(text, key, value);
    enum shw_result result;

    if (value->text == NULL)
        return refuse_missing(text, key);
    SHW_PROPAGATE(check_length(&list, count));
    *numbers = calloc((size_t)count + 1, sizeof **numbers);
    if (*numbers == NULL)
        return shw_fail_memory(text->log, text->name);
    result = read_reals(&list, count, *numbers);
    if (result != SHW_OK) {
        free(*numbers);
        *numbers = NULL;
    }
    return result;
}

#define LEAVES_MAX (SHW_RECORD_NODES_MAX / 2)

/* decision_type: bits of a split */
#define IS_CATEGORICAL 1
#define DEFAULT_LEFT   2
#define MISSING_SHIFT  2
enum { MISSING_NONE, MISSING_ZERO, MISSING_NAN };

enum { LEFT, RIGHT };

enum key {
    NUM_LEAVES,
    NUM_CAT,
    SPLIT_FEATURE,
    THRESHOLD,
    DECISION_TYPE,
    LEFT_CHILD,
    RIGHT_CHILD,
    LEAF_VALUE,
    CAT_BOUNDARIES,
    CAT_THRESHOLD,
    IS_LINEAR,
    SHRINKAGE,
    KEY_COUNT
};
static const char *const tree_keys[KEY_COUNT] = {"num_leaves",     "num_cat",       "split_feature", "threshold",
                                                 "decision_type",  "left_child",    "right_child",   "leaf_value",
                                                 "cat_boundaries", "cat_threshold", "is_linear",     "shrinkage"};

struct tree {
    struct shw_lightgbm_text *text;
    struct shw_lightgbm_value values[KEY_COUNT];
    uint32_t leaf_count, set_count;
    int64_t *attributes, *decisions, *left, *right;
    double *thresholds;
    int64_t *set_starts; /* [set_count + 1], in words */
    int64_t *set_words;  /* sets of categories, a bit each */
    bool *set_used;
};

static enum shw_result refuse(const struct tree *tree, enum key key, const char *what, int64_t split)
{
    return shw_lightgbm_refuse(tree->text, tree->values[key].line, "%s: %s of split %" PRId64, tree_keys[key], what,
                               split);
}

static enum shw_result get_integer(const struct tree *tree, enum key key, int64_t low, int64_t high, int64_t *number)
{
    return shw_lightgbm_integer(tree->text, tree_keys[key], &tree->values[key], low, high, number);
}

static enum shw_result get_integers(const struct tree *tree, enum key key, uint32_t count, int64_t low, int64_t high,
                                    int64_t **numbers)
{
    return lightgbm_integers(tree->text, tree_keys[key], &tree->values[key], count, low, high, numbers);
}

static enum shw_result read_counts(struct tree *tree)
{
    int64_t leaves, sets = 0, linear = 0;

    SHW_PROPAGATE(get_integer(tree, NUM_LEAVES, 1, LEAVES_MAX, &leaves));
    if (tree->values[NUM_CAT].text != NULL)
        SHW_PROPAGATE(get_integer(tree, NUM_CAT, 0, LEAVES_MAX, &sets));
    if (tree->values[IS_LINEAR].text != NULL)
        SHW_PROPAGATE(get_integer(tree, IS_LINEAR, 0, 1, &linear));
    if (tree->values[SHRINKAGE].text == NULL) /* it ends each tree, and is in the leaf values already */
        return shw_lightgbm_refuse(tree->text, tree->text->line, "the tree does not end with shrinkage");
    if (linear != 0)
        return shw_fail(tree->text->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ,
                        "%s, line %u, tree %" PRId64 ": linear models at leaves (is_linear=1) are not supported",
                        tree->text->name, tree->values[IS_LINEAR].line, tree->text->tree);
    tree->leaf_count = (uint32_t)leaves;
    tree->set_count = (uint32_t)sets;
    return SHW_OK;
}

static enum shw_result read_sets(struct tree *tree)
{
    SHW_PROPAGATE(get_integers(tree, CAT_BOUNDARIES, tree->set_count + 1, 0, INT32_MAX, &tree->set_starts));
    for (uint32_t s = 0; s < tree->set_count; s++)
        if (tree->set_starts[0] != 0 || tree->set_starts[s] > tree->set_starts[s + 1])
            return shw_lightgbm_refuse(tree->text, tree->values[CAT_BOUNDARIES].line,
                                       "cat_boundaries do not ascend from 0");
    SHW_PROPAGATE(get_integers(tree, CAT_THRESHOLD, (uint32_t)tree->set_starts[tree->set_count], 0, UINT32_MAX,
                               &tree->set_words));
    tree->set_used = calloc(tree->set_count, sizeof *tree->set_used);
    return tree->set_used != NULL ? SHW_OK : shw_fail_memory(tree->text->log, tree->text->name);
}

static enum shw_result read_splits(struct tree *tree, uint32_t attribute_count)
{
    const uint32_t count = tree->leaf_count - 1;
    const int64_t last_leaf = -(int64_t)tree->leaf_count, last_split = (int64_t)count - 1;

    SHW_PROPAGATE(get_integers(tree, SPLIT_FEATURE, count, 0, (int64_t)attribute_count - 1, &tree->attributes));
    SHW_PROPAGATE(lightgbm_reals(tree->text, tree_keys[THRESHOLD], &tree->values[THRESHOLD], count, &tree->thresholds));
    SHW_PROPAGATE(get_integers(tree, DECISION_TYPE, count, 0, 15, &tree->decisions));
    SHW_PROPAGATE(get_integers(tree, LEFT_CHILD, count, last_leaf, last_split, &tree->left));
    SHW_PROPAGATE(get_integers(tree, RIGHT_CHILD, count, last_leaf, last_split, &tree->right));
    return tree->set_count > 0 ? read_sets(tree) : SHW_OK;
}

/* The greatest number that goes left. LightGBM sets magnitudes up to 1e-35 to 0 when it is given a record, so that they
 * lie on one side of a threshold. */
static double numeric_limit(double threshold)
{
    const double tiny = (double)shw_record_code_value(SHW_RECORD_ZERO_CODE);

    if (threshold < -tiny || threshold >= tiny)
        return threshold;
    return threshold >= 0 ? tiny : nextafter(-tiny, -INFINITY);
}

static bool is_in_set(const int64_t *words, int64_t word_count, int64_t category)
{
    return category < 32 * word_count && (words[category / 32] >> (category % 32) & 1) != 0;
}

/* Attributes are rounded towards 0, and what is in the set goes left; category c, then, is from c to below c + 1, and
 * 0 from above -1. Other numbers go right. */
static bool cut_set(const int64_t *words, int64_t word_count, struct shw_branches *branches)
{
    bool inside = false;

    for (int64_t c = 0; c <= 32 * word_count; c++) {
        if (is_in_set(words, word_count, c) == inside)
            continue;
        inside = !inside;
        if (!shw_branches_cut(branches,
                              c == 0 ? shw_record_threshold_at_most(-1) : shw_record_threshold_below((double)c)))
            return false;
    }
    return true;
}

static uint32_t branch_of(const struct tree *tree, int64_t child)
{
    return (uint32_t)(child >= 0 ? child : tree->leaf_count - 1 + ~child);
}

/* LightGBM has a set of its own for each split. */
static enum shw_result take_set(struct tree *tree, uint32_t s, uint32_t *set)
{
    const double number = tree->thresholds[s];

    if (!(number >= 0 && number < tree->set_count) || number != floor(number))
        return refuse(tree, THRESHOLD, "no set of categories has the number", s);
    *set = (uint32_t)number;
    if (tree->set_used[*set])
        return refuse(tree, THRESHOLD, "another split has the set of categories", s);
    tree->set_used[*set] = true;
    return SHW_OK;
}

static enum shw_result add_categorical(struct tree *tree, uint32_t s, struct shw_branch *split,
                                       struct shw_branches *branches)
{
    uint32_t set = 0;
    int64_t start;
    bool added;

    SHW_PROPAGATE(take_set(tree, s, &set));
    start = tree->set_starts[set];
    split->lowest = RIGHT;
    split->missing = RIGHT;
    split->has_limit = true;
    split->limit = NAN; /* of a set without members, whose one cut no double is at */
    added = shw_branches_add(branches, split) &&
            cut_set(tree->set_words + start, tree->set_starts[set + 1] - start, branches) &&
            shw_branches_end_cuts(branches);
    return added ? SHW_OK : shw_fail_memory(tree->text->log, tree->text->name);
}

/* Without a missing type, NaN counts as 0. */
static enum shw_result add_numeric(const struct tree *tree, uint32_t s, struct shw_branch *split,
                                   struct shw_branches *branches)
{
    const int64_t missing = tree->decisions[s] >> MISSING_SHIFT;
    const bool default_left =
        missing == MISSING_NONE ? tree->thresholds[s] >= 0 : (tree->decisions[s] & DEFAULT_LEFT) != 0;

    if (missing > MISSING_NAN)
        return refuse(tree, DECISION_TYPE, "its missing type is 3, which does not exist", s);
    split->lowest = LEFT;
    split->missing = default_left ? LEFT : RIGHT;
    split->zero_missing = missing == MISSING_ZERO;
    split->has_limit = true;
    split->limit = numeric_limit(tree->thresholds[s]);
    if (!shw_branches_add(branches, split) || !shw_branches_cut(branches, shw_record_threshold_at_most(split->limit)))
        return shw_fail_memory(tree->text->log, tree->text->name);
    return SHW_OK;
}

static enum shw_result add_split(struct tree *tree, uint32_t s, struct shw_branches *branches)
{
    struct shw_branch split = {
        .is_split = true,
        .attribute = (uint32_t)tree->attributes[s],
        .child = {[LEFT] = branch_of(tree, tree->left[s]), [RIGHT] = branch_of(tree, tree->right[s])},
        .source = s,
    };

    return (tree->decisions[s] & IS_CATEGORICAL) != 0 ? add_categorical(tree, s, &split, branches)
                                                      : add_numeric(tree, s, &split, branches);
}

static enum shw_result add_branches(struct tree *tree, struct shw_branches *branches)
{
    for (uint32_t s = 0; s + 1 < tree->leaf_count; s++)
        SHW_PROPAGATE(add_split(tree, s, branches));
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++)
        if (!shw_branches_add(branches, &(struct shw_branch){.first_value = leaf, .source = leaf}))
            return shw_fail_memory(tree->text->log, tree->text->name);
    return SHW_OK;
}

static enum shw_result read_leaves(const struct tree *tree, double **values)
{
    SHW_PROPAGATE(
        lightgbm_reals(tree->text, tree_keys[LEAF_VALUE], &tree->values[LEAF_VALUE], tree->leaf_count, values));
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++)
        if (!isfinite((*values)[leaf]))
            return shw_lightgbm_refuse(tree->text, tree->values[LEAF_VALUE].line,
                                       "leaf_value: that of leaf %u is not a finite number", leaf);
    return SHW_OK;
}

static enum shw_result read_tree(struct tree *tree, uint32_t attribute_count, struct shw_branches *branches)
{
    SHW_PROPAGATE(shw_lightgbm_section(tree->text, tree_keys, KEY_COUNT, tree->values));
    SHW_PROPAGATE(read_counts(tree));
    SHW_PROPAGATE(read_leaves(tree, &branches->values));
    if (tree->leaf_count > 1)
        SHW_PROPAGATE(read_splits(tree, attribute_count));
    return add_branches(tree, branches);
}

enum shw_result shw_lightgbm_tree_read(struct shw_lightgbm_text *text, uint32_t attribute_count,
                                       struct shw_branches *branches)
{
    struct tree tree = {.text = text};
    enum shw_result result = read_tree(&tree, attribute_count, branches);

    free(tree.attributes);
    free(tree.thresholds);
    free(tree.decisions);
    free(tree.left);
    free(tree.right);
    free(tree.set_starts);
    free(tree.set_words);
    free(tree.set_used);
    return result;
}
