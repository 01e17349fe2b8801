/* Texts of rectangles over the picture. */
#include "ui/panel.h"

#define ABOVE 2.0f /* pixels of the canvas */

void view_panel_caption(const struct view_scene *scene, double x, double y, double width, double height,
                        const uint8_t colour[3], const char *text)
{
    static const uint8_t dark[3] = {0, 0, 0};
    const struct view_place *place = &scene->place;
    const struct view_area *area = &scene->area;
    const float left = (float)((x * place->zoom + place->offset_x) / VIEW_ZOOM_ONE);
    const float top = (float)((y * place->zoom + place->offset_y) / VIEW_ZOOM_ONE);
    const float right = left + (float)(width * place->zoom / VIEW_ZOOM_ONE);
    const float bottom = top + (float)(height * place->zoom / VIEW_ZOOM_ONE);

    if (text != NULL && text[0] != '\0' && right >= (float)area->x && bottom >= (float)area->y &&
        left <= (float)area->x + (float)area->width && top <= (float)area->y + (float)area->height)
        view_ui_canvas_text(left, top - ABOVE, text, colour, dark);
}
