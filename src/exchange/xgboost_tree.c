#include "exchange/xgboost_tree.h"

#include <math.h>
#include <stdlib.h>

#include "base/log.h"

/* The arrays of a tree; optional ones may be NULL. */
struct arrays {
    const json_t *left, *right, *attribute, *condition, *default_left, *type, *base_weights, *leaf_weights;
    size_t count, leaf_count;
};

struct reading {
    const struct shw_json_part *part;
    const struct shw_xgboost_tree *tree;
    struct arrays arrays;
    struct shw_record_builder_node *nodes;
    double *values; /* values_per_leaf of each leaf */
    size_t used;    /* of them */
};

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

static enum shw_result read_leaf(struct reading *reading, size_t n, struct shw_record_builder_node *node)
{
    double *values = reading->values + reading->used;

    reading->used += reading->tree->values_per_leaf;
    node->values = values;
    if (reading->tree->values_per_leaf > 1)
        return read_vector(reading, n, values);
    *values = shw_json_float(json_array_get(reading->arrays.condition, n)) * reading->tree->weight;
    return SHW_OK;
}

static enum shw_result read_split(const struct reading *reading, size_t n, struct shw_record_builder_node *node)
{
    const struct arrays *arrays = &reading->arrays;
    const struct shw_json_part *part = reading->part;
    float condition = shw_json_float(json_array_get(arrays->condition, n));
    int64_t last = (int64_t)arrays->count - 1, right, attribute, default_left, type = 0;

    SHW_PROPAGATE(shw_json_get_element(part, "right_children", arrays->right, n, 0, last, &right));
    SHW_PROPAGATE(shw_json_get_element(part, "split_indices", arrays->attribute, n, 0,
                                       (int64_t)reading->tree->attribute_count - 1, &attribute));
    SHW_PROPAGATE(shw_json_get_element(part, "default_left", arrays->default_left, n, 0, 1, &default_left));
    if (arrays->type != NULL)
        SHW_PROPAGATE(shw_json_get_element(part, "split_type", arrays->type, n, 0, 1, &type));
    if (type != 0)
        return shw_json_refuse(part, "node %zu: categorical splits are not supported", n);
    if (isnan(condition))
        return shw_json_refuse(part, "element %zu of \"split_conditions\" is not a number", n);
    node->is_split = true;
    node->right = (uint32_t)right;
    node->attribute = (uint32_t)attribute;
    node->missing_right = default_left == 0;
    node->threshold = shw_record_threshold_below(condition);
    return SHW_OK;
}

static enum shw_result read_nodes(struct reading *reading)
{
    const struct arrays *arrays = &reading->arrays;

    for (size_t n = 0; n < arrays->count; n++) {
        struct shw_record_builder_node *node = &reading->nodes[n];
        int64_t left;
        SHW_PROPAGATE(shw_json_get_element(reading->part, "left_children", arrays->left, n, -1,
                                           (int64_t)arrays->count - 1, &left));
        node->source = (uint32_t)n;
        node->left = (uint32_t)left;
        SHW_PROPAGATE(left < 0 ? read_leaf(reading, n, node) : read_split(reading, n, node));
    }
    return SHW_OK;
}

enum shw_result shw_xgboost_tree_add(const struct shw_json_part *part, const struct shw_xgboost_tree *tree,
                                     struct shw_record_builder *builder)
{
    struct reading reading = {.part = part, .tree = tree};
    enum shw_result result;

    SHW_PROPAGATE(find_arrays(part, &reading.arrays));
    SHW_PROPAGATE(find_vectors(&reading));
    reading.nodes = calloc(reading.arrays.count, sizeof *reading.nodes);
    reading.values = calloc(reading.arrays.leaf_count * tree->values_per_leaf + 1, sizeof *reading.values);
    result =
        reading.nodes != NULL && reading.values != NULL ? read_nodes(&reading) : shw_fail_memory(part->log, part->file);
    if (result == SHW_OK)
        result = shw_record_builder_add(builder, reading.nodes, (uint32_t)reading.arrays.count, tree->output);
    free(reading.nodes);
    free(reading.values);
    return result;
}
