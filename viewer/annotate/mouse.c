#include <math.h>

#include "annotate/annotating.h"
#include "files/dataset/palette.h"
#include "label/classes.h"

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

/* Follows the mouse to a place of a picture of that size, which the rectangle does not leave. */
static void view_drag_to(struct view_drag *drag, double x, double y, uint32_t width, uint32_t height)
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

/* How rectangles look over the picture. */
bool view_annotating_is_drawn(const struct view_annotating *annotating)
{
    return !annotating->hidden && !annotating->scene->instead.on && annotating->scene->picture != NULL;
}

const struct view_box *view_annotating_drawn_box(const struct view_annotating *annotating, uint32_t number)
{
    uint32_t count;
    const struct view_box *boxes = view_annotating_boxes(annotating, &count);

    return number == annotating->chosen && annotating->drag.kind > VIEW_DRAG_NEW ? &annotating->drag.now
                                                                                 : &boxes[number];
}

void view_annotating_colour(const struct view_annotating *annotating, uint32_t label, uint8_t colour[3])
{
    uint8_t own[3];

    shw_palette_default_colour(label == VIEW_NO_BOX ? 0 : label, own);
    view_shown_colour(annotating->scene->colour_blind, own, colour);
}

void view_annotating_draw(const struct view_annotating *annotating, struct view_borders *borders)
{
    const struct view_box *fresh = &annotating->drag.now;
    uint32_t count;
    const struct view_box *boxes = view_annotating_boxes(annotating, &count);
    uint8_t colour[3];

    if (!view_annotating_is_drawn(annotating))
        return;
    for (uint32_t b = 0; b < count; b++) {
        const struct view_box *box = view_annotating_drawn_box(annotating, b);

        view_annotating_colour(annotating, boxes[b].label, colour);
        view_borders_add(borders, box->x, box->y, box->width, box->height, colour, b == annotating->chosen ? 3 : 2);
    }
    if (annotating->drag.kind == VIEW_DRAG_NEW && fresh->width > 0) {
        view_annotating_colour(annotating, VIEW_NO_BOX, colour);
        view_borders_add(borders, fresh->x, fresh->y, fresh->width, fresh->height, colour, 2);
    }
}

/* The mouse with the tool for rectangles. */

#define REACH      6.0 /* pixels of the canvas around a handle */
#define CLICK_MOVE 3.0 /* and that the mouse may move in a click */

/* The cursor in pixels of the picture, which it may be outside of. */
static void cursor_place(const struct view_annotating *annotating, double *x, double *y)
{
    const struct view_place *place = &annotating->scene->place;

    *x = (annotating->cursor->x * VIEW_ZOOM_ONE - place->offset_x) / place->zoom;
    *y = (annotating->cursor->y * VIEW_ZOOM_ONE - place->offset_y) / place->zoom;
}

/* Pixels of the picture for so many of the canvas. */
static double reach_of(const struct view_annotating *annotating, double pixels)
{
    return pixels * VIEW_ZOOM_ONE / annotating->scene->place.zoom;
}

static bool contains(const struct view_box *box, double x, double y)
{
    return x >= box->x && y >= box->y && x < box->x + (double)box->width && y < box->y + (double)box->height;
}

/* The smallest rectangle at a place of the picture; VIEW_NO_BOX: none. */
static uint32_t view_annotating_at(const struct view_annotating *annotating, double x, double y)
{
    uint32_t count, found = VIEW_NO_BOX;
    const struct view_box *items = view_annotating_boxes(annotating, &count);
    uint64_t smallest = UINT64_MAX;

    for (uint32_t b = 0; b < count; b++) {
        uint64_t area = (uint64_t)items[b].width * items[b].height;

        if (contains(&items[b], x, y) && area < smallest) {
            smallest = area;
            found = b;
        }
    }
    return found;
}

/* The side handles of the chosen rectangle under the cursor; 0: none. */
static unsigned view_annotating_handle(const struct view_annotating *annotating)
{
    const double reach = reach_of(annotating, REACH);
    uint32_t count;
    const struct view_box *items = view_annotating_boxes(annotating, &count);
    double x, y, across, down;

    if (annotating->chosen >= count || annotating->hidden)
        return 0;
    cursor_place(annotating, &x, &y);
    for (uint32_t h = 0; h < VIEW_HANDLES; h++) {
        view_handle_place(&items[annotating->chosen], view_handle_sides[h], &across, &down);
        if (fabs(x - across) <= reach && fabs(y - down) <= reach)
            return view_handle_sides[h];
    }
    return 0;
}

