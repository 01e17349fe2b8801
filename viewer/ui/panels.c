#include "ui/panels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

#define HEAD_SHARE 0.6f   /* of the height, for the head of a column */
#define HEAD_LEAST 150.0f /* points */
#define BARS_SHARE 0.5f   /* of the height, at most, for all bars */

#define REVEAL_FRAMES 3u

#define SETTLING_FRAMES 24u /* are enough */

static uint32_t panel_count(const struct view_panels *panels)
{
    uint32_t count = 0;

    while (count < VIEW_PANELS_MAX && panels->params.list[count].name != NULL)
        count++;
    return count;
}

void view_panels_init(const struct view_panels_params *params, struct view_panels *panels)
{
    *panels = (struct view_panels){.params = *params, .context.actions = params->actions, .scale = 1.0f, .rows = 1};
    panels->params.parts.panels = panels;
    for (uint32_t p = 0; p < panel_count(panels); p++) {
        panels->shown[p] = params->list[p].shown;
        panels->open[p] = true;
        panels->sides[p] = params->list[p].place == VIEW_PANEL_LEFT ? VIEW_SIDE_LEFT : VIEW_SIDE_RIGHT;
    }
}

void view_panels_destroy(struct view_panels *panels)
{
    char *line;

    view_browser_free(&panels->open_sheet.browser);
    view_browser_free(&panels->context.places);
    view_ui_destroy(&panels->context.ui);
    while ((line = view_panels_take_line(panels)) != NULL)
        free(line);
    panels->on = false;
}

uint32_t view_panels_number(const struct view_panels *panels, const char *name, size_t length)
{
    const struct view_panel *list = panels->params.list;

    for (uint32_t p = 0; p < panel_count(panels); p++)
        if (strlen(list[p].name) == length && strncmp(list[p].name, name, length) == 0)
            return p;
    return VIEW_PANELS_MAX;
}

void view_panels_recall(struct view_panels *panels, const struct view_panel_state *states, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = view_panels_number(panels, states[i].name, strlen(states[i].name));
        if (number == VIEW_PANELS_MAX)
            continue;
        panels->shown[number] = states[i].shown;
        panels->open[number] = states[i].open;
        if (states[i].side < VIEW_SIDES)
            panels->sides[number] = states[i].side;
    }
}

uint32_t view_panels_remember(const struct view_panels *panels, struct view_panel_state states[VIEW_PANELS_MAX])
{
    uint32_t count = panels->context.ui != NULL ? panel_count(panels) : 0;

    for (uint32_t p = 0; p < count; p++) {
        snprintf(states[p].name, sizeof states[p].name, "%s", panels->params.list[p].name);
        states[p].shown = panels->shown[p];
        states[p].open = panels->open[p];
        states[p].side = panels->sides[p];
    }
    return count;
}

static enum shw_result create_ui(struct view_panels *panels)
{
    const struct view_panels_params *params = &panels->params;

    SHW_PROPAGATE(view_ui_create(params->gpu, params->pass, VIEW_SLOTS, panels->scale, &panels->context.ui));
    if (panels->clipboard.get != NULL)
        view_ui_set_clipboard(panels->context.ui, &panels->clipboard);
    return SHW_OK;
}

enum shw_result view_panels_switch(struct view_panels *panels, bool on)
{
    if (on && panels->context.ui == NULL)
        SHW_PROPAGATE(create_ui(panels));
    panels->moved = panels->moved || panels->on != on;
    panels->on = on;
    return SHW_OK;
}

enum shw_result view_panels_scale(struct view_panels *panels, float scale)
{
    enum shw_result result;

    panels->scale = scale;
    if (panels->context.ui == NULL || view_ui_scale(panels->context.ui) == scale)
        return SHW_OK;
    SHW_PROPAGATE(view_frames_wait(panels->params.gpu, panels->params.frames));
    view_ui_destroy(&panels->context.ui);
    result = create_ui(panels);
    if (result != SHW_OK)
        view_panels_destroy(panels);
    panels->moved = true;
    return result;
}

