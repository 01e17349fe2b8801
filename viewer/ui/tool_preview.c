/* What the tool in hand would do, and where the search has gone, drawn over the picture. */
#include "teach/tools.h"
#include "ui/panel.h"

#define RADIUS_MIN 3.0f /* pixels of the canvas, so that the brush can be seen at any zoom */
#define CORNER     3.0f
#define MARK       14.0f

static const uint8_t dark[3] = {0, 0, 0}, light[3] = {255, 255, 255};

/* Light with a dark edge, to be seen on anything. */
static void draw_line(const struct view_teaching *teaching, struct shw_point from, struct shw_point to, float opacity)
{
    float x0, y0, x1, y1;

    view_tool_place(teaching, from, &x0, &y0);
    view_tool_place(teaching, to, &x1, &y1);
    view_ui_canvas_line(x0, y0, x1, y1, dark, 0.8f * opacity, 3.0f);
    view_ui_canvas_line(x0, y0, x1, y1, light, opacity, 1.0f);
}

static void draw_circle(float x, float y, float radius)
{
    view_ui_canvas_circle(x, y, radius + 1.0f, dark, 0.8f, 1.0f);
    view_ui_canvas_circle(x, y, radius, light, 0.9f, 1.0f);
}

/* Around the centre of the pixel under the cursor, as it would be painted. */
static void draw_brush(struct view_teaching *teaching, struct shw_point pixel)
{
    const float zoom = (float)teaching->scene->place.zoom / VIEW_ZOOM_ONE;
    const float radius = ((float)view_tool_radius(teaching) + 0.5f) * zoom;
    struct shw_point last;
    float x, y;

    view_tool_place(teaching, pixel, &x, &y);
    draw_circle(x, y, radius > RADIUS_MIN ? radius : RADIUS_MIN);
    if (teaching->cursor->shift && !shw_project_is_painting(teaching->project.data) &&
        view_painting_last_point(&teaching->painting, &last))
        draw_line(teaching, last, pixel, 0.9f);
}

/* What has been drawn, and how it would be closed from the cursor. */
static void draw_outline(const struct view_teaching *teaching, struct shw_point pixel)
{
    const struct view_outline *outline = &teaching->outline;
    float x, y;

    for (uint32_t p = 1; p < outline->count; p++)
        draw_line(teaching, outline->points[p - 1], outline->points[p], 0.9f);
    if (teaching->hand == VIEW_HAND_POLYGON)
        for (uint32_t p = 0; p < outline->count; p++) {
            view_tool_place(teaching, outline->points[p], &x, &y);
            draw_circle(x, y, CORNER);
        }
    if (!teaching->cursor->on_picture)
        return;
    draw_line(teaching, outline->points[outline->count - 1], pixel, 0.9f);
    draw_line(teaching, pixel, outline->points[0], 0.4f);
}

/* Where the search for the most uncertain place went. */
static void draw_mark(const struct view_teaching *teaching)
{
    const struct view_search *search = &teaching->search;
    float x, y;

    view_tool_place(teaching, (struct shw_point){(int32_t)search->x, (int32_t)search->y}, &x, &y);
    draw_circle(x, y, MARK);
    draw_circle(x, y, MARK + 8.0f);
    for (int side = -1; side <= 1; side += 2) {
        const float near = (float)side * (MARK + 8.0f), far = (float)side * (MARK + 22.0f);

        view_ui_canvas_line(x + near, y, x + far, y, light, 0.9f, 2.0f);
        view_ui_canvas_line(x, y + near, x, y + far, light, 0.9f, 2.0f);
    }
}

void view_tool_preview(void *user)
{
    struct view_teaching *teaching = user;

    if (teaching->search.marked > 0.0 && !teaching->scene->instead.on)
        draw_mark(teaching);
    if (!view_tool_works(teaching) || teaching->scene->picture == NULL || teaching->scene->instead.on)
        return;
    if (view_tool_in_hand(teaching)->size != NULL && teaching->cursor->on_picture)
        draw_brush(teaching, view_tool_pixel(teaching));
    if (teaching->outline.begun)
        draw_outline(teaching, view_tool_pixel(teaching));
}
