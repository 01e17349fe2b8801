/* Brush and eraser: strokes. */
#include "base/log.h"
#include "teach/tools.h"

static struct view_size *brush_size(struct view_teaching *teaching)
{
    return &teaching->brush;
}

static struct view_size *eraser_size(struct view_teaching *teaching)
{
    return &teaching->eraser;
}

enum shw_result view_tool_line(struct view_teaching *teaching, uint32_t number, uint32_t radius, struct shw_point to)
{
    struct shw_point from;

    if (!view_painting_last_point(&teaching->painting, &from))
        return shw_fail(&teaching->scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "there is no stroke on this picture from whose end a line could be drawn");
    SHW_PROPAGATE(view_painting_begin(&teaching->painting, number, radius, from));
    return view_painting_extend(&teaching->painting, to);
}

/* Whether the brush may reach the picture on the way from one pixel to another. */
static bool reaches(struct view_teaching *teaching, struct shw_point from, struct shw_point to)
{
    const struct view_picture *picture = teaching->scene->picture;
    const int64_t radius = view_tool_radius(teaching);
    const int64_t left = from.x < to.x ? from.x : to.x, right = from.x < to.x ? to.x : from.x;
    const int64_t top = from.y < to.y ? from.y : to.y, bottom = from.y < to.y ? to.y : from.y;

    return picture == NULL || (right + radius >= 0 && bottom + radius >= 0 && left - radius < picture->image.width &&
                               top - radius < picture->image.height);
}

/* With Shift, a straight line from the last stroke's end comes first. */
static bool press(struct view_teaching *teaching, uint32_t number, struct shw_point pixel)
{
    uint32_t radius = view_tool_radius(teaching);
    struct shw_point last;

    if (teaching->cursor->shift && view_painting_last_point(&teaching->painting, &last))
        return view_tool_line(teaching, number, radius, pixel) == SHW_OK;
    teaching->approach.on = !reaches(teaching, pixel, pixel);
    teaching->approach.number = number;
    teaching->approach.point = pixel;
    if (teaching->approach.on)
        return true;
    return view_painting_begin(&teaching->painting, number, radius, pixel) == SHW_OK;
}

/* A stroke outside the picture begins when it comes near. */
static void begin_late(struct view_teaching *teaching, struct shw_point pixel)
{
    const struct shw_point from = teaching->approach.point;

    teaching->approach.point = pixel;
    if (!reaches(teaching, from, pixel))
        return;
    teaching->approach.on = false;
    view_painting_begin(&teaching->painting, teaching->approach.number, view_tool_radius(teaching), from);
}

static void drag(struct view_teaching *teaching, struct shw_point pixel)
{
    if (teaching->approach.on)
        begin_late(teaching, pixel);
    if (shw_project_is_painting(teaching->project.data))
        view_painting_extend(&teaching->painting, pixel);
}

static void release(struct view_teaching *teaching)
{
    teaching->approach.on = false;
    view_teaching_end_stroke(teaching);
}

const struct view_tool view_tool_brush_entry = {
    "brush", "Brush", "paint the chosen class; the right button erases; with Shift, straight lines", brush_size, press,
    drag,    release};
const struct view_tool view_tool_eraser_entry = {
    "eraser", "Eraser", "remove labels; with Shift, in straight lines", eraser_size, press, drag, release};