bool view_panels_shown(const struct view_panels *panels, uint32_t number)
{
    return panels->on && panels->shown[number];
}

bool view_panels_has_column(const struct view_panels *panels, enum view_side side)
{
    return view_columns_has(&panels->columns, side, panels->width);
}

bool view_panels_open(const struct view_panels *panels, uint32_t number)
{
    return panels->on && panels->shown[number] && panels->open[number] &&
           view_panels_has_column(panels, panels->sides[number]);
}

void view_panels_set_column(struct view_panels *panels, enum view_side side, enum view_column_state state)
{
    panels->columns.state[side] = state;
    panels->moved = true;
}

void view_panels_show(struct view_panels *panels, uint32_t number, bool shown)
{
    if (panels->context.ui == NULL)
        return;
    if (shown && !view_panels_has_column(panels, panels->sides[number]))
        view_panels_set_column(panels, panels->sides[number], VIEW_COLUMN_SHOWN);
    if (panels->shown[number] == shown)
        return;
    panels->shown[number] = shown;
    panels->open[number] = panels->open[number] || shown;
    panels->moved = true;
    panels->reveal = number;
    panels->reveals = shown ? REVEAL_FRAMES : 0;
    if (shown)
        view_panels_touch(panels);
}

void view_panels_fold(struct view_panels *panels, uint32_t number, bool open)
{
    panels->open[number] = open;
    view_panels_touch(panels);
}

void view_panels_move(struct view_panels *panels, uint32_t number, enum view_side side)
{
    panels->sides[number] = side;
    panels->moved = true;
    view_panels_show(panels, number, true);
}

struct view_ui *view_panels_ui(const struct view_panels *panels)
{
    return panels->on ? panels->context.ui : NULL;
}

/* Whether the side has a panel that is shown, in its head, below that, or anywhere. */
static bool has_panel(const struct view_panels *panels, enum view_side side, bool head, bool below)
{
    bool has = false;

    for (uint32_t p = 0; p < panel_count(panels); p++)
        has = has || (panels->shown[p] && panels->sides[p] == side &&
                      (panels->params.list[p].place == VIEW_PANEL_HEAD ? head : below));
    return has;
}

/* Widths of the columns in pixels; 0 without panels. */
static void column_widths(const struct view_panels *panels, VkExtent2D canvas, uint32_t widths[VIEW_SIDES])
{
    bool shown[VIEW_SIDES];
    float scale, points[VIEW_SIDES];

    widths[VIEW_SIDE_LEFT] = widths[VIEW_SIDE_RIGHT] = 0;
    if (!panels->on)
        return;
    scale = view_ui_scale(panels->context.ui);
    for (int s = 0; s < VIEW_SIDES; s++)
        shown[s] = view_columns_has(&panels->columns, (enum view_side)s, (float)canvas.width / scale) &&
                   has_panel(panels, (enum view_side)s, true, true);
    view_columns_fit(&panels->columns, shown, (float)canvas.width / scale, points);
    for (int s = 0; s < VIEW_SIDES; s++)
        widths[s] = (uint32_t)(points[s] * scale);
}

/* Heights of the bars in pixels. */
struct bars {
    uint32_t menus, tools, status;
};

static struct bars bar_heights(const struct view_panels *panels, VkExtent2D canvas)
{
    struct bars bars = {0, 0, 0};
    uint32_t rows = panels->rows;
    float scale;

    if (!panels->on)
        return bars;
    scale = view_ui_scale(panels->context.ui);
    bars.menus = (uint32_t)(VIEW_MENUS_HEIGHT * scale);
    bars.status = (uint32_t)(VIEW_STATUS_HEIGHT * scale);
    do
        bars.tools = (uint32_t)(view_toolbar_height(rows) * scale);
    while ((float)(bars.menus + bars.tools + bars.status) > BARS_SHARE * (float)canvas.height && rows-- > 1);
    return bars;
}

