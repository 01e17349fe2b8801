#include "annotate/drag.h"

#include <math.h>

const unsigned view_handle_sides[VIEW_HANDLES] = {VIEW_LEFT_SIDE | VIEW_TOP_SIDE,
                                                  VIEW_RIGHT_SIDE | VIEW_TOP_SIDE,
                                                  VIEW_LEFT_SIDE | VIEW_BOTTOM_SIDE,
                                                  VIEW_RIGHT_SIDE | VIEW_BOTTOM_SIDE,
                                                  VIEW_LEFT_SIDE,
                                                  VIEW_RIGHT_SIDE,
                                                  VIEW_TOP_SIDE,
                                                  VIEW_BOTTOM_SIDE};

/* Along one axis: the end of the side that is moved, or the middle. */
static double handle_along(double first, double length, bool low, bool high)
{
    return low ? first : high ? first + length : first + length / 2;
}

void view_handle_place(const struct view_box *box, unsigned sides, double *x, double *y)
{
    *x = handle_along(box->x, box->width, sides & VIEW_LEFT_SIDE, sides & VIEW_RIGHT_SIDE);
    *y = handle_along(box->y, box->height, sides & VIEW_TOP_SIDE, sides & VIEW_BOTTOM_SIDE);
}

static double limit(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* From one end to the other, at least a pixel long. */
static void span(double from, double to, double size, int32_t *first, uint32_t *length)
{
    const double low = limit(round(fmin(from, to)), 0.0, size - 1.0), high = limit(round(fmax(from, to)), 1.0, size);

    *first = (int32_t)low;
    *length = (uint32_t)fmax(high - low, 1.0);
}

/* A part that was outside the picture before may stay outside. */
static int32_t shifted(int32_t first, uint32_t length, double by, double size)
{
    const double low = fmin(0.0, first), high = fmax(size - length, first);

    return (int32_t)limit(round(first + by), low, fmax(low, high));
}

static void resize(double first, double length, bool low, bool high, double by, double size, int32_t *new_first,
                   uint32_t *new_length)
{
    if (low || high)
        span(low ? first + by : first, high ? first + length + by : first + length, size, new_first, new_length);
}

void view_drag_to(struct view_drag *drag, double x, double y, uint32_t width, uint32_t height)
{
    const struct view_box *before = &drag->before;
    const double across = x - drag->x, down = y - drag->y;

    if (drag->kind == VIEW_DRAG_NEW) {
        span(drag->x, x, width, &drag->now.x, &drag->now.width);
        span(drag->y, y, height, &drag->now.y, &drag->now.height);
    } else if (drag->kind == VIEW_DRAG_MOVE) {
        drag->now.x = shifted(before->x, before->width, across, width);
        drag->now.y = shifted(before->y, before->height, down, height);
    } else if (drag->kind == VIEW_DRAG_RESIZE) {
        resize(before->x, before->width, drag->sides & VIEW_LEFT_SIDE, drag->sides & VIEW_RIGHT_SIDE, across, width,
               &drag->now.x, &drag->now.width);
        resize(before->y, before->height, drag->sides & VIEW_TOP_SIDE, drag->sides & VIEW_BOTTOM_SIDE, down, height,
               &drag->now.y, &drag->now.height);
    }
}
