/* The brush. For the main thread. */
#ifndef VIEW_TEACH_BRUSH_H
#define VIEW_TEACH_BRUSH_H

#include "teach/teaching.h"

/* Whether the mouse paints or erases: a project is open, and brush or eraser is active. */
bool view_brush_in_hand(const struct view_teaching *teaching);

/* Mouse buttons and wheel on the picture. Return false if not used. */
bool view_brush_press(struct view_teaching *teaching, bool right);
void view_brush_drag(struct view_teaching *teaching);
bool view_brush_wheel(struct view_teaching *teaching, double notches);

/* The position on the canvas of the centre of the pixel under the cursor. */
void view_brush_middle(const struct view_teaching *teaching, float *x, float *y);

#endif
