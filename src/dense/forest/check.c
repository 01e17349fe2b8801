#include "dense/forest/forest.h"

#include <stdlib.h>

#include "base/log.h"
#include "dense/feature/feature_code.h"

#define SUM_MAX ((1u << 30) - 1)

struct walk {
    const struct shw_forest_source *source;
    const struct shw_channel_list *channels;
    const struct shw_feature_type *type;
    uint32_t tree;
    uint32_t splits;    /* before the current node */
    uint32_t leaves;    /* leaf numbers of nodes before the current one */
    uint32_t depth;     /* of the current node */
    uint32_t level_end; /* the first node of the next level */
    uint32_t reach;
};

#define BAD_NODE(walk, n, item, format, ...)                                                                           \
    shw_fail((walk)->source->log, SHW_ERROR_FORMAT, item, "%s: tree %u, node %u: " format, (walk)->source->name,       \
             (walk)->tree, n, __VA_ARGS__)

/* The feature's regions, which `explain` reads one by one. */
static enum shw_result check_regions(struct walk *walk, uint32_t n, const struct shw_feature *feature)
{
    struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX];
    uint32_t count = walk->type->get_regions(feature, regions);
    char why[SHW_WHY_SIZE] = "";

    if (count > SHW_FEATURE_REGIONS_MAX)
        return BAD_NODE(walk, n, SHW_LOG_FOREST_FEATURE, "%s gives it %u regions; at most %u are supported",
                        walk->type->name, count, SHW_FEATURE_REGIONS_MAX);
    for (uint32_t i = 0; i < count; i++)
        if (regions[i].channel >= walk->channels->channel_count ||
            !walk->type->check(&regions[i].alone, walk->channels, why))
            return BAD_NODE(walk, n, SHW_LOG_FOREST_FEATURE, "%s gives it an impossible region %u", walk->type->name,
                            i);
    return SHW_OK;
}

static enum shw_result check_reach(struct walk *walk, uint32_t n, const struct shw_feature *feature)
{
    struct shw_reach reach = walk->type->get_reach(feature);
    const int64_t ends[] = {-(int64_t)reach.x0, -(int64_t)reach.y0, reach.x1, reach.y1};

    for (int i = 0; i < 4; i++) {
        uint32_t end = (uint32_t)ends[i] - (i >= 2 && ends[i] > 0);
        if (ends[i] < 0 || ends[i] > SHW_REACH_ALL)
            return BAD_NODE(walk, n, SHW_LOG_FOREST_FEATURE,
                            "%s gives it a reach of (%d, %d) to (%d, %d), which is not around the pixel or exceeds %d",
                            walk->type->name, reach.x0, reach.y0, reach.x1, reach.y1, SHW_REACH_ALL);
        if (end > walk->reach)
            walk->reach = end < SHW_REACH_ALL - 1 ? end : SHW_REACH_ALL;
    }
    return SHW_OK;
}

static enum shw_result check_feature(struct walk *walk, uint32_t n, const uint32_t *words)
{
    struct shw_feature feature = shw_feature_of_node(words);
    char why[SHW_WHY_SIZE] = "";
    uint64_t bound;

    if (!walk->type->check(&feature, walk->channels, why))
        return BAD_NODE(walk, n, SHW_LOG_FOREST_FEATURE, "%s", why);
    bound = walk->type->get_bound(&feature, walk->channels);
    if (bound > SUM_MAX)
        return BAD_NODE(walk, n, SHW_LOG_FOREST_SUM_RANGE,
                        "a sum could reach %llu, which is more than %u: its region must be smaller",
                        (unsigned long long)bound, SUM_MAX);
    SHW_PROPAGATE(check_regions(walk, n, &feature));
    return check_reach(walk, n, &feature);
}

static enum shw_result check_split(struct walk *walk, uint32_t n, uint32_t node_count, const uint32_t *words)
{
    uint32_t left = 1 + 2 * walk->splits;

    if (words[0] <= n)
        return BAD_NODE(walk, n, SHW_LOG_FOREST_STRUCTURE, "child %u does not come after its parent", words[0]);
    if (words[0] != left || left + 1 >= node_count)
        return BAD_NODE(walk, n, SHW_LOG_FOREST_STRUCTURE,
                        "child %u: breadth-first order requires %u, and both children below %u", words[0], left,
                        node_count);
    if ((int32_t)words[2] >= (int32_t)words[3])
        return BAD_NODE(walk, n, SHW_LOG_FOREST_FEATURE, "there is no value between the thresholds %d and %d",
                        (int32_t)words[2], (int32_t)words[3]);
    SHW_PROPAGATE(check_feature(walk, n, words));
    walk->splits++;
    return SHW_OK;
}

/* Numbers are given out in node order, so that equal trees have equal bytes. */
static enum shw_result check_leaf_number(const struct shw_forest *forest, struct walk *walk, uint32_t n,
                                         uint32_t number)
{
    const struct shw_forest_tree *tree = &forest->trees[walk->tree];

    if (number > walk->leaves || number >= tree->leaf_count)
        return BAD_NODE(walk, n, SHW_LOG_FOREST_STRUCTURE,
                        "leaf number %u, but %u of the tree's %u numbers come before it", number, walk->leaves,
                        tree->leaf_count);
    if (number == walk->leaves)
        forest->leaf_nodes[tree->first_leaf + walk->leaves++] = n;
    return SHW_OK;
}

