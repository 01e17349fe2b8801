#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/record_forest.h>

#include "base/log.h"
#include "formats/json_model.h"
#include "formats/record_branches.h"
#include "formats/record_formats.h"
#include "records/model/builder.h"

/* What XGBoost's objectives mean for predictions. */

struct xgboost_objective {
    const char *name;
    enum shw_record_task task; /* with one output per record, or one per class */
    enum shw_record_link link;
    float (*to_margin)(float base_score); /* the number that sums begin with */
    bool per_class;                       /* an output for each of num_class classes */
};

/* XGBoost computes these in single precision. */
static float same(float base_score)
{
    return base_score;
}

static float logit(float base_score)
{
    return -logf(1.0f / base_score - 1.0f);
}

static const struct xgboost_objective objectives[] = {
    {"reg:squarederror", SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, same, false},
    {"reg:linear", SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, same, false},
    {"reg:squaredlogerror", SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, same, false},
    {"reg:pseudohubererror", SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, same, false},
    {"reg:absoluteerror", SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, same, false},
    {"reg:quantileerror", SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, same, false},
    {"reg:logistic", SHW_RECORD_VALUES, SHW_RECORD_LOGISTIC, logit, false},
    {"reg:gamma", SHW_RECORD_VALUES, SHW_RECORD_EXP, logf, false},
    {"reg:tweedie", SHW_RECORD_VALUES, SHW_RECORD_EXP, logf, false},
    {"count:poisson", SHW_RECORD_VALUES, SHW_RECORD_EXP, logf, false},
    {"survival:cox", SHW_RECORD_VALUES, SHW_RECORD_EXP, logf, false},
    {"survival:aft", SHW_RECORD_VALUES, SHW_RECORD_EXP, logf, false},
    {"rank:pairwise", SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, same, false},
    {"rank:ndcg", SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, same, false},
    {"rank:map", SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, same, false},
    {"binary:logistic", SHW_RECORD_CLASSES, SHW_RECORD_LOGISTIC, logit, false},
    {"binary:logitraw", SHW_RECORD_CLASSES, SHW_RECORD_IDENTITY, same, false},
    {"binary:hinge", SHW_RECORD_CLASSES, SHW_RECORD_IDENTITY, same, false},
    {"multi:softmax", SHW_RECORD_CLASSES, SHW_RECORD_SOFTMAX, same, true},
    {"multi:softprob", SHW_RECORD_CLASSES, SHW_RECORD_SOFTMAX, same, true},
};

/* NULL if it is not known. */
static const struct xgboost_objective *xgboost_objective_find(const char *name)
{
    for (size_t o = 0; o < sizeof objectives / sizeof *objectives; o++)
        if (strcmp(objectives[o].name, name) == 0)
            return &objectives[o];
    return NULL;
}

/* A tree of XGBoost's, as in its files. */

struct xgboost_tree {
    uint32_t attribute_count;
    uint32_t values_per_leaf; /* as the builder expects */
    uint32_t number;          /* of the tree */
    uint32_t output;          /* the one it adds to, if leaves have one value */
    double weight;            /* of its leaf values */
};

/* The arrays of a tree; optional ones may be NULL. */
struct arrays {
    const json_t *left, *right, *attribute, *condition, *default_left, *type, *base_weights, *leaf_weights;
    size_t count, leaf_count;
};

/* Categories in ascending order, each once; NULL: the node is not a categorical split. */
struct set {
    uint32_t *categories;
    uint32_t count;
};

struct tree_reading {
    const struct shw_json_part *part;
    const struct xgboost_tree *tree;
    struct arrays arrays;
    struct shw_branches branches; /* its values: values_per_leaf of each leaf */
    uint32_t used;                /* of them */
    struct set *sets;             /* of each node; NULL if no split is categorical */
};

enum { LEFT, RIGHT };

