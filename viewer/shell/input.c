#include "shell/input.h"

#include "shell/app.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "teach/tools.h"

void view_input_queue_free(struct view_input_queue *queue)
{
    free(queue->list);
    *queue = (struct view_input_queue){0};
}

/* False: out of memory, and the event is lost. */
static bool input_queue_put(struct view_input_queue *queue, const struct view_input *input)
{
    if (queue->first > 0 && queue->first + queue->count == queue->capacity) {
        memmove(queue->list, queue->list + queue->first, queue->count * sizeof *queue->list);
        queue->first = 0;
    }
    if (queue->count == queue->capacity) {
        uint32_t capacity = queue->capacity > 0 ? 2 * queue->capacity : 64;
        struct view_input *list = realloc(queue->list, capacity * sizeof *list);
        if (list == NULL)
            return false;
        queue->list = list;
        queue->capacity = capacity;
    }
    queue->list[queue->first + queue->count++] = *input;
    return true;
}

/* Takes the oldest one; false: there is none. */
static bool input_queue_take(struct view_input_queue *queue, struct view_input *input)
{
    if (queue->count == 0)
        return false;
    *input = queue->list[queue->first++];
    queue->count--;
    queue->first = queue->count > 0 ? queue->first : 0;
    return true;
}

#define WIPE_REACH 5.0 /* pixels on either side of the line */
#define CLICK_MOVE 3.0 /* pixels that the mouse may move in a click */
#define FRAMES_MAX 60u /* that events wait */

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
    case VIEW_TOOL: view_tool_drag(&app->teaching); break;
    default: break;
    }
}

static void find_target(struct view_app *app)
{
    struct view_ui *ui = view_panels_ui(&app->panels);

    app->cursor.on_picture = ui == NULL || !view_ui_is_at(ui, (float)app->cursor.x, (float)app->cursor.y);
}

static void move(struct view_app *app, double x, double y)
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

static void leave(struct view_app *app)
{
    struct view_ui *ui = view_panels_ui(&app->panels);

    app->cursor.on_picture = false;
    if (ui != NULL && app->pressed == 0)
        view_ui_move(ui, -1e6f, -1e6f);
    show_change(app);
}

/* Whether the mouse works on the picture; the forest's texture cannot be painted on. */
static bool paints(const struct view_app *app)
{
    return view_tool_works(&app->teaching) && !app->scene.instead.on;
}

static void press(struct view_app *app, enum view_button button)
{
    if (app->owner != VIEW_NOBODY && app->owner != VIEW_PANELS)
        return;
    app->in_list = !app->cursor.on_picture && view_panels_ui(&app->panels) != NULL &&
                   view_ui_list_is_at((float)app->cursor.x, (float)app->cursor.y);
    if (!app->cursor.on_picture)
        app->owner = VIEW_PANELS;
    else if (button == VIEW_LEFT && at_wipe(app))
        app->owner = VIEW_WIPE;
    else if (button != VIEW_MIDDLE && paints(app))
        app->owner = view_tool_press(&app->teaching, button == VIEW_RIGHT) ? VIEW_TOOL : VIEW_NOBODY;
    else if (button != VIEW_RIGHT)
        app->owner = VIEW_PAN;
}

/* A click that has not moved the picture chooses or teaches the object, and chooses the detection, under the cursor. */
static void click(struct view_app *app)
{
    const struct view_scene *scene = &app->scene;
    double across, down;
    char line[64];

    if (scene->instead.on || fabs(app->cursor.x - app->pressed_x) > CLICK_MOVE ||
        fabs(app->cursor.y - app->pressed_y) > CLICK_MOVE ||
        !view_scene_find_place(scene, app->cursor.x, app->cursor.y, &across, &down))
        return;
    if (app->objects.on) {
        const bool teaches = app->objects.kinds.hand != VIEW_NO_KIND && app->objects.found != NULL &&
                             view_found_at(app->objects.found, (uint32_t)across, (uint32_t)down) > 0;

        snprintf(line, sizeof line, "%s %u %u", teaches ? "object-teach" : "object-at", (unsigned)across,
                 (unsigned)down);
        view_app_run(app, line);
    }
    if (view_detecting_is_there(&app->detecting)) {
        snprintf(line, sizeof line, "detection-at %u %u", (unsigned)across, (unsigned)down);
        view_app_run(app, line);
    }
}

