/* Lasso and polygon: what an outline encloses. */
#include <stdlib.h>

#include "base/log.h"
#include "teach/polygon.h"
#include "teach/tools.h"

#define NEAR 6 /* pixels of the canvas around a corner that are taken for it */

enum shw_result view_tool_polygon(struct view_teaching *teaching, uint32_t number, const struct shw_point *corners,
                                  uint32_t count)
{
    const struct shw_log *log = &teaching->scene->log;
    const struct view_picture *picture = teaching->scene->picture;
    struct view_runs runs = {0};
    enum shw_result result;

    if (count < 3)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "an outline needs three points");
    if (picture == NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no picture to paint on");
    result = view_polygon_fill(corners, count, picture->image.width, picture->image.height, &runs);
    result = view_runs_check(result, log);
    if (result == SHW_OK && runs.count == 0)
        result = shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the outline has no pixel of the picture");
    if (result == SHW_OK)
        result = view_teaching_add_area(teaching, number, &runs);
    view_runs_free(&runs);
    return result;
}

enum shw_result view_tool_close(struct view_teaching *teaching)
{
    const struct view_outline *outline = &teaching->outline;

    teaching->scene->redraw = true;
    SHW_PROPAGATE(view_tool_polygon(teaching, outline->number, outline->points, outline->count));
    view_outline_drop(&teaching->outline);
    return SHW_OK;
}

static bool begin(struct view_teaching *teaching, uint32_t number, struct shw_point pixel)
{
    if (teaching->scene->picture == NULL)
        return false;
    view_scene_keep(teaching->scene);
    if (!view_outline_begin(&teaching->outline, number, pixel))
        shw_fail_memory(&teaching->scene->log, "an outline");
    return teaching->outline.begun;
}

static void append(struct view_teaching *teaching, struct shw_point pixel)
{
    const struct view_outline *outline = &teaching->outline;

    if (!view_outline_append(&teaching->outline, pixel))
        shw_fail(&teaching->scene->log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT, "an outline has at most %u points",
                 outline->count);
}

static bool lasso_press(struct view_teaching *teaching, uint32_t number, struct shw_point pixel)
{
    return begin(teaching, number, pixel);
}

static void lasso_drag(struct view_teaching *teaching, struct shw_point pixel)
{
    if (teaching->outline.begun)
        append(teaching, pixel);
}

/* A click encloses nothing. */
static void lasso_release(struct view_teaching *teaching)
{
    if (teaching->outline.count >= 3)
        view_tool_close(teaching);
    view_outline_drop(&teaching->outline);
}

/* Whether the pixel is shown at about the same place as a corner. */
static bool is_near(const struct view_teaching *teaching, struct shw_point pixel, struct shw_point corner)
{
    int64_t zoom = teaching->scene->place.zoom;
    int64_t across = llabs((int64_t)pixel.x - corner.x) * zoom, down = llabs((int64_t)pixel.y - corner.y) * zoom;

    return across <= NEAR * VIEW_ZOOM_ONE && down <= NEAR * VIEW_ZOOM_ONE;
}

/* Adds a corner. The first or the last one again, as by a double click, closes the polygon. The button of the first
 * one decides whether it erases. */
static bool polygon_press(struct view_teaching *teaching, uint32_t number, struct shw_point pixel)
{
    const struct view_outline *outline = &teaching->outline;
    bool again;

    if (!outline->begun) {
        begin(teaching, number, pixel);
        return false;
    }
    again = is_near(teaching, pixel, outline->points[outline->count - 1]);
    if (outline->count >= 3 && (again || is_near(teaching, pixel, outline->points[0])))
        view_tool_close(teaching);
    else if (!again)
        append(teaching, pixel);
    return false;
}

const struct view_tool view_tool_lasso_entry = {
    "lasso",      "Lasso",     "label what an outline that is drawn encloses; the right button erases it",
    NULL,         lasso_press, lasso_drag,
    lasso_release};
const struct view_tool view_tool_polygon_entry = {
    "polygon",
    "Polygon",
    "click corners, and the last one twice; Enter closes, Backspace takes back, Escape gives up",
    NULL,
    polygon_press,
    NULL,
    NULL};
