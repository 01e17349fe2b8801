#include <stdlib.h>

#include "base/integers.h"
#include "base/log.h"
#include "records/evaluate/records_compute.h"
#include "shared/record.h"

#define DEPTH_MOST    12u /* of complete trees */
#define PADDING       4u  /* they may have so many times as many splits */
#define PADDED_ANYWAY 256u

static uint64_t splits_of(const struct shw_record_forest_info *info)
{
    return info->node_count - info->leaf_count;
}

bool shw_record_compute_can_complete(const struct shw_record_device *device)
{
    const struct shw_record_forest_info *info = device->info;

    return device->order.depth <= DEPTH_MOST &&
           (uint64_t)info->tree_count << device->order.depth <= PADDING * splits_of(info) + PADDED_ANYWAY;
}

/* How many flags a node of a linked tree has. */
static uint32_t flag_bits(const struct shw_record_forest_info *info)
{
    return info->set_word_count > 0 ? 3 : 2;
}

bool shw_record_compute_is_wide(const struct shw_record_device *device, uint32_t column_bits)
{
    const struct shw_record_forest_info *info = device->info;
    uint32_t most = UINT32_MAX >> (column_bits + flag_bits(info));

    for (uint32_t t = 0; t < info->tree_count; t++)
        for (uint32_t n = 0; n < info->trees[t].node_count; n++)
            if (info->nodes[info->trees[t].first_node + n].left - n > most)
                return true;
    return false;
}

/* What is made. */
struct work {
    const struct shw_record_device *device;
    const struct shw_record_compute_plan *plan;
    struct shw_record_compute_nodes *nodes;
};

static uint32_t column_of(const struct work *work, const struct shw_record_node *node)
{
    return work->device->order.column_of[node->attribute];
}

/* Column and flags in a linked tree. */
static uint32_t linked_test(const struct work *work, const struct shw_record_node *node)
{
    return column_of(work, node) |
           ((uint32_t)node->missing_right | (uint32_t)node->zero_missing << 1 | (uint32_t)node->is_set << 2)
               << work->plan->column_bits;
}

/* And in a complete one. */
static uint32_t complete_test(const struct work *work, const struct shw_record_node *node)
{
    return column_of(work, node) | (uint32_t)node->is_set << SHW_RECORD_COMPLETE_SET_SHIFT |
           (uint32_t)node->zero_missing << SHW_RECORD_COMPLETE_ZERO_SHIFT |
           (uint32_t)node->missing_right << SHW_RECORD_COMPLETE_RIGHT_SHIFT;
}

static const struct shw_record_tree *tree_at(const struct work *work, uint32_t number)
{
    return &work->device->info->trees[work->device->order.trees[number]];
}

static void link_tree(const struct work *work, const struct shw_record_tree *tree, uint32_t *words)
{
    const struct shw_record_node *nodes = work->device->info->nodes + tree->first_node;

    for (uint32_t n = 0; n < tree->node_count; n++) {
        uint32_t distance = nodes[n].left - n;
        *words++ = nodes[n].is_split ? (uint32_t)nodes[n].threshold : nodes[n].leaf;
        *words++ = (nodes[n].is_split ? linked_test(work, &nodes[n]) : 0) |
                   (work->plan->wide ? 0 : distance << (work->plan->column_bits + flag_bits(work->device->info)));
        if (work->plan->wide) {
            *words++ = 2 * distance;
            *words++ = 0;
        }
    }
}

/* Node `n` of a tree and what is below it, from node `at` of the complete tree on. A leaf above the last level gets
 * tests that send every record to the left. */