static enum shw_result find_arrays(const struct shw_json_part *part, struct arrays *arrays)
{
    SHW_PROPAGATE(shw_json_get_array(part, "left_children", &arrays->left));
    arrays->count = json_array_size(arrays->left);
    if (arrays->count < 1 || arrays->count > SHW_RECORD_NODES_MAX)
        return shw_json_refuse(part, "it has %zu nodes; 1 to %u are supported", arrays->count, SHW_RECORD_NODES_MAX);
    arrays->leaf_count = shw_json_count_negative(arrays->left);
    SHW_PROPAGATE(shw_json_get_array_of(part, "right_children", arrays->count, &arrays->right));
    SHW_PROPAGATE(shw_json_get_array_of(part, "split_indices", arrays->count, &arrays->attribute));
    SHW_PROPAGATE(shw_json_get_array_of(part, "split_conditions", arrays->count, &arrays->condition));
    SHW_PROPAGATE(shw_json_get_array_of(part, "default_left", arrays->count, &arrays->default_left));
    if (json_object_get(part->object, "split_type") != NULL)
        SHW_PROPAGATE(shw_json_get_array_of(part, "split_type", arrays->count, &arrays->type));
    return SHW_OK;
}

/* Leaves with several values have them in a separate array: per node or, in newer files, per leaf, whose index there
 * replaces the right child. */
static enum shw_result find_vectors(struct tree_reading *reading)
{
    const struct shw_json_part *part = reading->part;
    struct arrays *arrays = &reading->arrays;
    int64_t size = 1;
    struct shw_json_part param;

    SHW_PROPAGATE(shw_json_get_object(part, "tree_param", &param));
    SHW_PROPAGATE(shw_json_get_whole(&param, "size_leaf_vector", 0, SHW_RECORD_OUTPUTS_MAX, &size));
    if ((size > 1) != (reading->tree->values_per_leaf > 1))
        return shw_json_refuse(part, "its leaves have %lld values instead of %u", (long long)size,
                               reading->tree->values_per_leaf);
    if (reading->tree->values_per_leaf == 1)
        return SHW_OK;
    if (json_object_get(part->object, "leaf_weights") != NULL)
        return shw_json_get_array_of(part, "leaf_weights", arrays->leaf_count * reading->tree->values_per_leaf,
                                     &arrays->leaf_weights);
    return shw_json_get_array_of(part, "base_weights", arrays->count * reading->tree->values_per_leaf,
                                 &arrays->base_weights);
}

static enum shw_result read_vector(const struct tree_reading *reading, size_t n, double *values)
{
    const struct arrays *arrays = &reading->arrays;
    const json_t *from = arrays->leaf_weights != NULL ? arrays->leaf_weights : arrays->base_weights;
    uint32_t count = reading->tree->values_per_leaf;
    int64_t place = (int64_t)n, last = (int64_t)(json_array_size(from) / count) - 1;

    if (arrays->leaf_weights != NULL)
        SHW_PROPAGATE(shw_json_get_element(reading->part, "right_children", arrays->right, n, 0, last, &place));
    for (uint32_t v = 0; v < count; v++)
        values[v] = shw_json_float(json_array_get(from, (size_t)place * count + v)) * reading->tree->weight;
    return SHW_OK;
}

static enum shw_result read_leaf(struct tree_reading *reading, size_t n)
{
    const struct shw_branch leaf = {.first_value = reading->used, .source = (uint32_t)n};
    double *values = reading->branches.values + reading->used;

    reading->used += reading->tree->values_per_leaf;
    if (reading->tree->values_per_leaf > 1)
        SHW_PROPAGATE(read_vector(reading, n, values));
    else
        *values = shw_json_float(json_array_get(reading->arrays.condition, n)) * reading->tree->weight;
    for (uint32_t v = 0; v < reading->tree->values_per_leaf; v++)
        if (!isfinite(values[v]))
            return shw_json_refuse(reading->part, "the value of leaf %zu is not a finite number", n);
    return shw_branches_add(&reading->branches, &leaf) ? SHW_OK
                                                       : shw_fail_memory(reading->part->log, reading->part->file);
}

