/* Decision forests. Part of Shadewood; MIT licence, see LICENSE.
 *
 * A forest is immutable, so any number of threads may read it. It is stored as the texture that the shaders read, in a
 * KTX2 file; docs/forest-format.md specifies every bit. */
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
#include <shadewood/memory.h>
#include <shadewood/version.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SHW_TREES_MAX  4096u
#define SHW_NODES_MAX  (1u << 24) /* per tree */
#define SHW_DEPTH_MAX  64u        /* tests on the longest path of a tree */
#define SHW_LEVELS_MAX 8u         /* of forests, one below the other */

/* How the trees of a forest are combined into the distribution and the class of a pixel. */
enum shw_combine {
    SHW_COMBINE_DEFAULT = 0, /* of a new forest, the mean; of a file, what it says */
    SHW_COMBINE_MEAN = 1,    /* the mean of the distributions of the leaves reached */
    SHW_COMBINE_VOTE = 2     /* each tree votes for the most probable class of its leaf, the lowest among equals; the
                                distribution is the classes' shares of the votes */
};

/* Smoothing of distributions, guided by the image's colours, so that labels are smooth inside objects and change at
 * their edges: the guided filter (He, Sun, Tang 2010) of a cost volume (Hosni et al. 2013) on cells of pixels (He, Sun
 * 2015). docs/smoothing.md specifies it to the bit. Zero: none. Leaves are not affected. Where it applies, the
 * distribution of a pixel sums to exactly 65535, and the label is its largest class, the lowest among equals before
 * rounding. */
struct shw_smoothing {
    uint32_t radius;  /* of windows, pixels; at most SHW_SMOOTHING_RADIUS_MAX. A pixel's label depends on others within
                         about twice as many */
    uint32_t epsilon; /* variance of colours that is texture, not an edge, in squares of an 8-bit sample; at most
                         SHW_SMOOTHING_EPSILON_MAX. 0: SHW_SMOOTHING_EPSILON_DEFAULT */
};
#define SHW_SMOOTHING_RADIUS_MAX      120u
#define SHW_SMOOTHING_EPSILON_MAX     4096u
#define SHW_SMOOTHING_EPSILON_DEFAULT 7u
#define SHW_SMOOTHING_NONE            0xffffffffu /* a radius: none, whatever a forest says */

/* A node, decoded. The nodes of a tree are in breadth-first order, the root first: the children of a split are `left`
 * and `left + 1`, both greater than the split's own index. */
struct shw_node {
    bool is_split;
    uint32_t left;              /* split: index of the left child. Leaf: its own index */
    struct shw_feature feature; /* split only; zero in a leaf */
    int32_t t0, t1;             /* split: t0 < t1, goes right if t0 <= response < t1. Leaf: zero */
    uint32_t leaf;              /* leaf: the number of its distribution in the tree: those that no earlier leaf has are
                                   numbered in node order from 0. Split: zero */
};

/* A tree for shw_forest_create(). Leaves with the same number share a distribution. */
struct shw_tree {
    const struct shw_node *nodes;
    uint32_t node_count;
    const uint16_t *distributions; /* class_count values per leaf number, which sum to 65535 */
    uint32_t leaf_count;           /* leaf numbers; 0: as many as leaves, so that each has a distribution of its own */
};

struct shw_forest;

struct shw_forest_info {
    const char *channels;                        /* as text; NULL for shw_forest_create(): SHW_CHANNELS_WINN16 */
    struct shw_channel_kinds kinds;              /* custom ones that the text may name */
    const struct shw_channel_list *channel_list; /* the parsed text; ignored by shw_forest_create() */
    const struct shw_feature_type *feature;      /* NULL for shw_forest_create(): shw_feature_type_get(0) */
    uint32_t class_count;
    const struct shw_class
        *classes; /* class_count entries; NULL for shw_forest_create(): names and colours by number */
    uint32_t tree_count;
    enum shw_combine combine; /* never DEFAULT in what shw_forest_get_info() returns */
    enum shw_fill fill;       /* of the depth that is labelled; never DEFAULT in what shw_forest_get_info() returns */
    struct shw_smoothing smoothing; /* of what it labels; in what shw_forest_get_info() returns, epsilon is never the
                                       default's 0 unless the radius is 0 */
    const char *training; /* JSON object: how the forest was made; "{}" if unknown. Does not affect evaluation */
    /* The level below (docs/stacking.md), whose distributions this forest reads as channels of the kind `posterior`;
     * NULL: there is none. A forest that is created keeps a reference, so the caller may destroy its own. */
    const struct shw_forest *below;
    uint32_t levels; /* this one and those below; ignored by shw_forest_create() */
};

