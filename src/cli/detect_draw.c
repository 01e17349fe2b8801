#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/class.h"
#include "base/integers.h"
#include "cli/detecting.h"
#include "files/image/draw.h"

/* Numbers of class colours (base/class.h) that people with any kind of colour blindness can tell apart. */
enum { UNKNOWN = 0, RIGHT = 2, MISSED = 3, WRONG = 5 };

static const double pi = 3.14159265358979323846;

/* The sides of a square that is turned around its centre. */
static void draw_turned(const struct shw_canvas *canvas, const struct shw_detection *item, uint32_t thickness,
                        const uint8_t colour[3])
{
    const double turn = 2.0 * pi * item->angle / 32.0, half_x = item->width / 2.0, half_y = item->height / 2.0;
    int64_t corners[4][2];

    for (int i = 0; i < 4; i++) {
        double x = i == 0 || i == 3 ? -half_x : half_x, y = i < 2 ? -half_y : half_y;
        /* counter-clockwise as seen, with y down */
        corners[i][0] = llround(item->x + half_x + x * cos(turn) + y * sin(turn));
        corners[i][1] = llround(item->y + half_y - x * sin(turn) + y * cos(turn));
    }
    for (int i = 0; i < 4; i++)
        shw_draw_line(canvas, corners[i][0], corners[i][1], corners[(i + 1) % 4][0], corners[(i + 1) % 4][1], thickness,
                      colour);
}

/* In a box of the colour above the rectangle, or inside it at the image's upper border. */
static void draw_label(const struct shw_canvas *canvas, int64_t x, int64_t y, const char *text, uint32_t scale,
                       const uint8_t colour[3])
{
    static const uint8_t inks[2][3] = {{255, 255, 255}, {0, 0, 0}};
    const uint32_t light = 299u * colour[0] + 587u * colour[1] + 114u * colour[2];
    const int64_t width = shw_text_width(text, scale) + scale, height = shw_text_height(scale) + scale;
    const int64_t left = shw_clamp_i64(x, 0, shw_clamp_i64(canvas->width - width, 0, canvas->width));
    const int64_t top = shw_clamp_i64(y - height, 0, shw_clamp_i64(canvas->height - height, 0, canvas->height));

    shw_draw_block(canvas, left, top, width, height, colour);
    shw_draw_text(canvas, left + scale, top + scale, text, scale, inks[light > 128000u]);
}

static int colour_of(const struct cli_detect_shown *shown, uint32_t i)
{
    if (shown->matches == NULL || shown->matches[i].ignored)
        return UNKNOWN;
    return shown->matches[i].object != SHW_MATCH_NONE ? RIGHT : WRONG;
}

static void draw_detection(const struct shw_canvas *canvas, const struct cli_detect_shown *shown, uint32_t i,
                           uint32_t thickness, uint32_t scale)
{
    const struct shw_detection *item = &shown->found->items[i];
    uint8_t colour[3];
    char text[32];

    shw_class_colour((uint32_t)colour_of(shown, i), colour);
    if (item->angle != 0)
        draw_turned(canvas, item, thickness, colour);
    else
        shw_draw_rectangle(canvas, item->x, item->y, item->width, item->height, thickness, colour);
    snprintf(text, sizeof text, "%.2f", ldexp(item->score, -(int)shown->fraction_bits));
    draw_label(canvas, item->x, item->y, text, scale, colour);
}

static bool is_found(const struct cli_detect_shown *shown, uint32_t object)
{
    for (uint32_t i = 0; i < shown->found->count; i++)
        if (shown->matches[i].object == object)
            return true;
    return false;
}

uint8_t *cli_detect_draw(const struct shw_image *image, const struct cli_detect_shown *shown)
{
    const struct shw_canvas canvas = {shw_overlay_image(image, NULL, NULL, 0), image->width, image->height};
    const uint32_t side = shw_min_u32(image->width, image->height), thickness = 1 + side / 300, scale = 1 + side / 600;
    uint8_t colour[3];

    if (canvas.rgb == NULL)
        return NULL;
    shw_class_colour(MISSED, colour);
    for (uint32_t k = 0; shown->matches != NULL && k < shown->object_count; k++)
        if (!shown->objects[k].ignored && !is_found(shown, k))
            shw_draw_rectangle(&canvas, shown->objects[k].x, shown->objects[k].y, shown->objects[k].width,
                               shown->objects[k].height, thickness, colour);
    for (uint32_t i = shown->found->count; i-- > 0;) /* the best ones on top */
        draw_detection(&canvas, shown, i, thickness, scale);
    return canvas.rgb;
}
