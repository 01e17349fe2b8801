/* A forest in the layout that the technique `compute` walks: shaders/shared/walk_node.h. */
#ifndef SHW_EVALUATE_WALK_NODES_H
#define SHW_EVALUATE_WALK_NODES_H

#include <shadewood/forest.h>

struct shw_walk_nodes {
    uint64_t texels;        /* of 16 bytes */
    struct shw_reach reach; /* union over all features; zero without splits */
};

/* The size of the first `trees` trees. */
struct shw_walk_nodes shw_walk_nodes_measure(const struct shw_forest *forest, uint32_t trees);

/* Writes 4 * shw_walk_nodes_measure().texels words. `stride` (from row to row) and `pitch` (from plane to plane) of the
 * integral images are in words. */
void shw_walk_nodes_write(const struct shw_forest *forest, uint32_t trees, uint32_t stride, uint32_t pitch,
                          uint32_t *nodes);

#endif
