/* Trees as groups of lanes evaluate them: the entries of shaders/shared/record_lanes.h. */
#ifndef SHW_RECORDS_EVALUATE_LANE_TABLE_H
#define SHW_RECORDS_EVALUATE_LANE_TABLE_H

#include <shadewood/record_forest.h>

#include "shared/record_lanes.h"

/* What has an entry, and in which order. */
enum shw_lane_order {
    SHW_LANES_OF_NODES,  /* all nodes, breadth-first (Spencer 2021, Procedure 4); a leaf leads to itself */
    SHW_LANES_OF_SPLITS, /* splits alone, breadth-first (Procedure 5) */
    SHW_LANES_OF_WINDOWS /* splits by windows of a few levels (section 6); a window's root is its first entry */
};

/* How many entries a tree has. */
uint32_t shw_lane_entries(const struct shw_record_tree *tree, enum shw_lane_order order);

/* Fills in the entries of a tree, whose nodes are `nodes`. `levels` is of windows. Errors: MEMORY. */
enum shw_result shw_lane_fill(const struct shw_record_tree *tree, const struct shw_record_node *nodes,
                              enum shw_lane_order order, uint32_t levels, const struct shw_log *log,
                              shw_uint4 *entries);

/* The entry of the node for lanes: attribute, flags and threshold. */
void shw_lane_test(const struct shw_record_node *node, shw_uint4 *entry);

/* The same for ballots: `width` entries, and as many for further sides if `width` is above 32, up to 64; a tree has at
 * most `width` splits. */
void shw_lane_fill_ballot(const struct shw_record_tree *tree, const struct shw_record_node *nodes, uint32_t width,
                          shw_uint4 *entries);

#endif
