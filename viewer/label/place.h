/* Where a picture is on the canvas. */
#ifndef VIEW_LABEL_PLACE_H
#define VIEW_LABEL_PLACE_H

#include <stdint.h>

/* A part of the canvas, in its pixels. */
struct view_area {
    int32_t x, y;
    uint32_t width, height;
};

/* Position of the picture on the canvas, in 1/256 of the canvas's pixels. */
struct view_place {
    int32_t offset_x, offset_y;
    uint32_t zoom; /* 4..16384: from 1/64 to 64 */
};
#define VIEW_ZOOM_MIN 4u
#define VIEW_ZOOM_MAX 16384u

#endif