struct view_area view_panels_free_area(struct view_panels *panels, VkExtent2D canvas)
{
    const struct bars bars = bar_heights(panels, canvas);
    const uint32_t top = bars.menus + bars.tools, beside = top + bars.status;
    uint32_t widths[VIEW_SIDES], covered;
    struct view_area area = {0, 0, canvas.width, canvas.height};

    panels->width = (float)canvas.width / panels->scale;
    column_widths(panels, canvas, widths);
    covered = widths[VIEW_SIDE_LEFT] + widths[VIEW_SIDE_RIGHT];
    if (covered < canvas.width) { /* otherwise the panels cover the picture */
        area.x = (int32_t)widths[VIEW_SIDE_LEFT];
        area.width = canvas.width - covered;
    }
    if (beside < canvas.height) {
        area.y = (int32_t)top;
        area.height = canvas.height - beside;
    }
    return area;
}

void view_panels_set_width(struct view_panels *panels, enum view_side side, float width)
{
    panels->columns.chosen[side] = width;
    panels->columns.last = side;
    panels->moved = true;
}

void view_panels_touch(struct view_panels *panels)
{
    panels->frames = 2;
}

static void *user_of(const struct view_panels *panels, const struct view_panel *panel)
{
    return (char *)panels->params.program + panel->offset;
}

static void heed(struct view_panels *panels, uint32_t number, enum view_ui_request request)
{
    const char *name = panels->params.list[number].name;

    if (request == VIEW_UI_OTHER_SIDE)
        view_panel_run(&panels->context, "panel %s %s", name,
                       view_side_names[panels->sides[number] == VIEW_SIDE_LEFT ? VIEW_SIDE_RIGHT : VIEW_SIDE_LEFT]);
    else if (request == VIEW_UI_CLOSE)
        view_panel_run(&panels->context, "panel %s off", name);
}

/* The panels of a side: those of its head, those below, or both. */
static void show_list(struct view_panels *panels, enum view_side side, bool head, bool below)
{
    for (uint32_t p = 0; p < panel_count(panels); p++) {
        const struct view_panel *panel = &panels->params.list[p];
        enum view_ui_request request;
        bool open, begun;
        if (!panels->shown[p] || panels->sides[p] != side || !(panel->place == VIEW_PANEL_HEAD ? head : below))
            continue;
        if (panels->reveals > 0 && panels->reveal == p)
            view_ui_scroll_here();
        open = panels->open[p];
        begun = view_ui_panel_begin(panel->title, &open, &request);
        if (open != panels->open[p])
            view_panel_run(&panels->context, "panel %s %s", panel->name, open ? "unfold" : "fold");
        heed(panels, p, request);
        if (!begun)
            continue;
        panel->show(&panels->context, user_of(panels, panel));
        view_ui_panel_end();
    }
}

static enum view_ui_window column_kind(const struct view_panels *panels)
{
    const struct view_panel_frame *frame = &panels->context.frame;

    return frame->area.width < frame->canvas.width ? VIEW_UI_COLUMN : VIEW_UI_COVER;
}

/* A column, in pixels. */
struct column {
    enum view_side side;
    float x, top, width, bottom;
};

/* The bottom of the head, in pixels: it is as high as its panels are. */
static float show_head(struct view_panels *panels, const struct column *column, float room)
{
    static const char *const titles[VIEW_SIDES] = {"left head", "right head"};
    const char *title = titles[column->side];
    const float last = view_ui_window_height(title), height = last > 0.0f ? last : room; /* a new window measures itself
                                                                                            first */

    view_ui_window_begin(column_kind(panels), title, column->x, column->top, column->width, 0.0f, 1.0f);
    show_list(panels, column->side, true, false);
    view_ui_window_end();
    if (view_ui_window_height(title) != height)
        view_panels_touch(panels);
    return column->top + height;
}

