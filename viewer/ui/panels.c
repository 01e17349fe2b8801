#include "ui/panels.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action/action.h"
#include "base/log.h"
#include "ui/sheets.h"

#define PANELS_MAX   VIEW_SETTINGS_PANELS
#define LINES_MAX    16u
#define COLUMN_WIDTH 280.0f /* points */

const struct view_panel view_panel_list[] = {{"sources", "Pictures", false, true, view_panel_sources},
                                             {"overlay", "Overlay", false, true, view_panel_overlay},
                                             {"teach", "Teaching", false, true, view_panel_teach},
                                             {"classes", "Classes", false, true, view_panel_classes},
                                             {"inspect", "Look inside", true, false, view_panel_inspect},
                                             {"performance", "Performance", true, false, view_panel_performance},
                                             {0}};

struct view_panels {
    struct view_ui *ui;
    bool on;
    bool shown[PANELS_MAX], open[PANELS_MAX];
    enum view_sheet sheet;
    struct view_open_sheet open_sheet;
    double last;            /* frame's time */
    uint32_t frames;        /* that are still to come because something was touched */
    char *lines[LINES_MAX]; /* that this frame asked for */
    uint32_t line_count;
};

static uint32_t panel_count(void)
{
    uint32_t count = 0;

    while (count < PANELS_MAX && view_panel_list[count].name != NULL)
        count++;
    return count;
}

/* As the panel was when the program ended. */
static void recall(const struct view_app *app, struct view_panels *panels, uint32_t number)
{
    const struct view_settings *settings = &app->remembered;

    for (uint32_t i = 0; i < settings->panel_count; i++)
        if (strcmp(settings->panels[i].name, view_panel_list[number].name) == 0) {
            panels->shown[number] = settings->panels[i].shown;
            panels->open[number] = settings->panels[i].open;
        }
}

void view_panels_remember(struct view_app *app)
{
    struct view_settings *settings = &app->remembered;

    if (app->panels == NULL)
        return;
    settings->panels_off = !app->panels->on;
    settings->panel_count = panel_count();
    for (uint32_t p = 0; p < settings->panel_count; p++) {
        snprintf(settings->panels[p].name, sizeof settings->panels[p].name, "%s", view_panel_list[p].name);
        settings->panels[p].shown = app->panels->shown[p];
        settings->panels[p].open = app->panels->open[p];
    }
}

static enum shw_result create_ui(struct view_app *app, struct view_panels *panels)
{
    enum shw_result result = view_ui_create(&app->gpu, app->canvas.pass, VIEW_SLOTS, app->scale, &panels->ui);

    if (result == SHW_OK && app->clipboard.get != NULL)
        view_ui_set_clipboard(panels->ui, &app->clipboard);
    return result;
}

static enum shw_result create(struct view_app *app)
{
    struct view_panels *panels = calloc(1, sizeof *panels);
    enum shw_result result;

    if (panels == NULL)
        return shw_fail_memory(&app->log, "the panels");
    for (uint32_t p = 0; p < panel_count(); p++) {
        panels->shown[p] = view_panel_list[p].shown;
        panels->open[p] = true;
        recall(app, panels, p);
    }
    result = create_ui(app, panels);
    if (result != SHW_OK) {
        free(panels);
        return result;
    }
    app->panels = panels;
    return SHW_OK;
}

enum shw_result view_panels_switch(struct view_app *app, bool on)
{
    if (on && app->panels == NULL)
        SHW_PROPAGATE(create(app));
    if (app->panels == NULL || app->panels->on == on)
        return SHW_OK;
    app->panels->on = on;
    view_app_area_changed(app);
    return SHW_OK;
}

enum shw_result view_panels_scale(struct view_app *app, float scale)
{
    struct view_panels *panels = app->panels;
    enum shw_result result;

    app->scale = scale;
    if (panels == NULL || view_ui_scale(panels->ui) == scale)
        return SHW_OK;
    SHW_TRY(view_frames_wait(&app->gpu, &app->frames));
    view_ui_destroy(&panels->ui);
    result = create_ui(app, panels);
    if (result != SHW_OK)
        view_panels_destroy(app);
    view_app_area_changed(app);

fail:
    return result;
}

