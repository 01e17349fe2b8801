/* Drawing lines, rectangles and text into 8-bit RGB images, without antialiasing, so that the same calls give the same
 * bytes everywhere. What lies outside the image is left out. Any thread. */
#ifndef SHW_FILES_IMAGE_DRAW_H
#define SHW_FILES_IMAGE_DRAW_H

#include <stdint.h>

/* Rows without padding; borrowed. Positions are pixels, y down. */
struct shw_canvas {
    uint8_t *rgb;
    uint32_t width, height;
};

/* A filled rectangle. */
void shw_draw_block(const struct shw_canvas *canvas, int64_t x, int64_t y, int64_t width, int64_t height,
                    const uint8_t colour[3]);

/* The border of a rectangle, inside it; `thickness` is at least 1. */
void shw_draw_rectangle(const struct shw_canvas *canvas, int64_t x, int64_t y, int64_t width, int64_t height,
                        uint32_t thickness, const uint8_t colour[3]);

/* A line with both ends. */
void shw_draw_line(const struct shw_canvas *canvas, int64_t x1, int64_t y1, int64_t x2, int64_t y2, uint32_t thickness,
                   const uint8_t colour[3]);

/* A line of text in a font of 5 x 8 pixels, each drawn as scale x scale, one apart. Bytes that are not printable ASCII
 * are question marks. (x, y) is its top left corner. */
void shw_draw_text(const struct shw_canvas *canvas, int64_t x, int64_t y, const char *text, uint32_t scale,
                   const uint8_t colour[3]);
uint32_t shw_text_width(const char *text, uint32_t scale);
uint32_t shw_text_height(uint32_t scale);

#endif
