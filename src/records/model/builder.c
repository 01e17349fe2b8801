/* Building a record forest from trees in any order, and shares of classes. */
#include "records/model/builder.h"

#include <math.h>
#include <shadewood/record_forest.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/integers.h"
#include "base/log.h"
#include "records/model/record_forest.h"
#include "shared/record.h"

struct remainder {
    double size;
    uint32_t class_number;
};

/* The largest first, of equal ones the lowest class. */
static int compare(const void *a, const void *b)
{
    const struct remainder *one = a, *other = b;

    if (one->size != other->size)
        return one->size > other->size ? -1 : 1;
    return one->class_number < other->class_number ? -1 : 1;
}

/* The quotient in whole units, and what remains of it in units of the sum. */
static int32_t divide(double value, double sum, double *remainder)
{
    double quotient = floor(value / sum);

    *remainder = fma(-quotient, sum, value);
    if (*remainder < 0) { /* the division was rounded up to a whole number */
        *remainder += sum;
        quotient -= 1;
    }
    return (int32_t)quotient;
}

bool shw_record_shares(const double *values, uint32_t count, int32_t *shares)
{
    struct remainder remainders[SHW_RECORD_OUTPUTS_MAX];
    double sum = 0;
    uint32_t left = 1u << SHW_RECORD_SHARE_BITS;
    int exponent;

    for (uint32_t c = 0; c < count; c++) {
        if (!(values[c] >= 0))
            return false;
        sum += values[c];
    }
    if (!(sum > 0 && isfinite(sum)))
        return false;
    sum = frexp(sum, &exponent);
    for (uint32_t c = 0; c < count; c++) {
        remainders[c].class_number = c;
        shares[c] = divide(ldexp(values[c], SHW_RECORD_SHARE_BITS - exponent), sum, &remainders[c].size);
        left -= (uint32_t)shares[c]; /* the rounding of the sum is too small to make the shares sum to more */
    }
    if (left > 0)
        qsort(remainders, count, sizeof *remainders, compare);
    for (uint32_t i = 0; i < left; i++)
        shares[remainders[i].class_number]++;
    return true;
}

#define VALUES_MAX UINT32_MAX /* that SHW_RESERVE counts */

struct shw_record_builder {
    struct shw_model_source source;
    uint32_t values_per_leaf;

    struct shw_record_tree *trees;
    struct shw_record_node *nodes;
    double *values; /* of leaves in the order of nodes */
    uint32_t *sets;
    double *limits; /* of nodes; NaN where none is known */
    bool has_limits;
    uint32_t tree_count, node_count, leaf_count, set_word_count;
    uint32_t tree_capacity, node_capacity, value_capacity, set_capacity, limit_capacity;
};

enum shw_result shw_record_builder_create(const char *name, uint32_t values_per_leaf, const struct shw_log *log,
                                          struct shw_record_builder **out)
{
    const struct shw_model_source source = shw_model_source(&shw_record_forest_model, name, log);
    struct shw_record_builder *builder;

    if (values_per_leaf < 1)
        return SHW_BAD_MODEL(&source, "%s", "its leaves have no values");
    if (values_per_leaf > SHW_RECORD_OUTPUTS_MAX)
        return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_RECORD_FOREST, "%s: %u values per leaf; at most %u are supported",
                        name, values_per_leaf, SHW_RECORD_OUTPUTS_MAX);
    builder = calloc(1, sizeof *builder);
    if (builder == NULL)
        return shw_fail_memory(log, name);
    builder->source = source;
    builder->values_per_leaf = values_per_leaf;
    *out = builder;
    return SHW_OK;
}

void shw_record_builder_destroy(struct shw_record_builder **handle)
{
    struct shw_record_builder *builder = handle != NULL ? *handle : NULL;

    if (builder == NULL)
        return;
    free(builder->trees);
    free(builder->nodes);
    free(builder->values);
    free(builder->sets);
    free(builder->limits);
    free(builder);
    *handle = NULL;
}

/* The tree that is being added. */
struct ordering {
    const struct shw_record_builder_node *nodes;
    uint32_t node_count;
    uint32_t *order; /* [place] index in `nodes` */
    bool *placed;    /* [index in `nodes`] */
    uint32_t count;  /* places */
};

#define BAD_NODE(builder, n, format, ...)                                                                              \
    SHW_BAD_MODEL(&(builder)->source, "tree %u, node %u: " format, (builder)->tree_count, n, __VA_ARGS__)

