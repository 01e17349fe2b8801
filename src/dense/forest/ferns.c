/* Recognises ferns: trees all of whose nodes of a level have the same test. */
#include "dense/forest/ferns.h"

#include <stdlib.h>
#include <string.h>

#include "dense/forest/forest.h"

#define NODE_WORDS (4u * SHW_NODE_TEXELS)

static bool is_split(const uint32_t *node)
{
    return (node[1] >> SHW_NODE_SPLIT_SHIFT & 1u) != 0;
}

static const uint32_t *nodes_of(const struct shw_forest *forest, uint32_t tree)
{
    return forest->texels + (size_t)4 * forest->trees[tree].first;
}

/* The least tree that is more than a single test has two levels. */
static bool may_be_ferns(const struct shw_forest *forest)
{
    uint64_t entries = 0, most = 0;
    bool deep = false;

    for (uint32_t t = 0; t < forest->info.tree_count; t++) {
        const struct shw_forest_tree *tree = &forest->trees[t];
        if (tree->depth > SHW_FERN_LEVELS_MAX)
            return false;
        entries += (uint64_t)1 << tree->depth;
        most += (uint64_t)4 * tree->node_count;
        deep = deep || tree->depth > 1;
    }
    return deep && entries <= (most > SHW_FERN_ENTRIES_FREE ? most : SHW_FERN_ENTRIES_FREE);
}

/* Finds the test of each level: the node that has it first. False if a level has two. */
static bool find_tests(const struct shw_forest *forest, uint32_t t, const uint32_t *tests[SHW_FERN_LEVELS_MAX])
{
    const uint32_t *node = nodes_of(forest, t);
    uint32_t level = 0, level_end = 1, splits = 0;

    memset(tests, 0, SHW_FERN_LEVELS_MAX * sizeof *tests);
    for (uint32_t n = 0; n < forest->trees[t].node_count; n++, node += NODE_WORDS) {
        if (n == level_end) {
            level++;
            level_end = 1 + 2 * splits;
        }
        if (!is_split(node))
            continue;
        splits++;
        if (tests[level] == NULL)
            tests[level] = node;
        else if (memcmp(tests[level] + 1, node + 1, (NODE_WORDS - 1) * sizeof *node) != 0)
            return false;
    }
    return true;
}

/* Writes the number of the leaf that each combination of results reaches. `places`: room for a number per node. */
static void write_leaves(const struct shw_forest *forest, uint32_t t, uint32_t *places, uint32_t *leaves)
{
    const uint32_t *node = nodes_of(forest, t);
    uint32_t levels = forest->trees[t].depth, level = 0, level_end = 1, splits = 0;

    places[0] = 0;
    for (uint32_t n = 0; n < forest->trees[t].node_count; n++, node += NODE_WORDS) {
        if (n == level_end) {
            level++;
            level_end = 1 + 2 * splits;
        }
        if (is_split(node)) {
            places[node[0]] = 2 * places[n];
            places[node[0] + 1] = 2 * places[n] + 1;
            splits++;
            continue;
        }
        for (uint32_t i = 0, count = 1u << (levels - level); i < count; i++)
            leaves[places[n] * count + i] = node[2];
    }
}

/* Everything in one block of memory, which begins with the ferns themselves. */
static bool make(struct shw_forest *forest)
{
    size_t trees = forest->info.tree_count, most = 0, words = 0;
    struct shw_fern *ferns;
    uint32_t *places, *next;

    for (size_t t = 0; t < trees; t++) {
        words += (size_t)NODE_WORDS * forest->trees[t].depth + ((size_t)1 << forest->trees[t].depth);
        most = forest->trees[t].node_count > most ? forest->trees[t].node_count : most;
    }
    ferns = malloc(trees * sizeof *ferns + words * sizeof *next);
    places = malloc(most * sizeof *places);
    if (ferns == NULL || places == NULL) {
        free(ferns);
        free(places);
        return false;
    }
    next = (uint32_t *)(void *)(ferns + trees);
    for (uint32_t t = 0; t < trees; t++) {
        const uint32_t *tests[SHW_FERN_LEVELS_MAX];
        uint32_t levels = forest->trees[t].depth;
        (void)find_tests(forest, t, tests);
        ferns[t] = (struct shw_fern){levels, next, next + NODE_WORDS * levels};
        for (uint32_t l = 0; l < levels; l++, next += NODE_WORDS)
            memcpy(next, tests[l], NODE_WORDS * sizeof *next);
        write_leaves(forest, t, places, next);
        next += (size_t)1 << levels;
    }
    free(places);
    forest->ferns = ferns;
    return true;
}

bool shw_forest_find_ferns(struct shw_forest *forest)
{
    const uint32_t *tests[SHW_FERN_LEVELS_MAX];

    if (!may_be_ferns(forest))
        return true;
    for (uint32_t t = 0; t < forest->info.tree_count; t++)
        if (!find_tests(forest, t, tests))
            return true;
    return make(forest);
}

const struct shw_fern *shw_forest_get_ferns(const struct shw_forest *forest)
{
    return forest->ferns;
}

bool shw_forest_is_ferns(const struct shw_forest *forest)
{
    return forest != NULL && forest->ferns != NULL;
}