/* Members of the set go right; negative numbers have no category. */
static bool add_cuts(struct shw_branches *branches, const struct set *set)
{
    for (uint32_t c = 0; c < set->count; c++) {
        const double category = set->categories[c];
        if (!shw_branches_cut(branches, shw_record_threshold_below(category)) ||
            !shw_branches_cut(branches, shw_record_threshold_below(category + 1)))
            return false;
    }
    return shw_branches_end_cuts(branches);
}

static enum shw_result read_split(struct tree_reading *reading, size_t n, int64_t left)
{
    const struct arrays *arrays = &reading->arrays;
    const struct shw_json_part *part = reading->part;
    float condition = shw_json_float(json_array_get(arrays->condition, n));
    int64_t last = (int64_t)arrays->count - 1, right, attribute, default_left, type = 0;
    struct shw_branch split;
    bool added;

    SHW_PROPAGATE(shw_json_get_element(part, "right_children", arrays->right, n, 0, last, &right));
    SHW_PROPAGATE(shw_json_get_element(part, "split_indices", arrays->attribute, n, 0,
                                       (int64_t)reading->tree->attribute_count - 1, &attribute));
    SHW_PROPAGATE(shw_json_get_element(part, "default_left", arrays->default_left, n, 0, 1, &default_left));
    if (arrays->type != NULL)
        SHW_PROPAGATE(shw_json_get_element(part, "split_type", arrays->type, n, 0, 1, &type));
    if (type != 0 && (reading->sets == NULL || reading->sets[n].categories == NULL))
        return shw_json_refuse(part, "there are no \"categories\" of node %zu", n);
    if (type == 0 && isnan(condition))
        return shw_json_refuse(part, "element %zu of \"split_conditions\" is not a number", n);
    split = (struct shw_branch){.is_split = true,
                                .lowest = LEFT,
                                .missing = default_left == 0 ? RIGHT : LEFT,
                                .attribute = (uint32_t)attribute,
                                .child = {[LEFT] = (uint32_t)left, [RIGHT] = (uint32_t)right},
                                .source = (uint32_t)n};
    added = shw_branches_add(&reading->branches, &split) &&
            (type == 0 ? shw_branches_cut(&reading->branches, shw_record_threshold_below(condition))
                       : add_cuts(&reading->branches, &reading->sets[n]));
    return added ? SHW_OK : shw_fail_memory(part->log, part->file);
}

static int compare_categories(const void *a, const void *b)
{
    uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;

    return (first > second) - (first < second);
}

/* Sorted, each once. */
static uint32_t order_categories(uint32_t *categories, uint32_t count)
{
    uint32_t kept = 0;

    qsort(categories, count, sizeof *categories, compare_categories);
    for (uint32_t c = 0; c < count; c++)
        if (kept == 0 || categories[c] != categories[kept - 1])
            categories[kept++] = categories[c];
    return kept;
}

static enum shw_result make_set(const struct tree_reading *reading, const json_t *categories, size_t first,
                                size_t count, struct set *set)
{
    const struct shw_json_part *part = reading->part;

    set->categories = malloc(count * sizeof *set->categories + 1);
    if (set->categories == NULL)
        return shw_fail_memory(part->log, part->file);
    for (size_t c = 0; c < count; c++) {
        int64_t category = 0;
        SHW_PROPAGATE(shw_json_get_element(part, "categories", categories, first + c, 0, INT32_MAX, &category));
        set->categories[c] = (uint32_t)category;
    }
    set->count = order_categories(set->categories, (uint32_t)count);
    return SHW_OK;
}

/* Leaves that were categorical splits before the tree was pruned keep their categories. */
static bool is_categorical(const struct arrays *arrays, size_t node)
{
    return shw_json_number(json_array_get(arrays->left, node)) >= 0 &&
           shw_json_number(json_array_get(arrays->type, node)) == 1;
}