static enum shw_result check_leaf(const struct shw_forest *forest, struct walk *walk, uint32_t n, const uint32_t *words)
{
    if (words[0] != n)
        return BAD_NODE(walk, n, SHW_LOG_FOREST_STRUCTURE, "the child of a leaf is node %u instead of the leaf itself",
                        words[0]);
    if ((words[1] | words[3] | words[4] | words[5] | words[6] | words[7]) != 0)
        return BAD_NODE(walk, n, SHW_LOG_FOREST_STRUCTURE, "%s", "a leaf has a feature or a threshold");
    return check_leaf_number(forest, walk, n, words[2]);
}

static enum shw_result check_tree(const struct shw_forest *forest, struct walk *walk)
{
    const uint32_t node_count = forest->trees[walk->tree].node_count;
    const uint32_t *words = forest->texels + (size_t)4 * forest->trees[walk->tree].first;

    walk->splits = 0;
    walk->leaves = 0;
    walk->depth = 0;
    walk->level_end = 1;
    for (uint32_t n = 0; n < node_count; n++, words += 4 * SHW_NODE_TEXELS) {
        bool is_split = (words[1] >> SHW_NODE_SPLIT_SHIFT & 1u) != 0;

        if (n > 2 * walk->splits)
            return BAD_NODE(walk, n, SHW_LOG_FOREST_STRUCTURE, "%s", "it is not the child of an earlier node");
        if (n == walk->level_end) {
            walk->depth++;
            walk->level_end = 1 + 2 * walk->splits;
        }
        SHW_PROPAGATE(is_split ? check_split(walk, n, node_count, words) : check_leaf(forest, walk, n, words));
    }
    if (walk->depth > SHW_DEPTH_MAX)
        return shw_fail(walk->source->log, SHW_ERROR_LIMIT, SHW_LOG_FOREST_STRUCTURE,
                        "%s: tree %u is %u tests deep; at most %u are supported", walk->source->name, walk->tree,
                        walk->depth, SHW_DEPTH_MAX);
    if (walk->leaves < forest->trees[walk->tree].leaf_count)
        return shw_fail(walk->source->log, SHW_ERROR_FORMAT, SHW_LOG_FOREST_STRUCTURE,
                        "%s: tree %u: no leaf has number %u of its %u", walk->source->name, walk->tree, walk->leaves,
                        forest->trees[walk->tree].leaf_count);
    return SHW_OK;
}

static enum shw_result check_distributions(const struct shw_forest *forest, uint32_t t,
                                           const struct shw_forest_source *source)
{
    const uint32_t classes = forest->info.class_count;

    for (uint32_t l = 0; l < forest->trees[t].leaf_count; l++) {
        const uint16_t *values = shw_forest_get_distribution(forest, t, l);
        uint64_t sum = 0, rest = 0;
        for (uint32_t c = 0; c < SHW_DISTRIBUTION_TEXELS(classes) * SHW_CLASSES_PER_TEXEL; c++)
            *(c < classes ? &sum : &rest) += values[c];
        if (sum != 65535)
            return shw_fail(source->log, SHW_ERROR_FORMAT, SHW_LOG_FOREST_STRUCTURE,
                            "%s: tree %u, leaf %u: the distribution sums to %llu instead of 65535", source->name, t, l,
                            (unsigned long long)sum);
        if (rest != 0)
            return shw_fail(source->log, SHW_ERROR_FORMAT, SHW_LOG_FOREST_STRUCTURE,
                            "%s: tree %u, leaf %u: values after the last class are not zero", source->name, t, l);
    }
    return SHW_OK;
}

/* Gaps between the parts of the texture are zero, so that equal forests have equal bytes. */
static enum shw_result check_gap(const struct shw_forest *forest, uint64_t begin, uint64_t end,
                                 const struct shw_forest_source *source)
{
    for (uint64_t word = 4 * begin; word < 4 * end; word++)
        if (forest->texels[word] != 0)
            return shw_fail(source->log, SHW_ERROR_FORMAT, SHW_LOG_FOREST_STRUCTURE,
                            "%s: texel %llu is unused but not zero", source->name, (unsigned long long)(word / 4));
    return SHW_OK;
}

enum shw_result shw_forest_check(struct shw_forest *forest, const struct shw_forest_source *source)
{
    const struct shw_forest_layout *layout = &forest->layout;
    struct walk walk = {.source = source, .channels = &forest->channels, .type = forest->info.feature};
    uint64_t used = 1 + (uint64_t)forest->info.tree_count;
    enum shw_result result = SHW_OK;

    forest->leaf_nodes = calloc(layout->leaf_count, sizeof *forest->leaf_nodes);
    if (forest->leaf_nodes == NULL)
        return shw_fail_memory(source->log, "the leaves of a forest");
    for (uint32_t t = 0; t < forest->info.tree_count; t++) {
        walk.tree = t;
        SHW_PROPAGATE(check_gap(forest, used, forest->trees[t].first, source));
        SHW_PROPAGATE(check_tree(forest, &walk));
        SHW_PROPAGATE(check_distributions(forest, t, source));
        forest->trees[t].depth = walk.depth;
        used = forest->trees[t].first + (uint64_t)SHW_NODE_TEXELS * forest->trees[t].node_count;
    }
    result = check_gap(forest, used, layout->distributions, source);
    used = layout->distributions + (uint64_t)layout->leaf_count * SHW_DISTRIBUTION_TEXELS(forest->info.class_count);
    if (result == SHW_OK)
        result = check_gap(forest, used, shw_forest_texel_count(layout), source);
    forest->reach = walk.reach;
    return result;
}
