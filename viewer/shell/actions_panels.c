#include "shell/actions.h"

#include <string.h>

#include "action/parse.h"
#include "ui/panels.h"

static enum shw_result switch_panels(struct view_app *app, const char *argument)
{
    bool on = view_panels_are_on(app);
    enum shw_result result = view_parse_switch(app, argument, &on);

    return result == SHW_OK ? view_panels_switch(app, on) : result;
}

/* NAME on, off or toggle. A panel that is to be seen brings the others with it. */
static enum shw_result switch_panel(struct view_app *app, const char *argument)
{
    size_t length = strcspn(argument, " \t");
    const char *state = argument + length + strspn(argument + length, " \t");
    bool shown;
    enum shw_result result;

    for (uint32_t p = 0; view_panel_list[p].name != NULL; p++) {
        if (strlen(view_panel_list[p].name) != length || strncmp(view_panel_list[p].name, argument, length) != 0)
            continue;
        shown = view_panels_are_on(app) && view_panels_shown(app, p);
        result = view_parse_switch(app, state, &shown);
        if (result == SHW_OK && shown)
            result = view_panels_switch(app, true);
        if (result == SHW_OK)
            view_panels_show(app, p, shown);
        return result;
    }
    return view_action_refuse(app, "a panel's name followed by on, off or toggle", argument);
}

/* By choice, until `auto` leaves it to the display again. */
static enum shw_result set_scale(struct view_app *app, const char *argument)
{
    bool chosen = strcmp(argument, "auto") != 0;
    double scale = (double)app->display_scale;
    enum shw_result result = chosen ? view_parse_positive(app, argument, &scale) : SHW_OK;

    if (result != SHW_OK)
        return result;
    if (scale < VIEW_SCALE_MIN || scale > VIEW_SCALE_MAX)
        return view_action_refuse(app, "auto, or a factor from 0.5 to 4", argument);
    app->remembered.scale = chosen ? (float)scale : 0.0f;
    return view_panels_scale(app, (float)scale);
}

static enum shw_result switch_help(struct view_app *app, const char *argument)
{
    bool on = view_panels_sheet_shown(app) == VIEW_SHEET_HELP;
    enum shw_result result = view_parse_switch(app, argument, &on);

    return result == SHW_OK ? view_panels_sheet(app, on ? VIEW_SHEET_HELP : VIEW_SHEET_NONE) : result;
}

static enum shw_result browse(struct view_app *app, const char *argument)
{
    (void)argument;
    return view_panels_sheet(app, VIEW_SHEET_OPEN);
}

static enum shw_result close_all(struct view_app *app, const char *argument)
{
    (void)argument;
    view_toasts_clear(&app->toasts);
    return view_panels_sheet(app, VIEW_SHEET_NONE);
}

static const struct view_action actions[] = {
    {"panels", "on|off|toggle", "show panels beside the picture", switch_panels},
    {"panel", "NAME on|off|toggle", "show one panel", switch_panel},
    {"browse", NULL, "show files to open", browse},
    {"help", "on|off|toggle", "show all keys", switch_help},
    {"close", NULL, "take away what lies over the picture: help and messages", close_all},
    {"scale", "auto|FACTOR", "of letters and panels, from 0.5 to 4; auto: as the display wants it", set_scale},
    {0}};

static const struct view_key keys[] = {{"Tab", "panels toggle", "panels on or off"},
                                       {"Ctrl+O", "browse", "open files"},
                                       {"F1", "help toggle", "this help"},
                                       {"F2", "panel teach toggle", "show or hide Teaching"},
                                       {"F3", "panel inspect toggle", "show or hide Look inside"},
                                       {"?", "help toggle", "this help"},
                                       {"Escape", "close", "close this, and messages"},
                                       {0}};

const struct view_action_group view_panels_group = {"Panels", actions, keys};
