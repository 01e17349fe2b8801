#include "ui/panel.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

const char *const view_side_names[VIEW_SIDES] = {"left", "right"};

static float least(float one, float other)
{
    return one < other ? one : other;
}

static float most(float one, float other)
{
    return one > other ? one : other;
}

float view_columns_usual(float canvas)
{
    return floorf(least(most(VIEW_COLUMN_SHARE * canvas, VIEW_COLUMN_LEAST), VIEW_COLUMN_USUAL));
}

bool view_columns_has(const struct view_columns *columns, enum view_side side, float canvas)
{
    if (columns->state[side] != VIEW_COLUMN_AUTO)
        return columns->state[side] == VIEW_COLUMN_SHOWN;
    return side == VIEW_SIDE_RIGHT || canvas >= VIEW_COLUMN_BOTH;
}

void view_columns_fit(const struct view_columns *columns, const bool shown[VIEW_SIDES], float canvas,
                      float widths[VIEW_SIDES])
{
    const enum view_side order[VIEW_SIDES] = {columns->last == VIEW_SIDE_LEFT ? VIEW_SIDE_RIGHT : VIEW_SIDE_LEFT,
                                              columns->last};
    float over = VIEW_COLUMN_PICTURE - canvas;

    for (int s = 0; s < VIEW_SIDES; s++) {
        widths[s] = !shown[s] ? 0.0f : columns->chosen[s] > 0.0f ? columns->chosen[s] : view_columns_usual(canvas);
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

/* Texts of rectangles over the picture. */

#define ABOVE 2.0f /* pixels of the canvas */

void view_panel_caption(const struct view_scene *scene, double x, double y, double width, double height,
                        const uint8_t colour[3], const char *text)
{
    static const uint8_t dark[3] = {0, 0, 0};
    const struct view_place *place = &scene->place;
    const struct view_area *area = &scene->area;
    const float left = (float)((x * place->zoom + place->offset_x) / VIEW_ZOOM_ONE);
    const float top = (float)((y * place->zoom + place->offset_y) / VIEW_ZOOM_ONE);
    const float right = left + (float)(width * place->zoom / VIEW_ZOOM_ONE);
    const float bottom = top + (float)(height * place->zoom / VIEW_ZOOM_ONE);

    if (text != NULL && text[0] != '\0' && right >= (float)area->x && bottom >= (float)area->y &&
        left <= (float)area->x + (float)area->width && top <= (float)area->y + (float)area->height)
        view_ui_canvas_text(left, top - ABOVE, text, colour, dark);
}

void view_panel_run(struct view_panel_context *context, const char *format, ...)
{
    char line[4096];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (context->line_count < VIEW_PANEL_LINES && (context->lines[context->line_count] = strdup(line)) != NULL)
        context->line_count++;
}

void view_panel_tip(const struct view_panel_context *context, const char *help, const char *line)
{
    const struct view_key *key = line != NULL ? view_key_find(context->actions, line) : NULL;

    if (help != NULL && key != NULL)
        view_ui_tooltip("%s  (%s)", help, key->key);
    else if (help != NULL || key != NULL)
        view_ui_tooltip("%s", help != NULL ? help : key->key);
}

void view_panel_button(struct view_panel_context *context, const char *label, const char *line, const char *help,
                       float width, bool chosen)
{
    if (view_ui_wide_button(label, width, chosen))
        view_panel_run(context, "%s", line);
    view_panel_tip(context, help, line);
}

#define GAP     6.0f /* points, between two buttons */
#define PADDING 4.0f /* at least, on either side of a label */

static float width_of(const struct view_panel_item *item)
{
    return view_ui_text_width(item->label) + 2.0f * PADDING;
}

/* How many of the buttons fit into a row at their own widths; *rest: the width that is left over. */
static uint32_t fill_row(const struct view_panel_item *items, uint32_t count, float room, float *rest)
{
    uint32_t fit = 0;

    for (*rest = room + GAP; fit < count && (fit == 0 || *rest >= GAP + width_of(&items[fit])); fit++)
        *rest -= GAP + width_of(&items[fit]);
    *rest = *rest > 0.0f ? *rest : 0.0f;
    return fit;
}

static uint32_t count_rows(const struct view_panel_item *items, uint32_t count, float room)
{
    uint32_t rows = 0;
    float rest;

    for (uint32_t first = 0; first < count; first += fill_row(items + first, count - first, room, &rest))
        rows++;
    return rows;
}

/* Columns of equal widths, with as few rows as possible. */
static uint32_t count_columns(const struct view_panel_item *items, uint32_t count, float room)
{
    float widest = 0.0f;
    uint32_t columns, rows;

    for (uint32_t i = 0; i < count; i++)
        widest = width_of(&items[i]) > widest ? width_of(&items[i]) : widest;
    columns = (uint32_t)((room + GAP) / (widest + GAP));
    columns = columns < 1 ? 1 : columns > count ? count : columns;
    rows = (count + columns - 1) / columns;
    return (count + rows - 1) / rows;
}

static void show_button(struct view_panel_context *context, const struct view_panel_item *item, float width, bool first)
{
    if (!first)
        view_ui_same_line(0.0f);
    view_ui_disabled_begin(item->impossible);
    view_panel_button(context, item->label, item->line, item->help, width, item->chosen);
    view_ui_disabled_end();
}

void view_panel_buttons(struct view_panel_context *context, const struct view_panel_item *items, uint32_t count)
{
    const float room = view_ui_width();
    const uint32_t columns = count_columns(items, count, room), rows = (count + columns - 1) / columns;
    const bool equal = rows <= count_rows(items, count, room);
    float rest;

    for (uint32_t first = 0, fit; first < count; first += fit) {
        fit = fill_row(items + first, count - first, room, &rest);
        if (equal)
            fit = count - first < columns ? count - first : columns;
        for (uint32_t i = first; i < first + fit; i++)
            show_button(context, &items[i],
                        equal ? (room - GAP * (float)(columns - 1)) / (float)columns
                              : width_of(&items[i]) + rest / (float)fit,
                        i == first);
    }
}

void view_panel_slider_of(struct view_panel_context *context, const char *label, int value, int low, int high, int most,
                          const char *format, const char *action, const char *help)
{
    if (view_ui_int_slider(label, &value, low, high, most, format))
        view_panel_run(context, "%s %d", action, value);
    view_panel_tip(context, help, NULL);
}

void view_panel_slider(struct view_panel_context *context, const char *label, float room, int value, int low, int high,
                       int most, const char *format, const char *action, const char *help)
{
    view_ui_next_width(-room);
    view_panel_slider_of(context, label, value, low, high, most, format, action, help);
}

void view_panel_toggle(struct view_panel_context *context, const char *label, bool on, const char *action,
                       const char *help)
{
    char line[64];

    if (view_ui_toggle(label, &on))
        view_panel_run(context, "%s %s", action, on ? "on" : "off");
    snprintf(line, sizeof line, "%s toggle", action);
    view_panel_tip(context, help, line);
}
