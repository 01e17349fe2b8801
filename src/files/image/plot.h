/* Plots of curves, drawn plainly: axes with ticks, a grid and one curve. */
#ifndef SHW_FILES_IMAGE_PLOT_H
#define SHW_FILES_IMAGE_PLOT_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/log.h>

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

#endif
