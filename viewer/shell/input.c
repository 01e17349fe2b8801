#include "shell/input.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "action/action.h"
#include "ui/panels.h"

#define WIPE_REACH 5.0 /* pixels to both sides of the line */

/* A frame later, the panels may look other than after the first. */
static void show_change(struct view_app *app)
{
    app->redraw = true;
    view_panels_touch(app);
}

/* The wipe's line is at hand. */
static bool at_wipe(const struct view_app *app)
{
    double line = view_app_wipe_column(app);

    return app->picture != NULL && !app->texture.on && line > 0.0 && app->settings.mode != VIEW_MODE_NONE &&
           fabs(app->input.x - line) <= WIPE_REACH;
}

static void drag(struct view_app *app, double x, double y)
{
    struct view_input *input = &app->input;
    double share;

    switch (input->owner) {
    case VIEW_PAN: view_app_move(app, lround(x * VIEW_ZOOM_ONE), lround(y * VIEW_ZOOM_ONE)); break;
    case VIEW_WIPE:
        share = (input->x - app->area.x) * 100.0 / app->area.width;
        app->settings.wipe = (uint32_t)lround(fmin(fmax(share, 0.0), 100.0));
        break;
    case VIEW_TOOL:
        if (input->tool != NULL && input->tool->move != NULL)
            input->tool->move(app);
        break;
    default: break;
    }
}

static void find_target(struct view_app *app)
{
    struct view_ui *ui = view_panels_ui(app);

    app->input.on_picture = ui == NULL || !view_ui_is_at(ui, (float)app->input.x, (float)app->input.y);
}

void view_input_move(struct view_app *app, double x, double y)
{
    struct view_input *input = &app->input;
    struct view_ui *ui = view_panels_ui(app);
    double across = x - input->x, down = y - input->y;

    input->x = x;
    input->y = y;
    find_target(app);
    if (ui != NULL)
        view_ui_move(ui, (float)x, (float)y);
    drag(app, across, down);
    if (ui != NULL || input->owner != VIEW_NOBODY || app->inspect.on || app->texture.on)
        show_change(app);
}

void view_input_leave(struct view_app *app)
{
    struct view_ui *ui = view_panels_ui(app);

    app->input.on_picture = false;
    if (ui != NULL && app->input.pressed == 0)
        view_ui_move(ui, -1e6f, -1e6f);
    show_change(app);
}

static void press(struct view_app *app, enum view_button button)
{
    struct view_input *input = &app->input;

    if (input->owner != VIEW_NOBODY && input->owner != VIEW_PANELS)
        return;
    if (!input->on_picture)
        input->owner = VIEW_PANELS;
    else if (button == VIEW_LEFT && at_wipe(app))
        input->owner = VIEW_WIPE;
    else if (button != VIEW_MIDDLE && input->tool != NULL && !app->texture.on)
        input->owner = input->tool->press != NULL && input->tool->press(app, button) ? VIEW_TOOL : VIEW_NOBODY;
    else if (button != VIEW_RIGHT)
        input->owner = VIEW_PAN;
}

void view_input_button(struct view_app *app, enum view_button button, bool down)
{
    struct view_input *input = &app->input;
    struct view_ui *ui = view_panels_ui(app);

    if (down) {
        find_target(app); /* panels may have come since the mouse was moved */
        press(app, button);
        input->pressed |= 1u << button;
    } else {
        input->pressed &= ~(1u << button);
    }
    /* a click beside a text field takes the keys from it */
    if (ui != NULL && (!down || input->owner == VIEW_PANELS || view_ui_wants_text(ui)))
        view_ui_press(ui, button, down);
    if (input->pressed == 0) {
        if (input->owner == VIEW_TOOL && input->tool != NULL && input->tool->release != NULL)
            input->tool->release(app);
        input->owner = VIEW_NOBODY;
    }
    show_change(app);
}

/* Four notches double the size. */
void view_input_wheel(struct view_app *app, double notches)
{
    struct view_input *input = &app->input;
    struct view_ui *ui = view_panels_ui(app);
    double zoom = app->place.zoom * exp2(notches / 4.0);

    find_target(app);
    if (ui != NULL && !input->on_picture)
        view_ui_wheel(ui, (float)notches);
    else if (input->tool == NULL || app->texture.on || input->tool->wheel == NULL || !input->tool->wheel(app, notches))
        view_app_zoom(app, (uint32_t)lround(fmin(fmax(zoom, VIEW_ZOOM_MIN), VIEW_ZOOM_MAX)), (int32_t)input->x,
                      (int32_t)input->y);
    show_change(app);
}

/* Shortcuts that a text field does not know are the program's while it has the keys, too. */
static bool give_key(struct view_app *app, const char *key)
{
    struct view_ui *ui = view_panels_ui(app);
    bool control = false, shift = false;

    if (ui == NULL || !view_ui_wants_text(ui) ||
        (view_panels_sheet_shown(app) != VIEW_SHEET_NONE && strcmp(key, "Escape") == 0))
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

enum shw_result view_input_key(struct view_app *app, const char *key)
{
    show_change(app);
    if (key[0] > ' ' && key[1] == '\0')
        return view_input_character(app, (unsigned char)key[0]);
    return give_key(app, key) ? SHW_OK : view_key_run(app, key);
}

enum shw_result view_input_character(struct view_app *app, uint32_t codepoint)
{
    struct view_ui *ui = view_panels_ui(app);
    char name[2] = "";

    show_change(app);
    if (ui != NULL && view_ui_wants_text(ui)) {
        view_ui_character(ui, codepoint);
        return SHW_OK;
    }
    if (codepoint <= ' ' || codepoint >= 127)
        return SHW_OK;
    name[0] = (char)(codepoint >= 'a' && codepoint <= 'z' ? codepoint - 'a' + 'A' : codepoint);
    return view_key_run(app, name);
}

enum shw_result view_input_drop(struct view_app *app, const char *path)
{
    char line[4096];

    snprintf(line, sizeof line, "open %s", path);
    return view_action_run(app, line);
}

enum view_pointer view_input_pointer(const struct view_app *app)
{
    const struct view_input *input = &app->input;
    const struct view_ui *ui = view_panels_ui(app);

    if (input->owner == VIEW_PANELS || !input->on_picture)
        return ui != NULL && view_ui_cursor(ui) == VIEW_UI_TEXT ? VIEW_POINTER_TEXT : VIEW_POINTER_ARROW;
    if (input->owner == VIEW_WIPE || (input->owner == VIEW_NOBODY && at_wipe(app)))
        return VIEW_POINTER_WIPE;
    return input->tool != NULL && app->picture != NULL ? VIEW_POINTER_TOOL : VIEW_POINTER_ARROW;
}

bool view_input_place(const struct view_app *app, double x, double y, double *across, double *down)
{
    const struct shw_image *image = view_app_image(app);

    if (image == NULL)
        return false;
    *across = (x * VIEW_ZOOM_ONE - app->place.offset_x) / app->place.zoom;
    *down = (y * VIEW_ZOOM_ONE - app->place.offset_y) / app->place.zoom;
    return *across >= 0.0 && *down >= 0.0 && *across < image->width && *down < image->height;
}
