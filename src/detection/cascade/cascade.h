/* The cascade in memory: what it says of itself, and its texture. */
#ifndef SHW_DETECTION_CASCADE_CASCADE_H
#define SHW_DETECTION_CASCADE_CASCADE_H

#include <shadewood/cascade.h>

#include "base/model.h"
#include "shared/cascade_texture.h"

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
