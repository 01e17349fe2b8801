/* The pixels of a polygon. Any thread. */
#ifndef VIEW_TEACH_POLYGON_H
#define VIEW_TEACH_POLYGON_H

#include "teach/runs.h"

/* Adds the pixels of the picture whose centres are on the polygon's outline, or inside by the nonzero winding rule: an
 * outline that crosses itself leaves no holes where it winds twice in the same direction. Corners, at least one, are
 * centres of pixels and may lie outside the picture; the last one is joined to the first. Exact: crossings of rows are
 * compared as fractions. Errors, not logged: those of view_runs_add(). */
enum shw_result view_polygon_fill(const struct shw_point *corners, uint32_t count, uint32_t width, uint32_t height,
                                  struct view_runs *runs);

#endif
