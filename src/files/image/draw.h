/* Drawing lines, rectangles and text into 8-bit RGB images, without antialiasing, so that the same calls give the same
 * bytes everywhere. What lies outside the image is left out. Any thread. */
#ifndef SHW_FILES_IMAGE_DRAW_H
#define SHW_FILES_IMAGE_DRAW_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/dataset.h>
#include <shadewood/log.h>

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

/* Plots of curves, drawn plainly: axes with ticks, a grid and one curve. */

struct shw_plot_axis {
    const char *title;
    double low, high; /* low < high; of a logarithmic one, above 0 */
    bool logarithmic;
};

struct shw_plot {
    const char *title;
    struct shw_plot_axis x, y;
    const double (*points)[2]; /* joined by lines in this order; those beyond an end of an axis are at that end */
    uint32_t count;
};

#define SHW_PLOT_WIDTH  800u
#define SHW_PLOT_HEIGHT 600u

/* Draws the plot: SHW_PLOT_WIDTH x SHW_PLOT_HEIGHT pixels of R, G, B, to be freed with free(). NULL if memory is
 * exhausted. Any thread. */
uint8_t *shw_plot_draw(const struct shw_plot *plot);

/* Images of labellings. */

/* The image overlaid with the class colour of each pixel, with `opacity` 0..100 percent; void pixels stay as
 * they are, and all do if `labels` is NULL. Result: width * height * 3
 * bytes to be freed with free(), or NULL if out of memory. 16-bit images show their upper 8 bits. Any thread. */
uint8_t *shw_overlay_image(const struct shw_image *image, const uint16_t *labels, const struct shw_class *classes,
                           uint32_t opacity);

#endif