/* Each categorical node has a segment of the array of all categories. */
static enum shw_result read_categories(struct tree_reading *reading)
{
    const struct shw_json_part *part = reading->part;
    const json_t *nodes = json_object_get(part->object, "categories_nodes"), *segments, *sizes, *categories;
    int64_t last = (int64_t)reading->arrays.count - 1, all, used = 0, node, first, count;

    if (json_array_size(nodes) == 0)
        return SHW_OK;
    SHW_PROPAGATE(shw_json_get_array(part, "categories", &categories));
    SHW_PROPAGATE(shw_json_get_array_of(part, "categories_segments", json_array_size(nodes), &segments));
    SHW_PROPAGATE(shw_json_get_array_of(part, "categories_sizes", json_array_size(nodes), &sizes));
    all = (int64_t)json_array_size(categories);
    reading->sets = calloc(reading->arrays.count, sizeof *reading->sets);
    if (reading->sets == NULL)
        return shw_fail_memory(part->log, part->file);
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        SHW_PROPAGATE(shw_json_get_element(part, "categories_nodes", nodes, i, 0, last, &node));
        SHW_PROPAGATE(shw_json_get_element(part, "categories_segments", segments, i, 0, all, &first));
        SHW_PROPAGATE(shw_json_get_element(part, "categories_sizes", sizes, i, 0, all - first, &count));
        used += count;
        if (used > all)
            return shw_json_refuse(part, "the segments of \"categories\" overlap");
        if (reading->sets[node].categories != NULL)
            return shw_json_refuse(part, "\"categories_nodes\" has node %lld twice", (long long)node);
        if (is_categorical(&reading->arrays, (size_t)node))
            SHW_PROPAGATE(make_set(reading, categories, (size_t)first, (size_t)count, &reading->sets[node]));
    }
    return SHW_OK;
}

static enum shw_result read_nodes(struct tree_reading *reading)
{
    const struct arrays *arrays = &reading->arrays;

    for (size_t n = 0; n < arrays->count; n++) {
        int64_t left;
        SHW_PROPAGATE(shw_json_get_element(reading->part, "left_children", arrays->left, n, -1,
                                           (int64_t)arrays->count - 1, &left));
        SHW_PROPAGATE(left < 0 ? read_leaf(reading, n) : read_split(reading, n, left));
    }
    return SHW_OK;
}

static enum shw_result read_tree(struct tree_reading *reading)
{
    const struct shw_json_part *part = reading->part;

    SHW_PROPAGATE(find_arrays(part, &reading->arrays));
    SHW_PROPAGATE(find_vectors(reading));
    reading->branches.values =
        calloc(reading->arrays.leaf_count * reading->tree->values_per_leaf + 1, sizeof *reading->branches.values);
    if (reading->branches.values == NULL)
        return shw_fail_memory(part->log, part->file);
    SHW_PROPAGATE(read_categories(reading));
    return read_nodes(reading);
}

/* Reads a tree and adds it. Errors: FORMAT, LIMIT, MEMORY. */
/* Pruned nodes are not reached. */
static enum shw_result xgboost_tree_add(const struct shw_json_part *part, const struct xgboost_tree *tree,
                                        struct shw_record_builder *builder)
{
    struct tree_reading reading = {.part = part, .tree = tree};
    enum shw_result result = read_tree(&reading);
    const struct shw_branches_place place = {
        .file = part->file, .tree = tree->number, .may_have_more = true, .log = part->log};

    if (result == SHW_OK)
        result = shw_branches_build(&reading.branches, 0, &place, tree->output, builder);
    for (size_t n = 0; reading.sets != NULL && n < reading.arrays.count; n++)
        free(reading.sets[n].categories);
    free(reading.sets);
    free(reading.branches.values);
    shw_branches_free(&reading.branches);
    return result;
}

