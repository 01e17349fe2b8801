/* A forest as the technique `compute` walks it: shaders/shared/walk_node.h. */
#ifndef SHW_EVALUATE_WALK_NODES_H
#define SHW_EVALUATE_WALK_NODES_H

#include <shadewood/forest.h>

struct shw_walk_nodes {
    uint64_t texels;        /* of four words */
    struct shw_reach reach; /* of all features; zero without splits */
};

/* What the first `trees` trees need. */
struct shw_walk_nodes shw_walk_nodes_measure(const struct shw_forest *forest, uint32_t trees);

/* Writes 4 * shw_walk_nodes_measure().texels words. `stride` and `pitch` of the integral images are in words, from row
 * to row and from plane to plane. */
void shw_walk_nodes_write(const struct shw_forest *forest, uint32_t trees, uint32_t stride, uint32_t pitch,
                          uint32_t *nodes);

#endif
