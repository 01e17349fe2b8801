#include "files/image/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/image/draw.h"

#define TEXT   2u /* scale */
#define LEFT   90
#define RIGHT  30
#define TOP    70
#define BOTTOM 60
#define TICK   6

static const uint8_t white[3] = {255, 255, 255}, black[3] = {0, 0, 0}, grey[3] = {221, 221, 221},
                     blue[3] = {0, 114, 178};

/* Where a value lies on the axis: 0 to 1. */
static double place(const struct shw_plot_axis *axis, double value)
{
    double part = axis->logarithmic ? log10(fmax(value, axis->low) / axis->low) / log10(axis->high / axis->low)
                                    : (value - axis->low) / (axis->high - axis->low);

    return fmin(fmax(part, 0.0), 1.0);
}

static int64_t place_x(const struct shw_plot *plot, double value)
{
    return LEFT + llround(place(&plot->x, value) * (SHW_PLOT_WIDTH - LEFT - RIGHT));
}

static int64_t place_y(const struct shw_plot *plot, double value)
{
    return SHW_PLOT_HEIGHT - BOTTOM - llround(place(&plot->y, value) * (SHW_PLOT_HEIGHT - TOP - BOTTOM));
}

/* The distance of ticks: 1, 2 or 5 times a power of ten, so that there are at most ten. */
static double tick_distance(const struct shw_plot_axis *axis)
{
    double rough = (axis->high - axis->low) / 10.0, power = pow(10.0, floor(log10(rough)));

    for (int i = 0; i < 3; i++) {
        static const double steps[] = {1.0, 2.0, 5.0};
        if (steps[i] * power >= rough * (1.0 - 1e-9))
            return steps[i] * power;
    }
    return 10.0 * power;
}

/* The tick after number `index`; false: there is none. */
static bool find_tick(const struct shw_plot_axis *axis, int index, double *value)
{
    double distance, first;

    if (axis->logarithmic) {
        *value = pow(10.0, ceil(log10(axis->low) - 1e-9) + index);
        return *value <= axis->high * (1.0 + 1e-9);
    }
    distance = tick_distance(axis);
    first = ceil(axis->low / distance - 1e-9);
    *value = (first + index) * distance;
    return *value <= axis->high + 1e-9 * distance;
}

static void draw_x_axis(const struct shw_plot *plot, const struct shw_canvas *canvas)
{
    const int64_t bottom = SHW_PLOT_HEIGHT - BOTTOM;
    double value;

    for (int i = 0; find_tick(&plot->x, i, &value); i++) {
        const int64_t x = place_x(plot, value);
        char text[32];

        snprintf(text, sizeof text, "%g", value);
        shw_draw_line(canvas, x, TOP, x, bottom, 1, grey);
        shw_draw_line(canvas, x, bottom, x, bottom + TICK, 1, black);
        shw_draw_text(canvas, x - shw_text_width(text, TEXT) / 2, bottom + TICK + 4, text, TEXT, black);
    }
    shw_draw_text(canvas, (SHW_PLOT_WIDTH - shw_text_width(plot->x.title, TEXT)) / 2,
                  SHW_PLOT_HEIGHT - shw_text_height(TEXT) - 8, plot->x.title, TEXT, black);
}

static void draw_y_axis(const struct shw_plot *plot, const struct shw_canvas *canvas)
{
    double value;

    for (int i = 0; find_tick(&plot->y, i, &value); i++) {
        const int64_t y = place_y(plot, value);
        char text[32];

        snprintf(text, sizeof text, "%g", value);
        shw_draw_line(canvas, LEFT, y, SHW_PLOT_WIDTH - RIGHT, y, 1, grey);
        shw_draw_line(canvas, LEFT - TICK, y, LEFT, y, 1, black);
        shw_draw_text(canvas, LEFT - TICK - 4 - (int64_t)shw_text_width(text, TEXT), y - shw_text_height(TEXT) / 2,
                      text, TEXT, black);
    }
    shw_draw_text(canvas, 16, TOP - 2 * (int64_t)shw_text_height(TEXT) / 2 - 12, plot->y.title, TEXT, black);
}

static void draw_curve(const struct shw_plot *plot, const struct shw_canvas *canvas)
{
    for (uint32_t i = 0; i < plot->count; i++) {
        const double *from = plot->points[i > 0 ? i - 1 : 0], *to = plot->points[i];

        shw_draw_line(canvas, place_x(plot, from[0]), place_y(plot, from[1]), place_x(plot, to[0]),
                      place_y(plot, to[1]), 3, blue);
    }
}

uint8_t *shw_plot_draw(const struct shw_plot *plot)
{
    struct shw_canvas canvas = {malloc((size_t)3 * SHW_PLOT_WIDTH * SHW_PLOT_HEIGHT), SHW_PLOT_WIDTH, SHW_PLOT_HEIGHT};

    if (canvas.rgb == NULL)
        return NULL;
    shw_draw_block(&canvas, 0, 0, canvas.width, canvas.height, white);
    draw_x_axis(plot, &canvas);
    draw_y_axis(plot, &canvas);
    shw_draw_rectangle(&canvas, LEFT, TOP, SHW_PLOT_WIDTH - LEFT - RIGHT + 1, SHW_PLOT_HEIGHT - TOP - BOTTOM + 1, 1,
                       black);
    shw_draw_text(&canvas, (SHW_PLOT_WIDTH - shw_text_width(plot->title, TEXT)) / 2, 12, plot->title, TEXT, black);
    draw_curve(plot, &canvas);
    return canvas.rgb;
}
