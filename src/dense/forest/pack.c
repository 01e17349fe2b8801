#include "dense/forest/forest.h"

#include <string.h>

#include "base/log.h"

static void pack_node(uint32_t *words, const struct shw_node *node)
{
    words[0] = node->left;
    words[1] = node->feature.words[0] | (uint32_t)node->is_split << SHW_NODE_SPLIT_SHIFT;
    words[2] = node->is_split ? (uint32_t)node->t0 : node->leaf;
    words[3] = (uint32_t)node->t1;
    memcpy(words + 4, node->feature.words + 1, 4 * sizeof *words);
}

static enum shw_result pack_tree(struct shw_forest *forest, uint32_t t, const struct shw_tree *tree,
                                 const struct shw_forest_source *source)
{
    uint32_t *words = forest->texels + (size_t)4 * forest->trees[t].first;
    size_t leaf_words = (size_t)4 * SHW_DISTRIBUTION_TEXELS(forest->info.class_count);
    uint32_t *leaf =
        forest->texels + (size_t)4 * forest->layout.distributions + leaf_words * forest->trees[t].first_leaf;

    for (uint32_t n = 0; n < tree->node_count; n++) {
        const struct shw_node *node = &tree->nodes[n];
        if ((node->feature.words[0] >> SHW_NODE_SPLIT_SHIFT & 1) != 0)
            return shw_fail(source->log, SHW_ERROR_FORMAT, SHW_LOG_FOREST_FEATURE,
                            "%s: tree %u, node %u: bit %u of a feature is set", source->name, t, n,
                            SHW_NODE_SPLIT_SHIFT);
        if (node->is_split ? node->leaf != 0 : node->t0 != 0)
            return shw_fail(source->log, SHW_ERROR_FORMAT, SHW_LOG_FOREST_STRUCTURE,
                            "%s: tree %u, node %u: a %s is not zero", source->name, t, n,
                            node->is_split ? "split's leaf number" : "leaf's threshold");
        pack_node(words + (size_t)4 * SHW_NODE_TEXELS * n, node);
    }
    for (uint32_t l = 0; l < forest->trees[t].leaf_count; l++)
        memcpy(leaf + leaf_words * l, tree->distributions + (size_t)l * forest->info.class_count,
               sizeof(uint16_t) * forest->info.class_count);
    return SHW_OK;
}

enum shw_result shw_forest_pack(struct shw_forest *forest, const struct shw_tree *trees,
                                const struct shw_forest_source *source)
{
    uint32_t *words = forest->texels;

    words[0] = forest->info.tree_count;
    words[1] = forest->info.class_count;
    words[2] = forest->layout.distributions;
    words[3] = forest->layout.leaf_count;
    for (uint32_t t = 0; t < forest->info.tree_count; t++) {
        SHW_PROPAGATE(pack_tree(forest, t, &trees[t], source));
        words = forest->texels + (size_t)4 * (1 + t);
        words[0] = forest->trees[t].first;
        words[1] = forest->trees[t].node_count;
        words[3] = forest->trees[t].first_leaf;
    }
    return SHW_OK;
}
