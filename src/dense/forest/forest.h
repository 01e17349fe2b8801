/* The forest in memory: its texture, and derived values that are needed often. */
#ifndef SHW_DENSE_FOREST_FOREST_H
#define SHW_DENSE_FOREST_FOREST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/forest.h>

#include "base/model.h"
#include "shared/forest_texture.h"

/* The texture's words are stored and read as bytes, and 16-bit values within words. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the forest texture is little-endian");

/* Position of a tree in the texture. */
struct shw_forest_tree {
    uint32_t first; /* texel of the root */
    uint32_t node_count;
    uint32_t leaf_count; /* distributions, which leaves may share */
    uint32_t depth;
    uint32_t first_leaf; /* number of the first distribution among those of all trees */
};

/* Positions in the texture; they follow from node, leaf and class counts alone. */
struct shw_forest_layout {
    uint32_t width, height, layers;
    uint32_t distributions; /* first texel */
    uint32_t leaf_count;    /* of all trees */
};

struct shw_forest {
    struct shw_forest_info info; /* points into the members below */
    struct shw_class *classes;
    char *names; /* of all classes, each with its terminating zero */
    char *training;
    struct shw_channel_list channels;

    struct shw_forest_layout layout;
    struct shw_forest_tree *trees;
    uint32_t *texels;       /* as evaluated */
    uint32_t *trained;      /* if the forest votes: the distributions, in the layout of `texels`; otherwise NULL */
    struct shw_fern *ferns; /* [tree] (dense/forest/ferns.h); NULL if the forest is not one of ferns */
    uint32_t *leaf_nodes;   /* of each distribution, the first node of its tree that has it */

    const struct shw_means *means; /* of a forest that reads mean planes (dense/means/means.h); otherwise NULL */

    uint32_t reach; /* of the features of this level alone */
    uint64_t hash;
    struct shw_forest *below; /* a reference; or NULL */
    atomic_uint references;   /* besides the first one */
};

extern const struct shw_model_traits shw_forest_model;

/* Places trees whose node_count (odd and at most SHW_NODES_MAX) and leaf_count (at most the number of their leaves) are
 * set: fills in first and first_leaf. False if the texture would have more than SHW_TEXTURE_LAYERS_MAX layers. */
bool shw_forest_place(struct shw_forest_tree *trees, uint32_t tree_count, uint32_t class_count,
                      struct shw_forest_layout *layout);

/* The number of texels in all layers. */
uint32_t shw_forest_texel_count(const struct shw_forest_layout *layout);

/* Checks every bit of the texture against `info` and the layout; fills in the depths of the trees, the
 * reach and leaf_nodes. */
enum shw_result shw_forest_check(struct shw_forest *forest, const struct shw_model_source *source);

/* Copies and checks classes, channel set, feature type and provenance into a zeroed forest. */
enum shw_result shw_forest_set_info(struct shw_forest *forest, const struct shw_forest_info *info,
                                    const struct shw_model_source *source);

/* Another reference, to be destroyed as well; NULL for NULL. */
struct shw_forest *shw_forest_hold(const struct shw_forest *forest);

/* Takes a reference to the level below, which may be NULL, and checks that it fits the channels. Errors: FORMAT, LIMIT.
 */
enum shw_result shw_forest_set_below(struct shw_forest *forest, const struct shw_forest *below,
                                     const struct shw_model_source *source);

/* The reach of the features of this level alone. */
static inline uint32_t shw_forest_own_reach(const struct shw_forest *forest)
{
    return forest->reach;
}

/* The smoothing of what a forest labels, for that of struct shw_labeller_params; radius 0: none. */
struct shw_smoothing shw_forest_smoothing(const struct shw_forest_info *info, const struct shw_smoothing *given);

/* The same forest, also in its provenance, that labels with other smoothing (radius 0 or SHW_SMOOTHING_NONE: none). The
 * levels below stay as they are. Errors: MEMORY. */
enum shw_result shw_forest_with_smoothing(const struct shw_forest *forest, struct shw_smoothing smoothing,
                                          const struct shw_log *log, struct shw_forest **made);

/* Members of the provenance. */
#define SHW_CALIBRATION_MEMBER "calibration"
#define SHW_CHECKPOINT_MEMBER  "checkpoint" /* only checkpoints have it */

/* Whether it is a checkpoint, whose last tree may be unfinished. */
bool shw_forest_is_checkpoint(const struct shw_forest *forest);

/* If the forest votes, replaces distributions by votes in the texels. False if out of memory. */
bool shw_forest_set_votes(struct shw_forest *forest);

/* The texels as they are in files, to be freed with free(); NULL if out of memory. */
uint32_t *shw_forest_copy_texels(const struct shw_forest *forest);

/* Frees nodes and distributions, and forgets them. */
void shw_tree_free(struct shw_tree *tree);

/* A copy of a tree, to be freed with shw_tree_free() even after a failure; false if memory is exhausted. */
bool shw_forest_copy_tree(const struct shw_forest *forest, uint32_t tree, struct shw_tree *copy);

/* Frees `count` trees and the array. NULL: nothing. */
void shw_forest_free_trees(struct shw_tree *trees, uint32_t count);

/* What a leaf adds when trees are combined, class by class: its distribution or its vote. */
const uint16_t *shw_forest_get_values(const struct shw_forest *forest, uint32_t tree, uint32_t leaf);

/* Computes forest->hash from the texels as they are in files. False if out of memory. */
bool shw_forest_set_hash(struct shw_forest *forest);

#endif
