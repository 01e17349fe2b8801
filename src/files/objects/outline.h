/* Outlines along the edges of pixels. Corners of pixels have whole coordinates: pixel (x, y) is from (x, y) to
 * (x + 1, y + 1), y down. */
#ifndef SHW_FILES_OBJECTS_OUTLINE_H
#define SHW_FILES_OBJECTS_OUTLINE_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/log.h>

#include "files/objects/objects.h"

/* Parts of a plane: pixels with the same number, other than 0. */
struct shw_outline_plane {
    const uint32_t *numbers;
    uint32_t width, height;
    bool diagonal; /* pixels of a part whose corners touch are on one side of the outline, otherwise on two */
};

/* A closed outline of a part. It has the part on its right hand, as seen with y down: outer outlines are clockwise to
 * the eye, and those of holes the other way round. */
struct shw_outline_ring {
    uint32_t number; /* of the part */
    uint32_t start;  /* the first pixel below one of its edges, row by row: y * width + x */
    int64_t area;    /* enclosed; negative: of a hole, with all that is in it */
};

/* Walks along a ring, whose number and start are given, and returns the area. Calls corner(), if it is not NULL, with
 * each corner from the upper left corner of `start` on, which is not repeated; and wall(), if it is not NULL, for each
 * pixel beside a vertical edge: the row, and the column left of which the edge is. */
struct shw_outline_walk {
    void (*corner)(void *user, uint32_t x, uint32_t y);
    void (*wall)(void *user, uint32_t x, uint32_t y);
    void *user;
};
int64_t shw_walk_outline(const struct shw_outline_plane *plane, const struct shw_outline_ring *ring,
                         const struct shw_outline_walk *walk);

struct shw_outline_rings {
    struct shw_outline_ring *list;
    uint32_t count, capacity;
};

/* All rings of a plane, in the order of `start`; with `holes_to` above 0 only those of holes of at most that area. Free
 * the list with free() in either case. Errors: MEMORY. */
enum shw_result shw_find_outlines(const struct shw_outline_plane *plane, uint32_t holes_to, const struct shw_log *log,
                                  struct shw_outline_rings *rings);

/* The outlines of objects as polygons that are valid in the sense of OGC's Simple Features: an object has one polygon
 * for each part that is connected by edges of pixels; no ring passes a corner twice; rings touch in single points at
 * most. Sorted by object; for each polygon its outer ring, then its holes. */
struct shw_object_outlines {
    struct shw_outline_rings rings; /* numbers: of polygons, from 1 by their first pixels */
    struct shw_outline_plane plane; /* for shw_walk_outline(); uses the objects' if polygons are objects */
    uint32_t *parts;                /* memory of the plane, or NULL */
};

/* The number of the object of a ring is at its start in objects->numbers. The objects must outlive the outlines. Free
 * them in either case. Errors: MEMORY. */
enum shw_result shw_object_outlines_find(const struct shw_objects *objects, const struct shw_log *log,
                                         struct shw_object_outlines *outlines);
void shw_object_outlines_free(struct shw_object_outlines *outlines);

#endif