struct reading {
    const struct shw_record_import *import;
    struct shw_json_part root, learner, model;
    const json_t *weight_drop; /* of dart, otherwise NULL */
    const struct xgboost_objective *objective;
    uint32_t attribute_count, output_count, values_per_leaf;
    const json_t *trees, *outputs; /* the trees, and the output that each adds to */
    double *base;
    const char *const *names;
};

/* The trees of gbtree; those of dart are within it, with their weights. */
static enum shw_result find_model(struct reading *reading)
{
    struct shw_json_part booster, inner;
    const char *name;

    SHW_PROPAGATE(shw_json_get_object(&reading->learner, "gradient_booster", &booster));
    name = json_string_value(json_object_get(booster.object, "name"));
    if (name == NULL)
        return shw_json_refuse(&reading->root, "the \"gradient_booster\" has no name");
    if (strcmp(name, "dart") == 0) {
        SHW_PROPAGATE(shw_json_get_array(&booster, "weight_drop", &reading->weight_drop));
        SHW_PROPAGATE(shw_json_get_object(&booster, "gbtree", &inner));
        return shw_json_get_object(&inner, "model", &reading->model);
    }
    if (strcmp(name, "gbtree") == 0)
        return shw_json_get_object(&booster, "model", &reading->model);
    return shw_json_refuse(&reading->root, "the booster \"%s\" is not supported; gbtree and dart are", name);
}

static enum shw_result find_objective(struct reading *reading)
{
    struct shw_json_part objective;
    const char *name;

    SHW_PROPAGATE(shw_json_get_object(&reading->learner, "objective", &objective));
    name = json_string_value(json_object_get(objective.object, "name"));
    reading->objective = name != NULL ? xgboost_objective_find(name) : NULL;
    return reading->objective != NULL
               ? SHW_OK
               : shw_json_refuse(&reading->root, "the objective \"%s\" is not supported", name != NULL ? name : "");
}

/* One number for all outputs or, from version 3.1 on, one each, both as text. */
static enum shw_result read_base(struct reading *reading, const struct shw_json_part *param)
{
    const char *text = json_string_value(json_object_get(param->object, "base_score"));
    json_t *value = json_loads(text != NULL ? text : "", JSON_DECODE_ANY, NULL);
    bool several = json_is_array(value);
    enum shw_result result = SHW_OK;

    if (several && json_array_size(value) != 1 && json_array_size(value) != reading->output_count)
        result = shw_json_refuse(&reading->root, "there are %zu numbers in \"base_score\" instead of %u",
                                 json_array_size(value), reading->output_count);
    for (uint32_t o = 0; o < reading->output_count && result == SHW_OK; o++) {
        const json_t *one = several ? json_array_get(value, json_array_size(value) > 1 ? o : 0) : value;
        reading->base[o] = reading->objective->to_margin(shw_json_float(one));
        if (!isfinite(reading->base[o]))
            result = shw_json_refuse(&reading->root, "\"base_score\" is %.40s, which is not a score for %s",
                                     text != NULL ? text : "missing", reading->objective->name);
    }
    json_decref(value);
    return result;
}

/* Classes and targets are outputs, and there are either several classes or several targets. */
static enum shw_result read_sizes(struct reading *reading)
{
    int64_t attributes = 0, classes = 0, targets = 1;
    struct shw_json_part param;

    SHW_PROPAGATE(shw_json_get_object(&reading->learner, "learner_model_param", &param));
    SHW_PROPAGATE(shw_json_get_whole(&param, "num_feature", 1, SHW_RECORD_ATTRIBUTES_MAX, &attributes));
    SHW_PROPAGATE(shw_json_get_whole(&param, "num_class", 0, SHW_RECORD_OUTPUTS_MAX, &classes));
    SHW_PROPAGATE(shw_json_get_whole(&param, "num_target", 0, SHW_RECORD_OUTPUTS_MAX, &targets));
    if (attributes == 0)
        return shw_json_refuse(&reading->root, "there is no \"num_feature\"");
    if (classes > 1 && targets > 1)
        return shw_json_refuse(&reading->root, "%lld classes of %lld targets are not supported", (long long)classes,
                               (long long)targets);
    if (reading->objective->per_class && classes < 2)
        return shw_json_refuse(&reading->root, "%s with %lld classes", reading->objective->name, (long long)classes);
    reading->attribute_count = (uint32_t)attributes;
    reading->output_count = (uint32_t)(classes > 1 ? classes : targets > 1 ? targets : 1);
    reading->base = calloc(reading->output_count, sizeof *reading->base);
    if (reading->base == NULL)
        return shw_fail_memory(reading->import->log, reading->import->name);
    return read_base(reading, &param);
}

