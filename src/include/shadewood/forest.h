/* Decision forests. Part of Shadewood; MIT licence, see LICENSE.
 *
 * A forest is immutable once made, so any number of threads may read it. Its stored form is the texture that the
 * shaders read, in a KTX2 file; docs/forest-format.md has every bit of it. */
#ifndef SHADEWOOD_FOREST_H
#define SHADEWOOD_FOREST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/api.h>
#include <shadewood/channels.h>
#include <shadewood/dataset.h>
#include <shadewood/feature.h>
#include <shadewood/log.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SHW_TREES_MAX 4096u
#define SHW_NODES_MAX (1u << 24) /* of one tree */
#define SHW_DEPTH_MAX 64u        /* tests on the longest path of a tree */

/* A node as seen by people; nodes of a tree are in breadth-first order, the root first, so a split's children are
 * `left` and `left + 1`, both larger than the split's own index. */
struct shw_node {
    bool is_split;
    uint32_t left;              /* split: index of the left child. Leaf: its own index */
    struct shw_feature feature; /* split only; zero in a leaf */
    int32_t t0, t1;             /* split: t0 < t1, goes right if t0 <= response < t1. Leaf: zero */
    uint32_t leaf;              /* leaf: its number in the tree, counted in node order from 0. Split: zero */
};

/* One tree, as handed to shw_forest_create(). */
struct shw_tree {
    const struct shw_node *nodes;
    uint32_t node_count;
    const uint16_t *distributions; /* leaf by leaf, class_count values that sum to 65535 */
};

struct shw_forest_info {
    const char *channels;                        /* as text; to shw_forest_create(), NULL means SHW_CHANNELS_WINN16 */
    struct shw_channel_kinds kinds;              /* of the caller's, that the text may name */
    const struct shw_channel_list *channel_list; /* what that text means; not read by shw_forest_create() */
    const struct shw_feature_type *feature;      /* to shw_forest_create(), NULL means shw_feature_type_get(0) */
    uint32_t class_count;
    const struct shw_class
        *classes; /* class_count entries; to shw_forest_create(), NULL means names and colours by number */
    uint32_t tree_count;
    const char *training; /* JSON object: how the forest was made; "{}" if unknown. Does not influence evaluation */
};

/* What shw_forest_create() copies. */
struct shw_forest_params {
    struct shw_forest_info info;
    const struct shw_tree *trees; /* info.tree_count */
    struct shw_log log;
};

struct shw_forest;

/* Makes a forest from nodes; everything is checked as if it came from a file, and copied.
 * Errors: ARGUMENT, FORMAT (the message names tree, node and reason), LIMIT, MEMORY. Any thread. */
SHW_API enum shw_result shw_forest_create(const struct shw_forest_params *params, struct shw_forest **forest);

/* Ends *forest's life and sets it to NULL; NULL and a pointer to NULL are accepted. No other use may be under way. */
SHW_API void shw_forest_destroy(struct shw_forest **forest);

/* What a forest in a file may use beside what the library has; feature types and channel kinds are borrowed by the
 * forest. */
struct shw_forest_load_params {
    const struct shw_feature_type *const *features; /* feature_count types of the caller's */
    uint32_t feature_count;
    struct shw_channel_kinds kinds;
    struct shw_log log;
};

/* Reads a forest from a KTX2 file or from its `size` bytes in memory. `path` (for memory: `name`) appears in messages.
 * `params` may be NULL. Nothing in the file is trusted. Errors: IO, FORMAT, VERSION, LIMIT, MEMORY; ARGUMENT for an
 * incomplete feature type or channel kind of the caller's. Any thread. */
SHW_API enum shw_result shw_forest_load(const char *path, const struct shw_forest_load_params *params,
                                        struct shw_forest **forest);
SHW_API enum shw_result shw_forest_load_memory(const void *bytes, size_t size, const char *name,
                                               const struct shw_forest_load_params *params, struct shw_forest **forest);

/* Writes the KTX2 file: whole or not at all (a temporary file beside it is renamed). The same forest is the same bytes
 * on every machine. Errors: IO, MEMORY. Any thread. */
SHW_API enum shw_result shw_forest_save(const struct shw_forest *forest, const char *path, const struct shw_log *log);

/* The same bytes in memory; *bytes is to be freed with free(). */
SHW_API enum shw_result shw_forest_save_memory(const struct shw_forest *forest, void **bytes, size_t *size);

/* Valid as long as the forest. Any thread. */
SHW_API const struct shw_forest_info *shw_forest_get_info(const struct shw_forest *forest);

struct shw_tree_info {
    uint32_t node_count, leaf_count;
    uint32_t depth; /* tests on the longest path: 0 for a single leaf */
};

/* Describes tree `tree` < tree_count. Any thread. */
SHW_API struct shw_tree_info shw_forest_get_tree(const struct shw_forest *forest, uint32_t tree);

/* Node `node` < node_count of tree `tree`. Any thread. */
SHW_API struct shw_node shw_forest_get_node(const struct shw_forest *forest, uint32_t tree, uint32_t node);

/* The class_count values of a leaf's distribution, which sum to 65535. Valid as long as the forest. Any thread. */
SHW_API const uint16_t *shw_forest_get_distribution(const struct shw_forest *forest, uint32_t tree, uint32_t leaf);

/* How far the forest looks: no pixel farther from the classified one than this, in x or in y, influences a response.
 * SHW_REACH_ALL: it looks at the whole image. The channel list's radius comes on top. Any thread. */
SHW_API uint32_t shw_forest_get_reach(const struct shw_forest *forest);

/* The name of an input that the forest reads (shadewood/input.h), from 0, which is SHW_COLOUR; NULL past the last.
 * Valid as long as the forest. Any thread. */
SHW_API const char *shw_forest_get_input(const struct shw_forest *forest, uint32_t index);

/* The forest texture: RGBA32_UINT texels, `width` by `height` by `layers`, rows and layers without padding.
 * Valid as long as the forest. Any thread. */
struct shw_forest_texture {
    const uint32_t *texels;
    uint32_t width, height, layers;
};
SHW_API struct shw_forest_texture shw_forest_get_texture(const struct shw_forest *forest);

/* What a texel of the forest texture is for. docs/forest-format.md has the words of each. */
enum shw_texel_kind {
    SHW_TEXEL_NOTHING = 0, /* the rest of a row */
    SHW_TEXEL_HEADER,      /* how many trees, classes and leaves there are, and where distributions begin */
    SHW_TEXEL_TREE,        /* where tree `tree` begins, and what it has */
    SHW_TEXEL_NODE,    /* head of the feature, thresholds and left child of node `node` of tree `tree`, or which leaf
                          it is */
    SHW_TEXEL_FEATURE, /* the rest of that node's feature */
    SHW_TEXEL_DISTRIBUTION /* the classes from first_class on, 8 at most, of leaf `leaf` of tree `tree`, which is node
                              `node` */
};

struct shw_texel {
    enum shw_texel_kind kind;
    uint32_t tree, node, leaf; /* zero where the kind has none; `leaf` also of nodes that are leaves */
    uint32_t first_class;
};

/* Tells about texel `index`, counted row by row and layer by layer; all from the texture's end on are for nothing. Any
 * thread. */
SHW_API struct shw_texel shw_forest_get_texel(const struct shw_forest *forest, uint32_t index);

/* A 64-bit hash (XXH3) of texture and meaning (channel set, feature type, classes), not of the training record: equal
 * forests have equal hashes. Any thread. */
SHW_API uint64_t shw_forest_hash(const struct shw_forest *forest);

#ifdef __cplusplus
}
#endif
#endif