/* Whether what was drawn has a part of the picture. */
static bool meets_picture(const struct view_annotating *annotating, double x, double y)
{
    const struct view_drag *drag = &annotating->drag;
    const struct view_picture *picture = annotating->scene->picture;

    return picture != NULL && fmax(x, drag->x) > 0.0 && fmax(y, drag->y) > 0.0 &&
           fmin(x, drag->x) < picture->image.width && fmin(y, drag->y) < picture->image.height;
}

/* What a press begins at this place: a handle of the chosen rectangle, one to be moved, or a new one. */
static void begin(struct view_annotating *annotating, double x, double y)
{
    struct view_drag *drag = &annotating->drag;
    uint32_t count, below = view_annotating_at(annotating, x, y);
    const struct view_box *items = view_annotating_boxes(annotating, &count);
    const bool chosen = annotating->chosen < count;

    *drag = (struct view_drag){.kind = VIEW_DRAG_NEW, .x = x, .y = y};
    drag->sides = view_annotating_handle(annotating);
    if (drag->sides != 0) {
        drag->kind = VIEW_DRAG_RESIZE;
    } else if (below != VIEW_NO_BOX && !annotating->cursor->shift && !annotating->hidden) {
        drag->kind = VIEW_DRAG_MOVE;
        if (!chosen || !contains(&items[annotating->chosen], x, y))
            annotating->chosen = below;
    }
    if (drag->kind == VIEW_DRAG_NEW)
        annotating->chosen = VIEW_NO_BOX;
    else
        drag->before = items[annotating->chosen];
    drag->now = drag->before;
}

bool view_annotating_press(struct view_annotating *annotating, bool erases)
{
    struct view_scene *scene = annotating->scene;
    double x, y;

    if (scene->picture == NULL)
        return false;
    view_scene_keep(scene);
    view_annotating_poll(annotating);
    cursor_place(annotating, &x, &y);
    if (erases) {
        uint32_t below = view_annotating_at(annotating, x, y);

        if (below != VIEW_NO_BOX && !annotating->hidden)
            view_annotating_change(annotating, below, NULL);
        annotating->clicked = annotating->clicked_away = below == VIEW_NO_BOX;
        annotating->clicked_x = x;
        annotating->clicked_y = y;
        return false;
    }
    annotating->hidden = false;
    begin(annotating, x, y);
    scene->redraw = true;
    return true;
}

void view_annotating_drag(struct view_annotating *annotating)
{
    const struct view_picture *picture = annotating->scene->picture;
    double x, y;

    if (annotating->drag.kind == VIEW_DRAG_NONE || picture == NULL)
        return;
    cursor_place(annotating, &x, &y);
    view_drag_to(&annotating->drag, x, y, picture->image.width, picture->image.height);
}

void view_annotating_release(struct view_annotating *annotating)
{
    const struct view_drag drag = annotating->drag;
    const double reach = reach_of(annotating, CLICK_MOVE);
    struct view_box box = drag.now;
    double x, y;
    bool moved;

    annotating->drag.kind = VIEW_DRAG_NONE;
    annotating->scene->redraw = true;
    if (drag.kind == VIEW_DRAG_NONE)
        return;
    cursor_place(annotating, &x, &y);
    moved = fabs(x - drag.x) > reach || fabs(y - drag.y) > reach;
    if (drag.kind == VIEW_DRAG_NEW && !moved) {
        annotating->clicked = true;
        annotating->clicked_away = false;
        annotating->clicked_x = drag.x;
        annotating->clicked_y = drag.y;
        return;
    }
    if (!moved || (drag.kind == VIEW_DRAG_NEW && !meets_picture(annotating, x, y)))
        return;
    box.label = drag.kind == VIEW_DRAG_NEW ? view_annotating_label(annotating) : drag.before.label;
    if (drag.kind == VIEW_DRAG_NEW)
        view_annotating_add(annotating, &box, 1);
    else
        view_annotating_change(annotating, annotating->chosen, &box);
}

bool view_annotating_give_up(struct view_annotating *annotating)
{
    const bool any = annotating->drag.kind != VIEW_DRAG_NONE;

    annotating->drag.kind = VIEW_DRAG_NONE;
    annotating->scene->redraw = annotating->scene->redraw || any;
    return any;
}
