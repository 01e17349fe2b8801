#include "shell/input.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "teach/brush.h"

#define WIPE_REACH 5.0 /* pixels on either side of the line */

/* Requests two frames: panels may look different in the second. */
static void show_change(struct view_app *app)
{
    app->scene.redraw = true;
    view_panels_touch(&app->panels);
}

/* Whether the cursor is at the wipe's line. */
static bool at_wipe(const struct view_app *app)
{
    double line = view_scene_wipe_column(&app->scene);

    return app->scene.picture != NULL && !app->scene.instead.on && line > 0.0 &&
           app->scene.settings.mode != VIEW_MODE_NONE && fabs(app->cursor.x - line) <= WIPE_REACH;
}

static void drag(struct view_app *app, double x, double y)
{
    struct view_scene *scene = &app->scene;
    double share;

    switch (app->owner) {
    case VIEW_PAN: view_scene_move(scene, lround(x * VIEW_ZOOM_ONE), lround(y * VIEW_ZOOM_ONE)); break;
    case VIEW_WIPE:
        share = (app->cursor.x - scene->area.x) * 100.0 / scene->area.width;
        scene->settings.wipe = (uint32_t)lround(fmin(fmax(share, 0.0), 100.0));
        break;
    case VIEW_TOOL: view_brush_drag(&app->teaching); break;
    default: break;
    }
}

static void find_target(struct view_app *app)
{
    struct view_ui *ui = view_panels_ui(&app->panels);

    app->cursor.on_picture = ui == NULL || !view_ui_is_at(ui, (float)app->cursor.x, (float)app->cursor.y);
}

void view_input_move(struct view_app *app, double x, double y)
{
    struct view_ui *ui = view_panels_ui(&app->panels);
    double across = x - app->cursor.x, down = y - app->cursor.y;

    app->cursor.x = x;
    app->cursor.y = y;
    find_target(app);
    if (ui != NULL)
        view_ui_move(ui, (float)x, (float)y);
    drag(app, across, down);
    if (ui != NULL || app->owner != VIEW_NOBODY || app->inside.inspect.on || app->scene.instead.on)
        show_change(app);
}

void view_input_leave(struct view_app *app)
{
    struct view_ui *ui = view_panels_ui(&app->panels);

    app->cursor.on_picture = false;
    if (ui != NULL && app->pressed == 0)
        view_ui_move(ui, -1e6f, -1e6f);
    show_change(app);
}

/* Whether brush or eraser is active; the forest's texture cannot be painted on. */
static bool paints(const struct view_app *app)
{
    return view_brush_in_hand(&app->teaching) && !app->scene.instead.on;
}

static void press(struct view_app *app, enum view_button button)
{
    if (app->owner != VIEW_NOBODY && app->owner != VIEW_PANELS)
        return;
    if (!app->cursor.on_picture)
        app->owner = VIEW_PANELS;
    else if (button == VIEW_LEFT && at_wipe(app))
        app->owner = VIEW_WIPE;
    else if (button != VIEW_MIDDLE && paints(app))
        app->owner = view_brush_press(&app->teaching, button == VIEW_RIGHT) ? VIEW_TOOL : VIEW_NOBODY;
    else if (button != VIEW_RIGHT)
        app->owner = VIEW_PAN;
}

void view_input_button(struct view_app *app, enum view_button button, bool down)
{
    struct view_ui *ui = view_panels_ui(&app->panels);

    if (down) {
        find_target(app); /* panels may have appeared since the mouse moved */
        press(app, button);
        app->pressed |= 1u << button;
    } else {
        app->pressed &= ~(1u << button);
    }
    /* a click outside a text field takes the keyboard focus from it */
    if (ui != NULL && (!down || app->owner == VIEW_PANELS || view_ui_wants_text(ui)))
        view_ui_press(ui, button, down);
    if (app->pressed == 0) {
        if (app->owner == VIEW_TOOL)
            view_teaching_end_stroke(&app->teaching);
        app->owner = VIEW_NOBODY;
    }
    show_change(app);
}

/* Four notches double the zoom. */
void view_input_wheel(struct view_app *app, double notches)
{
    struct view_ui *ui = view_panels_ui(&app->panels);
    double zoom = app->scene.place.zoom * exp2(notches / 4.0);

    find_target(app);
    if (ui != NULL && !app->cursor.on_picture)
        view_ui_wheel(ui, (float)notches);
    else if (!paints(app) || !view_brush_wheel(&app->teaching, notches))
        view_scene_zoom(&app->scene, (uint32_t)lround(fmin(fmax(zoom, VIEW_ZOOM_MIN), VIEW_ZOOM_MAX)),
                        (int32_t)app->cursor.x, (int32_t)app->cursor.y);
    show_change(app);
}

/* While a text field has the focus, shortcuts that it does not use still run actions. */
static bool give_key(struct view_app *app, const char *key)
{
    struct view_ui *ui = view_panels_ui(&app->panels);
    bool control = false, shift = false;

    if (ui == NULL || !view_ui_wants_text(ui) ||
        (view_panels_sheet_shown(&app->panels) != VIEW_SHEET_NONE && strcmp(key, "Escape") == 0))
        return false;
    if (strncmp(key, "Ctrl+", 5) == 0) {
        control = true;
        key += 5;
    }
    if (strncmp(key, "Shift+", 6) == 0) {
        shift = true;
        key += 6;
    }
    return view_ui_key(ui, key, control, shift);
}

static enum shw_result run_key(struct view_app *app, const char *key)
{
    const char *line = view_key_line(app->actions.entries, key);

    return line != NULL ? view_app_run(app, line) : SHW_OK;
}

enum shw_result view_input_key(struct view_app *app, const char *key)
{
    show_change(app);
    if (key[0] > ' ' && key[1] == '\0')
        return view_input_character(app, (unsigned char)key[0]);
    return give_key(app, key) ? SHW_OK : run_key(app, key);
}

enum shw_result view_input_character(struct view_app *app, uint32_t codepoint)
{
    struct view_ui *ui = view_panels_ui(&app->panels);
    char name[2] = "";

    show_change(app);
    if (ui != NULL && view_ui_wants_text(ui)) {
        view_ui_character(ui, codepoint);
        return SHW_OK;
    }
    if (codepoint <= ' ' || codepoint >= 127)
        return SHW_OK;
    name[0] = (char)(codepoint >= 'a' && codepoint <= 'z' ? codepoint - 'a' + 'A' : codepoint);
    return run_key(app, name);
}

enum shw_result view_input_drop(struct view_app *app, const char *path)
{
    return view_app_run_action(app, "open", path);
}

enum view_pointer view_input_pointer(const struct view_app *app)
{
    const struct view_ui *ui = view_panels_ui(&app->panels);

    if (app->owner == VIEW_PANELS || !app->cursor.on_picture)
        return ui != NULL && view_ui_cursor(ui) == VIEW_UI_TEXT ? VIEW_POINTER_TEXT : VIEW_POINTER_ARROW;
    if (app->owner == VIEW_WIPE || (app->owner == VIEW_NOBODY && at_wipe(app)))
        return VIEW_POINTER_WIPE;
    return view_brush_in_hand(&app->teaching) && app->scene.picture != NULL ? VIEW_POINTER_TOOL : VIEW_POINTER_ARROW;
}
