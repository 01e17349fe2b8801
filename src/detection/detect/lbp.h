/* LBP on the host. */
#ifndef SHW_DETECTION_DETECT_LBP_H
#define SHW_DETECTION_DETECT_LBP_H

#include "detection/detect/rectangles.h"

/* A feature in integrals of a known pitch. */
struct shw_lbp_feature {
    uint32_t corners[4][4]; /* [row][column] of the nine rectangles' corners, from the window's first value on */
};

struct shw_lbp_walker {
    const struct shw_cascade_info *info;
    uint32_t step;
    bool has_avx2;
    struct shw_lbp_feature *features;
    struct shw_rectangles rectangles;
};

/* A member of struct shw_rectangles_walk, in vectors. */
void shw_lbp_add_tree_avx2(const void *walker, uint32_t tree, struct shw_rectangles_windows *windows);

#endif
