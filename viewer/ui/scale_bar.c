#include "ui/scale_bar.h"

#include "object/objects.h"
#include "ui/ui.h"

#define MARGIN     20.0f /* pixels of the canvas */
#define LONGEST    0.25  /* of the area's width */
#define LENGTH_MAX 240.0
#define LENGTH_MIN 20.0
#define THICKNESS  4.0f
#define TICK       5.0f

void view_scale_bar_draw(const struct view_objects *objects)
{
    const struct view_scene *scene = objects->scene;
    const double side = view_objects_pixel_side(objects), zoom = (double)scene->place.zoom / VIEW_ZOOM_ONE;
    const double room = LONGEST * scene->area.width < LENGTH_MAX ? LONGEST * scene->area.width : LENGTH_MAX;
    static const uint8_t dark[3] = {0, 0, 0}, light[3] = {255, 255, 255};
    const float right = (float)scene->area.x + (float)scene->area.width - MARGIN;
    const float bottom = (float)scene->area.y + (float)scene->area.height - MARGIN;
    char text[SHW_LENGTH_TEXT_SIZE];
    double length;
    float left;

    if (!(side > 0.0) || scene->picture == NULL || scene->instead.on || room < LENGTH_MIN)
        return;
    length = shw_scale_step(room / zoom * side);
    left = right - (float)(length / side * zoom);
    view_ui_canvas_line(left - 1.0f, bottom, right + 1.0f, bottom, dark, 0.8f, THICKNESS + 3.0f);
    view_ui_canvas_line(left, bottom, right, bottom, light, 1.0f, THICKNESS);
    view_ui_canvas_line(left, bottom - TICK, left, bottom + TICK, light, 1.0f, 2.0f);
    view_ui_canvas_line(right, bottom - TICK, right, bottom + TICK, light, 1.0f, 2.0f);
    shw_length_write(length, 3, text);
    view_ui_canvas_text(left, bottom - 2.0f * TICK, text, light, dark);
}
