/* A forest on the device, as a technique reads it: an image for fragment shaders; texels and the nodes that are walked,
 * in buffers, for compute. */
#ifndef SHW_EVALUATE_FOREST_TABLE_H
#define SHW_EVALUATE_FOREST_TABLE_H

#include <shadewood/forest.h>
#include <shadewood/stage.h>

#include "vulkan/memory.h"

struct shw_forest_table {
    struct shw_vulkan_image image;
    struct shw_buffer buffer, nodes;
    struct shw_buffer upload, nodes_upload; /* what they are copied from */
    uint32_t texture_shift;                 /* the image is 2^shift texels wide */
    uint64_t number;                        /* of the forest that was last recorded into it; 0: none */
};

/* What a table holds at most, in texels of 16 bytes. */
struct shw_forest_table_size {
    uint64_t texels, nodes; /* of the forest texture, and of the nodes that compute walks */
};

/* What `trees` trees of a forest need. */
struct shw_forest_table_size shw_forest_table_size_of(const struct shw_forest *forest, uint32_t trees);

/* What any forest with so many trees, classes and nodes needs, at most. */
struct shw_forest_table_size shw_forest_table_size_for(uint32_t trees, uint32_t classes, uint64_t nodes);

/* Bytes that a table takes on the device, with what it is copied from. */
uint64_t shw_forest_table_bytes(enum shw_planes_form form, struct shw_forest_table_size size);

/* Errors: MEMORY, DEVICE_MEMORY, LIMIT. On failure the table is zero. */
enum shw_result shw_forest_table_create(struct shw_device *device, enum shw_planes_form form,
                                        struct shw_forest_table_size size, struct shw_forest_table *table);

/* Accepts a zero table, and leaves one. */
void shw_forest_table_destroy(struct shw_device *device, struct shw_forest_table *table);

/* Fills the part that is copied from; no copy from it may be pending, and the forest must fit. `stride` and `pitch` are
 * those of the integral images. */
void shw_forest_table_fill(struct shw_forest_table *table, const struct shw_forest *forest, uint32_t trees,
                           uint32_t stride, uint32_t pitch);

/* Records the copy of what was filled in; afterwards fragment or compute shaders may read it. */
void shw_forest_table_record(const struct shw_device *device, VkCommandBuffer commands,
                             const struct shw_forest_table *table);

#endif
