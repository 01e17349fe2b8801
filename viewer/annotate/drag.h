/* A rectangle that is being drawn, moved or resized with the mouse. */
#ifndef VIEW_ANNOTATE_DRAG_H
#define VIEW_ANNOTATE_DRAG_H

#include "annotate/boxes.h"

enum view_drag_kind { VIEW_DRAG_NONE, VIEW_DRAG_NEW, VIEW_DRAG_MOVE, VIEW_DRAG_RESIZE };

/* Sides of a rectangle, or those at a handle. */
enum view_side_bits { VIEW_LEFT_SIDE = 1, VIEW_RIGHT_SIDE = 2, VIEW_TOP_SIDE = 4, VIEW_BOTTOM_SIDE = 8 };

#define VIEW_HANDLES 8u
extern const unsigned view_handle_sides[VIEW_HANDLES];

struct view_drag {
    enum view_drag_kind kind;
    unsigned sides; /* that are moved */
    double x, y;    /* where it began, in pixels of the picture */
    struct view_box before, now;
};

/* Where a handle is, in pixels of the picture. */
void view_handle_place(const struct view_box *box, unsigned sides, double *x, double *y);

#endif
