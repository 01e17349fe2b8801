#include "teach/tools.h"

#include <math.h>

#include "base/log.h"

static const struct view_tool pan = {.name = "pan", .label = "Move", .help = "drag to move the picture"};

const struct view_tool *const view_tools[VIEW_HAND_COUNT] = {
    [VIEW_HAND_PAN] = &pan,
    [VIEW_HAND_BRUSH] = &view_tool_brush_entry,
    [VIEW_HAND_ERASER] = &view_tool_eraser_entry,
    [VIEW_HAND_FILL] = &view_tool_fill_entry,
    [VIEW_HAND_LASSO] = &view_tool_lasso_entry,
    [VIEW_HAND_POLYGON] = &view_tool_polygon_entry,
    [VIEW_HAND_WAND] = &view_tool_wand_entry,
    [VIEW_HAND_RECTANGLE] = &view_tool_rectangle_entry,
};

const struct view_tool *view_tool_in_hand(const struct view_teaching *teaching)
{
    return view_tools[teaching->hand];
}

/* Whether the tool in hand paints classes of the project. */
static bool paints(const struct view_teaching *teaching)
{
    return teaching->hand != VIEW_HAND_PAN && teaching->hand != VIEW_HAND_RECTANGLE;
}

bool view_tool_works(const struct view_teaching *teaching)
{
    return (teaching->project.data != NULL || !paints(teaching)) && view_tool_in_hand(teaching)->press != NULL;
}

struct shw_point view_tool_pixel(const struct view_teaching *teaching)
{
    const struct view_place *place = &teaching->scene->place;
    double across = floor((teaching->cursor->x * VIEW_ZOOM_ONE - place->offset_x) / place->zoom);
    double down = floor((teaching->cursor->y * VIEW_ZOOM_ONE - place->offset_y) / place->zoom);

    return (struct shw_point){(int32_t)fmin(fmax(across, -SHW_STROKE_PLACE_MAX), SHW_STROKE_PLACE_MAX),
                              (int32_t)fmin(fmax(down, -SHW_STROKE_PLACE_MAX), SHW_STROKE_PLACE_MAX)};
}

void view_tool_place(const struct view_teaching *teaching, struct shw_point pixel, float *x, float *y)
{
    const struct view_place *place = &teaching->scene->place;

    *x = (float)(((double)pixel.x + 0.5) * place->zoom + place->offset_x) / VIEW_ZOOM_ONE;
    *y = (float)(((double)pixel.y + 0.5) * place->zoom + place->offset_y) / VIEW_ZOOM_ONE;
}

/* The right button always erases. */
bool view_tool_press(struct view_teaching *teaching, bool right)
{
    const struct view_scene *scene = teaching->scene;
    bool erases = teaching->hand == VIEW_HAND_ERASER || right;

    if (!erases && paints(teaching) && scene->settings.chosen >= teaching->class_count) {
        shw_log_message(&scene->log, SHW_LOG_WARNING, SHW_LOG_ARGUMENT,
                        "there is no class to paint with: add one first");
        return false;
    }
    return view_tool_in_hand(teaching)->press(teaching, erases ? SHW_LABEL_VOID : scene->settings.chosen,
                                              view_tool_pixel(teaching));
}

void view_tool_drag(struct view_teaching *teaching)
{
    const struct view_tool *tool = view_tool_in_hand(teaching);

    if (tool->drag != NULL)
        tool->drag(teaching, view_tool_pixel(teaching));
}

void view_tool_release(struct view_teaching *teaching)
{
    const struct view_tool *tool = view_tool_in_hand(teaching);

    if (tool->release != NULL)
        tool->release(teaching);
}

struct view_size *view_tool_size(struct view_teaching *teaching)
{
    const struct view_tool *tool = view_tool_in_hand(teaching);

    return tool->size != NULL ? tool->size(teaching) : &teaching->brush;
}

/* Discs have diameters of 2 * radius + 1 pixels, of the picture or the screen. */
uint32_t view_tool_radius(struct view_teaching *teaching)
{
    const struct view_size *size = view_tool_size(teaching);
    uint64_t radius = size->radius;

    if (size->screen)
        radius = (2 * radius + 1) * VIEW_ZOOM_ONE / (2 * (uint64_t)teaching->scene->place.zoom);
    return radius < SHW_STROKE_RADIUS_MAX ? (uint32_t)radius : SHW_STROKE_RADIUS_MAX;
}

/* With Ctrl, changes the size of the brush. */
bool view_tool_wheel(struct view_teaching *teaching, double notches)
{
    struct view_size *size = view_tool_size(teaching);
    double radius = size->radius + (fabs(notches) < 1.0 ? copysign(1.0, notches) : notches);

    if (!teaching->cursor->control || view_tool_in_hand(teaching)->size == NULL)
        return false;
    size->radius = (uint32_t)lround(fmin(fmax(radius, 0.0), SHW_STROKE_RADIUS_MAX));
    return true;
}
