/* Trees of TreeEnsemble (ai.onnx.ml 5): lists of splits and of leaves, to which splits refer by index. */
#include <math.h>
#include <stdlib.h>

#include <shadewood/record_forest.h>

#include "base/array.h"
#include "base/log.h"
#include "files/formats/onnx_trees.h"

#define NONE UINT32_MAX

struct lists {
    const struct shw_onnx_node *node;
    struct shw_onnx_trees *trees;
    struct shw_onnx_integers roots, attributes, modes, nan_tracks;
    struct shw_onnx_integers children[2], are_leaves[2]; /* if the test is true, and if it is not */
    struct shw_onnx_reals values, members;
    struct shw_onnx_integers leaf_outputs;
    struct shw_onnx_reals leaf_weights;
    uint32_t count, leaf_count;
    uint32_t *items;       /* of splits, NONE before they are reached */
    uint32_t *split_of;    /* of items; of leaves NONE */
    uint32_t *set_starts;  /* [number of sets + 1] in `members`, where a NaN ends each set but the last */
    uint32_t *set_numbers; /* of splits */
    uint32_t item_capacity, split_capacity, vote_capacity;
};

static const char *const child_names[] = {"nodes_truenodeids", "nodes_falsenodeids"};
static const char *const leaf_names[] = {"nodes_trueleafs", "nodes_falseleafs"};

static enum shw_result get_integers(const struct lists *lists, const char *name, uint32_t count,
                                    struct shw_onnx_integers *integers)
{
    SHW_PROPAGATE(shw_onnx_get_integers(lists->node, name, integers));
    return shw_onnx_check_length(lists->node, name, integers->count, count);
}

static enum shw_result read_splits(struct lists *lists)
{
    SHW_PROPAGATE(shw_onnx_get_integers(lists->node, "tree_roots", &lists->roots));
    SHW_PROPAGATE(shw_onnx_get_integers(lists->node, "nodes_featureids", &lists->attributes));
    lists->count = lists->attributes.count;
    if (lists->count == 0 || lists->roots.count == 0)
        return shw_onnx_refuse(lists->node, "%s is empty", lists->count == 0 ? "nodes_featureids" : "tree_roots");
    SHW_PROPAGATE(get_integers(lists, "nodes_modes", lists->count, &lists->modes));
    for (int c = 0; c < 2; c++) {
        SHW_PROPAGATE(get_integers(lists, child_names[c], lists->count, &lists->children[c]));
        SHW_PROPAGATE(get_integers(lists, leaf_names[c], lists->count, &lists->are_leaves[c]));
    }
    SHW_PROPAGATE(shw_onnx_get_reals(lists->node, "nodes_splits", &lists->values));
    SHW_PROPAGATE(shw_onnx_check_length(lists->node, "nodes_splits", lists->values.count, lists->count));
    SHW_PROPAGATE(shw_onnx_get_integers(lists->node, "nodes_missing_value_tracks_true", &lists->nan_tracks));
    return lists->nan_tracks.count == 0 ? SHW_OK
                                        : shw_onnx_check_length(lists->node, "nodes_missing_value_tracks_true",
                                                                lists->nan_tracks.count, lists->count);
}

static enum shw_result read_leaves(struct lists *lists)
{
    SHW_PROPAGATE(shw_onnx_get_reals(lists->node, "leaf_weights", &lists->leaf_weights));
    lists->leaf_count = lists->leaf_weights.count;
    return get_integers(lists, "leaf_targetids", lists->leaf_count, &lists->leaf_outputs);
}