static enum shw_result find_trees(struct reading *reading)
{
    struct shw_json_part first = reading->model, param;
    int64_t size = 1;
    size_t count;

    SHW_PROPAGATE(shw_json_get_array(&reading->model, "trees", &reading->trees));
    count = json_array_size(reading->trees);
    if (count < 1 || count > SHW_RECORD_TREES_MAX)
        return shw_json_refuse(&reading->root, "it has %zu trees; 1 to %u are supported", count, SHW_RECORD_TREES_MAX);
    SHW_PROPAGATE(shw_json_get_array_of(&reading->model, "tree_info", count, &reading->outputs));
    if (reading->weight_drop != NULL && json_array_size(reading->weight_drop) != count)
        return shw_json_refuse(&reading->root, "\"weight_drop\" has %zu elements for %zu trees",
                               json_array_size(reading->weight_drop), count);
    first.object = json_array_get(reading->trees, 0);
    first.what = "tree 0";
    SHW_PROPAGATE(shw_json_get_object(&first, "tree_param", &param));
    SHW_PROPAGATE(shw_json_get_whole(&param, "size_leaf_vector", 0, SHW_RECORD_OUTPUTS_MAX, &size));
    reading->values_per_leaf = size > 1 ? (uint32_t)size : 1;
    if (size > 1 && size != reading->output_count)
        return shw_json_refuse(&reading->root, "leaves have %lld values for %u outputs", (long long)size,
                               reading->output_count);
    return SHW_OK;
}

static enum shw_result add_tree(const struct reading *reading, size_t t, struct shw_record_builder *builder)
{
    struct xgboost_tree tree = {.attribute_count = reading->attribute_count,
                                .values_per_leaf = reading->values_per_leaf,
                                .number = (uint32_t)t,
                                .weight = 1};
    struct shw_json_part part = reading->root;
    char what[32];
    int64_t output = 0;

    snprintf(what, sizeof what, "tree %zu", t);
    part.what = what;
    part.object = json_array_get(reading->trees, t);
    if (!json_is_object(part.object))
        return shw_json_refuse(&part, "it is not an object");
    if (reading->values_per_leaf == 1)
        SHW_PROPAGATE(shw_json_get_element(&reading->root, "tree_info", reading->outputs, t, 0,
                                           (int64_t)reading->output_count - 1, &output));
    tree.output = (uint32_t)output;
    if (reading->weight_drop != NULL)
        tree.weight = shw_json_float(json_array_get(reading->weight_drop, t));
    return xgboost_tree_add(&part, &tree, builder);
}

/* All trees are read. XGBoost itself can stop at the best iteration. */
static enum shw_result tell_best(const struct reading *reading)
{
    const json_t *attributes = json_object_get(reading->learner.object, "attributes");
    const char *best = json_string_value(json_object_get(attributes, "best_iteration"));
    size_t groups = reading->values_per_leaf > 1 ? 1 : reading->output_count, rounds;
    struct shw_json_part param;
    int64_t parallel = 1;

    SHW_PROPAGATE(shw_json_get_object(&reading->model, "gbtree_model_param", &param));
    SHW_PROPAGATE(shw_json_get_whole(&param, "num_parallel_tree", 0, SHW_RECORD_TREES_MAX, &parallel));
    rounds = json_array_size(reading->trees) / (groups * (parallel > 1 ? (size_t)parallel : 1));
    if (best != NULL && strtoull(best, NULL, 10) + 1 < rounds)
        shw_log_message(
            reading->import->log, SHW_LOG_WARNING, SHW_LOG_FILE_READ,
            "%s: the trees of all %zu iterations are read, also those after the best one (best_iteration is %.20s)",
            reading->import->name, rounds, best);
    return SHW_OK;
}

