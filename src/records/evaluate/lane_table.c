#include "records/evaluate/lane_table.h"

#include <stdlib.h>

#include "base/log.h"

uint32_t shw_lane_entries(const struct shw_record_tree *tree, enum shw_lane_order order)
{
    return order == SHW_LANES_OF_NODES ? tree->node_count : tree->node_count / 2;
}

void shw_lane_test(const struct shw_record_node *node, shw_uint4 *entry)
{
    uint32_t flags = (uint32_t)node->missing_right | (uint32_t)node->zero_missing << 1;

    *entry = (shw_uint4){.x = node->attribute | flags << SHW_LANES_FLAGS_SHIFT | (node->is_set ? SHW_LANES_SET : 0),
                         .y = (uint32_t)node->threshold};
}

/* Of an entry that leads to one place, whatever the record: no code is above the highest one. */
static shw_uint4 constant_entry(uint32_t target)
{
    return (shw_uint4){.y = INT32_MAX, .z = target, .w = target};
}

/* The index of a split among the splits of its tree. */
static uint32_t split_of(const struct shw_record_node *node)
{
    return (node->left - 1) / 2;
}

static void fill_nodes(const struct shw_record_tree *tree, const struct shw_record_node *nodes, shw_uint4 *entries)
{
    for (uint32_t n = 0; n < tree->node_count; n++) {
        if (!nodes[n].is_split) {
            entries[n] = constant_entry(SHW_LANES_LEAF | nodes[n].leaf);
            continue;
        }
        shw_lane_test(&nodes[n], &entries[n]);
        entries[n].z = SHW_LANES_INSIDE | nodes[n].left;
        entries[n].w = SHW_LANES_INSIDE | (nodes[n].left + 1);
    }
}

/* Where each split's entry is. `window` is its window's root and `place` its place there. */
struct position {
    uint32_t entry, root, place;
};

static uint32_t target(const struct shw_record_node *nodes, const struct position *positions, uint32_t root,
                       uint32_t child)
{
    const struct position *position;

    if (!nodes[child].is_split)
        return SHW_LANES_LEAF | nodes[child].leaf;
    position = &positions[split_of(&nodes[child])];
    return position->entry | (position->root == root ? SHW_LANES_INSIDE : 0);
}

static void fill_splits(const struct shw_record_tree *tree, const struct shw_record_node *nodes,
                        const struct position *positions, shw_uint4 *entries)
{
    for (uint32_t n = 0; n < tree->node_count; n++)
        if (nodes[n].is_split) {
            const struct position *position = &positions[split_of(&nodes[n])];
            shw_uint4 *entry = &entries[position->entry];
            shw_lane_test(&nodes[n], entry);
            entry->x |= position->place << SHW_LANES_PLACE_SHIFT;
            entry->z = target(nodes, positions, position->root, nodes[n].left);
            entry->w = target(nodes, positions, position->root, nodes[n].left + 1);
        }
}

/* Windows in breadth-first order, each with its splits in that order. `queue` has room for all splits: first the roots
 * of windows that wait, and in place of them, when a window is done, its splits' nodes. */
static void place_windows(const struct shw_record_node *nodes, uint32_t levels, uint32_t *roots, uint32_t *window,
                          struct position *positions)
{
    uint32_t root_count = 1, placed = 0;

    roots[0] = 0;
    for (uint32_t r = 0; r < root_count; r++) {
        uint32_t root = placed, count = 1, level_end = 1, level = 0;
        window[0] = roots[r];
        for (uint32_t i = 0; i < count; i++) {
            const struct shw_record_node *node = &nodes[window[i]];
            if (i == level_end) {
                level++;
                level_end = count;
            }
            positions[split_of(node)] = (struct position){placed++, root, i};
            for (uint32_t child = node->left; child <= node->left + 1; child++) {
                if (nodes[child].is_split && level + 1 < levels)
                    window[count++] = child;
                else if (nodes[child].is_split)
                    roots[root_count++] = child;
            }
        }
    }
}

enum shw_result shw_lane_fill(const struct shw_record_tree *tree, const struct shw_record_node *nodes,
                              enum shw_lane_order order, uint32_t levels, const struct shw_log *log, shw_uint4 *entries)
{
    uint32_t splits = tree->node_count / 2, *queues;
    struct position *positions;

    if (order == SHW_LANES_OF_NODES) {
        fill_nodes(tree, nodes, entries);
        return SHW_OK;
    }
    if (splits == 0)
        return SHW_OK;
    positions = calloc(splits, sizeof *positions);
    queues = calloc(splits, 2 * sizeof *queues);
    if (positions == NULL || queues == NULL) {
        free(positions);
        free(queues);
        return shw_fail_memory(log, "the tables of a tree");
    }
    if (order == SHW_LANES_OF_WINDOWS)
        place_windows(nodes, levels, queues, queues + splits, positions);
    else
        for (uint32_t s = 0; s < splits; s++)
            positions[s] = (struct position){s, 0, 0};
    fill_splits(tree, nodes, positions, entries);
    free(positions);
    free(queues);
    return SHW_OK;
}

/* The sides that lead to a node: those of its parent's mask and value, and of the parent itself. */
struct sides {
    uint64_t mask, value;
};

void shw_lane_fill_ballot(const struct shw_record_tree *tree, const struct shw_record_node *nodes, uint32_t width,
                          shw_uint4 *entries)
{
    struct sides sides[2 * 64 + 1] = {{0, 0}};

    for (uint32_t i = 0; i < width; i++) {
        entries[i] = constant_entry(0);
        entries[i].w = 1; /* never */
        if (width > 32)
            entries[width + i] = (shw_uint4){0};
    }
    for (uint32_t n = 0; n < tree->node_count; n++) {
        if (nodes[n].is_split) {
            uint32_t split = split_of(&nodes[n]);
            shw_uint4 exit = entries[split];
            shw_lane_test(&nodes[n], &entries[split]);
            entries[split].z = exit.z;
            entries[split].w = exit.w;
            for (uint32_t side = 0; side < 2; side++)
                sides[nodes[n].left + side] =
                    (struct sides){sides[n].mask | (uint64_t)1 << split, sides[n].value | (uint64_t)side << split};
        } else if (nodes[n].leaf < width) {
            entries[nodes[n].leaf].z = (uint32_t)sides[n].mask;
            entries[nodes[n].leaf].w = (uint32_t)sides[n].value;
            if (width > 32)
                entries[width + nodes[n].leaf] =
                    (shw_uint4){.x = (uint32_t)(sides[n].mask >> 32), .y = (uint32_t)(sides[n].value >> 32)};
        }
    }
}
