#include "dense/forest/forest.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/integers.h"
#include "dense/feature/feature_code.h"

struct walk {
    struct shw_model_walk order;
    const struct shw_channel_list *channels;
    const struct shw_feature_type *type;
    const struct shw_forest_tree *tree;
    uint32_t leaves; /* leaf numbers of nodes before the current one */
    uint32_t reach;
};

#define BAD_FEATURE(walk, n, item, format, ...)                                                                        \
    shw_fail((walk)->order.source->log, SHW_ERROR_FORMAT, item, "%s: %s, node %u: " format,                            \
             (walk)->order.source->name, (walk)->order.where, n, __VA_ARGS__)

static enum shw_result check_feature(struct walk *walk, uint32_t n, const uint32_t *words)
{
    const struct shw_feature feature = shw_feature_of_node(words);
    enum shw_log_item item;
    char why[SHW_WHY_SIZE] = "";
    uint32_t reach;

    if (!shw_feature_is_valid(walk->type, &feature, walk->channels, &reach, &item, why))
        return BAD_FEATURE(walk, n, item, "%s", why);
    walk->reach = shw_max_u32(walk->reach, reach);
    return SHW_OK;
}

static enum shw_result check_split(struct walk *walk, uint32_t n, const uint32_t *words)
{
    if (words[0] <= n)
        return SHW_BAD_NODE(&walk->order, n, "child %u does not come after its parent", words[0]);
    SHW_PROPAGATE(shw_model_walk_split(&walk->order, n, words[0]));
    if ((int32_t)words[2] >= (int32_t)words[3])
        return BAD_FEATURE(walk, n, SHW_LOG_FOREST_FEATURE, "there is no value between the thresholds %d and %d",
                           (int32_t)words[2], (int32_t)words[3]);
    return check_feature(walk, n, words);
}

/* Leaves are numbered in node order, so that equal trees have equal bytes. */
static enum shw_result check_leaf(const struct shw_forest *forest, struct walk *walk, uint32_t n, const uint32_t *words)
{
    const struct shw_forest_tree *tree = walk->tree;

    SHW_PROPAGATE(shw_model_walk_leaf(&walk->order, n, words[0]));
    if ((words[1] | words[3] | words[4] | words[5] | words[6] | words[7]) != 0)
        return SHW_BAD_NODE(&walk->order, n, "%s", "a leaf has a feature or a threshold");
    if (words[2] > walk->leaves || words[2] >= tree->leaf_count)
        return SHW_BAD_NODE(&walk->order, n, "leaf number %u, but %u of the tree's %u numbers come before it", words[2],
                            walk->leaves, tree->leaf_count);
    if (words[2] == walk->leaves)
        forest->leaf_nodes[tree->first_leaf + walk->leaves++] = n;
    return SHW_OK;
}

static enum shw_result check_tree(const struct shw_forest *forest, struct walk *walk, uint32_t t)
{
    struct shw_model_walk *order = &walk->order;
    const uint32_t *words = forest->texels + (size_t)4 * forest->trees[t].first;

    walk->tree = &forest->trees[t];
    walk->leaves = 0;
    snprintf(order->where, sizeof order->where, "tree %u", t);
    shw_model_walk_begin(order, walk->tree->node_count);
    for (uint32_t n = 0; n < walk->tree->node_count; n++, words += 4 * SHW_NODE_TEXELS) {
        bool is_split = (words[1] >> SHW_NODE_SPLIT_SHIFT & 1u) != 0;

        SHW_PROPAGATE(shw_model_walk_node(order, n));
        SHW_PROPAGATE(is_split ? check_split(walk, n, words) : check_leaf(forest, walk, n, words));
    }
    SHW_PROPAGATE(shw_model_walk_end(order, SHW_DEPTH_MAX));
    if (walk->leaves < walk->tree->leaf_count)
        return SHW_BAD_TREE(order->source, "%s: no leaf has number %u of its %u", order->where, walk->leaves,
                            walk->tree->leaf_count);
    return SHW_OK;
}

static enum shw_result check_distributions(const struct shw_forest *forest, uint32_t t,
                                           const struct shw_model_source *source)
{
    const uint32_t classes = forest->info.class_count;

    for (uint32_t l = 0; l < forest->trees[t].leaf_count; l++) {
        const uint16_t *values = shw_forest_get_distribution(forest, t, l);
        uint64_t sum = 0, rest = 0;
        for (uint32_t c = 0; c < SHW_DISTRIBUTION_TEXELS(classes) * SHW_CLASSES_PER_TEXEL; c++)
            *(c < classes ? &sum : &rest) += values[c];
        if (sum != 65535)
            return SHW_BAD_TREE(source, "tree %u, leaf %u: the distribution sums to %llu instead of 65535", t, l,
                                (unsigned long long)sum);
        if (rest != 0)
            return SHW_BAD_TREE(source, "tree %u, leaf %u: values after the last class are not zero", t, l);
    }
    return SHW_OK;
}

/* Gaps between the parts of the texture are zero, so that equal forests have equal bytes. */
static enum shw_result check_gap(const struct shw_forest *forest, uint64_t begin, uint64_t end,
                                 const struct shw_model_source *source)
{
    for (uint64_t word = 4 * begin; word < 4 * end; word++)
        if (forest->texels[word] != 0)
            return SHW_BAD_TREE(source, "texel %llu is unused but not zero", (unsigned long long)(word / 4));
    return SHW_OK;
}

enum shw_result shw_forest_check(struct shw_forest *forest, const struct shw_model_source *source)
{
    const struct shw_forest_layout *layout = &forest->layout;
    struct walk walk = {.order.source = source, .channels = &forest->channels, .type = forest->info.feature};
    uint64_t used = 1 + (uint64_t)forest->info.tree_count;
    enum shw_result result = SHW_OK;

    forest->leaf_nodes = calloc(layout->leaf_count, sizeof *forest->leaf_nodes);
    if (forest->leaf_nodes == NULL)
        return shw_fail_memory(source->log, "the leaves of a forest");
    for (uint32_t t = 0; t < forest->info.tree_count; t++) {
        SHW_PROPAGATE(check_gap(forest, used, forest->trees[t].first, source));
        SHW_PROPAGATE(check_tree(forest, &walk, t));
        SHW_PROPAGATE(check_distributions(forest, t, source));
        forest->trees[t].depth = walk.order.depth;
        used = forest->trees[t].first + (uint64_t)SHW_NODE_TEXELS * forest->trees[t].node_count;
    }
    result = check_gap(forest, used, layout->distributions, source);
    used = layout->distributions + (uint64_t)layout->leaf_count * SHW_DISTRIBUTION_TEXELS(forest->info.class_count);
    if (result == SHW_OK)
        result = check_gap(forest, used, shw_forest_texel_count(layout), source);
    forest->reach = walk.reach;
    return result;
}