/* Keeps version, objective and attributes, as far as the file has them. */
static void keep(const struct reading *reading)
{
    json_t *training = reading->import->training;

    json_object_set(training, "version", json_object_get(reading->root.object, "version"));
    json_object_set_new(training, "objective", json_string(reading->objective->name));
    if (json_object_size(json_object_get(reading->learner.object, "attributes")) > 0)
        json_object_set(training, "attributes", json_object_get(reading->learner.object, "attributes"));
}

static enum shw_result finish(const struct reading *reading, const struct shw_record_builder *builder,
                              struct shw_record_forest **forest)
{
    const struct xgboost_objective *objective = reading->objective;
    bool classes = objective->task == SHW_RECORD_CLASSES && (objective->per_class || reading->output_count == 1);
    struct shw_record_builder_params params = {.info = {.task = classes ? SHW_RECORD_CLASSES : SHW_RECORD_VALUES,
                                                        .link = objective->link,
                                                        .attribute_count = reading->attribute_count,
                                                        .output_count = reading->output_count,
                                                        .class_count = !classes               ? 0
                                                                       : objective->per_class ? reading->output_count
                                                                                              : 2,
                                                        .attribute_names = reading->names},
                                               .base = reading->base};
    char *training;
    enum shw_result result;

    keep(reading);
    training = json_dumps(reading->import->training, JSON_COMPACT);
    if (training == NULL)
        return shw_fail_memory(reading->import->log, reading->import->name);
    params.info.training = training;
    result = shw_record_builder_finish(builder, &params, forest);
    free(training);
    return result;
}

static enum shw_result build(struct reading *reading, struct shw_record_forest **forest)
{
    const struct shw_record_import *import = reading->import;
    struct shw_record_builder *builder = NULL;
    enum shw_result result;

    SHW_PROPAGATE(shw_record_builder_create(import->name, reading->values_per_leaf, import->log, &builder));
    result = SHW_OK;
    for (size_t t = 0; t < json_array_size(reading->trees) && result == SHW_OK; t++)
        result = add_tree(reading, t, builder);
    if (result == SHW_OK)
        result = finish(reading, builder, forest);
    shw_record_builder_destroy(&builder);
    return result;
}

static enum shw_result read_root(struct reading *reading, struct shw_record_forest **forest)
{
    SHW_PROPAGATE(shw_json_get_object(&reading->root, "learner", &reading->learner));
    SHW_PROPAGATE(find_model(reading));
    SHW_PROPAGATE(find_objective(reading));
    SHW_PROPAGATE(read_sizes(reading));
    SHW_PROPAGATE(find_trees(reading));
    if (json_array_size(json_object_get(reading->learner.object, "feature_names")) > 0)
        SHW_PROPAGATE(
            shw_json_get_names(&reading->learner, "feature_names", reading->attribute_count, &reading->names));
    SHW_PROPAGATE(tell_best(reading));
    return build(reading, forest);
}

enum shw_result shw_xgboost_read(const struct shw_record_import *import, struct shw_record_forest **forest)
{
    struct reading reading = {.import = import};
    json_t *root = NULL;
    enum shw_result result;

    SHW_PROPAGATE(shw_json_check_packing(import->bytes, import->size, import->packed, import->name, import->log));
    SHW_PROPAGATE(shw_json_model_parse(import->bytes, import->size, import->name, import->log, &root));
    reading.root = (struct shw_json_part){.file = import->name, .object = root, .log = import->log};
    result = read_root(&reading, forest);
    free(reading.base);
    free((void *)(uintptr_t)reading.names);
    json_decref(root);
    return result;
}
