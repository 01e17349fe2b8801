#include "bench/record_trees.h"

#include <stdlib.h>
#include <string.h>

#include <shadewood/records.h>

#include "base/log.h"
#include "records/model/builder.h"
#include "shared/random.h"

uint64_t shw_bench_record_splits(const struct shw_bench_record_trees *params)
{
    uint64_t ends = UINT64_C(1) << params->full_levels;

    return ends - 1 + ends * (params->depth - params->full_levels);
}

/* A tree as it grows, root first. The bounds are those of the records that reach a node. */
struct grower {
    const struct shw_bench_record_trees *params;
    uint32_t tree, count; /* nodes */
    struct shw_record_builder_node *nodes;
    double *values; /* [node], of leaves */
    double *low, *high;
};

static double draw(const struct grower *grower, uint32_t node, uint32_t purpose)
{
    return shw_random(grower->tree * 4 + purpose, node, 7) * 0x1p-32;
}

static uint32_t add_leaf(struct grower *grower)
{
    uint32_t n = grower->count++;

    grower->values[n] = 2 * draw(grower, n, 0) - 1;
    grower->nodes[n] = (struct shw_record_builder_node){.source = n, .values = &grower->values[n]};
    return n;
}

static uint32_t grow(struct grower *grower, uint32_t depth);

/* The child to which records between `low` and `high` of the attribute go. */
static uint32_t grow_side(struct grower *grower, uint32_t depth, uint32_t attribute, double low, double high, bool ends)
{
    double low_before = grower->low[attribute], high_before = grower->high[attribute];
    uint32_t child;

    if (ends)
        return add_leaf(grower);
    grower->low[attribute] = low;
    grower->high[attribute] = high;
    child = grow(grower, depth + 1);
    grower->low[attribute] = low_before;
    grower->high[attribute] = high_before;
    return child;
}

/* A node at that depth and all below it. In a chain a leaf gets one of as many equal parts as there are tests left. */
static uint32_t grow(struct grower *grower, uint32_t depth)
{
    uint32_t left = grower->params->depth - depth, n = grower->count, attribute, left_child, right_child;
    bool in_chain = depth >= grower->params->full_levels, ends_left;
    double part, low, high, limit;

    if (left == 0)
        return add_leaf(grower);
    grower->count++;
    attribute = shw_random_below(shw_random(grower->tree * 4 + 1, n, 7), grower->params->attributes);
    ends_left = draw(grower, n, 2) < 0.5;
    part = !in_chain || left == 1 ? 0.5 : 1.0 / left;
    low = grower->low[attribute];
    high = grower->high[attribute];
    limit = low + (high - low) * (ends_left ? part : 1 - part);
    left_child = grow_side(grower, depth, attribute, low, limit, in_chain && ends_left);
    right_child = grow_side(grower, depth, attribute, limit, high, in_chain && !ends_left);
    grower->nodes[n] = (struct shw_record_builder_node){.is_split = true,
                                                        .left = left_child,
                                                        .right = right_child,
                                                        .attribute = attribute,
                                                        .threshold = shw_record_threshold_at_most(limit),
                                                        .source = n};
    return n;
}

static enum shw_result add_trees(struct grower *grower, struct shw_record_builder *builder)
{
    for (uint32_t t = 0; t < grower->params->trees; t++) {
        grower->tree = t;
        grower->count = 0;
        for (uint32_t a = 0; a < grower->params->attributes; a++) {
            grower->low[a] = 0;
            grower->high[a] = 1;
        }
        grow(grower, 0);
        SHW_PROPAGATE(shw_record_builder_add(builder, grower->nodes, grower->count, 0));
    }
    return SHW_OK;
}

