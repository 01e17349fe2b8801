/* A forest on the device: its texture as an image for fragment shaders, or for custom techniques as a buffer; or two
 * buffers for compute, one of its leaves and one of nodes to walk (dense/traverse/walk_nodes.h).
 *
 * The leaves are the texture without its nodes: the texels of the forest and of its trees, and after them the
 * distributions. A buffer may be larger than what one binding takes: leaves are then bound in up to
 * SHW_EVALUATE_FOREST_PARTS parts, nodes group by group. */
#ifndef SHW_DENSE_TRAVERSE_FOREST_TABLE_H
#define SHW_DENSE_TRAVERSE_FOREST_TABLE_H

#include <shadewood/forest.h>
#include <shadewood/stage.h>

#include "vulkan/arena.h"

struct shw_forest_table {
    struct shw_vulkan_image image;
    struct shw_buffer buffer, nodes;
    struct shw_buffer upload, nodes_upload; /* staging buffers */
    uint32_t texture_shift;                 /* the image is 2^shift texels wide, or a part of the leaves has so many */
    uint64_t most;                          /* texels of a binding */
    uint64_t number;                        /* of the forest that was last recorded into the table; 0: none */
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

#endif
