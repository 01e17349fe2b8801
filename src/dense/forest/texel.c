/* The forest texture in reverse: from a texel to its meaning. */
#include "dense/forest/forest.h"

/* The tree that contains texel, or leaf, number `index` of the whole forest; trees are in order of both. */
static uint32_t find_tree(const struct shw_forest *forest, uint32_t index, bool by_leaf)
{
    uint32_t low = 0, high = forest->info.tree_count;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        uint32_t first = by_leaf ? forest->trees[middle].first_leaf : forest->trees[middle].first;
        if (first <= index)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static struct shw_texel find_node(const struct shw_forest *forest, uint32_t index)
{
    uint32_t tree = find_tree(forest, index, false), texel = index - forest->trees[tree].first;
    struct shw_texel found = {.kind = texel % SHW_NODE_TEXELS == 0 ? SHW_TEXEL_NODE : SHW_TEXEL_FEATURE,
                              .tree = tree,
                              .node = texel / SHW_NODE_TEXELS};

    if (found.node >= forest->trees[tree].node_count)
        return (struct shw_texel){0};
    found.leaf = shw_forest_get_node(forest, tree, found.node).leaf;
    return found;
}

struct shw_texel shw_forest_get_texel(const struct shw_forest *forest, uint32_t index)
{
    if (forest == NULL)
        return (struct shw_texel){.kind = SHW_TEXEL_HEADER};

    uint32_t texels = SHW_DISTRIBUTION_TEXELS(forest->info.class_count), leaf;
    struct shw_texel texel = {.kind = SHW_TEXEL_DISTRIBUTION};

    if (index == 0)
        return (struct shw_texel){.kind = SHW_TEXEL_HEADER};
    if (index <= forest->info.tree_count)
        return (struct shw_texel){.kind = SHW_TEXEL_TREE, .tree = index - 1};
    if (index < forest->trees[0].first)
        return (struct shw_texel){0};
    if (index < forest->layout.distributions)
        return find_node(forest, index);
    leaf = (index - forest->layout.distributions) / texels;
    if (leaf >= forest->layout.leaf_count)
        return (struct shw_texel){0};
    texel.tree = find_tree(forest, leaf, true);
    texel.leaf = leaf - forest->trees[texel.tree].first_leaf;
    texel.node = forest->leaf_nodes[leaf];
    texel.first_class = (index - forest->layout.distributions) % texels * SHW_CLASSES_PER_TEXEL;
    return texel;
}