static enum shw_result place_child(const struct shw_record_builder *builder, struct ordering *ordering, uint32_t parent,
                                   uint32_t child)
{
    if (child >= ordering->node_count)
        return BAD_NODE(builder, parent, "its child is node %u of %u", child, ordering->node_count);
    if (ordering->placed[child])
        return BAD_NODE(builder, parent, "its child, node %u, %s", child,
                        child == 0 ? "is the root" : "is already the child of a node");
    ordering->placed[child] = true;
    ordering->order[ordering->count++] = child;
    return SHW_OK;
}

/* Procedure 1: nodes in the order in which a queue, that begins with the root, is left. */
static enum shw_result order_nodes(const struct shw_record_builder *builder, struct ordering *ordering)
{
    ordering->order[0] = 0;
    ordering->placed[0] = true;
    ordering->count = 1;
    for (uint32_t at = 0; at < ordering->count; at++) {
        uint32_t n = ordering->order[at];
        const struct shw_record_builder_node *node = &ordering->nodes[n];
        if (!node->is_split)
            continue;
        SHW_PROPAGATE(place_child(builder, ordering, n, node->left));
        SHW_PROPAGATE(place_child(builder, ordering, n, node->right));
    }
    return SHW_OK;
}

static enum shw_result check_leaves(const struct shw_record_builder *builder, const struct ordering *ordering)
{
    for (uint32_t at = 0; at < ordering->count; at++) {
        uint32_t n = ordering->order[at];
        const struct shw_record_builder_node *node = &ordering->nodes[n];
        for (uint32_t v = 0; !node->is_split && v < builder->values_per_leaf; v++)
            if (!isfinite(node->values[v]))
                return BAD_NODE(builder, n, "a leaf value is %g", node->values[v]);
    }
    return SHW_OK;
}

static uint32_t words_of(const uint32_t *set)
{
    return SHW_RECORD_SET_MEMBERS + set[1];
}

static enum shw_result reserve_sets(struct shw_record_builder *builder, const struct ordering *ordering)
{
    uint64_t words = builder->set_word_count;

    for (uint32_t at = 0; at < ordering->count; at++) {
        const struct shw_record_builder_node *node = &ordering->nodes[ordering->order[at]];
        words += node->is_split && node->set != NULL ? words_of(node->set) : 0;
    }
    if (words > SHW_RECORD_SET_WORDS_MAX)
        return shw_fail(builder->source.log, SHW_ERROR_LIMIT, SHW_LOG_RECORD_FOREST,
                        "%s: sets of categories that take more than %u words of 32 bits", builder->source.name,
                        SHW_RECORD_SET_WORDS_MAX);
    return words == 0 || SHW_RESERVE(builder->sets, builder->set_capacity, (size_t)words)
               ? SHW_OK
               : shw_fail_memory(builder->source.log, builder->source.name);
}

static enum shw_result reserve(struct shw_record_builder *builder, uint32_t node_count, uint32_t leaf_count)
{
    uint64_t nodes = (uint64_t)builder->node_count + node_count;
    uint64_t values = ((uint64_t)builder->leaf_count + leaf_count) * builder->values_per_leaf;

    if (builder->tree_count >= SHW_RECORD_TREES_MAX || nodes > SHW_RECORD_NODES_MAX || values > VALUES_MAX)
        return shw_fail(builder->source.log, SHW_ERROR_LIMIT, SHW_LOG_RECORD_FOREST,
                        "%s: more than %u trees, %u nodes or %u leaf values", builder->source.name,
                        SHW_RECORD_TREES_MAX, SHW_RECORD_NODES_MAX, VALUES_MAX);
    if (!SHW_RESERVE(builder->trees, builder->tree_capacity, builder->tree_count + 1) ||
        !SHW_RESERVE(builder->nodes, builder->node_capacity, (size_t)nodes) ||
        !SHW_RESERVE(builder->limits, builder->limit_capacity, (size_t)nodes) ||
        !SHW_RESERVE(builder->values, builder->value_capacity, (size_t)values))
        return shw_fail_memory(builder->source.log, builder->source.name);
    return SHW_OK;
}

