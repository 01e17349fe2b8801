#include "formats/onnx_trees.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <shadewood/record_forest.h>

#include "base/array.h"
#include "base/log.h"

/* A node or a vote, to be sorted. */
struct key {
    int64_t tree, node;
    uint32_t index;
};

static const char *const modes[SHW_ONNX_MODE_COUNT] = {
    [SHW_ONNX_AT_MOST] = "BRANCH_LEQ",
    [SHW_ONNX_BELOW] = "BRANCH_LT",
    [SHW_ONNX_AT_LEAST] = "BRANCH_GTE",
    [SHW_ONNX_ABOVE] = "BRANCH_GT",
    [SHW_ONNX_EQUAL] = "BRANCH_EQ",
    [SHW_ONNX_NOT_EQUAL] = "BRANCH_NEQ",
    [SHW_ONNX_MEMBER] = "",
    [SHW_ONNX_LEAF] = "LEAF",
};

struct old_lists {
    const struct shw_onnx_node *node;
    struct shw_onnx_trees *trees;
    struct shw_onnx_integers tree_ids, node_ids, attributes, true_ids, false_ids, nan_tracks;
    struct shw_onnx_reals values;
    struct shw_onnx_texts modes;
    struct shw_onnx_integers vote_trees, vote_nodes, vote_outputs;
    struct shw_onnx_reals vote_weights;
    struct key *keys, *vote_keys;
    uint32_t count, vote_count;
};

enum shw_result shw_onnx_check_length(const struct shw_onnx_node *node, const char *name, uint32_t length,
                                      uint32_t count)
{
    return length == count ? SHW_OK
                           : shw_onnx_refuse(node, "%s has %u elements; there must be %u", name, length, count);
}

/* Takes an element, which must be from 0 to `most`. Errors: FORMAT. */
static enum shw_result onnx_take(const struct shw_onnx_node *node, const char *name,
                                 const struct shw_onnx_integers *integers, uint32_t index, uint32_t most,
                                 uint32_t *number)
{
    const int64_t value = integers->items[index];

    *number = 0; /* on failure, too */
    if (value < 0 || value > most)
        return shw_onnx_refuse(node, "element %u of %s is %" PRId64 "; it must be in 0..%u", index, name, value, most);
    *number = (uint32_t)value;
    return SHW_OK;
}

void shw_onnx_trees_free(struct shw_onnx_trees *trees)
{
    free(trees->items);
    free(trees->starts);
    free(trees->votes);
    free(trees->members);
    *trees = (struct shw_onnx_trees){0};
}

static enum shw_result read_nodes(struct old_lists *lists)
{
    const struct shw_onnx_node *node = lists->node;
    uint32_t count;

    SHW_PROPAGATE(shw_onnx_get_integers(node, "nodes_treeids", &lists->tree_ids));
    SHW_PROPAGATE(shw_onnx_get_integers(node, "nodes_nodeids", &lists->node_ids));
    SHW_PROPAGATE(shw_onnx_get_integers(node, "nodes_featureids", &lists->attributes));
    SHW_PROPAGATE(shw_onnx_get_integers(node, "nodes_truenodeids", &lists->true_ids));
    SHW_PROPAGATE(shw_onnx_get_integers(node, "nodes_falsenodeids", &lists->false_ids));
    SHW_PROPAGATE(shw_onnx_get_integers(node, "nodes_missing_value_tracks_true", &lists->nan_tracks));
    SHW_PROPAGATE(shw_onnx_get_reals(node, "nodes_values", &lists->values));
    SHW_PROPAGATE(shw_onnx_get_texts(node, "nodes_modes", &lists->modes));
    count = lists->count = lists->tree_ids.count;
    if (count == 0)
        return shw_onnx_refuse(node, "nodes_treeids is empty");
    SHW_PROPAGATE(shw_onnx_check_length(node, "nodes_nodeids", lists->node_ids.count, count));
    SHW_PROPAGATE(shw_onnx_check_length(node, "nodes_featureids", lists->attributes.count, count));
    SHW_PROPAGATE(shw_onnx_check_length(node, "nodes_truenodeids", lists->true_ids.count, count));
    SHW_PROPAGATE(shw_onnx_check_length(node, "nodes_falsenodeids", lists->false_ids.count, count));
    SHW_PROPAGATE(shw_onnx_check_length(node, "nodes_values", lists->values.count, count));
    SHW_PROPAGATE(shw_onnx_check_length(node, "nodes_modes", lists->modes.count, count));
    return lists->nan_tracks.count == 0
               ? SHW_OK
               : shw_onnx_check_length(node, "nodes_missing_value_tracks_true", lists->nan_tracks.count, count);
}

