/* Sets of pixels as runs in rows: what shw_project_add_area() takes. Any thread. */
#ifndef VIEW_TEACH_RUNS_H
#define VIEW_TEACH_RUNS_H

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

/* Sorts them row by row. */
void view_runs_sort(struct view_runs *runs);

/* Logs the failure of a function that has added runs, and returns it. */
enum shw_result view_runs_check(enum shw_result result, const struct shw_log *log);

/* Accepts zero-initialised and freed ones. */
void view_runs_free(struct view_runs *runs);

#endif
