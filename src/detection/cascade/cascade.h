/* The cascade in memory: what it says of itself, and its texture. */
#ifndef SHW_DETECTION_CASCADE_CASCADE_H
#define SHW_DETECTION_CASCADE_CASCADE_H

#include <shadewood/cascade.h>

#include "base/model.h"
#include "shared/cascade_texture.h"

/* What kinds of cascades differ in, apart from how windows are walked (detection/detect/plan.h): checks, files, scans,
 * devices, options and texts go by this. A kind is an entry of the table in cascade.c. */

enum shw_cascade_test {
    SHW_CASCADE_TEST_POINTS, /* the difference of the values at two points */
    SHW_CASCADE_TEST_SUM,    /* a weighted sum of the feature's rectangles */
    SHW_CASCADE_TEST_PATTERN /* whether the pattern of nine rectangles is in the node's subset */
};

struct shw_cascade_traits {
    const char *name;
    enum shw_cascade_test test; /* of every node; the last two have features */
    uint32_t window_max;        /* pixels each way, 2 or more; 0: windows have any size */
    uint32_t min_size;          /* of windows in the image, by default */
    bool has_pyramid;           /* planes, and levels per octave; otherwise a scale factor */
    /* Points are in 1/256 of the window's size, from its centre, with signs, and the distance of windows is a part of
     * their size (stride); otherwise all of this is in pixels. */
    bool is_relative;
    bool has_angles;
};

/* NULL for values that are not kinds. */
const struct shw_cascade_traits *shw_cascade_get_traits(enum shw_cascade_kind kind);

struct shw_cascade {
    struct shw_cascade_info info; /* points into the members below */
    char *name, *training;
    struct shw_cascade_stage *stages;
    struct shw_cascade_tree *trees;
    struct shw_cascade_node *nodes;
    struct shw_cascade_feature *features; /* NULL if there are none */
    uint64_t *survivors;                  /* NULL if unknown */

    uint8_t *depths; /* [tree] tests on the longest path */
    uint32_t depth;  /* of all trees */

    uint32_t *texels;
    uint32_t width, height; /* of the texture */
    uint64_t hash;
};

extern const struct shw_model_traits shw_cascade_model;

/* shw_cascade_create() with messages that begin with a name, or "cascade" if it is NULL. */
enum shw_result shw_cascade_make(const struct shw_cascade_info *info, const char *name, const struct shw_log *log,
                                 struct shw_cascade **cascade);

/* Makes the texture of a checked cascade. False if out of memory. */
bool shw_cascade_pack(struct shw_cascade *cascade);

#endif