/* In a low column the head scrolls with the rest. */
static void show_column(struct view_panels *panels, const struct column *column)
{
    const float scale = view_ui_scale(panels->context.ui), height = column->bottom - column->top;
    const bool alone = !has_panel(panels, column->side, false, true);
    const float room = (alone ? 1.0f : HEAD_SHARE) * height;
    const bool stays = has_panel(panels, column->side, true, false) && room >= HEAD_LEAST * scale;
    float top = column->top;

    panels->context.room = stays ? room / scale : HEAD_LEAST;
    if (stays)
        top = show_head(panels, column, room);
    if (stays && alone)
        return;
    view_ui_window_begin(column_kind(panels), view_side_names[column->side], column->x, top, column->width,
                         column->bottom - top, 1.0f);
    show_list(panels, column->side, !stays, true);
    view_ui_window_end();
}

static void show_edge(struct view_panels *panels, const struct column *column, const uint32_t widths[VIEW_SIDES])
{
    static const char *const titles[VIEW_SIDES] = {"left edge", "right edge"};
    const enum view_side side = column->side;
    const float scale = view_ui_scale(panels->context.ui), canvas = (float)panels->context.frame.canvas.width;
    const float shown[VIEW_SIDES] = {(float)widths[VIEW_SIDE_LEFT] / scale, (float)widths[VIEW_SIDE_RIGHT] / scale};
    float x = side == VIEW_SIDE_RIGHT ? column->x : column->width;

    if (!view_ui_edge(titles[side], column->top, column->bottom, &x))
        return;
    if (x < 0.0f)
        view_panel_run(&panels->context, "panels width %s auto", view_side_names[side]);
    else
        view_panel_run(
            &panels->context, "panels width %s %.1f", view_side_names[side],
            (double)view_columns_drag(side, (side == VIEW_SIDE_RIGHT ? canvas - x : x) / scale, canvas / scale, shown));
}

static void show_columns(struct view_panels *panels, const struct bars *bars)
{
    const VkExtent2D canvas = panels->context.frame.canvas;
    uint32_t widths[VIEW_SIDES];

    column_widths(panels, canvas, widths);
    for (int side = 0; side < VIEW_SIDES; side++) {
        const struct column column = {.side = (enum view_side)side,
                                      .x = side == VIEW_SIDE_RIGHT ? (float)canvas.width - (float)widths[side] : 0.0f,
                                      .top = (float)(bars->menus + bars->tools),
                                      .width = (float)widths[side],
                                      .bottom = (float)canvas.height - (float)bars->status};
        if (widths[side] == 0)
            continue;
        show_column(panels, &column);
        show_edge(panels, &column, widths);
    }
}

static void show_bars(struct view_panels *panels, const struct bars *bars)
{
    const struct view_parts *parts = &panels->params.parts;
    const float bottom = (float)panels->context.frame.canvas.height;
    uint32_t rows;

    view_menus_show(&panels->context, parts, (float)bars->menus);
    rows = view_toolbar_show(&panels->context, parts, (float)bars->menus, (float)bars->tools);
    view_status_show(&panels->context, parts, bottom - (float)bars->status, (float)bars->status);
    if (rows == panels->rows)
        return;
    panels->rows = rows;
    panels->moved = true;
    view_panels_touch(panels);
}

enum shw_result view_panels_sheet(struct view_panels *panels, enum view_sheet sheet)
{
    if (sheet != VIEW_SHEET_NONE)
        SHW_PROPAGATE(view_panels_switch(panels, true));
    panels->sheet = sheet;
    return SHW_OK;
}

enum shw_result view_panels_browse(struct view_panels *panels, enum view_browse subject)
{
    view_sheet_open_begin(&panels->open_sheet, subject);
    return view_panels_sheet(panels, VIEW_SHEET_OPEN);
}

void view_panels_ran(struct view_panels *panels, bool success)
{
    struct view_toast told[VIEW_TOASTS];
    const char *why = "";

    for (uint32_t t = 0, count = success ? 0 : view_toasts_list(panels->params.toasts, told); t < count; t++)
        why = told[t].error ? told[t].text : why;
    if (view_sheet_open_ran(&panels->open_sheet, success, why) && panels->sheet == VIEW_SHEET_OPEN)
        panels->sheet = VIEW_SHEET_NONE;
}