bool view_panels_are_on(const struct view_app *app)
{
    return app->panels != NULL && app->panels->on;
}

void view_panels_destroy(struct view_app *app)
{
    struct view_panels *panels = app->panels;

    if (panels == NULL)
        return;
    view_browser_free(&panels->open_sheet.browser);
    view_ui_destroy(&panels->ui);
    for (uint32_t i = 0; i < panels->line_count; i++)
        free(panels->lines[i]);
    free(panels);
    app->panels = NULL;
}

bool view_panels_shown(const struct view_app *app, uint32_t number)
{
    return app->panels != NULL && app->panels->shown[number];
}

bool view_panels_open(const struct view_app *app, const char *name)
{
    uint32_t p = 0;

    while (view_panel_list[p].name != NULL && strcmp(view_panel_list[p].name, name) != 0)
        p++;
    return view_panels_are_on(app) && view_panel_list[p].name != NULL && app->panels->shown[p] && app->panels->open[p];
}

void view_panels_show(struct view_app *app, uint32_t number, bool shown)
{
    if (app->panels == NULL || app->panels->shown[number] == shown)
        return;
    app->panels->shown[number] = shown;
    app->panels->open[number] = app->panels->open[number] || shown;
    view_app_area_changed(app);
}

struct view_ui *view_panels_ui(const struct view_app *app)
{
    return view_panels_are_on(app) ? app->panels->ui : NULL;
}

/* Width of a column in pixels: none without panels. */
static uint32_t column_width(const struct view_app *app, bool right)
{
    bool shown = !right;

    if (!view_panels_are_on(app))
        return 0;
    for (uint32_t p = 0; p < panel_count(); p++)
        shown = shown || (app->panels->shown[p] && view_panel_list[p].right == right);
    return shown ? (uint32_t)(COLUMN_WIDTH * view_ui_scale(app->panels->ui)) : 0;
}

struct view_area view_panels_free_area(const struct view_app *app)
{
    VkExtent2D canvas = app->canvas.image.extent;
    uint32_t left = column_width(app, false), right = column_width(app, true);

    if (left + right >= canvas.width) /* the panels are over the picture then */
        return (struct view_area){0, 0, canvas.width, canvas.height};
    return (struct view_area){(int32_t)left, 0, canvas.width - left - right, canvas.height};
}

void view_panels_touch(struct view_app *app)
{
    if (app->panels != NULL)
        app->panels->frames = 2;
}

/* What can be shown besides, above the left column. */
static void show_switches(struct view_app *app)
{
    char line[64];
    uint32_t count = 1;
    float width;

    for (uint32_t p = 0; p < panel_count(); p++)
        count += view_panel_list[p].right;
    width = (view_ui_width() - 6.0f * (float)(count - 1)) / (float)count;
    for (uint32_t p = 0; p < panel_count(); p++) {
        if (!view_panel_list[p].right)
            continue;
        snprintf(line, sizeof line, "panel %s toggle", view_panel_list[p].name);
        view_panel_button(app, view_panel_list[p].title, line, "show or hide this panel", width, app->panels->shown[p]);
        view_ui_same_line(0.0f);
    }
    view_panel_button(app, "Help", "help toggle", "all keys, and the size of letters", width, false);
    view_ui_space();
}

static void show_column(struct view_app *app, bool right)
{
    struct view_panels *panels = app->panels;
    VkExtent2D canvas = app->canvas.image.extent;
    uint32_t width = column_width(app, right);

    if (width == 0)
        return;
    view_ui_window_begin(app->area.width < canvas.width ? VIEW_UI_COLUMN : VIEW_UI_COVER, right ? "right" : "left",
                         right ? (float)(canvas.width - width) : 0.0f, 0.0f, (float)width, (float)canvas.height, 1.0f);
    if (!right)
        show_switches(app);
    for (uint32_t p = 0; p < panel_count(); p++) {
        const struct view_panel *panel = &view_panel_list[p];
        if (!panels->shown[p] || panel->right != right || !view_ui_panel_begin(panel->title, &panels->open[p]))
            continue;
        panel->show(app);
        view_ui_panel_end();
    }
    view_ui_window_end();
}

