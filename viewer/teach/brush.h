/* The brush. For the main thread. */
#ifndef VIEW_TEACH_BRUSH_H
#define VIEW_TEACH_BRUSH_H

#include "teach/teaching.h"

/* Whether the mouse paints or erases: a project is open, and brush or eraser in hand. */
bool view_brush_in_hand(const struct view_teaching *teaching);

/* Mouse buttons and wheel on the picture. False: not used. */
bool view_brush_press(struct view_teaching *teaching, bool right);
void view_brush_drag(struct view_teaching *teaching);
bool view_brush_wheel(struct view_teaching *teaching, double notches);

/* Where the middle of the pixel below the mouse is on the canvas. */
void view_brush_middle(const struct view_teaching *teaching, float *x, float *y);

#endif