enum view_sheet view_panels_sheet_shown(const struct view_panels *panels)
{
    return panels->on ? panels->sheet : VIEW_SHEET_NONE;
}

static void show_sheet(struct view_panels *panels)
{
    bool open = true;

    switch (panels->sheet) {
    case VIEW_SHEET_HELP: open = view_sheet_help(&panels->context); break;
    case VIEW_SHEET_OPEN: open = view_sheet_open(&panels->context, &panels->open_sheet); break;
    default: break;
    }
    if (!open)
        panels->sheet = VIEW_SHEET_NONE;
}

/* The first panel with a question; NULL: none has one. */
static const struct view_panel *find_asking(const struct view_panels *panels, struct view_asked *asked)
{
    for (uint32_t p = 0; p < panel_count(panels); p++) {
        const struct view_panel *panel = &panels->params.list[p];
        if (panel->asks != NULL && panel->asks(user_of(panels, panel), asked))
            return panel;
    }
    return NULL;
}

bool view_panels_asked(const struct view_panels *panels, struct view_asked *asked)
{
    return find_asking(panels, asked) != NULL;
}

static void say(struct view_panels *panels, double seconds)
{
    const struct view_panel_frame *frame = &panels->context.frame;
    const struct view_panel *asking = find_asking(panels, &(struct view_asked){0});
    const struct bars bars = bar_heights(panels, frame->canvas);

    view_ui_begin(panels->context.ui, frame->canvas, seconds);
    show_bars(panels, &bars);
    show_columns(panels, &bars);
    view_ui_canvas_clip((float)frame->area.x, (float)frame->area.y, (float)frame->area.width,
                        (float)frame->area.height);
    for (uint32_t p = 0; p < panel_count(panels); p++)
        if (panels->params.list[p].over != NULL)
            panels->params.list[p].over(user_of(panels, &panels->params.list[p]));
    view_welcome_show(&panels->context, panels->params.parts.scene);
    view_notes_show(&panels->context, panels->params.parts.scene, panels->params.toasts);
    if (asking != NULL) /* questions come before sheets */
        asking->ask(&panels->context, user_of(panels, asking));
    else
        show_sheet(panels);
    view_ui_end(panels->context.ui);
}

bool view_panels_frame(struct view_panels *panels, const struct view_panel_frame *frame)
{
    bool more;

    if (!panels->on)
        return false;
    panels->context.frame = *frame;
    say(panels, frame->now - panels->last);
    panels->last = frame->now;
    if (panels->reveals > 0 && --panels->reveals > 0)
        view_panels_touch(panels);
    panels->settling = view_ui_is_settling(panels->context.ui) ? panels->settling + 1 : 0;
    if (panels->settling > 0 && panels->settling < SETTLING_FRAMES)
        view_panels_touch(panels); /* what is placed by its size has its place a frame later */
    more = panels->frames > 0 || view_ui_pending(panels->context.ui);
    panels->frames -= panels->frames > 0;
    return more;
}

char *view_panels_take_line(struct view_panels *panels)
{
    struct view_panel_context *context = &panels->context;
    char *line = context->lines[0];

    if (context->line_count == 0)
        return NULL;
    context->line_count--;
    memmove(context->lines, context->lines + 1, context->line_count * sizeof *context->lines);
    return line;
}

bool view_panels_pending(const struct view_panels *panels)
{
    return panels->on && view_ui_pending(panels->context.ui);
}

bool view_panels_find(struct view_panels *panels, const char *label, double *x, double *y)
{
    float across, down;
    bool found;

    if (!panels->on)
        return false;
    view_ui_find_begin(label);
    say(panels, 0.0);
    found = view_ui_find_end(&across, &down);
    *x = across;
    *y = down;
    return found;
}
