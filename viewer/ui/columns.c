#include "ui/columns.h"

const char *const view_side_names[VIEW_SIDES] = {"left", "right"};

static float least(float one, float other)
{
    return one < other ? one : other;
}

static float most(float one, float other)
{
    return one > other ? one : other;
}

void view_columns_fit(const struct view_columns *columns, const bool shown[VIEW_SIDES], float canvas,
                      float widths[VIEW_SIDES])
{
    const enum view_side order[VIEW_SIDES] = {columns->last == VIEW_SIDE_LEFT ? VIEW_SIDE_RIGHT : VIEW_SIDE_LEFT,
                                              columns->last};
    float over = VIEW_COLUMN_PICTURE - canvas;

    for (int s = 0; s < VIEW_SIDES; s++) {
        widths[s] = !shown[s] ? 0.0f : columns->chosen[s] > 0.0f ? columns->chosen[s] : VIEW_COLUMN_USUAL;
        over += widths[s];
    }
    for (int i = 0; i < VIEW_SIDES && over > 0.0f; i++) {
        float *width = &widths[order[i]], given = least(over, most(*width - VIEW_COLUMN_LEAST, 0.0f));
        *width -= given;
        over -= given;
    }
}

float view_columns_drag(enum view_side side, float width, float canvas, const float widths[VIEW_SIDES])
{
    const float other = widths[side == VIEW_SIDE_LEFT ? VIEW_SIDE_RIGHT : VIEW_SIDE_LEFT];

    width = least(least(width, canvas - VIEW_COLUMN_PICTURE - other), VIEW_COLUMN_MOST);
    return most(width, VIEW_COLUMN_LEAST);
}
