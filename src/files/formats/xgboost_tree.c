#include "files/formats/xgboost_tree.h"

#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "files/formats/record_branches.h"

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

struct reading {
    const struct shw_json_part *part;
    const struct shw_xgboost_tree *tree;
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

/* Leaves with a value for each output have them in an array beside the nodes: of each node, or, in newer files, of
 * leaves, which have their place among them instead of a right child. */
static enum shw_result find_vectors(struct reading *reading)
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

static enum shw_result read_vector(const struct reading *reading, size_t n, double *values)
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

static enum shw_result read_leaf(struct reading *reading, size_t n)
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

/* Numbers of a category in the set go right; negative ones are of no category. */
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

static enum shw_result read_split(struct reading *reading, size_t n, int64_t left)
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

static enum shw_result make_set(const struct reading *reading, const json_t *categories, size_t first, size_t count,
                                struct set *set)
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
static enum shw_result read_categories(struct reading *reading)
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

static enum shw_result read_nodes(struct reading *reading)
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

static enum shw_result read_tree(struct reading *reading)
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

/* Nodes that were there before the tree was pruned are not reached. */
enum shw_result shw_xgboost_tree_add(const struct shw_json_part *part, const struct shw_xgboost_tree *tree,
                                     struct shw_record_builder *builder)
{
    struct reading reading = {.part = part, .tree = tree};
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
