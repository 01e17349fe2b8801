/* Fill: the region between strokes, or the area of a label. */
#include "base/log.h"
#include "teach/region.h"
#include "teach/tools.h"

/* Of what is painted on the shown picture; NULL: nothing. */
static uint16_t label_at(const void *user, uint32_t x, uint32_t y)
{
    return user != NULL ? shw_picture_labels_get(user, x, y) : SHW_LABEL_VOID;
}

static enum shw_result refuse(const struct view_teaching *teaching, const char *why)
{
    return shw_fail(&teaching->scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "nothing is filled: %s", why);
}

/* Whether filling a region with that label would change it; logs why not. */
static enum shw_result check(const struct view_teaching *teaching, uint16_t label, uint32_t number)
{
    if (label == number)
        return refuse(teaching, label == SHW_LABEL_VOID ? "nothing is painted here" : "it has this class already");
    if (label != SHW_LABEL_VOID && shw_project_get_class(teaching->project.data, label)->locked)
        return refuse(teaching, "the class that is painted here is locked");
    return SHW_OK;
}

enum shw_result view_tool_fill(struct view_teaching *teaching, uint32_t number, struct shw_point pixel)
{
    const struct view_picture *picture = teaching->scene->picture;
    struct view_values values = {.at = label_at, .user = view_painting_labels(&teaching->painting)};
    struct view_runs runs = {0};
    unsigned sides, bounds;
    uint16_t label;
    enum shw_result result;

    if (picture == NULL || pixel.x < 0 || pixel.y < 0 || pixel.x >= (int32_t)picture->image.width ||
        pixel.y >= (int32_t)picture->image.height)
        return refuse(teaching, "there is no such pixel");
    values.width = picture->image.width;
    values.height = picture->image.height;
    label = label_at(values.user, (uint32_t)pixel.x, (uint32_t)pixel.y);
    SHW_PROPAGATE(check(teaching, label, number));
    bounds = label == SHW_LABEL_VOID ? VIEW_REGION_AROUND : 0;
    result = view_region_grow(&values, (uint32_t)pixel.x, (uint32_t)pixel.y, bounds, &runs, &sides);
    if (bounds != 0 && sides == bounds)
        result = refuse(teaching, "strokes do not enclose this region, which reaches all sides of the picture");
    else if (view_runs_check(result, &teaching->scene->log) == SHW_OK)
        result = view_teaching_add_area(teaching, number, &runs);
    view_runs_free(&runs);
    return result;
}

static bool press(struct view_teaching *teaching, uint32_t number, struct shw_point pixel)
{
    view_tool_fill(teaching, number, pixel);
    return false;
}

const struct view_tool view_tool_fill_entry = {
    "fill",
    "Fill",
    "label a region that strokes enclose, or all that is painted alike here; the right button erases it",
    NULL,
    press,
    NULL,
    NULL};
