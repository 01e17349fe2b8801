/* Traversal on any processor: several records of a tree, or several trees of a record, take turns, since each test
 * waits for the one before. */
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "records/evaluate/records_cpu.h"

#define SIDE_BY_SIDE 8u
#define LEVELS       8u /* between tests whether all have reached leaves */

struct shw_record_walk_node shw_record_walk_node_of(const struct shw_record_columns *columns,
                                                    const struct shw_record_node *node, int32_t limit, uint32_t left)
{
    uint32_t column = shw_record_column_of(columns, node);

    if (node->is_set) {
        column |= SHW_RECORD_WALK_SET | (node->missing_right ? SHW_RECORD_WALK_MISSING_RIGHT : 0);
        limit = node->threshold;
    }
    return (struct shw_record_walk_node){limit, column, left};
}

enum shw_result shw_record_walks_make(const struct shw_record_forest_info *info,
                                      const struct shw_record_columns *columns, const struct shw_log *log,
                                      struct shw_record_walks *walks)
{
    *walks = (struct shw_record_walks){info, columns, malloc(info->node_count * sizeof *walks->nodes)};
    if (walks->nodes == NULL)
        return shw_fail_memory(log, "nodes of a record forest");
    for (uint32_t n = 0; n < info->node_count; n++) {
        const struct shw_record_node *node = &info->nodes[n];
        int32_t limit = node->is_split ? node->threshold - (int32_t)node->missing_right : (int32_t)node->leaf;
        walks->nodes[n] = shw_record_walk_node_of(columns, node, limit, node->left);
    }
    return SHW_OK;
}

void shw_record_walks_free(struct shw_record_walks *walks)
{
    free(walks->nodes);
}

void shw_record_walks_read(const struct shw_record_walks *walks, const struct shw_records *records, uint64_t record,
                           int32_t *values)
{
    const float *row = records->values + record * records->record_stride;

    values[0] = SHW_RECORD_MISSING;
    for (uint32_t c = 1; c < walks->columns->count; c++) {
        const struct shw_record_column *column = &walks->columns->items[c];
        int32_t code = shw_record_code_in(records, row[column->attribute * records->attribute_stride]);
        values[c] = (int32_t)((uint32_t)shw_record_code_for(code, column->zero_missing) - column->missing_right);
    }
}

static inline uint32_t step(const struct shw_record_walk_node *nodes, const uint32_t *sets, uint32_t place,
                            const int32_t *values)
{
    return nodes[place].left + shw_record_walk_side(&nodes[place], sets, values, 1);
}

static inline void walk_in_turns(const struct shw_record_walk_node *const nodes[SIDE_BY_SIDE], const uint32_t *sets,
                                 const int32_t *const values[SIDE_BY_SIDE], uint32_t depth, uint32_t *leaves)
{
    uint32_t place[SIDE_BY_SIDE] = {0}, moved = 1;

    for (uint32_t d = 0; d < depth && moved; d++) {
        moved = d % LEVELS != LEVELS - 1;
        for (uint32_t s = 0; s < SIDE_BY_SIDE; s++) {
            uint32_t next = step(nodes[s], sets, place[s], values[s]);
            moved |= next ^ place[s];
            place[s] = next;
        }
    }
    for (uint32_t s = 0; s < SIDE_BY_SIDE; s++)
        leaves[s] = (uint32_t)nodes[s][place[s]].limit;
}

/* The compiler makes a loop for each. */
static void walk_side_by_side(const struct shw_record_walk_node *const nodes[SIDE_BY_SIDE], const uint32_t *sets,
                              const int32_t *const values[SIDE_BY_SIDE], uint32_t depth, uint32_t *leaves)
{
    if (sets == NULL)
        walk_in_turns(nodes, NULL, values, depth, leaves);
    else
        walk_in_turns(nodes, sets, values, depth, leaves);
}

static uint32_t walk_one(const struct shw_record_walk_node *nodes, const uint32_t *sets, const int32_t *values)
{
    uint32_t place = 0;

    while (nodes[place].left != place)
        place = step(nodes, sets, place, values);
    return (uint32_t)nodes[place].limit;
}

void shw_record_walk_records(const struct shw_record_walks *walks, uint32_t tree, const int32_t *values, uint32_t count,
                             uint32_t *leaves)
{
    const struct shw_record_tree *info = &walks->info->trees[tree];
    const struct shw_record_walk_node *nodes[SIDE_BY_SIDE];
    const int32_t *rows[SIDE_BY_SIDE];
    uint32_t r = 0;

    for (uint32_t s = 0; s < SIDE_BY_SIDE; s++)
        nodes[s] = walks->nodes + info->first_node;
    for (; r + SIDE_BY_SIDE <= count; r += SIDE_BY_SIDE) {
        for (uint32_t s = 0; s < SIDE_BY_SIDE; s++)
            rows[s] = values + (size_t)(r + s) * walks->columns->count;
        walk_side_by_side(nodes, walks->info->sets, rows, info->depth, leaves + r);
    }
    for (; r < count; r++)
        leaves[r] = walk_one(nodes[0], walks->info->sets, values + (size_t)r * walks->columns->count);
}

void shw_record_walk_trees(const struct shw_record_walks *walks, uint32_t first_tree, uint32_t count,
                           const int32_t *values, uint32_t *leaves)
{
    const struct shw_record_tree *trees = walks->info->trees + first_tree;
    const struct shw_record_walk_node *nodes[SIDE_BY_SIDE];
    const int32_t *rows[SIDE_BY_SIDE];
    uint32_t t = 0;

    for (uint32_t s = 0; s < SIDE_BY_SIDE; s++)
        rows[s] = values;
    for (; t + SIDE_BY_SIDE <= count; t += SIDE_BY_SIDE) {
        uint32_t depth = 0;
        for (uint32_t s = 0; s < SIDE_BY_SIDE; s++) {
            nodes[s] = walks->nodes + trees[t + s].first_node;
            depth = shw_max_u32(depth, trees[t + s].depth);
        }
        walk_side_by_side(nodes, walks->info->sets, rows, depth, leaves + t);
    }
    for (; t < count; t++)
        leaves[t] = walk_one(walks->nodes + trees[t].first_node, walks->info->sets, values);
}