enum shw_result shw_bench_record_forest(const struct shw_bench_record_trees *params, const struct shw_log *log,
                                        struct shw_record_forest **forest)
{
    size_t node_count = 2 * (size_t)shw_bench_record_splits(params) + 1;
    const struct shw_record_builder_params finish = {
        .info = {.attribute_count = params->attributes, .output_count = 1, .class_count = 2}};
    struct grower grower = {.params = params,
                            .nodes = malloc(node_count * sizeof *grower.nodes),
                            .values = malloc(node_count * sizeof *grower.values),
                            .low = malloc(params->attributes * sizeof *grower.low),
                            .high = malloc(params->attributes * sizeof *grower.high)};
    struct shw_record_builder *builder = NULL;
    enum shw_result result = SHW_OK;

    if (grower.nodes == NULL || grower.values == NULL || grower.low == NULL || grower.high == NULL)
        result = shw_fail_memory(log, "a generated record forest");
    if (result == SHW_OK)
        result = shw_record_builder_create("generated", 1, log, &builder);
    if (result == SHW_OK)
        result = add_trees(&grower, builder);
    if (result == SHW_OK)
        result = shw_record_builder_finish(builder, &finish, forest);
    shw_record_builder_destroy(&builder);
    free(grower.nodes);
    free(grower.values);
    free(grower.low);
    free(grower.high);
    return result;
}

float *shw_bench_record_values(uint64_t count, uint32_t attributes)
{
    size_t value_count = (size_t)count * attributes;
    float *values = malloc(value_count * sizeof *values);

    for (size_t v = 0; values != NULL && v < value_count; v += 2) {
        struct shw_uint2 bits = shw_random2(5, (uint32_t)v, (uint32_t)(v >> 32));
        values[v] = (float)(bits.x >> 8) * 0x1p-24f;
        if (v + 1 < value_count)
            values[v + 1] = (float)(bits.y >> 8) * 0x1p-24f;
    }
    return values;
}

static enum shw_result find_leaves(const struct shw_record_forest *forest, const float *values, uint64_t count,
                                   const struct shw_log *log, uint32_t *leaves)
{
    const struct shw_record_evaluator_params params = {.forest = forest, .technique = SHW_RECORD_SERIAL, .log = *log};
    const struct shw_records records = {
        .values = values, .count = count, .attribute_count = shw_record_forest_get_info(forest)->attribute_count};
    struct shw_record_evaluator *evaluator = NULL;
    enum shw_result result = shw_record_evaluator_create(&params, &evaluator);

    if (result == SHW_OK)
        result = shw_record_evaluator_run(evaluator, &records, &(struct shw_record_results){.leaves = leaves});
    shw_record_evaluator_destroy(&evaluator);
    return result;
}

struct place {
    uint32_t leaf;
    uint64_t record;
};

static int compare(const void *a, const void *b)
{
    const struct place *one = a, *other = b;

    if (one->leaf != other->leaf)
        return one->leaf < other->leaf ? -1 : 1;
    return (one->record > other->record) - (one->record < other->record);
}

enum shw_result shw_bench_records_sort(const struct shw_record_forest *forest, float *values, uint64_t count,
                                       const struct shw_log *log)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
    size_t size = info->attribute_count * sizeof *values;
    uint32_t *leaves = malloc((size_t)count * info->tree_count * sizeof *leaves);
    struct place *places = malloc((size_t)count * sizeof *places);
    float *sorted = malloc((size_t)count * size);
    enum shw_result result = SHW_OK;

    if (leaves == NULL || places == NULL || sorted == NULL)
        result = shw_fail_memory(log, "ordered records");
    if (result == SHW_OK)
        result = find_leaves(forest, values, count, log, leaves);
    if (result == SHW_OK) {
        for (uint64_t r = 0; r < count; r++)
            places[r] = (struct place){leaves[r * info->tree_count], r};
        qsort(places, count, sizeof *places, compare);
        for (uint64_t r = 0; r < count; r++)
            memcpy(sorted + r * info->attribute_count, values + places[r].record * info->attribute_count, size);
        memcpy(values, sorted, count * size);
    }
    free(leaves);
    free(places);
    free(sorted);
    return result;
}
