/* A forest on the device: an image for fragment shaders, or two buffers for compute, one of texels and one of nodes to
 * walk. */
#ifndef SHW_EVALUATE_FOREST_TABLE_H
#define SHW_EVALUATE_FOREST_TABLE_H

#include <shadewood/forest.h>
#include <shadewood/stage.h>

#include "vulkan/arena.h"

struct shw_forest_table {
    struct shw_vulkan_image image;
    struct shw_buffer buffer, nodes;
    struct shw_buffer upload, nodes_upload; /* staging buffers */
    uint32_t texture_shift;                 /* the image is 2^shift texels wide */
    uint64_t number;                        /* of the forest that was last recorded into the table; 0: none */
};

/* Capacity of a table in texels of 16 bytes. */
struct shw_forest_table_size {
    uint64_t texels, nodes; /* of the forest texture, and of the nodes that compute walks */
};

/* The size that `trees` trees of a forest need. */
struct shw_forest_table_size shw_forest_table_size_of(const struct shw_forest *forest, uint32_t trees);

/* A size that is enough for any forest with at most that many trees, classes and nodes. */
struct shw_forest_table_size shw_forest_table_size_for(uint32_t trees, uint32_t classes, uint64_t nodes);

/* Adds a table to an arena, which owns what it consists of. Errors: those of the arena, and LIMIT. */
enum shw_result shw_forest_table_add(struct shw_arena *arena, enum shw_planes_form form,
                                     struct shw_forest_table_size size, struct shw_forest_table *table);

/* Fills the staging buffers; no copy from them may be pending, and the forest must fit. `stride` and `pitch` are those
 * of the integral images. */
void shw_forest_table_fill(struct shw_forest_table *table, const struct shw_forest *forest, uint32_t trees,
                           uint32_t stride, uint32_t pitch);

/* Records the copy from the staging buffers; fragment or compute shaders may read the table after it. */
void shw_forest_table_record(const struct shw_device *device, VkCommandBuffer commands,
                             const struct shw_forest_table *table);

#endif
