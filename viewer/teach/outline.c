#include "teach/outline.h"

#include <stdlib.h>

#include "base/array.h"

bool view_outline_begin(struct view_outline *outline, uint32_t number, struct shw_point point)
{
    view_outline_drop(outline);
    outline->begun = true;
    outline->number = number;
    return view_outline_append(outline, point);
}

bool view_outline_append(struct view_outline *outline, struct shw_point point)
{
    const struct shw_point *last = outline->count > 0 ? &outline->points[outline->count - 1] : NULL;

    if (last != NULL && last->x == point.x && last->y == point.y)
        return true;
    if (outline->count == SHW_STROKE_POINTS_MAX ||
        !SHW_RESERVE(outline->points, outline->capacity, outline->count + 1u))
        return false;
    outline->points[outline->count++] = point;
    return true;
}

void view_outline_take_back(struct view_outline *outline)
{
    if (outline->count > 1)
        outline->count--;
    else
        view_outline_drop(outline);
}

void view_outline_drop(struct view_outline *outline)
{
    free(outline->points);
    *outline = (struct view_outline){0};
}
