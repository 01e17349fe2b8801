/* The objects of the shown picture, and what is shown of them. */
#ifndef VIEW_OBJECT_FOUND_H
#define VIEW_OBJECT_FOUND_H

#include "files/objects/objects.h"
#include "label/shared_forest.h"

#define VIEW_LARGEST_MAX 500u

struct view_corner {
    uint32_t x, y; /* of pixels */
};

/* A closed outline. */
struct view_contour {
    uint32_t object;       /* its number */
    uint32_t first, count; /* of its corners */
};

struct view_found {
    struct shw_objects objects;
    uint32_t class_count;
    uint32_t *counts;  /* [class_count] */
    uint32_t *largest; /* numbers of objects, by falling area */
    uint32_t largest_count;
    struct view_contour *contours; /* of the largest objects, as many as can be drawn quickly */
    struct view_corner *corners;
    uint32_t contour_count, without_outline; /* objects */
};

/* Finds objects, and what is shown of them. NULL on failure. Any thread. Errors: ARGUMENT, MEMORY. */
enum shw_result view_found_make(const struct shw_object_picture *picture, const struct shw_object_settings *settings,
                                const struct shw_log *log, struct view_found **found);

/* Accepts a pointer to NULL. Any thread. */
void view_found_destroy(struct view_found **found);

/* The object at a pixel; 0: none. */
uint32_t view_found_at(const struct view_found *found, uint32_t x, uint32_t y);

#endif