/* A click with the tool for rectangles, where there is none, accepts the detection under the cursor; with the right
 * button, it is a false alarm. */
static void accept(struct view_app *app)
{
    struct view_annotating *annotating = &app->annotating;
    char line[64];

    if (annotating->clicked && view_detecting_is_there(&app->detecting) && annotating->clicked_x >= 0.0 &&
        annotating->clicked_y >= 0.0 &&
        view_detecting_at(&app->detecting, annotating->clicked_x, annotating->clicked_y) != VIEW_NO_DETECTION) {
        snprintf(line, sizeof line, "%s %u %u", annotating->clicked_away ? "false-alarm" : "detect-accept",
                 (unsigned)annotating->clicked_x, (unsigned)annotating->clicked_y);
        view_app_run(app, line);
    }
    annotating->clicked = false;
}

static void change_button(struct view_app *app, enum view_button button, bool down)
{
    struct view_ui *ui = view_panels_ui(&app->panels);

    if (down) {
        find_target(app); /* panels may have appeared since the mouse moved */
        press(app, button);
        if (app->pressed == 0) {
            app->pressed_x = app->cursor.x;
            app->pressed_y = app->cursor.y;
        }
        app->pressed |= 1u << button;
    } else {
        app->pressed &= ~(1u << button);
    }
    /* a click outside a text field takes the keyboard focus from it */
    if (ui != NULL && (!down || app->owner == VIEW_PANELS || view_ui_wants_text(ui)))
        view_ui_press(ui, button, down, app->cursor.control, app->cursor.shift);
    if (app->pressed == 0) {
        if (app->owner == VIEW_TOOL)
            view_tool_release(&app->teaching);
        accept(app);
        if (app->owner == VIEW_PAN && button == VIEW_LEFT)
            click(app);
        app->owner = VIEW_NOBODY;
    }
    show_change(app);
}

static void hold(struct view_app *app, bool control, bool shift)
{
    struct view_cursor *cursor = &app->cursor;

    if (cursor->control == control && cursor->shift == shift)
        return;
    cursor->control = control;
    cursor->shift = shift;
    show_change(app); /* the preview of the tool in hand */
}

/* Four notches double the zoom. */
static void turn_wheel(struct view_app *app, double notches)
{
    struct view_ui *ui = view_panels_ui(&app->panels);
    double zoom = app->scene.place.zoom * exp2(notches / 4.0);

    find_target(app);
    if (ui != NULL && !app->cursor.on_picture)
        view_ui_wheel(ui, (float)notches);
    else if (!paints(app) || !view_tool_wheel(&app->teaching, notches))
        view_scene_zoom(&app->scene, (uint32_t)lround(fmin(fmax(zoom, VIEW_ZOOM_MIN), VIEW_ZOOM_MAX)),
                        (int32_t)app->cursor.x, (int32_t)app->cursor.y);
    show_change(app);
}

/* Whether a sheet or a question covers the picture. */
static bool is_covered(const struct view_app *app)
{
    return view_panels_sheet_shown(&app->panels) != VIEW_SHEET_NONE ||
           view_panels_asked(&app->panels, &(struct view_asked){0});
}

