/* Cascades: boosted trees over a window, stage by stage, that find objects. Part of Shadewood; MIT licence, see
 * LICENSE.
 *
 * A cascade is immutable, so any number of threads may read it. docs/cascade-format.md specifies its file, a KTX2
 * texture as those of forests are; docs/detection.md its arithmetic. */
#ifndef SHADEWOOD_CASCADE_H
#define SHADEWOOD_CASCADE_H

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

#define SHW_CASCADE_STAGES_MAX     65536u
#define SHW_CASCADE_TREES_MAX      65536u
#define SHW_CASCADE_NODES_MAX      (1u << 20) /* of all trees together */
#define SHW_CASCADE_DEPTH_MAX      16u        /* tests on the longest path of a tree */
#define SHW_CASCADE_RECTANGLES_MAX 3u         /* of a Haar feature */

/* What the tests of a cascade read. */
enum shw_cascade_kind {
    SHW_CASCADE_PIXELS = 0, /* the difference of two pixels of the window, on a level of the image pyramid (Jurak 2015,
                               eq. 5.1) */
    SHW_CASCADE_SCALED = 1, /* the difference of two pixels of the image, whose positions in the window are scaled to
                               its size, so that there is no pyramid (Markus 2013, pico) */
    SHW_CASCADE_HAAR = 2,   /* a weighted sum of rectangles, upright or tilted, relative to the deviation of the window
                               (Viola and Jones 2001, Lienhart 2002; OpenCV) */
    SHW_CASCADE_LBP = 3     /* a local binary pattern of nine rectangles (Zhang 2007; OpenCV) */
};
#define SHW_CASCADE_KIND_COUNT 4u

/* "pixels", "scaled-pixels", "haar", "lbp"; NULL for other values. Any thread. */
SHW_API const char *shw_cascade_kind_name(enum shw_cascade_kind kind);

/* A node, decoded. The nodes of a tree are in breadth-first order, the root first: the children of the tree's s-th
 * split (s from 0) are the nodes `left` = 1 + 2 s and `left + 1` of the tree. */
struct shw_cascade_node {
    bool is_split;
    uint32_t left; /* split: index of the left child in the tree. Leaf: its own index */
    /* The two points of PIXELS: x and y in pixels of the level, from the window's top left pixel, below the window's
     * size. Of SCALED: in 1/256 of the window's size, from its centre, -128..127. Otherwise zero. The response is
     * the value at (x1, y1) minus the value at (x2, y2). */
    int16_t x1, y1, x2, y2;
    uint32_t feature; /* HAAR, LBP: index into the features; otherwise zero */
    /* Split: goes right if the response is greater. PIXELS and SCALED: in units of the values, see docs/detection.md.
     * HAAR: in units of 2^-24 of area times deviation; goes right if the response is not less. LBP: zero, `subset`
     * decides instead. Leaf: zero. */
    int32_t threshold;
    uint32_t subset[8]; /* LBP: pattern p goes left if bit p % 32 of word p / 32 is set; otherwise zero */
    int32_t value;      /* leaf: what is added to the score, in units of 2^-fraction_bits. Split: zero */
};

/* A rectangle of a Haar or LBP feature, in pixels of the window. A tilted one is turned by 45 degrees: (x, y) is its
 * top corner, `width` runs to the lower right and `height` to the lower left (Lienhart 2002, 2.1). */
struct shw_cascade_rectangle {
    uint8_t x, y, width, height;
    int32_t weight; /* HAAR: in units of 1/256, -128 to 128; LBP: zero */
};

struct shw_cascade_feature {
    bool tilted;              /* HAAR only */
    uint32_t rectangle_count; /* HAAR: 1 to 3. LBP: 1, of nine of the same size the
                                 top left one */
    struct shw_cascade_rectangle rectangles[SHW_CASCADE_RECTANGLES_MAX];
};

struct shw_cascade_tree {
    uint32_t first_node, node_count; /* trees have successive nodes: each begins where the one before ended */
};

/* The stage's trees add the values of the leaves that are reached to the score. If it is then less than the threshold,
 * the window is rejected. (Where the mean of the trees is meant, as in Jurak's thesis, 5.2, values have been divided by
 * the number of trees.) */
struct shw_cascade_stage {
    uint32_t first_tree, tree_count; /* stages have successive trees: each begins where the one before ended */
    int32_t threshold;               /* in units of 2^-fraction_bits */
};

/* How the image is prepared for PIXELS (Jurak 2015, 5.4). Zero for other kinds. */
struct shw_cascade_planes {
    uint32_t shrink;  /* 1 to 16: the mean of blocks of shrink x shrink pixels of a level makes one */
    bool blur_before; /* [1 2 1] / 4 in both directions before the pyramid is made */
    bool blur_after;  /* the same after shrinking */
    bool octaves;     /* levels smaller than a half are made from the image halved as often as possible, so that nothing
                         is skipped; false: from the image itself (Jurak 2015, 5.4.2) */
};

