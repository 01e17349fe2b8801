/* HAAR on the host. */
#ifndef SHW_DETECTION_DETECT_HAAR_H
#define SHW_DETECTION_DETECT_HAAR_H

#include "detection/detect/rectangles.h"

/* A feature in integrals of a known pitch. */
struct shw_haar_feature {
    uint32_t count;
    bool is_tilted;
    int32_t weights[SHW_CASCADE_RECTANGLES_MAX];
    uint32_t corners[SHW_CASCADE_RECTANGLES_MAX][4]; /* from the window's first value on: added are 0 and 3 */
};

struct shw_haar_walker {
    const struct shw_cascade_info *info;
    uint32_t step;
    bool has_tilted, has_avx2;
    struct shw_haar_feature *features;
    struct shw_rectangles rectangles;
    uint32_t inside[4], area; /* of the rectangle whose deviation counts */
};

/* Members of struct shw_rectangles_walk, in vectors. Values after the last window are overwritten. */
void shw_haar_set_norms_avx2(const void *walker, struct shw_rectangles_windows *windows);
void shw_haar_add_tree_avx2(const void *walker, uint32_t tree, struct shw_rectangles_windows *windows);

#endif
