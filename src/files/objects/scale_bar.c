#include "files/objects/scale_bar.h"

#include <stdio.h>
#include <string.h>

#include "files/objects/pixel_size.h"

#define LEAST_SIDE 64u /* of an image, in pixels */

/* With u for the micro sign, which the font of images has not. */
static void write_plainly(double length, char text[SHW_LENGTH_TEXT_SIZE])
{
    static const char micro[] = "\302\265";
    char *at;

    shw_length_write(length, 3, text);
    at = strstr(text, micro);
    if (at != NULL) {
        at[0] = 'u';
        memmove(at + 1, at + sizeof micro - 1, strlen(at + sizeof micro - 1) + 1);
    }
}

void shw_draw_scale_bar(const struct shw_canvas *canvas, double side)
{
    static const uint8_t dark[3] = {0, 0, 0}, light[3] = {255, 255, 255};
    const uint32_t least = canvas->width < canvas->height ? canvas->width : canvas->height;
    const uint32_t unit = 1 + least / 400; /* pixels, of everything: larger in larger images */
    const double length = shw_scale_step(canvas->width / 4.0 * side);
    char text[SHW_LENGTH_TEXT_SIZE];
    int64_t width, bar, x, y, height;

    if (least < LEAST_SIDE || !(side > 0.0))
        return;
    write_plainly(length, text);
    bar = (int64_t)(length / side + 0.5);
    width = bar > (int64_t)shw_text_width(text, unit) ? bar : (int64_t)shw_text_width(text, unit);
    height = (int64_t)shw_text_height(unit) + 6 * unit;
    x = canvas->width - width - 8 * (int64_t)unit;
    y = canvas->height - height - 8 * (int64_t)unit;
    shw_draw_block(canvas, x - 2 * unit, y - 2 * unit, width + 4 * unit, height + 4 * unit, dark);
    shw_draw_text(canvas, x, y, text, unit, light);
    shw_draw_block(canvas, x, y + height - 3 * unit, bar, 3 * unit, light);
}
