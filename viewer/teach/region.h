/* Sets of pixels as runs in rows, which shw_project_add_area() takes: regions of one value, and polygons. Any
 * thread. */
#ifndef VIEW_TEACH_REGION_H
#define VIEW_TEACH_REGION_H

#include <stdbool.h>

#include <shadewood/log.h>

#include "files/project/stroke.h"

#define VIEW_RUNS_PIXELS_MAX (UINT64_C(1) << 23) /* so that the window does not stop while they are painted */

struct view_runs {
    struct shw_point *points; /* the first and the last pixel of each run */
    uint32_t count;           /* of points, twice the number of runs */
    uint32_t capacity;
    uint64_t pixels;
};

/* Appends the pixels from left to right of a row. Errors, not logged: LIMIT (VIEW_RUNS_PIXELS_MAX pixels, or
 * SHW_STROKE_POINTS_MAX points), MEMORY. */
enum shw_result view_runs_add(struct view_runs *runs, int32_t y, int32_t left, int32_t right);

/* Logs the failure of a function that has added runs, and returns it. */
enum shw_result view_runs_check(enum shw_result result, const struct shw_log *log);

/* Accepts zero-initialised and freed ones. */
void view_runs_free(struct view_runs *runs);

/* Connected regions of pixels that have the same value. Any thread. */

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

/* The pixels of a polygon. Any thread. */

/* Adds the pixels of the picture whose centres are on the polygon's outline, or inside by the nonzero winding rule: an
 * outline that crosses itself leaves no holes where it winds twice in the same direction. Corners, at least one, are
 * centres of pixels and may lie outside the picture; the last one is joined to the first. Exact: crossings of rows are
 * compared as fractions. Errors, not logged: those of view_runs_add(). */
enum shw_result view_polygon_fill(const struct shw_point *corners, uint32_t count, uint32_t width, uint32_t height,
                                  struct view_runs *runs);

#endif
