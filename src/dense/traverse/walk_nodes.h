/* A forest in the layout that the technique `compute` walks: shaders/shared/walk_node.h. */
#ifndef SHW_DENSE_TRAVERSE_WALK_NODES_H
#define SHW_DENSE_TRAVERSE_WALK_NODES_H

#include <shadewood/forest.h>

/* Consecutive trees whose nodes are walked together, since no storage buffer has more. Their table begins at a multiple
 * of SHW_WALK_GROUP_TEXELS; what is in it is counted from there. */
struct shw_walk_group {
    uint32_t first, count;  /* trees */
    uint64_t begin, texels; /* of 16 bytes */
};
#define SHW_WALK_GROUP_TEXELS 16u /* 256 bytes: Vulkan allows devices to ask for that much */

/* The group that follows `previous`, or the first one after a zero one, of the first `trees` trees: as many as have at
 * most `most` texels. Zero after the last one, and where a tree has more by itself. */
struct shw_walk_group shw_walk_group_next(const struct shw_forest *forest, uint32_t trees, uint64_t most,
                                          struct shw_walk_group previous);

/* Texels of a tree in the table of a group. */
uint64_t shw_walk_tree_texels(const struct shw_forest *forest, uint32_t tree);

struct shw_walk_nodes {
    uint64_t texels;        /* of all groups */
    uint32_t groups;        /* 0: a tree is too large */
    struct shw_reach reach; /* union over all features; zero without splits */
};

/* The size of the first `trees` trees, in groups of at most `most` texels. */
struct shw_walk_nodes shw_walk_nodes_measure(const struct shw_forest *forest, uint32_t trees, uint64_t most);

/* The texels of a node. */
uint32_t shw_walk_node_texels(const struct shw_feature_type *type);

/* Writes a node of the forest texture as one of `node_texels` texels, whose tree begins at texel `root`. */
void shw_walk_node_write(const uint32_t *node, uint32_t root, const struct shw_feature_type *type, uint32_t node_texels,
                         uint32_t stride, uint32_t pitch, uint32_t *words);

/* Writes 4 * shw_walk_nodes_measure().texels words. `stride` (from row to row) and `pitch` (from plane to plane) of the
 * integral images are in words. */
void shw_walk_nodes_write(const struct shw_forest *forest, uint32_t trees, uint64_t most, uint32_t stride,
                          uint32_t pitch, uint32_t *nodes);

#endif
