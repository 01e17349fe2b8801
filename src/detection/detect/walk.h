/* Windows of PIXELS and SCALED walked through the stages on the host. Windows of a band are taken many at a time, stage
 * by stage, and those that are left move together. */
#ifndef SHW_DETECTION_DETECT_WALK_H
#define SHW_DETECTION_DETECT_WALK_H

#include "base/simd.h"
#include "detection/detect/plan.h"

/* A node for traversal without branches: a leaf's left child is itself, and no response is greater than its threshold.
 */
struct shw_walk_node {
    int16_t x1, y1, x2, y2;
    int32_t threshold;
    int32_t left; /* from the tree's first node on */
};

/* The trees of a cascade. */
struct shw_walk_trees {
    const struct shw_cascade_info *info;
    struct shw_walk_node *nodes; /* as many as the cascade's, in the same order */
    int32_t *values;             /* of leaves, by node */
    const uint8_t *depths;       /* by tree: tests on the longest path; the cascade's */
};

/* Errors: MEMORY. */
enum shw_result shw_walk_trees_make(const struct shw_cascade *cascade, const struct shw_log *log,
                                    struct shw_walk_trees *trees);
void shw_walk_trees_free(struct shw_walk_trees *trees);

/* What tests of windows at one level and angle read. */
struct shw_walk {
    const struct shw_walk_trees *trees;
    const struct shw_walk_node *nodes; /* of `trees`, or with points turned */
    const uint16_t *levels;            /* PIXELS: of the mipmap image; otherwise NULL */
    const uint8_t *grey;               /* SCALED: pixel (0, 0), with a row above it and a column to its left */
    int32_t stride;                    /* values from row to row */
    int32_t size;                      /* SCALED: of the windows */
    bool turned;                       /* SCALED */
    int32_t cosine, sine;              /* SCALED: times size */
    int32_t first;                     /* index of the level's first value, from which positions count */
};

/* Walks all windows of the band and adds those found. */
void shw_walk_band(const struct shw_walk *walk, enum shw_simd simd, const struct shw_detect_band *band,
                   struct shw_detect_tally *tally);

#endif