static int compare_reals(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* Numbers the splits that have sets, finds where the sets begin, and sorts each. */
static enum shw_result read_sets(struct lists *lists)
{
    struct shw_onnx_reals *members = &lists->members;
    uint32_t splits = 0, sets = 1;

    SHW_PROPAGATE(shw_onnx_get_reals(lists->node, "membership_values", members));
    lists->set_numbers = calloc(lists->count, sizeof *lists->set_numbers);
    lists->set_starts = calloc((size_t)members->count + 2, sizeof *lists->set_starts);
    if (lists->set_numbers == NULL || lists->set_starts == NULL)
        return shw_fail_memory(lists->node->log, lists->node->file);
    for (uint32_t n = 0; n < lists->count; n++)
        lists->set_numbers[n] = lists->modes.items[n] == SHW_ONNX_MEMBER ? splits++ : 0;
    if (members->count > 0 && isnan(members->items[members->count - 1]))
        members->count--; /* an end after the last set, too */
    for (uint32_t m = 0; m < members->count; m++)
        if (isnan(members->items[m]))
            lists->set_starts[sets++] = m + 1;
    lists->set_starts[sets] = members->count + 1;
    if (splits > 0 && sets != splits)
        return shw_onnx_refuse(lists->node, "membership_values has %u sets; there must be %u", sets, splits);
    for (uint32_t s = 0; s < sets; s++)
        qsort(members->items + lists->set_starts[s], lists->set_starts[s + 1] - 1 - lists->set_starts[s],
              sizeof *members->items, compare_reals);
    return SHW_OK;
}

/* A new item; its number is *item. */
static enum shw_result add_item(struct lists *lists, const struct shw_onnx_item *content, uint32_t split,
                                uint32_t *item)
{
    struct shw_onnx_trees *trees = lists->trees;
    const size_t count = (size_t)trees->item_count + 1;

    if (count > SHW_RECORD_NODES_MAX)
        return shw_fail(lists->node->log, SHW_ERROR_LIMIT, SHW_LOG_FILE_READ, "%s: more than %u nodes",
                        lists->node->file, SHW_RECORD_NODES_MAX);
    if (!SHW_RESERVE(trees->items, lists->item_capacity, count) ||
        !SHW_RESERVE(lists->split_of, lists->split_capacity, count))
        return shw_fail_memory(lists->node->log, lists->node->file);
    *item = trees->item_count++;
    trees->items[*item] = *content;
    lists->split_of[*item] = split;
    return SHW_OK;
}

static enum shw_result add_leaf(struct lists *lists, uint32_t leaf, uint32_t *item)
{
    struct shw_onnx_trees *trees = lists->trees;
    struct shw_onnx_vote vote = {.weight = lists->leaf_weights.items[leaf]};
    const struct shw_onnx_item content = {
        .mode = SHW_ONNX_LEAF, .first_vote = trees->vote_count, .vote_count = 1, .source = leaf};

    if (!isfinite(vote.weight))
        return shw_onnx_refuse(lists->node, "leaf %u: its weight is not a finite number", leaf);
    SHW_PROPAGATE(shw_onnx_take(lists->node, "leaf_targetids", &lists->leaf_outputs, leaf, SHW_RECORD_OUTPUTS_MAX - 1,
                                &vote.output));
    if (!SHW_RESERVE(trees->votes, lists->vote_capacity, (size_t)trees->vote_count + 1))
        return shw_fail_memory(lists->node->log, lists->node->file);
    trees->votes[trees->vote_count++] = vote;
    return add_item(lists, &content, NONE, item);
}

/* A node that leads to one leaf either way is how a tree of one leaf is written. */
static bool is_one_leaf(const struct lists *lists, uint32_t split)
{
    return lists->are_leaves[0].items[split] == 1 && lists->are_leaves[1].items[split] == 1 &&
           lists->children[0].items[split] == lists->children[1].items[split];
}

static enum shw_result add_split(struct lists *lists, uint32_t split, uint32_t *item)
{
    struct shw_onnx_item content = {.value = lists->values.items[split], .source = split};
    uint32_t mode, set = lists->set_numbers[split], leaf;

    if (is_one_leaf(lists, split) && lists->leaf_count > 0) {
        SHW_PROPAGATE(
            shw_onnx_take(lists->node, child_names[0], &lists->children[0], split, lists->leaf_count - 1, &leaf));
        return add_leaf(lists, leaf, item);
    }
    SHW_PROPAGATE(shw_onnx_take(lists->node, "nodes_modes", &lists->modes, split, SHW_ONNX_MEMBER, &mode));
    SHW_PROPAGATE(shw_onnx_take(lists->node, "nodes_featureids", &lists->attributes, split,
                                SHW_RECORD_ATTRIBUTES_MAX - 1, &content.attribute));
    content.mode = (enum shw_onnx_mode)mode;
    content.nan_is_true = lists->nan_tracks.count > 0 && lists->nan_tracks.items[split] == 1;
    if (content.mode == SHW_ONNX_MEMBER) {
        content.first_member = lists->set_starts[set];
        content.member_count = lists->set_starts[set + 1] - 1 - lists->set_starts[set];
    } else if (isnan(content.value)) {
        return shw_onnx_refuse(lists->node, "node %u: its value is NaN", split);
    }
    SHW_PROPAGATE(add_item(lists, &content, split, item));
    lists->items[split] = *item;
    return SHW_OK;
}

/* A node that was reached in a tree before is not of this one. */
static enum shw_result add_child(struct lists *lists, uint32_t split, int c, uint32_t tree_start, uint32_t *item)
{
    const bool is_leaf = lists->are_leaves[c].items[split] == 1;
    const uint32_t count = is_leaf ? lists->leaf_count : lists->count;
    uint32_t child;

    if (count == 0)
        return shw_onnx_refuse(lists->node, "there are no leaf_weights");
    SHW_PROPAGATE(shw_onnx_take(lists->node, child_names[c], &lists->children[c], split, count - 1, &child));
    if (is_leaf)
        return add_leaf(lists, child, item);
    if (lists->items[child] == NONE)
        return add_split(lists, child, item);
    *item = lists->items[child];
    return *item >= tree_start ? SHW_OK : shw_onnx_refuse(lists->node, "node %u is of more than one tree", child);
}

static enum shw_result add_tree(struct lists *lists, uint32_t root)
{
    struct shw_onnx_trees *trees = lists->trees;
    const uint32_t start = trees->item_count;
    uint32_t item;

    if (lists->items[root] != NONE)
        return shw_onnx_refuse(lists->node, "node %u is of more than one tree", root);
    SHW_PROPAGATE(add_split(lists, root, &item));
    for (uint32_t i = start; i < trees->item_count; i++)
        for (int c = 0; lists->split_of[i] != NONE && c < 2; c++) {
            SHW_PROPAGATE(add_child(lists, lists->split_of[i], c, start, &item));
            trees->items[i].child[c] = item;
        }
    return SHW_OK;
}

static enum shw_result add_trees(struct lists *lists)
{
    struct shw_onnx_trees *trees = lists->trees;
    uint32_t root;

    trees->starts = calloc((size_t)lists->roots.count + 1, sizeof *trees->starts);
    lists->items = malloc(lists->count * sizeof *lists->items);
    if (trees->starts == NULL || lists->items == NULL)
        return shw_fail_memory(lists->node->log, lists->node->file);
    for (uint32_t n = 0; n < lists->count; n++)
        lists->items[n] = NONE;
    for (uint32_t t = 0; t < lists->roots.count; t++) {
        SHW_PROPAGATE(shw_onnx_take(lists->node, "tree_roots", &lists->roots, t, lists->count - 1, &root));
        SHW_PROPAGATE(add_tree(lists, root));
        trees->starts[++trees->tree_count] = trees->item_count;
    }
    return SHW_OK;
}

static enum shw_result read_lists(struct lists *lists)
{
    SHW_PROPAGATE(read_splits(lists));
    SHW_PROPAGATE(read_leaves(lists));
    SHW_PROPAGATE(read_sets(lists));
    return add_trees(lists);
}

enum shw_result shw_onnx_tree_ensemble_read(const struct shw_onnx_node *node, struct shw_onnx_trees *trees)
{
    struct lists lists = {.node = node, .trees = trees};
    enum shw_result result = read_lists(&lists);

    trees->members = lists.members.items;
    free(lists.roots.items);
    free(lists.attributes.items);
    free(lists.modes.items);
    free(lists.nan_tracks.items);
    for (int c = 0; c < 2; c++) {
        free(lists.children[c].items);
        free(lists.are_leaves[c].items);
    }
    free(lists.values.items);
    free(lists.leaf_outputs.items);
    free(lists.leaf_weights.items);
    free(lists.items);
    free(lists.split_of);
    free(lists.set_starts);
    free(lists.set_numbers);
    return result;
}