static void add_node(struct shw_record_builder *builder, const struct shw_record_builder_node *node, uint32_t place,
                     uint32_t splits)
{
    struct shw_record_node *own = &builder->nodes[builder->node_count];

    builder->limits[builder->node_count++] = node->is_split && node->has_limit ? node->limit : NAN;
    builder->has_limits |= node->is_split && node->has_limit;
    *own = (struct shw_record_node){.is_split = node->is_split, .source = node->source};
    if (node->is_split) {
        own->missing_right = node->missing_right;
        own->zero_missing = node->zero_missing;
        own->left = 1 + 2 * splits;
        own->attribute = node->attribute;
        own->threshold = node->threshold;
        own->is_set = node->set != NULL;
        if (own->is_set) {
            own->threshold = (int32_t)builder->set_word_count;
            memcpy(builder->sets + builder->set_word_count, node->set, words_of(node->set) * sizeof *node->set);
            builder->set_word_count += words_of(node->set);
        }
        return;
    }
    own->left = place;
    own->leaf = place - splits;
    memcpy(builder->values + (size_t)builder->leaf_count++ * builder->values_per_leaf, node->values,
           builder->values_per_leaf * sizeof *node->values);
}

static enum shw_result add_tree(struct shw_record_builder *builder, const struct ordering *ordering, uint32_t output)
{
    uint32_t splits = 0;

    SHW_PROPAGATE(check_leaves(builder, ordering));
    SHW_PROPAGATE(reserve(builder, ordering->count, ordering->count / 2 + 1));
    SHW_PROPAGATE(reserve_sets(builder, ordering));
    builder->trees[builder->tree_count++] =
        (struct shw_record_tree){.first_node = builder->node_count, .node_count = ordering->count, .output = output};
    for (uint32_t at = 0; at < ordering->count; at++) {
        const struct shw_record_builder_node *node = &ordering->nodes[ordering->order[at]];
        add_node(builder, node, at, splits);
        splits += node->is_split;
    }
    return SHW_OK;
}

enum shw_result shw_record_builder_add(struct shw_record_builder *builder, const struct shw_record_builder_node *nodes,
                                       uint32_t node_count, uint32_t output)
{
    struct ordering ordering = {.nodes = nodes, .node_count = node_count};
    enum shw_result result;

    if (node_count < 1)
        return SHW_BAD_MODEL(&builder->source, "tree %u has no nodes", builder->tree_count);
    ordering.order = malloc(node_count * sizeof *ordering.order);
    ordering.placed = calloc(node_count, sizeof *ordering.placed);
    if (ordering.order == NULL || ordering.placed == NULL)
        result = shw_fail_memory(builder->source.log, builder->source.name);
    else
        result = order_nodes(builder, &ordering);
    if (result == SHW_OK)
        result = add_tree(builder, &ordering, output);
    free(ordering.order);
    free(ordering.placed);
    return result;
}

/* The greatest number of fraction bits, up to 127, with which `magnitude` rounds to at most `most`. */
static int32_t bits_that_fit(double magnitude, double most)
{
    int32_t bits = 127;

    while (bits > -127 && rint(ldexp(magnitude, bits)) > most)
        bits--;
    return bits;
}

static int32_t choose_fraction_bits(const double *values, size_t count, const struct shw_record_builder_params *params)
{
    double magnitude = 0, large = fabs(params->cut);
    int32_t bits;

    for (size_t v = 0; v < count; v++)
        magnitude = fmax(magnitude, fabs(values[v]));
    for (uint32_t o = 0; params->base != NULL && o < params->info.output_count; o++)
        large = fmax(large, fabs(params->base[o]));
    bits = magnitude > 0 || large > 0 ? bits_that_fit(magnitude, INT32_MAX) : 0;
    return shw_min_i32(bits, bits_that_fit(large, 0x1p61));
}

static enum shw_result check_finite(const struct shw_record_builder *builder,
                                    const struct shw_record_builder_params *params)
{
    for (uint32_t o = 0; params->base != NULL && o < params->info.output_count; o++)
        if (!isfinite(params->base[o]))
            return SHW_BAD_MODEL(&builder->source, "the base of output %u is %g", o, params->base[o]);
    if (!isfinite(params->cut))
        return SHW_BAD_MODEL(&builder->source, "the cut is %g", params->cut);
    return SHW_OK;
}

static enum shw_result scale_values(const struct shw_record_builder *builder, size_t count, int32_t fraction_bits,
                                    int32_t *scaled)
{
    for (size_t v = 0; v < count; v++) {
        double value = rint(ldexp(builder->values[v], fraction_bits));
        if (fabs(value) > INT32_MAX)
            return SHW_BAD_MODEL(&builder->source, "a leaf value of %g is too large", builder->values[v]);
        scaled[v] = (int32_t)value;
    }
    return SHW_OK;
}

