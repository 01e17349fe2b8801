/* The outline that a lasso or polygon has so far, in pixels of the picture. */
#ifndef VIEW_TEACH_OUTLINE_H
#define VIEW_TEACH_OUTLINE_H

#include "files/project/stroke.h"

struct view_outline {
    bool begun;
    uint32_t number; /* the class to label, or SHW_LABEL_VOID */
    struct shw_point *points;
    uint32_t count, capacity;
};

/* Begins with a first point, in place of what there was. False: out of memory. */
bool view_outline_begin(struct view_outline *outline, uint32_t number, struct shw_point point);

/* Appends a point unless it is the last one. False: out of memory, or there are SHW_STROKE_POINTS_MAX of them. */
bool view_outline_append(struct view_outline *outline, struct shw_point point);

/* Takes back the last point; with the first one, the outline is given up. */
void view_outline_take_back(struct view_outline *outline);

/* Gives it up. Accepts zero-initialised and given up ones. */
void view_outline_drop(struct view_outline *outline);

#endif