/* An action may render a frame of its own (a screenshot does), so that lines are taken out before they run. What fails
 * has told why. */
static void run_lines(struct view_app *app)
{
    while (app->panels != NULL && app->panels->line_count > 0) {
        struct view_panels *panels = app->panels;
        char *line = panels->lines[0];
        panels->line_count--;
        memmove(panels->lines, panels->lines + 1, panels->line_count * sizeof *panels->lines);
        view_action_run(app, line);
        free(line);
    }
}

enum shw_result view_panels_sheet(struct view_app *app, enum view_sheet sheet)
{
    enum shw_result result = sheet != VIEW_SHEET_NONE ? view_panels_switch(app, true) : SHW_OK;

    if (app->panels != NULL) {
        app->panels->sheet = sheet;
        app->panels->open_sheet.seen = false;
    }
    return result;
}

enum view_sheet view_panels_sheet_shown(const struct view_app *app)
{
    return view_panels_are_on(app) ? app->panels->sheet : VIEW_SHEET_NONE;
}

static void show_sheet(struct view_app *app)
{
    bool open = true;

    switch (app->panels->sheet) {
    case VIEW_SHEET_HELP: open = view_sheet_help(app); break;
    case VIEW_SHEET_OPEN: open = view_sheet_open(app, &app->panels->open_sheet); break;
    default: break;
    }
    if (!open)
        app->panels->sheet = VIEW_SHEET_NONE;
}

static void say(struct view_app *app, double seconds)
{
    view_ui_begin(app->panels->ui, app->canvas.image.extent, seconds);
    show_column(app, false);
    show_column(app, true);
    view_ui_canvas_clip((float)app->area.x, (float)app->area.y, (float)app->area.width, (float)app->area.height);
    view_brush_outline(app);
    view_notes_show(app);
    show_sheet(app);
    view_ui_end(app->panels->ui);
}

bool view_panels_find(struct view_app *app, const char *label, double *x, double *y)
{
    float across, down;
    bool found;

    if (!view_panels_are_on(app))
        return false;
    do
        view_panels_frame(app);
    while (view_ui_pending(app->panels->ui));
    view_panels_frame(app); /* panels are in their places one frame after they changed */
    view_ui_find_begin(label);
    say(app, 0.0);
    found = view_ui_find_end(&across, &down);
    *x = across;
    *y = down;
    return found;
}

void view_panels_frame(struct view_app *app)
{
    struct view_panels *panels = app->panels;

    if (!view_panels_are_on(app))
        return;
    say(app, app->now - panels->last);
    panels->last = app->now;
    if (panels->frames > 0 || view_ui_pending(panels->ui)) {
        panels->frames -= panels->frames > 0;
        app->redraw = true;
    }
    run_lines(app);
}

void view_panel_run(struct view_app *app, const char *format, ...)
{
    struct view_panels *panels = app->panels;
    char line[4096];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (panels->line_count < LINES_MAX && (panels->lines[panels->line_count] = strdup(line)) != NULL)
        panels->line_count++;
}

void view_panel_tip(const char *help, const char *line)
{
    const struct view_key *key = line != NULL ? view_key_find(line) : NULL;

    if (help != NULL && key != NULL)
        view_ui_tooltip("%s  (%s)", help, key->key);
    else if (help != NULL || key != NULL)
        view_ui_tooltip("%s", help != NULL ? help : key->key);
}

void view_panel_button(struct view_app *app, const char *label, const char *line, const char *help, float width,
                       bool chosen)
{
    if (view_ui_wide_button(label, width, chosen))
        view_panel_run(app, "%s", line);
    view_panel_tip(help, line);
}
