#include "shell/app.h"

#include <string.h>

#include "action/action.h"
#include "shell/input.h"

static const char mouse_help[] = "`move X Y`, `press` or `release` and left, right or middle, `wheel NOTCHES`, or "
                                 "`hold` and control, shift or nothing";

static enum shw_result press(struct view_app *app, const char *argument, const char *name, bool down)
{
    static const char *const names[VIEW_BUTTONS] = {"left", "right", "middle"};

    for (uint32_t b = 0; b < VIEW_BUTTONS; b++)
        if (strcmp(names[b], name) == 0) {
            view_input_button(app, (enum view_button)b, down);
            return SHW_OK;
        }
    return view_action_refuse(&app->log, mouse_help, argument);
}

static enum shw_result hold(struct view_app *app, const char *argument, const char *name)
{
    bool control = strcmp(name, "control") == 0, shift = strcmp(name, "shift") == 0;

    if (!control && !shift && strcmp(name, "nothing") != 0)
        return view_action_refuse(&app->log, mouse_help, argument);
    view_input_hold(app, control, shift);
    return SHW_OK;
}

static enum shw_result mouse(void *user, const char *argument)
{
    struct view_app *app = user;
    size_t length = strcspn(argument, " \t");
    const char *rest = argument + length + strspn(argument + length, " \t");
    long x, y;

    if (strncmp(argument, "press", length) == 0)
        return press(app, argument, rest, true);
    if (strncmp(argument, "release", length) == 0)
        return press(app, argument, rest, false);
    if (strncmp(argument, "move", length) == 0 && view_parse_pair(rest, -100000, 100000, &x, &y))
        view_input_move(app, (double)x + 0.5, (double)y + 0.5);
    else if (strncmp(argument, "hold", length) == 0)
        return hold(app, argument, rest);
    else if (strncmp(argument, "wheel", length) == 0 && view_parse_number(rest, -100, 100, &y))
        view_input_wheel(app, (double)y);
    else
        return view_action_refuse(&app->log, mouse_help, argument);
    return SHW_OK;
}

/* Presses and releases the left button at the position of the label. */
static enum shw_result click(void *user, const char *argument)
{
    struct view_app *app = user;
    double x, y;

    if (!view_app_find(app, argument, &x, &y))
        return view_action_refuse(&app->log, "a label that is visible", argument);
    view_input_move(app, x, y);
    view_input_button(app, VIEW_LEFT, true);
    view_input_button(app, VIEW_LEFT, false);
    return SHW_OK;
}

/* Text is UTF-8; invalid bytes are skipped. */
static enum shw_result type(void *user, const char *argument)
{
    struct view_app *app = user;
    enum shw_result result = SHW_OK;

    for (const unsigned char *next = (const unsigned char *)argument; *next != '\0' && result == SHW_OK;) {
        uint32_t more = *next < 0x80 ? 0 : *next >= 0xf0 ? 3 : *next >= 0xe0 ? 2 : *next >= 0xc0 ? 1 : 4;
        uint32_t codepoint = more == 0 ? *next : *next & (0x3fu >> more);
        next++;
        for (; more > 0 && more < 4 && (*next & 0xc0) == 0x80; more--)
            codepoint = codepoint << 6 | (*next++ & 0x3fu);
        if (more == 0)
            result = view_input_character(app, codepoint);
    }
    return result;
}

static enum shw_result press_key(void *user, const char *argument)
{
    return view_input_key(user, argument);
}

static enum shw_result drop(void *user, const char *argument)
{
    return view_input_drop(user, argument);
}

static const struct view_action actions[] = {
    {"mouse", "WHAT...",
     "move or use the mouse: `move X Y`, `press` or `release` and left, right or middle, `wheel NOTCHES`, or `hold` "
     "and control, shift or nothing",
     mouse},
    {"click", "LABEL", "click on the first item in the panels with this label; `wait 4` lets it take effect", click},
    {"key", "KEY", "press a key: Ctrl+S, Left, F1, ...", press_key},
    {"type", "TEXT", "type characters", type},
    {"drop", "FILE", "drop a file onto the window: same as `open`", drop},
    {0}};

static const struct view_key keys[] = {{0}};

const struct view_action_group view_input_group = {"Mouse and keys, for scripts", actions, keys};
