#include "ui/panels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

#define FOOT_SHARE 0.5f   /* of the height, for the foot of a column */
#define FOOT_LEAST 150.0f /* points */

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
    *panels = (struct view_panels){.params = *params, .context.actions = params->actions, .scale = 1.0f};
    for (uint32_t p = 0; p < panel_count(panels); p++) {
        panels->shown[p] = params->list[p].shown;
        panels->open[p] = true;
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
    }
}

uint32_t view_panels_remember(const struct view_panels *panels, struct view_panel_state states[VIEW_PANELS_MAX])
{
    uint32_t count = panels->context.ui != NULL ? panel_count(panels) : 0;

    for (uint32_t p = 0; p < count; p++) {
        snprintf(states[p].name, sizeof states[p].name, "%s", panels->params.list[p].name);
        states[p].shown = panels->shown[p];
        states[p].open = panels->open[p];
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

bool view_panels_open(const struct view_panels *panels, uint32_t number)
{
    return panels->on && panels->shown[number] && panels->open[number];
}

void view_panels_show(struct view_panels *panels, uint32_t number, bool shown)
{
    if (panels->context.ui == NULL || panels->shown[number] == shown)
        return;
    panels->shown[number] = shown;
    panels->open[number] = panels->open[number] || shown;
    panels->moved = true;
}

struct view_ui *view_panels_ui(const struct view_panels *panels)
{
    return panels->on ? panels->context.ui : NULL;
}

/* Widths of the columns in pixels; 0 without panels. */
static void column_widths(const struct view_panels *panels, VkExtent2D canvas, uint32_t widths[VIEW_SIDES])
{
    bool shown[VIEW_SIDES] = {true, false};
    float scale, points[VIEW_SIDES];

    widths[VIEW_SIDE_LEFT] = widths[VIEW_SIDE_RIGHT] = 0;
    if (!panels->on)
        return;
    for (uint32_t p = 0; p < panel_count(panels); p++)
        if (panels->shown[p] && panels->params.list[p].place == VIEW_PANEL_RIGHT)
            shown[VIEW_SIDE_RIGHT] = true;
    scale = view_ui_scale(panels->context.ui);
    view_columns_fit(&panels->columns, shown, (float)canvas.width / scale, points);
    for (int s = 0; s < VIEW_SIDES; s++)
        widths[s] = (uint32_t)(points[s] * scale);
}

struct view_area view_panels_free_area(const struct view_panels *panels, VkExtent2D canvas)
{
    uint32_t widths[VIEW_SIDES], covered;

    column_widths(panels, canvas, widths);
    covered = widths[VIEW_SIDE_LEFT] + widths[VIEW_SIDE_RIGHT];
    if (covered >= canvas.width) /* the panels then cover the picture */
        return (struct view_area){0, 0, canvas.width, canvas.height};
    return (struct view_area){(int32_t)widths[VIEW_SIDE_LEFT], 0, canvas.width - covered, canvas.height};
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

/* The switches above the left column. */
static void show_switches(struct view_panels *panels)
{
    const struct view_panel *list = panels->params.list;
    struct view_panel_item items[VIEW_PANELS_MAX + 1];
    char lines[VIEW_PANELS_MAX][64];
    uint32_t count = 0;

    for (uint32_t p = 0; p < panel_count(panels); p++) {
        if (list[p].place != VIEW_PANEL_RIGHT)
            continue;
        snprintf(lines[count], sizeof lines[count], "panel %s toggle", list[p].name);
        items[count] =
            (struct view_panel_item){list[p].title, lines[count], "show or hide this panel", panels->shown[p], false};
        count++;
    }
    items[count++] = (struct view_panel_item){"Help", "help toggle", "list of keys, and text size", false, false};
    view_panel_buttons(&panels->context, items, count);
    view_ui_space();
}

static void show_list(struct view_panels *panels, enum view_panel_place place)
{
    for (uint32_t p = 0; p < panel_count(panels); p++) {
        const struct view_panel *panel = &panels->params.list[p];
        if (!panels->shown[p] || panel->place != place || !view_ui_panel_begin(panel->title, &panels->open[p]))
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

static bool has_foot(const struct view_panels *panels)
{
    bool has = false;

    for (uint32_t p = 0; p < panel_count(panels); p++)
        has = has || (panels->shown[p] && panels->params.list[p].place == VIEW_PANEL_FOOT);
    return has;
}

/* Its height, in pixels: as high as its panels are. */
static float show_foot(struct view_panels *panels, float width, float room)
{
    static const char title[] = "foot";
    const float canvas = (float)panels->context.frame.canvas.height, last = view_ui_window_height(title),
                height = last > 0.0f ? last : room; /* a new window measures itself first */

    view_ui_window_begin(column_kind(panels), title, 0.0f, canvas - height, width, 0.0f, 1.0f);
    show_list(panels, VIEW_PANEL_FOOT);
    view_ui_window_end();
    if (view_ui_window_height(title) != height)
        view_panels_touch(panels);
    return height;
}

/* On a low canvas the foot scrolls with the rest. */
static void show_left(struct view_panels *panels, float width)
{
    const float scale = view_ui_scale(panels->context.ui), canvas = (float)panels->context.frame.canvas.height,
                room = FOOT_SHARE * canvas;
    const bool stays = has_foot(panels) && room >= FOOT_LEAST * scale;
    float foot;

    panels->context.room = stays ? room / scale : FOOT_LEAST;
    foot = stays ? show_foot(panels, width, room) : 0.0f;
    view_ui_window_begin(column_kind(panels), "left", 0.0f, 0.0f, width, canvas - foot, 1.0f);
    show_switches(panels);
    show_list(panels, VIEW_PANEL_LEFT);
    if (!stays)
        show_list(panels, VIEW_PANEL_FOOT);
    view_ui_window_end();
}

static void show_right(struct view_panels *panels, float width)
{
    const VkExtent2D canvas = panels->context.frame.canvas;

    view_ui_window_begin(column_kind(panels), "right", (float)canvas.width - width, 0.0f, width, (float)canvas.height,
                         1.0f);
    show_list(panels, VIEW_PANEL_RIGHT);
    view_ui_window_end();
}

static void show_edge(struct view_panels *panels, enum view_side side, const uint32_t widths[VIEW_SIDES])
{
    static const char *const titles[VIEW_SIDES] = {"left edge", "right edge"};
    const float scale = view_ui_scale(panels->context.ui), canvas = (float)panels->context.frame.canvas.width;
    const float shown[VIEW_SIDES] = {(float)widths[VIEW_SIDE_LEFT] / scale, (float)widths[VIEW_SIDE_RIGHT] / scale};
    float x = side == VIEW_SIDE_RIGHT ? canvas - (float)widths[side] : (float)widths[side];

    if (widths[side] == 0 || !view_ui_edge(titles[side], (float)panels->context.frame.canvas.height, &x))
        return;
    if (x < 0.0f)
        view_panel_run(&panels->context, "panels width %s auto", view_side_names[side]);
    else
        view_panel_run(
            &panels->context, "panels width %s %.1f", view_side_names[side],
            (double)view_columns_drag(side, (side == VIEW_SIDE_RIGHT ? canvas - x : x) / scale, canvas / scale, shown));
}

static void show_columns(struct view_panels *panels)
{
    uint32_t widths[VIEW_SIDES];

    column_widths(panels, panels->context.frame.canvas, widths);
    show_left(panels, (float)widths[VIEW_SIDE_LEFT]);
    if (widths[VIEW_SIDE_RIGHT] > 0)
        show_right(panels, (float)widths[VIEW_SIDE_RIGHT]);
    for (int side = 0; side < VIEW_SIDES; side++)
        show_edge(panels, (enum view_side)side, widths);
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

    view_ui_begin(panels->context.ui, frame->canvas, seconds);
    show_columns(panels);
    view_ui_canvas_clip((float)frame->area.x, (float)frame->area.y, (float)frame->area.width,
                        (float)frame->area.height);
    for (uint32_t p = 0; p < panel_count(panels); p++)
        if (panels->params.list[p].over != NULL)
            panels->params.list[p].over(user_of(panels, &panels->params.list[p]));
    view_welcome_show(&panels->context, panels->params.scene);
    view_notes_show(&panels->context, panels->params.scene, panels->params.toasts);
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
