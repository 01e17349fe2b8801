/* Outlines of rectangles of the picture, exact to the pixel at any zoom. */
#ifndef VIEW_INSPECT_MARKS_H
#define VIEW_INSPECT_MARKS_H

#include <shadewood/explain.h>

#include "label/overlay.h"

struct view_mark {
    struct shw_image_rectangle rectangle;
    uint8_t colour[3];
};

/* In the canvas's render pass: draws the outermost canvas pixels of each rectangle in its colour and those around them
 * in black, later rectangles over earlier ones. A rectangle is at least one canvas pixel. */
void view_marks_draw(VkCommandBuffer commands, VkExtent2D canvas, const struct view_place *place,
                     const struct view_mark *marks, uint32_t count);

#endif
