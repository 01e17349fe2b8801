/* A forest as the technique `compute` walks it: shaders/shared/walk_node.h. */
#ifndef SHW_EVALUATE_WALK_NODES_H
#define SHW_EVALUATE_WALK_NODES_H

#include <shadewood/forest.h>

#include "shared/rectangle.h"

struct shw_walk_nodes {
    uint64_t texels;       /* of four words */
    struct shw_rect reach; /* what rectangles span around a pixel; zero without splits */
};

/* What the first `trees` trees need. Reads forest texels as in shaders/shared/forest_texture.h. */
struct shw_walk_nodes shw_walk_nodes_measure(const uint32_t *texels, uint32_t trees);

/* Writes 4 * shw_walk_nodes_measure().texels words. `stride` and `pitch` of the integral images are in words, from row
 * to row and from plane to plane. */
void shw_walk_nodes_write(const uint32_t *texels, uint32_t trees, enum shw_feature_type feature, uint32_t stride,
                          uint32_t pitch, uint32_t *nodes);

#endif