/* Everything is copied, except feature type and channel kinds, which are borrowed, and the level below. */
struct shw_forest_params {
    struct shw_forest_info info;
    const struct shw_tree *trees; /* info.tree_count */
    struct shw_log log;
};

/* Makes a forest from nodes, which are checked like those of a file. Errors: ARGUMENT, FORMAT (the message names tree,
 * node and reason), LIMIT, MEMORY. Any thread. */
SHW_API enum shw_result shw_forest_create_abi(uint32_t abi, const struct shw_forest_params *params,
                                              struct shw_forest **forest);
static inline enum shw_result shw_forest_create(const struct shw_forest_params *params, struct shw_forest **forest)
{
    return shw_forest_create_abi(SHW_ABI, params, forest);
}

/* Destroys *forest and sets it to NULL; accepts NULL and a pointer to NULL. The forest must no longer be in use, except
 * as the level below another. */
SHW_API void shw_forest_destroy(struct shw_forest **forest);

/* What a forest file may use in addition to what the library provides; types and kinds must outlive the forest. */
struct shw_forest_load_params {
    const struct shw_feature_type *const *features; /* feature_count custom types; must outlive the forest */
    uint32_t feature_count;
    struct shw_channel_kinds kinds;
    enum shw_combine combine; /* MEAN or VOTE: instead of what the file says, of the uppermost level */
    enum shw_fill fill;       /* NONE or SIMPLE: instead of what the file says; SIMPLE is refused if the forest does not
                                 read SHW_DEPTH */
    struct shw_log log;
};

/* Reads a forest from a KTX2 file or from `size` bytes in memory. `path` (for memory: `name`) appears in messages.
 * `params` may be NULL. The file is not trusted. Errors: IO, FORMAT, VERSION, LIMIT, MEMORY; ARGUMENT for a custom
 * feature type or channel kind that is incomplete or whose name is taken. Any thread. */
SHW_API enum shw_result shw_forest_load_abi(uint32_t abi, const char *path, const struct shw_forest_load_params *params,
                                            struct shw_forest **forest);
static inline enum shw_result shw_forest_load(const char *path, const struct shw_forest_load_params *params,
                                              struct shw_forest **forest)
{
    return shw_forest_load_abi(SHW_ABI, path, params, forest);
}
SHW_API enum shw_result shw_forest_load_memory_abi(uint32_t abi, const void *bytes, size_t size, const char *name,
                                                   const struct shw_forest_load_params *params,
                                                   struct shw_forest **forest);
static inline enum shw_result shw_forest_load_memory(const void *bytes, size_t size, const char *name,
                                                     const struct shw_forest_load_params *params,
                                                     struct shw_forest **forest)
{
    return shw_forest_load_memory_abi(SHW_ABI, bytes, size, name, params, forest);
}

/* Writes the KTX2 file atomically (a temporary file in the same folder is renamed). Equal forests give equal bytes on
 * every machine. Errors: IO, MEMORY. Any thread. */
SHW_API enum shw_result shw_forest_save(const struct shw_forest *forest, const char *path, const struct shw_log *log);

/* Writes the same bytes to memory; free *bytes with shw_free(). */
SHW_API enum shw_result shw_forest_save_memory(const struct shw_forest *forest, void **bytes, size_t *size);

/* Valid as long as the forest. Any thread. */
SHW_API const struct shw_forest_info *shw_forest_get_info(const struct shw_forest *forest);

struct shw_tree_info {
    uint32_t node_count;
    uint32_t leaf_count; /* leaf numbers: with shared distributions fewer than the node_count / 2 + 1 leaves */
    uint32_t depth;      /* tests on the longest path: 0 for a single leaf */
};

/* Describes tree `tree` < tree_count. Any thread. */
SHW_API struct shw_tree_info shw_forest_get_tree(const struct shw_forest *forest, uint32_t tree);

/* Node `node` < node_count of tree `tree`. Any thread. */
SHW_API struct shw_node shw_forest_get_node(const struct shw_forest *forest, uint32_t tree, uint32_t node);

