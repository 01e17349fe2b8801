/* Rectangles of pixels. */
#ifndef SHW_BASE_RECTANGLE_H
#define SHW_BASE_RECTANGLE_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a rectangle has no pixel of an image. */
static inline bool shw_rectangle_is_outside(int64_t x, int64_t y, uint32_t width, uint32_t height, uint32_t image_width,
                                            uint32_t image_height)
{
    return x + width <= 0 || y + height <= 0 || x >= image_width || y >= image_height;
}

#endif
