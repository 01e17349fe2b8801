/* A forest on the device: its texture as an image for fragment shaders, or for custom techniques as a buffer; or two
 * buffers for compute, one of its leaves and one of nodes to walk (dense/traverse/forest_table.h).
 *
 * The leaves are the texture without its nodes: the texels of the forest and of its trees, and after them the
 * distributions. A buffer may be larger than what one binding takes: leaves are then bound in up to
 * SHW_EVALUATE_FOREST_PARTS parts, nodes group by group. */
#ifndef SHW_DENSE_TRAVERSE_FOREST_TABLE_H
#define SHW_DENSE_TRAVERSE_FOREST_TABLE_H

#include <shadewood/forest.h>
#include <shadewood/stage.h>

#include "vulkan/planes.h"

struct shw_forest_table {
    struct shw_vulkan_image image;
    struct shw_buffer buffer, nodes;
    struct shw_buffer upload, nodes_upload; /* staging buffers */
    uint32_t texture_shift; /* the image is 2^shift texels wide, or a part of the leaves has that many */
    uint64_t most;          /* texels of a binding */
    uint64_t number;        /* of the forest that was last recorded into the table; 0: none */
};

/* Capacity of a table in texels of 16 bytes. */
struct shw_forest_table_size {
    uint64_t texels, leaves, nodes; /* of the forest texture; of the leaves and nodes of compute, or 0; its table of
                                       ferns takes the place of nodes */
    uint64_t ferns;                 /* of the table of ferns behind the texture of an image, whose end is not used */
};

/* Texels that one binding takes: `range` is a device's maxStorageBufferRange. */
uint64_t shw_forest_table_most(uint32_t range);

/* The size that `trees` trees of a forest need, with bindings of at most `most` texels. */
struct shw_forest_table_size shw_forest_table_size_of(const struct shw_forest *forest, uint32_t trees, uint64_t most);

/* A size that is enough for any forest with at most that many trees, classes and nodes, and of this one's feature type.
 */
struct shw_forest_table_size shw_forest_table_size_for(const struct shw_forest *forest, uint32_t trees,
                                                       uint32_t classes, uint64_t nodes);

/* The texels of a part of the leaves, a power of two. */
uint64_t shw_forest_table_part(uint64_t most);

/* Whether compute can have this table: no tree has more nodes than a binding takes, and leaves do not need too many
 * parts. Otherwise, what is too large is logged unless `log` is NULL. */
bool shw_forest_table_fits(const struct shw_forest *forest, uint32_t trees, uint32_t range, const struct shw_log *log);

/* Whether a forest is one of ferns and, as such, fits a table of that size, with bindings of at most `most` texels. */
bool shw_forest_table_holds_ferns(const struct shw_forest *forest, uint32_t trees, enum shw_planes_form form,
                                  struct shw_forest_table_size size, uint64_t most);

/* Adds a table to an arena, which owns what it consists of. Errors: those of the arena, and LIMIT. */
enum shw_result shw_forest_table_add(struct shw_arena *arena, enum shw_planes_form form,
                                     struct shw_forest_table_size size, struct shw_forest_table *table);

/* Fills the staging buffers; no copy from them may be pending, and the forest must fit, `as_ferns` or not. `stride` and
 * `pitch` are those of the integral images. */
void shw_forest_table_fill(struct shw_forest_table *table, const struct shw_forest *forest, uint32_t trees,
                           bool as_ferns, uint32_t stride, uint32_t pitch);

/* Records the copy from the staging buffers; fragment or compute shaders may read the table after it. */
void shw_forest_table_record(const struct shw_device *device, VkCommandBuffer commands,
                             const struct shw_forest_table *table);

/* A forest in the layout that the technique `compute` walks: shaders/shared/walk_node.h. */

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
    bool has_intervals;     /* some tests have an upper threshold */
};

/* The size of the first `trees` trees, in groups of at most `most` texels. */
struct shw_walk_nodes shw_walk_nodes_measure(const struct shw_forest *forest, uint32_t trees, uint64_t most);

/* The texels of a node, or of a test of ferns. */
uint32_t shw_walk_node_texels(const struct shw_feature_type *type, bool as_ferns);

/* Writes 4 * shw_walk_nodes_measure().texels words. `stride` (from row to row) and `pitch` (from plane to plane) of the
 * integral images are in words. */
void shw_walk_nodes_write(const struct shw_forest *forest, uint32_t trees, uint64_t most, uint32_t stride,
                          uint32_t pitch, uint32_t *nodes);

/* Ferns on the device: the test of each level, and the leaves by the results of the tests (shared/walk_node.h). */

/* Texels of the first `trees` trees with tests of `test_texels` texels; 0 if the forest is not one of ferns. */
uint64_t shw_fern_table_texels(const struct shw_forest *forest, uint32_t trees, uint32_t test_texels);

#endif