static enum shw_result get_votes(const struct old_lists *lists, const char *votes, const char *what,
                                 struct shw_onnx_integers *integers)
{
    char name[32];

    snprintf(name, sizeof name, "%s_%s", votes, what);
    SHW_PROPAGATE(shw_onnx_get_integers(lists->node, name, integers));
    return integers == &lists->vote_trees
               ? SHW_OK
               : shw_onnx_check_length(lists->node, name, integers->count, lists->vote_trees.count);
}

static enum shw_result read_votes(struct old_lists *lists, const char *votes)
{
    char name[32];

    SHW_PROPAGATE(get_votes(lists, votes, "treeids", &lists->vote_trees));
    SHW_PROPAGATE(get_votes(lists, votes, "nodeids", &lists->vote_nodes));
    SHW_PROPAGATE(get_votes(lists, votes, "ids", &lists->vote_outputs));
    snprintf(name, sizeof name, "%s_weights", votes);
    SHW_PROPAGATE(shw_onnx_get_reals(lists->node, name, &lists->vote_weights));
    lists->vote_count = lists->vote_trees.count;
    return shw_onnx_check_length(lists->node, name, lists->vote_weights.count, lists->vote_count);
}

static int compare_ids(const struct key *a, const struct key *b)
{
    if (a->tree != b->tree)
        return a->tree < b->tree ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static int compare_keys(const void *a, const void *b)
{
    const struct key *key_a = a, *key_b = b;
    int order = compare_ids(key_a, key_b);

    return order != 0 ? order : key_a->index < key_b->index ? -1 : key_a->index > key_b->index;
}

static enum shw_result sort(const struct old_lists *lists, const struct shw_onnx_integers *trees,
                            const struct shw_onnx_integers *nodes, struct key **keys)
{
    *keys = malloc(((size_t)trees->count + 1) * sizeof **keys);
    if (*keys == NULL)
        return shw_fail_memory(lists->node->log, lists->node->file);
    for (uint32_t i = 0; i < trees->count; i++)
        (*keys)[i] = (struct key){trees->items[i], nodes->items[i], i};
    qsort(*keys, trees->count, sizeof **keys, compare_keys);
    return SHW_OK;
}

#define BAD_NODE(lists, key, format, ...)                                                                              \
    shw_onnx_refuse((lists)->node, "tree %" PRId64 ", node %" PRId64 ": " format, (key)->tree, (key)->node, __VA_ARGS__)

static enum shw_result find_mode(const struct old_lists *lists, const struct key *key, enum shw_onnx_mode *mode)
{
    const struct shw_protobuf *text = &lists->modes.items[key->index];
    int length = text->end - text->at < 40 ? (int)(text->end - text->at) : 40;

    for (uint32_t m = 0; length > 0 && m < SHW_ONNX_MODE_COUNT; m++)
        if (shw_protobuf_is(text, modes[m])) {
            *mode = (enum shw_onnx_mode)m;
            return SHW_OK;
        }
    return BAD_NODE(lists, key, "the mode \"%.*s\" is not supported", length, (const char *)text->at);
}

/* Finds a child among the nodes of the tree, which are sorted. */
static enum shw_result find_child(const struct old_lists *lists, const struct key *key, const char *which, int64_t id,
                                  uint32_t *child)
{
    const struct key wanted = {key->tree, id, 0};
    uint32_t low = 0, high = lists->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_ids(&lists->keys[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == lists->count || compare_ids(&lists->keys[low], &wanted) != 0)
        return BAD_NODE(lists, key, "%s is %" PRId64 ", which is not a node of the tree", which, id);
    *child = low;
    return SHW_OK;
}

static enum shw_result make_split(const struct old_lists *lists, const struct key *key, struct shw_onnx_item *item)
{
    item->nan_is_true = lists->nan_tracks.count > 0 && lists->nan_tracks.items[key->index] == 1;
    item->value = lists->values.items[key->index];
    if (isnan(item->value))
        return BAD_NODE(lists, key, "%s", "its value is NaN");
    SHW_PROPAGATE(onnx_take(lists->node, "nodes_featureids", &lists->attributes, key->index,
                            SHW_RECORD_ATTRIBUTES_MAX - 1, &item->attribute));
    SHW_PROPAGATE(find_child(lists, key, "nodes_truenodeids", lists->true_ids.items[key->index], &item->child[0]));
    return find_child(lists, key, "nodes_falsenodeids", lists->false_ids.items[key->index], &item->child[1]);
}

static enum shw_result make_item(const struct old_lists *lists, uint32_t i, struct shw_onnx_item *item)
{
    const struct key *key = &lists->keys[i];

    SHW_PROPAGATE(onnx_take(lists->node, "nodes_nodeids", &lists->node_ids, key->index, INT32_MAX, &item->source));
    SHW_PROPAGATE(find_mode(lists, key, &item->mode));
    return item->mode == SHW_ONNX_LEAF ? SHW_OK : make_split(lists, key, item);
}

static enum shw_result check_keys(const struct old_lists *lists)
{
    for (uint32_t i = 1; i < lists->count; i++)
        if (compare_ids(&lists->keys[i], &lists->keys[i - 1]) == 0)
            return BAD_NODE(lists, &lists->keys[i], "%s", "it is there twice");
    return SHW_OK;
}

static enum shw_result make_items(const struct old_lists *lists)
{
    struct shw_onnx_trees *trees = lists->trees;

    trees->items = calloc(lists->count, sizeof *trees->items);
    trees->starts = calloc((size_t)lists->count + 1, sizeof *trees->starts);
    if (trees->items == NULL || trees->starts == NULL)
        return shw_fail_memory(lists->node->log, lists->node->file);
    trees->item_count = lists->count;
    for (uint32_t i = 0; i < lists->count; i++) {
        SHW_PROPAGATE(make_item(lists, i, &trees->items[i]));
        if (i == 0 || lists->keys[i].tree != lists->keys[i - 1].tree)
            trees->starts[trees->tree_count++] = i;
    }
    trees->starts[trees->tree_count] = lists->count;
    return SHW_OK;
}

/* Votes and nodes are both sorted. Votes of splits, which some converters write, are ignored. */
static enum shw_result make_votes(const struct old_lists *lists)
{
    struct shw_onnx_trees *trees = lists->trees;
    uint32_t i = 0;

    trees->votes = calloc((size_t)lists->vote_count + 1, sizeof *trees->votes);
    if (trees->votes == NULL)
        return shw_fail_memory(lists->node->log, lists->node->file);
    trees->vote_count = lists->vote_count;
    for (uint32_t v = 0; v < lists->vote_count; v++) {
        const struct key *key = &lists->vote_keys[v];
        struct shw_onnx_vote *vote = &trees->votes[v];
        while (i < lists->count && compare_ids(&lists->keys[i], key) < 0)
            i++;
        if (i == lists->count || compare_ids(&lists->keys[i], key) != 0)
            return BAD_NODE(lists, key, "%s", "it has a weight, but is not among the nodes");
        if (!isfinite(lists->vote_weights.items[key->index]))
            return BAD_NODE(lists, key, "%s", "its weight is not a finite number");
        SHW_PROPAGATE(onnx_take(lists->node, "the weights' outputs", &lists->vote_outputs, key->index,
                                SHW_RECORD_OUTPUTS_MAX - 1, &vote->output));
        vote->weight = lists->vote_weights.items[key->index];
        if (trees->items[i].vote_count++ == 0)
            trees->items[i].first_vote = v;
    }
    return SHW_OK;
}

static enum shw_result read_old_lists(struct old_lists *lists, const char *votes)
{
    SHW_PROPAGATE(read_nodes(lists));
    SHW_PROPAGATE(read_votes(lists, votes));
    SHW_PROPAGATE(sort(lists, &lists->tree_ids, &lists->node_ids, &lists->keys));
    SHW_PROPAGATE(sort(lists, &lists->vote_trees, &lists->vote_nodes, &lists->vote_keys));
    SHW_PROPAGATE(check_keys(lists));
    SHW_PROPAGATE(make_items(lists));
    return make_votes(lists);
}

enum shw_result shw_onnx_lists_read(const struct shw_onnx_node *node, const char *votes, struct shw_onnx_trees *trees)
{
    struct old_lists lists = {.node = node, .trees = trees};
    enum shw_result result = read_old_lists(&lists, votes);

    free(lists.tree_ids.items);
    free(lists.node_ids.items);
    free(lists.attributes.items);
    free(lists.true_ids.items);
    free(lists.false_ids.items);
    free(lists.nan_tracks.items);
    free(lists.values.items);
    free(lists.modes.items);
    free(lists.vote_trees.items);
    free(lists.vote_nodes.items);
    free(lists.vote_outputs.items);
    free(lists.vote_weights.items);
    free(lists.keys);
    free(lists.vote_keys);
    return result;
}

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
    SHW_PROPAGATE(
        onnx_take(lists->node, "leaf_targetids", &lists->leaf_outputs, leaf, SHW_RECORD_OUTPUTS_MAX - 1, &vote.output));
    if (!SHW_RESERVE(trees->votes, lists->vote_capacity, (size_t)trees->vote_count + 1))
        return shw_fail_memory(lists->node->log, lists->node->file);
    trees->votes[trees->vote_count++] = vote;
    return add_item(lists, &content, NONE, item);
}

/* A tree of one leaf is written as a split with the same leaf on both sides. */
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
        SHW_PROPAGATE(onnx_take(lists->node, child_names[0], &lists->children[0], split, lists->leaf_count - 1, &leaf));
        return add_leaf(lists, leaf, item);
    }
    SHW_PROPAGATE(onnx_take(lists->node, "nodes_modes", &lists->modes, split, SHW_ONNX_MEMBER, &mode));
    SHW_PROPAGATE(onnx_take(lists->node, "nodes_featureids", &lists->attributes, split, SHW_RECORD_ATTRIBUTES_MAX - 1,
                            &content.attribute));
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

/* A node that an earlier tree has reached does not belong to this one. */
static enum shw_result add_child(struct lists *lists, uint32_t split, int c, uint32_t tree_start, uint32_t *item)
{
    const bool is_leaf = lists->are_leaves[c].items[split] == 1;
    const uint32_t count = is_leaf ? lists->leaf_count : lists->count;
    uint32_t child;

    if (count == 0)
        return shw_onnx_refuse(lists->node, "there are no leaf_weights");
    SHW_PROPAGATE(onnx_take(lists->node, child_names[c], &lists->children[c], split, count - 1, &child));
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
        SHW_PROPAGATE(onnx_take(lists->node, "tree_roots", &lists->roots, t, lists->count - 1, &root));
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
