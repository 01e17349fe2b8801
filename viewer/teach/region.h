/* Connected regions of pixels that have the same value. Any thread. */
#ifndef VIEW_TEACH_REGION_H
#define VIEW_TEACH_REGION_H

#include <stdbool.h>

#include "teach/runs.h"

/* Values of the pixels of a picture. */
struct view_values {
    uint32_t width, height;
    uint16_t (*at)(const void *user, uint32_t x, uint32_t y);
    const void *user;
};

/* Sides of a picture that a region reaches. */
#define VIEW_REGION_LEFT   1u
#define VIEW_REGION_RIGHT  2u
#define VIEW_REGION_TOP    4u
#define VIEW_REGION_BOTTOM 8u
#define VIEW_REGION_AROUND 15u

/* Adds the pixels of the seed's value that are connected with it by sides of pixels, row by row, and tells which sides
 * of the picture they reach. Looks at these pixels and their neighbours only, and stops as soon as the region reaches
 * all of the sides in `bounds` (0: none): then only *sides is valid. Errors, not logged: those of view_runs_add(). */
enum shw_result view_region_grow(const struct view_values *values, uint32_t x, uint32_t y, unsigned bounds,
                                 struct view_runs *runs, unsigned *sides);

#endif