/* While a text field has the focus, shortcuts that it does not use still run actions. */
static bool give_key(struct view_app *app, const char *key)
{
    struct view_ui *ui = view_panels_ui(&app->panels);
    bool control = false, shift = false;

    if (ui == NULL || !view_ui_wants_text(ui) || (is_covered(app) && strcmp(key, "Escape") == 0))
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

static enum shw_result answer(struct view_app *app, const struct view_asked *asked, const char *key)
{
    const char *line = strcmp(key, "Enter") == 0 ? asked->enter : strcmp(key, "Escape") == 0 ? asked->escape : NULL;

    return line != NULL ? view_app_run(app, line) : SHW_OK;
}

/* The action that a key runs for the outline or rectangle in progress, or a wand that waits; NULL: none. */
static const char *outline_line(const struct view_app *app, const char *key)
{
    if (app->annotating.drag.kind != VIEW_DRAG_NONE && strcmp(key, "Escape") == 0)
        return "rectangle-undo"; /* gives it up */
    if (!app->teaching.outline.begun)
        return app->teaching.wand.waits && strcmp(key, "Escape") == 0 ? "outline drop" : NULL;
    if (strcmp(key, "Enter") == 0)
        return "outline close";
    if (strcmp(key, "Backspace") == 0)
        return "outline back";
    return strcmp(key, "Escape") == 0 ? "outline drop" : NULL;
}

/* After a click into the list of pictures; NULL: none. */
static const char *list_line(const struct view_app *app, const char *key)
{
    if (!app->in_list || !app->panels.on)
        return NULL;
    if (strcmp(key, "Up") == 0)
        return "list previous";
    return strcmp(key, "Down") == 0 ? "list next" : NULL;
}

/* While something covers the picture, or a list is open, only keys that concern it do anything. */
static enum shw_result run_key(struct view_app *app, const char *key)
{
    const char *line = view_key_line(app->actions.entries, key);
    struct view_ui *ui = view_panels_ui(&app->panels);
    struct view_asked asked;

    if (ui != NULL && view_ui_has_list(ui)) {
        if (strcmp(key, "Escape") == 0)
            view_ui_close_list(ui);
        else
            view_ui_list_key(key);
        return SHW_OK;
    }
    if (view_panels_asked(&app->panels, &asked))
        return answer(app, &asked, key);
    if (!is_covered(app) && outline_line(app, key) != NULL)
        line = outline_line(app, key);
    else if (!is_covered(app) && list_line(app, key) != NULL)
        line = list_line(app, key);
    if (line == NULL || (is_covered(app) && strcmp(line, "close") != 0 && strcmp(line, "help toggle") != 0 &&
                         strcmp(line, "browse") != 0 && strcmp(line, "leave") != 0))
        return SHW_OK;
    return view_app_run(app, line);
}

static bool is_open(const struct view_app *app, const char *panel)
{
    uint32_t number = view_panels_number(&app->panels, panel, strlen(panel));

    return number < VIEW_PANELS_MAX && view_panels_open(&app->panels, number);
}

/* Whether a text field is about to get the focus: what is typed until then is for that field. */
static bool expects_text(const struct view_app *app)
{
    struct view_asked asked;

    if (view_panels_asked(&app->panels, &asked))
        return asked.field;
    if (view_panels_sheet_shown(&app->panels) != VIEW_SHEET_NONE)
        return view_panels_sheet_shown(&app->panels) == VIEW_SHEET_OPEN && app->panels.open_sheet.focus;
    return (app->panels.context.legend.focus && view_scene_class_total(&app->scene) > 0 && is_open(app, "classes")) ||
           ((app->teaching.fields.more || app->teaching.fields.next) && is_open(app, "classes")) ||
           (app->objects.kinds.more && is_open(app, "objects"));
}

static enum shw_result press_key(struct view_app *app, const char *key)
{
    const struct view_ui *ui = view_panels_ui(&app->panels);

    show_change(app);
    if (strcmp(key, "Space") == 0 && ui != NULL && view_ui_wants_text(ui)) /* it arrives as a character, too */
        return SHW_OK;
    return give_key(app, key) ? SHW_OK : run_key(app, key);
}

static enum shw_result type(struct view_app *app, uint32_t codepoint)
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

static enum shw_result handle(struct view_app *app, const struct view_input *input)
{
    switch (input->kind) {
    case VIEW_INPUT_MOVE: move(app, input->x, input->y); break;
    case VIEW_INPUT_LEAVE: leave(app); break;
    case VIEW_INPUT_BUTTON: change_button(app, (enum view_button)input->button, input->down); break;
    case VIEW_INPUT_WHEEL: turn_wheel(app, input->y); break;
    case VIEW_INPUT_HOLD: hold(app, input->control, input->shift); break;
    case VIEW_INPUT_KEY: return press_key(app, input->key);
    case VIEW_INPUT_CHARACTER: return type(app, input->codepoint);
    }
    return SHW_OK;
}

/* Whether it is not known yet which text field, or none, will have the focus. */
static bool is_undecided(const struct view_app *app)
{
    const struct view_ui *ui = view_panels_ui(&app->panels);

    return expects_text(app) || (ui != NULL && view_ui_may_change_focus(ui));
}

/* Keys wait until it is decided where they go, clicks until the field has the focus that they may take from it, and
 * everything after them waits with them. */
static enum shw_result receive(struct view_app *app, const struct view_input *input)
{
    bool waits = input->kind >= VIEW_INPUT_KEY ? is_undecided(app) : input->down && expects_text(app);

    if (app->inputs.count == 0 && !waits)
        return handle(app, input);
    show_change(app);
    return input_queue_put(&app->inputs, input) ? SHW_OK : shw_fail_memory(&app->log, "what is typed");
}

/* After its first stroke, a project needs the name of a second class. */
static void ask_for_class(struct view_app *app)
{
    if (!app->teaching.fields.next || view_panels_pending(&app->panels))
        return;
    app->teaching.fields.next = false;
    app->teaching.fields.more = true;
    show_change(app);
}

void view_input_go_on(struct view_app *app)
{
    struct view_input input;

    ask_for_class(app);
    app->waited = app->inputs.count > 0 && is_undecided(app) ? app->waited + 1 : 0;
    while ((!is_undecided(app) || app->waited > FRAMES_MAX) && input_queue_take(&app->inputs, &input))
        handle(app, &input);
    if (app->inputs.count > 0)
        show_change(app);
}

void view_input_move(struct view_app *app, double x, double y)
{
    receive(app, &(struct view_input){.kind = VIEW_INPUT_MOVE, .x = x, .y = y});
}

void view_input_leave(struct view_app *app)
{
    receive(app, &(struct view_input){.kind = VIEW_INPUT_LEAVE});
}

void view_input_button(struct view_app *app, enum view_button button, bool down)
{
    receive(app, &(struct view_input){.kind = VIEW_INPUT_BUTTON, .button = button, .down = down});
}

void view_input_wheel(struct view_app *app, double notches)
{
    receive(app, &(struct view_input){.kind = VIEW_INPUT_WHEEL, .y = notches});
}

void view_input_hold(struct view_app *app, bool control, bool shift)
{
    receive(app, &(struct view_input){.kind = VIEW_INPUT_HOLD, .control = control, .shift = shift});
}

enum shw_result view_input_key(struct view_app *app, const char *key)
{
    struct view_input input = {.kind = VIEW_INPUT_KEY};

    if (key[0] > ' ' && key[1] == '\0')
        return view_input_character(app, (unsigned char)key[0]);
    snprintf(input.key, sizeof input.key, "%s", key);
    return receive(app, &input);
}

enum shw_result view_input_character(struct view_app *app, uint32_t codepoint)
{
    return receive(app, &(struct view_input){.kind = VIEW_INPUT_CHARACTER, .codepoint = codepoint});
}

enum shw_result view_input_drop(struct view_app *app, const char *path)
{
    return view_app_run_action(app, "open", path);
}

enum view_pointer view_input_pointer(const struct view_app *app)
{
    const struct view_ui *ui = view_panels_ui(&app->panels);

    static const enum view_pointer over_panels[] = {[VIEW_UI_ARROW] = VIEW_POINTER_ARROW,
                                                    [VIEW_UI_TEXT] = VIEW_POINTER_TEXT,
                                                    [VIEW_UI_SIDEWAYS] = VIEW_POINTER_SIDEWAYS};

    if (app->owner == VIEW_PANELS || !app->cursor.on_picture)
        return ui != NULL ? over_panels[view_ui_cursor(ui)] : VIEW_POINTER_ARROW;
    if (app->owner == VIEW_WIPE || (app->owner == VIEW_NOBODY && at_wipe(app)))
        return VIEW_POINTER_SIDEWAYS;
    return view_tool_works(&app->teaching) && app->scene.picture != NULL ? VIEW_POINTER_TOOL : VIEW_POINTER_ARROW;
}
