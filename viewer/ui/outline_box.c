/* A rectangle over the picture. */
#include "ui/panel.h"

void view_panel_outline(const struct view_scene *scene, double x, double y, double width, double height,
                        const uint8_t colour[3], float line, const char *text)
{
    static const uint8_t dark[3] = {0, 0, 0};
    const struct view_place *place = &scene->place;
    const struct view_area *area = &scene->area;
    const float left = (float)((x * place->zoom + place->offset_x) / VIEW_ZOOM_ONE);
    const float top = (float)((y * place->zoom + place->offset_y) / VIEW_ZOOM_ONE);
    const float right = left + (float)(width * place->zoom / VIEW_ZOOM_ONE);
    const float bottom = top + (float)(height * place->zoom / VIEW_ZOOM_ONE);
    const float corners[6][2] = {{left, top}, {right, top}, {right, bottom}, {left, bottom}, {left, top}, {right, top}};

    if (right < (float)area->x || bottom < (float)area->y || left > (float)area->x + (float)area->width ||
        top > (float)area->y + (float)area->height)
        return;
    view_ui_canvas_path(corners, 6, dark, 0.7f, line + 2.0f);
    view_ui_canvas_path(corners, 6, colour, 1.0f, line);
    if (text != NULL && text[0] != '\0')
        view_ui_canvas_text(left, top - line, text, colour, dark);
}
