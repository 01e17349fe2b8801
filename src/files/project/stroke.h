/* Strokes, which label the pixels of a picture.
 *
 * A stroke is a disc swept along a polyline. A pixel belongs to it if its centre is at most radius + 1/2 pixels away
 * from a segment between two consecutive points, ends included; a stroke of one point is a disc. Points are centres of
 * pixels and may lie outside the picture. The comparison is exact:
 *
 *     d = b - a, v = p - a;   d.v <= 0:    4 |v|^2           <= (2 radius + 1)^2
 *                             d.v >= d.d:  4 |p - b|^2       <= (2 radius + 1)^2
 *                             else:        4 (d.x v.y - d.y v.x)^2 <= (2 radius + 1)^2 (d.d)
 *
 * An area is a stroke whose points are pairs, each of which is a separate segment: the runs of pixels of an imported
 * label image, or of a region that was filled.
 *
 * Later strokes cover earlier ones, except pixels of a class that was locked when the stroke was painted. */
#ifndef SHW_FILES_PROJECT_STROKE_H
#define SHW_FILES_PROJECT_STROKE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "shared/rectangle.h"

#define SHW_STROKE_RADIUS_MAX 1024u
#define SHW_STROKE_PLACE_MAX  131071 /* the largest magnitude of a coordinate */
#define SHW_STROKE_POINTS_MAX (1u << 20)
#define SHW_STROKE_ERASER     UINT32_MAX /* the class of strokes that remove labels */

struct shw_point {
    int32_t x, y;
};

struct shw_stroke {
    uint32_t class_id; /* the class's id (state.h), or SHW_STROKE_ERASER */
    uint32_t radius;
    bool area;
    struct shw_point *points; /* at least one; an even number in an area */
    uint32_t point_count, point_capacity;
    uint32_t *locked; /* ids of the classes that were locked */
    uint32_t locked_count;
    atomic_uint *shares; /* of points and locked, which do not change while there are several; NULL: one */
};

/* Whether the pixel belongs to the disc swept from a to b. */
bool shw_stroke_covers(struct shw_point a, struct shw_point b, uint32_t radius, struct shw_point pixel);

/* Appends a point with coordinates clamped to the limit; a repetition of the last point is skipped. False: out of
 * memory, or there are SHW_STROKE_POINTS_MAX of them. */
bool shw_stroke_append(struct shw_stroke *stroke, struct shw_point point);

/* The same without skipping repetitions. */
bool shw_stroke_append_raw(struct shw_stroke *stroke, struct shw_point point);

/* Calls visit(user, from, to, y) for each row in which the segment covers pixels of `clip`, which has no negative
 * coordinates: the pixels from..to-1. */
void shw_stroke_sweep(struct shw_point a, struct shw_point b, uint32_t radius, struct shw_rect clip,
                      void (*visit)(void *user, uint32_t from, uint32_t to, uint32_t y), void *user);

/* A rectangle around all segments that end at point `first` or later. */
struct shw_rect shw_stroke_bounds(const struct shw_stroke *stroke, uint32_t first);

/* A copy that shares points and locked classes. The copy may be used and freed on another thread; that another point is
 * appended to the stroke does not concern it. False: out of memory. */
bool shw_stroke_share(struct shw_stroke *stroke, struct shw_stroke *copy);

/* Accepts zero-initialised and freed ones. */
void shw_stroke_free(struct shw_stroke *stroke);

#endif