/* The class_count values of the distribution that leaf number `leaf` < leaf_count has, which sum to 65535, as they are
 * in the file: also of a forest that votes. Valid as long as the forest. Any thread. */
SHW_API const uint16_t *shw_forest_get_distribution(const struct shw_forest *forest, uint32_t tree, uint32_t leaf);

/* The reach of the forest's features, with its smoothing, and with the levels below and the channels between them: no
 * pixel farther from the classified one than this, in x or in y, affects its label. SHW_REACH_ALL: features read the
 * whole image. The radius of the channel list must be added. Any thread. */
SHW_API uint32_t shw_forest_get_reach(const struct shw_forest *forest);

/* Whether the trees are ferns: all nodes of a level of a tree have the same test, and some tree has two levels or more.
 * All techniques then evaluate one test per level, whatever nodes a pixel passes, which is faster and gives the same
 * results. False also for trees of more than 20 levels, and for those that have too few nodes for the tables of leaves
 * by the results of tests, of 2^levels entries: more than 2^20 in all, and more than four per node. They are walked
 * node by node. Any thread. */
SHW_API bool shw_forest_is_ferns(const struct shw_forest *forest);

/* The name of input `index` that the forest reads (shadewood/input.h); 0 is SHW_COLOUR. NULL past the last one. Valid
 * as long as the forest. Any thread. */
SHW_API const char *shw_forest_get_input(const struct shw_forest *forest, uint32_t index);

/* The forest texture as it is evaluated: RGBA32_UINT texels, `width` by `height` by `layers`, rows and layers without
 * padding. If the forest votes, leaves have 65535 for the class that they vote for instead of their distributions.
 * Valid as long as the forest. Any thread. */
struct shw_forest_texture {
    const uint32_t *texels;
    uint32_t width, height, layers;
};
SHW_API struct shw_forest_texture shw_forest_get_texture(const struct shw_forest *forest);

/* The contents of a texel of the forest texture. docs/forest-format.md describes the words of each kind. */
enum shw_texel_kind {
    SHW_TEXEL_NOTHING = 0, /* unused: the rest of a row */
    SHW_TEXEL_HEADER,      /* numbers of trees, classes and leaves; where distributions begin */
    SHW_TEXEL_TREE,        /* position and size of tree `tree` */
    SHW_TEXEL_NODE,        /* node `node` of tree `tree`: head of its feature, thresholds, left child or leaf number */
    SHW_TEXEL_FEATURE,     /* the rest of that node's feature */
    SHW_TEXEL_DISTRIBUTION /* up to 8 classes from first_class on, of leaf number `leaf` of tree `tree`, which `node`
                              is the first node to have */
};

struct shw_texel {
    enum shw_texel_kind kind;
    uint32_t tree, node, leaf; /* zero unless the kind has them; `leaf` is also set for nodes that are leaves */
    uint32_t first_class;
};

/* Describes texel `index`, in the order of rows and layers; SHW_TEXEL_NOTHING beyond the end of the texture. Any
 * thread. */
SHW_API struct shw_texel shw_forest_get_texel(const struct shw_forest *forest, uint32_t index);

/* A 64-bit hash (XXH3) of texture and metadata (channel list, feature type, classes, combination, filling, smoothing)
 * but not of the provenance, and of the level below: equal forests have equal hashes. Any thread. */
SHW_API uint64_t shw_forest_hash(const struct shw_forest *forest);

/* One of the forests that are merged; the name is for messages. */
struct shw_forest_part {
    const struct shw_forest *forest;
    const char *name;
};

/* Makes one forest of the trees of `count` forests, which were trained apart. The forests must have the same channels,
 * feature type, classes, combination and filling, and no two may be the same. Trees are in the order of the parts.
 * Parts of one training (shw_trainer_params.first_tree) are put in the order of their trees, and if none is missing
 * between them, the result is, bit for bit, the forest of a single training. Otherwise the provenance is `{"merged":
 * [...]}` with the hash, the number of trees and the provenance of each part. Custom feature types and channel kinds
 * are borrowed, as from the first part. `log` may be NULL. Errors: ARGUMENT (the message names what differs, a
 * checkpoint, or trees that would count twice), LIMIT, MEMORY. Any thread. */
SHW_API enum shw_result shw_forest_merge(const struct shw_forest_part *parts, uint32_t count, const struct shw_log *log,
                                         struct shw_forest **forest);

#ifdef __cplusplus
}
#endif
#endif