/* Everything about a cascade. shw_cascade_create() copies all of it. */
struct shw_cascade_info {
    enum shw_cascade_kind kind;
    const char *name;                     /* of the object, e.g. "face"; NULL or "": "object" */
    uint32_t window_width, window_height; /* PIXELS: after shrinking, 2 to 128. HAAR, LBP: 2 to 255. SCALED: both 0,
                                             windows are square and have any size */
    uint32_t fraction_bits;               /* of scores, thresholds of stages and leaf values: 0 to 30 */
    bool restarts;                        /* the score begins at zero in each stage (OpenCV) rather than running on */
    int32_t score_base;                   /* subtracted from the score that is reported */
    struct shw_cascade_planes planes;
    uint32_t levels_per_octave; /* PIXELS: the default N of the pyramid, 1 to 16; otherwise 0 */
    double scale_factor;        /* SCALED, HAAR, LBP: the default ratio of successive sizes, above 1.01, at most 10;
                                   otherwise 0 */
    uint32_t stage_count, tree_count, node_count, feature_count;
    const struct shw_cascade_stage *stages;
    const struct shw_cascade_tree *trees;
    const struct shw_cascade_node *nodes;
    const struct shw_cascade_feature *features; /* HAAR, LBP; otherwise NULL */
    const char *training;                       /* JSON object: how the cascade was made; NULL: "{}" */
    /* How many windows were left after each stage where that was measured, after the number of windows
     * tested: stage_count + 1 non-increasing numbers below 2^63. NULL: unknown. Regrouping chooses its stages by it. */
    const uint64_t *survivors;
    /* The minimum score of detections worth showing, as measured by training or customary for cascades of
     * its origin: in units of 2^-fraction_bits, of what is reported (after `score_base`). `shadewood detect` and the
     * viewer begin with it; struct shw_detector does not apply it, struct shw_group_params can. */
    int32_t min_score;
    bool has_min_score; /* false: none is known, and min_score is 0 */
};

struct shw_cascade;

/* Makes a cascade, which is checked like one from a file: indices, points and rectangles inside the window, and that no
 * score can leave 32 bits. Errors: ARGUMENT, FORMAT (the message names stage, tree, node and reason), LIMIT, MEMORY.
 * Any thread. */
SHW_API enum shw_result shw_cascade_create_abi(uint32_t abi, const struct shw_cascade_info *info,
                                               const struct shw_log *log, struct shw_cascade **cascade);
static inline enum shw_result shw_cascade_create(const struct shw_cascade_info *info, const struct shw_log *log,
                                                 struct shw_cascade **cascade)
{
    return shw_cascade_create_abi(SHW_ABI, info, log, cascade);
}

/* Destroys *cascade and sets it to NULL; accepts NULL and a pointer to NULL. It must no longer be in use. */
SHW_API void shw_cascade_destroy(struct shw_cascade **cascade);

/* Reads a cascade from a KTX2 file or from `size` bytes in memory, whose `name` appears in messages. The file is not
 * trusted. Errors: IO, FORMAT, VERSION, LIMIT, MEMORY. Any thread. */
SHW_API enum shw_result shw_cascade_load_abi(uint32_t abi, const char *path, const struct shw_log *log,
                                             struct shw_cascade **cascade);
static inline enum shw_result shw_cascade_load(const char *path, const struct shw_log *log,
                                               struct shw_cascade **cascade)
{
    return shw_cascade_load_abi(SHW_ABI, path, log, cascade);
}
SHW_API enum shw_result shw_cascade_load_memory_abi(uint32_t abi, const void *bytes, size_t size, const char *name,
                                                    const struct shw_log *log, struct shw_cascade **cascade);
static inline enum shw_result shw_cascade_load_memory(const void *bytes, size_t size, const char *name,
                                                      const struct shw_log *log, struct shw_cascade **cascade)
{
    return shw_cascade_load_memory_abi(SHW_ABI, bytes, size, name, log, cascade);
}

/* Writes the KTX2 file atomically (a temporary file in the same folder is renamed). Equal cascades give equal bytes on
 * every machine. Errors: IO, MEMORY. Any thread. */
SHW_API enum shw_result shw_cascade_save(const struct shw_cascade *cascade, const char *path,
                                         const struct shw_log *log);

/* Writes the same bytes to memory; free *bytes with shw_free(). Errors: MEMORY. Any thread. */
SHW_API enum shw_result shw_cascade_save_memory(const struct shw_cascade *cascade, void **bytes, size_t *size);

/* Valid as long as the cascade. Any thread. */
SHW_API const struct shw_cascade_info *shw_cascade_get_info(const struct shw_cascade *cascade);

/* The cascade texture: RGBA32_UINT texels, rows without padding. Valid as long as the cascade. Any thread. */
struct shw_cascade_texture {
    const uint32_t *texels;
    uint32_t width, height;
};
SHW_API struct shw_cascade_texture shw_cascade_get_texture(const struct shw_cascade *cascade);

/* A 64-bit hash (XXH3) of everything but provenance, counts of survivors and the minimum score: equal cascades have
 * equal hashes. Any thread. */
SHW_API uint64_t shw_cascade_hash(const struct shw_cascade *cascade);

#ifdef __cplusplus
}
#endif
#endif
