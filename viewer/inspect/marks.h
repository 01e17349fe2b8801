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

/* A rectangle, which may reach out of the picture, with a line on its border. */
struct view_border {
    int32_t x, y;
    uint32_t width, height;
    uint8_t colour[3];
    uint8_t line; /* pixels of the canvas, from 1 on */
};

/* A list of them; `items` to be freed. */
struct view_borders {
    struct view_border *items;
    uint32_t count, capacity;
};

/* Adds one; where memory is exhausted it is left out. */
void view_borders_add(struct view_borders *borders, int32_t x, int32_t y, uint32_t width, uint32_t height,
                      const uint8_t colour[3], uint8_t line);

/* As view_marks_draw(), with a black pixel on either side of each line. */
void view_borders_draw(VkCommandBuffer commands, VkExtent2D canvas, const struct view_place *place,
                       const struct view_borders *borders);

#endif