static enum shw_result scale_shares(const struct shw_record_builder *builder, int32_t *scaled)
{
    for (uint32_t l = 0; l < builder->leaf_count; l++) {
        size_t first = (size_t)l * builder->values_per_leaf;
        if (!shw_record_shares(builder->values + first, builder->values_per_leaf, scaled + first))
            return SHW_BAD_MODEL(&builder->source,
                                 "leaf %u of all trees has no shares of classes: a value is negative, or their "
                                 "sum is 0",
                                 l);
    }
    return SHW_OK;
}

/* In the units of the leaf values. A sum is greater than the cut if, as an integer, it is greater than its floor. */
static enum shw_result scale_base(const struct shw_record_builder *builder,
                                  const struct shw_record_builder_params *params, struct shw_record_forest_info *info,
                                  int64_t *base)
{
    double cut = floor(ldexp(params->cut, info->fraction_bits));

    for (uint32_t o = 0; o < info->output_count; o++) {
        double value = params->base != NULL ? rint(ldexp(params->base[o], info->fraction_bits)) : 0;
        if (!(fabs(value) < 0x1p62))
            return SHW_BAD_MODEL(&builder->source, "the base of output %u, %g, is too large", o, params->base[o]);
        base[o] = (int64_t)value;
    }
    if (!(fabs(cut) < 0x1p62))
        return SHW_BAD_MODEL(&builder->source, "the cut, %g, is too large", params->cut);
    info->base = base;
    info->cut = (int64_t)cut;
    return SHW_OK;
}

/* False if memory is exhausted. */
static bool keep_limits(const struct shw_record_builder *builder, struct shw_record_forest *forest)
{
    forest->limits = malloc(builder->node_count * sizeof *forest->limits);
    if (forest->limits != NULL)
        memcpy(forest->limits, builder->limits, builder->node_count * sizeof *forest->limits);
    return forest->limits != NULL;
}

static enum shw_result make(const struct shw_record_builder *builder, const struct shw_record_builder_params *params,
                            struct shw_record_forest_info *info, int64_t *base, int32_t *scaled,
                            struct shw_record_forest **forest)
{
    size_t count = (size_t)info->leaf_count * info->values_per_leaf;

    if (params->scale == SHW_RECORD_SCALE_SHARES) {
        info->fraction_bits = SHW_RECORD_SHARE_BITS;
        SHW_PROPAGATE(scale_shares(builder, scaled));
    } else {
        if (params->scale == SHW_RECORD_SCALE_VALUES)
            info->fraction_bits = choose_fraction_bits(builder->values, count, params);
        SHW_PROPAGATE(scale_values(builder, count, info->fraction_bits, scaled));
    }
    SHW_PROPAGATE(scale_base(builder, params, info, base));
    info->leaf_values = scaled;
    SHW_PROPAGATE(shw_record_forest_make(info, builder->source.name, builder->source.log, forest));
    if (!builder->has_limits)
        return SHW_OK;
    (*forest)->compares_doubles = params->compares_doubles;
    if (keep_limits(builder, *forest))
        return SHW_OK;
    shw_record_forest_destroy(forest);
    return shw_fail_memory(builder->source.log, builder->source.name);
}

uint32_t shw_record_builder_count_nodes(const struct shw_record_builder *builder)
{
    return builder->node_count;
}

enum shw_result shw_record_builder_finish(const struct shw_record_builder *builder,
                                          const struct shw_record_builder_params *params,
                                          struct shw_record_forest **forest)
{
    struct shw_record_forest_info info = params->info;
    size_t count = (size_t)builder->leaf_count * builder->values_per_leaf;
    int32_t *scaled = malloc(count * sizeof *scaled + 1);
    int64_t *base = calloc((size_t)info.output_count + 1, sizeof *base);
    const char **distinct = NULL;
    enum shw_result result;

    info.trees = builder->trees;
    info.nodes = builder->nodes;
    info.tree_count = builder->tree_count;
    info.node_count = builder->node_count;
    info.leaf_count = builder->leaf_count;
    info.values_per_leaf = builder->values_per_leaf;
    info.set_word_count = builder->set_word_count;
    info.sets = builder->sets;
    if (scaled == NULL || base == NULL)
        result = shw_fail_memory(builder->source.log, builder->source.name);
    else
        result = check_finite(builder, params);
    if (result == SHW_OK && info.class_names != NULL)
        result = shw_record_names_make_distinct(info.class_names, info.class_count, &builder->source, &distinct);
    if (distinct != NULL)
        info.class_names = distinct;
    if (result == SHW_OK)
        result = make(builder, params, &info, base, scaled, forest);
    free(scaled);
    free(base);
    free(distinct);
    return result;
}
