/* Trees of TreeEnsembleClassifier and TreeEnsembleRegressor: parallel lists of nodes and of votes, in any order. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <shadewood/record_forest.h>

#include "base/log.h"
#include "files/formats/onnx_trees.h"

/* A node or a vote, to be sorted. */
struct key {
    int64_t tree, node;
    uint32_t index;
};

struct lists {
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

enum shw_result shw_onnx_check_length(const struct shw_onnx_node *node, const char *name, uint32_t length,
                                      uint32_t count)
{
    return length == count ? SHW_OK
                           : shw_onnx_refuse(node, "%s has %u elements; there must be %u", name, length, count);
}

enum shw_result shw_onnx_take(const struct shw_onnx_node *node, const char *name,
                              const struct shw_onnx_integers *integers, uint32_t index, uint32_t most, uint32_t *number)
{
    int64_t value = integers->items[index];

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

static enum shw_result read_nodes(struct lists *lists)
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

static enum shw_result get_votes(const struct lists *lists, const char *votes, const char *what,
                                 struct shw_onnx_integers *integers)
{
    char name[32];

    snprintf(name, sizeof name, "%s_%s", votes, what);
    SHW_PROPAGATE(shw_onnx_get_integers(lists->node, name, integers));
    return integers == &lists->vote_trees
               ? SHW_OK
               : shw_onnx_check_length(lists->node, name, integers->count, lists->vote_trees.count);
}

static enum shw_result read_votes(struct lists *lists, const char *votes)
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

static enum shw_result sort(const struct lists *lists, const struct shw_onnx_integers *trees,
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

static enum shw_result find_mode(const struct lists *lists, const struct key *key, enum shw_onnx_mode *mode)
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
static enum shw_result find_child(const struct lists *lists, const struct key *key, const char *which, int64_t id,
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
        return BAD_NODE(lists, key, "%s is %" PRId64 ", which is no node of the tree", which, id);
    *child = low;
    return SHW_OK;
}

static enum shw_result make_split(const struct lists *lists, const struct key *key, struct shw_onnx_item *item)
{
    item->nan_is_true = lists->nan_tracks.count > 0 && lists->nan_tracks.items[key->index] == 1;
    item->value = lists->values.items[key->index];
    if (isnan(item->value))
        return BAD_NODE(lists, key, "%s", "its value is NaN");
    SHW_PROPAGATE(shw_onnx_take(lists->node, "nodes_featureids", &lists->attributes, key->index,
                                SHW_RECORD_ATTRIBUTES_MAX - 1, &item->attribute));
    SHW_PROPAGATE(find_child(lists, key, "nodes_truenodeids", lists->true_ids.items[key->index], &item->child[0]));
    return find_child(lists, key, "nodes_falsenodeids", lists->false_ids.items[key->index], &item->child[1]);
}

static enum shw_result make_item(const struct lists *lists, uint32_t i, struct shw_onnx_item *item)
{
    const struct key *key = &lists->keys[i];

    SHW_PROPAGATE(shw_onnx_take(lists->node, "nodes_nodeids", &lists->node_ids, key->index, INT32_MAX, &item->source));
    SHW_PROPAGATE(find_mode(lists, key, &item->mode));
    return item->mode == SHW_ONNX_LEAF ? SHW_OK : make_split(lists, key, item);
}

static enum shw_result check_keys(const struct lists *lists)
{
    for (uint32_t i = 1; i < lists->count; i++)
        if (compare_ids(&lists->keys[i], &lists->keys[i - 1]) == 0)
            return BAD_NODE(lists, &lists->keys[i], "%s", "it is there twice");
    return SHW_OK;
}

static enum shw_result make_items(const struct lists *lists)
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

/* Votes and nodes are both sorted. Votes of splits do not count; some converters write them. */
static enum shw_result make_votes(const struct lists *lists)
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
        SHW_PROPAGATE(shw_onnx_take(lists->node, "the weights' outputs", &lists->vote_outputs, key->index,
                                    SHW_RECORD_OUTPUTS_MAX - 1, &vote->output));
        vote->weight = lists->vote_weights.items[key->index];
        if (trees->items[i].vote_count++ == 0)
            trees->items[i].first_vote = v;
    }
    return SHW_OK;
}

static enum shw_result read_lists(struct lists *lists, const char *votes)
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
    struct lists lists = {.node = node, .trees = trees};
    enum shw_result result = read_lists(&lists, votes);

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
