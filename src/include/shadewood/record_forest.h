/* Record forests: decision trees over rows of attributes. Part of Shadewood; MIT licence, see LICENSE.
 *
 * A record is a row of float32 attributes. A tree tests one attribute a node, and the leaf that a record reaches has a
 * value for each output, or for one of them: votes for classes, probabilities, a regression, or a term of a boosted
 * sum. A record forest is immutable, so any number of threads may read it. docs/record-format.md specifies its file, a
 * KTX2 texture as those of forests are; docs/records.md its arithmetic. */
#ifndef SHADEWOOD_RECORD_FOREST_H
#define SHADEWOOD_RECORD_FOREST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/api.h>
#include <shadewood/log.h>
#include <shadewood/memory.h>
#include <shadewood/version.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SHW_RECORD_ATTRIBUTES_MAX 65536u
#define SHW_RECORD_TREES_MAX      65536u
#define SHW_RECORD_OUTPUTS_MAX    4096u
#define SHW_RECORD_NODES_MAX      (1u << 26) /* of all trees together */
#define SHW_RECORD_DEPTH_MAX      4096u      /* tests on the longest path of a tree */
#define SHW_RECORD_SET_WORDS_MAX  (1u << 26) /* of all sets together */

/* The code of a threshold or an attribute, which is compared instead of it: a signed integer in the order of the
 * numbers. Both zeros have the code 0; NaN, which means missing, has SHW_RECORD_CODE_MISSING, the lowest one.
 * Any thread. */
#define SHW_RECORD_CODE_MISSING INT32_MIN
SHW_API int32_t shw_record_code_of(float value);

/* The greatest number whose code is at most `code`, with which a test compares: the number itself for its code, NaN if
 * there is none. Any thread. */
SHW_API float shw_record_code_value(int32_t code);

/* The threshold of a node whose test is "x <= limit goes left" or "x < limit goes left" for records in float32: the
 * largest code that goes left, so that both become the same comparison, and every float32 is decided as with `limit` in
 * double precision. Lower than any number's if none goes left. `limit` must not be NaN. Any thread. */
SHW_API int32_t shw_record_threshold_at_most(double limit);
SHW_API int32_t shw_record_threshold_below(double limit);

/* A set of categories, which are the whole numbers from 0 to 2^24 - 1, in 32-bit words: the first one has flags and F,
 * the second one N, and N words of members follow, of which bit b of word w (from 0) is that of category 32 (F + w) +
 * b. Neither the first nor the last word of members is 0, and F + N is at most 2^19. A number is rounded towards zero,
 * and the category that it is then goes to one side if it is a member. Everything else goes to the other side: other
 * categories, negative numbers, and numbers from 2^24 on. */
#define SHW_RECORD_SET_MEMBERS_RIGHT (1u << 31) /* members go right, otherwise left */
#define SHW_RECORD_SET_WHOLE         (1u << 30) /* numbers with a fraction are not members */
#define SHW_RECORD_SET_FROM_BELOW    (1u << 29) /* numbers between -1 and 0 are category 0; not with WHOLE */
#define SHW_RECORD_SET_FIRST         0x7ffffu   /* F */

/* A node, decoded. The nodes of a tree are in breadth-first order, the root first: the children of the tree's s-th
 * split (s from 0) are the nodes `left` = 1 + 2 s and `left` + 1 of the tree. */
struct shw_record_node {
    bool is_split;
    bool missing_right; /* split: records without the attribute go right, otherwise left */
    bool zero_missing;  /* split by a threshold: magnitudes up to 1e-35 are missing, too */
    bool is_set;        /* split: by a set of categories instead of a threshold */
    uint32_t left;      /* split: index of the left child in the tree. Leaf: its own index */
    uint32_t attribute; /* split; leaf: 0 */
    int32_t threshold;  /* split: the record goes right if the attribute's code is greater; above
                           SHW_RECORD_CODE_MISSING. By a set: the index of its first word in `sets`. Leaf: 0 */
    uint32_t leaf;      /* leaf: its number among the leaves of its tree, which are numbered in the order of nodes.
                           Split: 0 */
    uint32_t source;    /* the node's number in the program that trained it (of a leaf, the index that it reports), or
                           the node's own index */
};

struct shw_record_tree {
    uint32_t first_node, node_count; /* trees have successive nodes: each begins where the one before ended */
    uint32_t first_leaf,
        leaf_count;  /* numbers among the leaves of all trees; filled in by shw_record_forest_create() */
    uint32_t depth;  /* tests on the longest path; filled in by shw_record_forest_create() */
    uint32_t output; /* that it adds to, if leaves have one value; otherwise 0 */
};

/* What a forest predicts of a record. */
enum shw_record_task {
    SHW_RECORD_CLASSES = 0, /* one of `class_count` classes: that of the greatest output, the lowest among equals; with
                               one output and two classes class 1 if it is greater than `cut`, otherwise class 0 */
    SHW_RECORD_VALUES = 1   /* a number an output (regression) */
};

/* How predictions follow from the outputs, which are sums of leaf values, with MEAN divided by the number of trees. The
 * names are those of the functions from outputs to predictions, which in statistics are inverse links. */
