/* Ways to walk windows through a tree, for walk.c. */
#ifndef SHW_DETECTION_DETECT_WALK_FUNCTIONS_H
#define SHW_DETECTION_DETECT_WALK_FUNCTIONS_H

#include "detection/detect/walk.h"

#define SHW_WALK_WINDOWS 2048u
#define SHW_WALK_LANES   16u /* so many windows after the last one may be read and written */

struct shw_walk_windows {
    uint32_t count;
    int32_t base[SHW_WALK_WINDOWS + SHW_WALK_LANES];  /* index of the window's first or middle value */
    int32_t score[SHW_WALK_WINDOWS + SHW_WALK_LANES]; /* so far */
    uint32_t number[SHW_WALK_WINDOWS];                /* row * columns + column in the band */
};

/* Adds the values of the leaves that the windows reach in a tree. */
typedef void shw_walk_add_tree(const struct shw_walk *walk, uint32_t tree, struct shw_walk_windows *windows);

/* With AVX2; the first two for strides of 15 bits. */
shw_walk_add_tree shw_walk_add_pixels_avx2, shw_walk_add_scaled_avx2, shw_walk_add_turned_avx2;
#define SHW_WALK_STRIDE_MAX 32767

#endif