static void complete_tree(const struct work *work, const struct shw_record_node *nodes, uint32_t n, uint32_t at,
                          uint32_t level, uint32_t *words, uint32_t *leaves)
{
    const struct shw_record_node *node = &nodes[n];
    uint32_t depth = work->device->order.depth;

    if (level == depth) {
        leaves[at - (1u << depth)] = node->leaf;
        return;
    }
    words[2 * at] = (uint32_t)INT32_MAX;
    if (node->is_split)
        words[2 * at] =
            (uint32_t)(node->is_set ? node->threshold : shw_record_ordered(node->threshold, node->missing_right));
    words[2 * at + 1] = node->is_split ? complete_test(work, node) : 0;
    complete_tree(work, nodes, node->left, 2 * at, level + 1, words, leaves);
    complete_tree(work, nodes, node->is_split ? node->left + 1 : n, 2 * at + 1, level + 1, words, leaves);
}

static uint64_t elements_of(const struct work *work, uint32_t number)
{
    if (work->plan->complete)
        return (uint64_t)1 << work->device->order.depth;
    return (uint64_t)tree_at(work, number)->node_count * (work->plan->wide ? 2 : 1);
}

static enum shw_result measure(const struct work *work)
{
    uint32_t trees = work->device->info->tree_count;
    uint64_t end = 0, most = work->device->device->properties.limits.maxStorageBufferRange / 8;

    for (uint32_t t = 0; t < trees; t++) {
        work->nodes->first_node[t] = (uint32_t)end;
        end += elements_of(work, t);
        if (end > most)
            return shw_fail(&work->device->params->log, SHW_ERROR_LIMIT, SHW_LOG_REQUIREMENT,
                            "records: the nodes take a storage buffer of more than the %llu bytes that the device has "
                            "at most: use the technique cpu",
                            (unsigned long long)most * 8);
    }
    work->nodes->first_node[trees] = (uint32_t)end;
    return SHW_OK;
}

static void write_tree(const struct work *work, uint32_t number)
{
    const struct shw_record_tree *tree = tree_at(work, number);
    uint32_t first = work->nodes->first_node[number], *words = work->nodes->words + 2 * (size_t)first;

    if (!work->plan->complete) {
        link_tree(work, tree, words);
        return;
    }
    work->nodes->first_place[number] = first; /* a complete tree has as many places as elements */
    complete_tree(work, work->device->info->nodes + tree->first_node, 0, 1, 0, words,
                  work->nodes->leaf_of_place + first);
}

static enum shw_result make(const struct work *work)
{
    struct shw_record_compute_nodes *nodes = work->nodes;
    size_t trees = work->device->info->tree_count, elements;

    nodes->first_node = calloc(trees + 1, sizeof *nodes->first_node);
    nodes->first_place = calloc(trees + 1, sizeof *nodes->first_place);
    if (nodes->first_node == NULL || nodes->first_place == NULL)
        return shw_fail_memory(&work->device->params->log, "nodes");
    SHW_PROPAGATE(measure(work));
    elements = nodes->first_node[trees];
    nodes->words = calloc(elements + 1, 2 * sizeof *nodes->words);
    nodes->leaf_of_place = work->plan->complete ? calloc(elements + 1, sizeof *nodes->leaf_of_place) : NULL;
    if (nodes->words == NULL || (work->plan->complete && nodes->leaf_of_place == NULL))
        return shw_fail_memory(&work->device->params->log, "nodes");
    for (uint32_t t = 0; t < trees; t++)
        write_tree(work, t);
    nodes->first_place[trees] = (uint32_t)elements;
    return SHW_OK;
}

enum shw_result shw_record_compute_nodes_make(const struct shw_record_device *device,
                                              const struct shw_record_compute_plan *plan,
                                              struct shw_record_compute_nodes *nodes)
{
    const struct work work = {device, plan, nodes};
    enum shw_result result;

    *nodes = (struct shw_record_compute_nodes){0};
    result = make(&work);
    if (result != SHW_OK)
        shw_record_compute_nodes_free(nodes);
    return result;
}

void shw_record_compute_nodes_free(struct shw_record_compute_nodes *nodes)
{
    free(nodes->words);
    free(nodes->first_node);
    free(nodes->first_place);
    free(nodes->leaf_of_place);
    *nodes = (struct shw_record_compute_nodes){0};
}