enum shw_record_link {
    SHW_RECORD_IDENTITY = 0,
    SHW_RECORD_LOGISTIC = 1,     /* 1 / (1 + exp(-scale x)), each output by itself */
    SHW_RECORD_SOFTMAX = 2,      /* exp(x_i) / sum of exp(x_j) */
    SHW_RECORD_SOFTMAX_ZERO = 3, /* the same, in which outputs that are zero stay zero and do not count (ONNX) */
    SHW_RECORD_EXP = 4,
    SHW_RECORD_PROBIT = 5,       /* the normal quantile: the inverse of the distribution function (ONNX's sense) */
    SHW_RECORD_SOFTPLUS = 6,     /* log(1 + exp(x)) (LightGBM's cross_entropy_lambda) */
    SHW_RECORD_SIGNED_SQUARE = 7 /* x^2 with the sign of x (LightGBM's regression with reg_sqrt) */
};
#define SHW_RECORD_LINK_COUNT 8u

/* "identity", "logistic", "softmax", "softmax-zero", "exp", "probit", "softplus", "signed-square"; NULL for other
 * values. Any thread.
 */
SHW_API const char *shw_record_link_name(enum shw_record_link link);

/* Everything about a record forest. shw_record_forest_create() copies all of it. */
struct shw_record_forest_info {
    enum shw_record_task task;
    enum shw_record_link link;
    double link_scale; /* of LOGISTIC: positive; 0 means 1 */
    bool mean;         /* outputs are divided by the number of trees */
    uint32_t attribute_count, output_count;
    uint32_t class_count;               /* CLASSES: equal to output_count, or 2 with one output. VALUES: 0 */
    const char *const *attribute_names; /* UTF-8; NULL: none are known */
    const char *const *class_names;     /* UTF-8, of CLASSES; NULL: "0", "1", ... */
    const char *const *output_names;    /* UTF-8, of VALUES; NULL: none are known */
    int32_t fraction_bits;              /* values are in units of 2^-fraction_bits: -127 to 127 */
    uint32_t values_per_leaf;           /* output_count, or 1: each tree adds to its own output */
    const int64_t *base;                /* output_count numbers that sums begin with, in those units; NULL: zeros */
    int64_t cut;                        /* of one output and two classes, in those units */
    uint32_t tree_count, node_count, leaf_count;
    const struct shw_record_tree *trees;
    const struct shw_record_node *nodes;
    const int32_t *leaf_values; /* leaf_count * values_per_leaf, in order of the leaves of all trees */
    const char *training;       /* JSON object: how the forest was made, and by which program; NULL: "{}" */
    uint32_t set_word_count;    /* 0: no test is of a set */
    const uint32_t *sets;       /* those of all splits by a set, one after the other in the order of nodes */
};

struct shw_record_forest;

/* Makes a record forest, which is checked like one from a file: indices, thresholds, and that no sum can reach 2^62.
 * Members that it fills in may be left unset. Errors: ARGUMENT, FORMAT (the message names tree, node and reason),
 * LIMIT, MEMORY. Any thread. */
SHW_API enum shw_result shw_record_forest_create_abi(uint32_t abi, const struct shw_record_forest_info *info,
                                                     const struct shw_log *log, struct shw_record_forest **forest);
static inline enum shw_result shw_record_forest_create(const struct shw_record_forest_info *info,
                                                       const struct shw_log *log, struct shw_record_forest **forest)
{
    return shw_record_forest_create_abi(SHW_ABI, info, log, forest);
}

/* Destroys *forest and sets it to NULL; accepts NULL and a pointer to NULL. It must no longer be in use. */
SHW_API void shw_record_forest_destroy(struct shw_record_forest **forest);

/* Reads a record forest from a KTX2 file or from `size` bytes in memory, whose `name` appears in messages. The file is
 * not trusted. Errors: IO, FORMAT, VERSION, LIMIT, MEMORY. Any thread. */
SHW_API enum shw_result shw_record_forest_load_abi(uint32_t abi, const char *path, const struct shw_log *log,
                                                   struct shw_record_forest **forest);
static inline enum shw_result shw_record_forest_load(const char *path, const struct shw_log *log,
                                                     struct shw_record_forest **forest)
{
    return shw_record_forest_load_abi(SHW_ABI, path, log, forest);
}
SHW_API enum shw_result shw_record_forest_load_memory_abi(uint32_t abi, const void *bytes, size_t size,
                                                          const char *name, const struct shw_log *log,
                                                          struct shw_record_forest **forest);
static inline enum shw_result shw_record_forest_load_memory(const void *bytes, size_t size, const char *name,
                                                            const struct shw_log *log,
                                                            struct shw_record_forest **forest)
{
    return shw_record_forest_load_memory_abi(SHW_ABI, bytes, size, name, log, forest);
}

/* Writes the KTX2 file atomically (a temporary file in the same folder is renamed). Equal forests give equal bytes on
 * every machine. Errors: IO, MEMORY. Any thread. */
SHW_API enum shw_result shw_record_forest_save(const struct shw_record_forest *forest, const char *path,
                                               const struct shw_log *log);

/* Writes the same bytes to memory; free *bytes with shw_free(). Errors: MEMORY. Any thread. */
SHW_API enum shw_result shw_record_forest_save_memory(const struct shw_record_forest *forest, void **bytes,
                                                      size_t *size);

/* Valid as long as the forest; all members are set. Any thread. */
SHW_API const struct shw_record_forest_info *shw_record_forest_get_info(const struct shw_record_forest *forest);

/* The texture: RGBA32_UINT texels, rows without padding, layers one after the other. Valid as long as the forest. Any
 * thread. */
struct shw_record_forest_texture {
    const uint32_t *texels;
    uint32_t width, height, layers;
};
SHW_API struct shw_record_forest_texture shw_record_forest_get_texture(const struct shw_record_forest *forest);

/* A 64-bit hash (XXH3) of everything but the provenance. Any thread. */
SHW_API uint64_t shw_record_forest_hash(const struct shw_record_forest *forest);

#ifdef __cplusplus
}
#endif
#endif
