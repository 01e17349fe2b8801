#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action/action.h"
#include "base/log.h"
#include "shell/app.h"

/* SIDE POINTS or SIDE auto */
static enum shw_result set_width(struct view_app *app, const char *argument)
{
    static const char usage[] = "`width`, left or right, and auto or a number of points from 220 to 2000";
    const size_t length = strcspn(argument, " \t");
    const char *rest = argument + length + strspn(argument + length, " \t");
    double width = 0.0;
    char *end;

    for (int side = 0; side < VIEW_SIDES; side++) {
        if (strlen(view_side_names[side]) != length || strncmp(view_side_names[side], argument, length) != 0)
            continue;
        if (strcmp(rest, "auto") != 0) {
            width = strtod(rest, &end);
            if (end == rest || *end != '\0' || !(width >= VIEW_COLUMN_LEAST && width <= VIEW_COLUMN_MOST))
                break;
        }
        view_panels_set_width(&app->panels, (enum view_side)side, (float)width);
        return SHW_OK;
    }
    return view_action_refuse(&app->log, usage, argument);
}

static enum shw_result switch_panels(void *user, const char *argument)
{
    struct view_app *app = user;
    bool on = app->panels.on;

    if (strncmp(argument, "width ", 6) == 0)
        return set_width(app, argument + 6);
    SHW_PROPAGATE(view_parse_switch(&app->log, argument, &on));
    return view_panels_switch(&app->panels, on);
}

/* NAME on, off or toggle. Showing a panel shows the others, too. */
static enum shw_result switch_panel(void *user, const char *argument)
{
    struct view_app *app = user;
    size_t length = strcspn(argument, " \t");
    const char *state = argument + length + strspn(argument + length, " \t");
    uint32_t number = view_panels_number(&app->panels, argument, length);
    bool shown;

    if (number == VIEW_PANELS_MAX)
        return view_action_refuse(&app->log, "a panel's name followed by on, off or toggle", argument);
    shown = view_panels_shown(&app->panels, number);
    SHW_PROPAGATE(view_parse_switch(&app->log, state, &shown));
    if (shown)
        SHW_PROPAGATE(view_panels_switch(&app->panels, true));
    view_panels_show(&app->panels, number, shown);
    return SHW_OK;
}

/* A number overrides the display's scale until `auto`. */
static enum shw_result set_scale(void *user, const char *argument)
{
    struct view_app *app = user;
    bool chosen = strcmp(argument, "auto") != 0;
    double scale = (double)app->display_scale;

    SHW_PROPAGATE(chosen ? view_parse_positive(&app->log, argument, &scale) : SHW_OK);
    if (scale < VIEW_SCALE_MIN || scale > VIEW_SCALE_MAX)
        return view_action_refuse(&app->log, "auto, or a factor from 0.5 to 4", argument);
    app->remembered.scale = chosen ? (float)scale : 0.0f;
    return view_panels_scale(&app->panels, (float)scale);
}

static enum shw_result switch_help(void *user, const char *argument)
{
    struct view_app *app = user;
    bool on = view_panels_sheet_shown(&app->panels) == VIEW_SHEET_HELP;
    enum shw_result result = view_parse_switch(&app->log, argument, &on);

    return result == SHW_OK ? view_panels_sheet(&app->panels, on ? VIEW_SHEET_HELP : VIEW_SHEET_NONE) : result;
}

/* Without a text the filter gets the focus. */
static enum shw_result find_class(void *user, const char *argument)
{
    struct view_app *app = user;
    struct view_legend *legend = &app->panels.context.legend;
    uint32_t number = view_panels_number(&app->panels, "classes", strlen("classes"));

    snprintf(legend->filter, sizeof legend->filter, "%s", argument);
    SHW_PROPAGATE(view_panels_switch(&app->panels, true));
    view_panels_show(&app->panels, number, true);
    app->panels.open[number] = true;
    legend->focus = argument[0] == '\0';
    return SHW_OK;
}

static enum shw_result browse(void *user, const char *argument)
{
    struct view_app *app = user;

    (void)argument;
    return view_panels_sheet(&app->panels, VIEW_SHEET_OPEN);
}

static enum shw_result close_all(void *user, const char *argument)
{
    struct view_app *app = user;

    (void)argument;
    view_toasts_clear(&app->toasts);
    return view_panels_sheet(&app->panels, VIEW_SHEET_NONE);
}

static const struct view_action actions[] = {
    {"panels", "on|off|toggle|width SIDE POINTS|auto",
     "show or hide the panels, or set the width of the column on the left or right, in points at the text size 100 %",
     switch_panels},
    {"panel", "NAME on|off|toggle", "show or hide one panel", switch_panel},
    {"find-class", "[TEXT]", "list only classes with this text in their names; without it, type it in the panel",
     find_class},
    {"browse", NULL, "choose a file to open", browse},
    {"help", "on|off|toggle", "show or hide the list of keys", switch_help},
    {"close", NULL, "close help, file selection and messages", close_all},
    {"scale", "auto|FACTOR", "set the size of text and panels, from 0.5 to 4; auto: as the display asks", set_scale},
    {0}};

static const struct view_key keys[] = {{"Tab", "panels toggle", "panels on or off"},
                                       {"Ctrl+O", "browse", "open files"},
                                       {"Ctrl+F", "find-class", "find a class by its name"},
                                       {"F1", "help toggle", "this help"},
                                       {"F2", "panel teach toggle", "show or hide Teaching"},
                                       {"F3", "panel inspect toggle", "show or hide Look inside"},
                                       {"?", "help toggle", "this help"},
                                       {"Escape", "close", "close this and messages"},
                                       {0}};

const struct view_action_group view_panels_group = {"Panels", actions, keys};

#define FRAMES_MAX 1000000

static enum shw_result set_vsync(void *user, const char *argument)
{
    struct view_app *app = user;

    return view_parse_switch(&app->log, argument, &app->vsync);
}

static enum shw_result set_size(void *user, const char *argument)
{
    struct view_app *app = user;
    const uint32_t most = app->gpu.properties.limits.maxImageDimension2D;
    long width, height;

    if (!view_parse_pair(argument, 1, (long)most, &width, &height))
        return view_action_refuse(&app->log, "a width and a height in pixels", argument);
    app->size = (VkExtent2D){(uint32_t)width, (uint32_t)height};
    return SHW_OK;
}

static enum shw_result wait_for(void *user, const char *argument)
{
    struct view_app *app = user;
    static const char *const kinds[] = {
        [VIEW_WAIT_SMALL] = "small", [VIEW_WAIT_FULL] = "trained", [VIEW_WAIT_JUDGED] = "judged"};
    long frames;

    if (strcmp(argument, "export") == 0) {
        view_exporting_await(&app->exporting);
        return SHW_OK;
    }
    if (strcmp(argument, "import") == 0) {
        app->importing.awaited = view_importing_is_busy(&app->importing);
        return SHW_OK;
    }
    for (uint32_t l = VIEW_WAIT_SMALL; l <= VIEW_WAIT_JUDGED; l++)
        if (strcmp(argument, kinds[l]) == 0) {
            enum shw_result result = view_project_need(&app->teaching.project, &app->log);
            app->teaching.wait = result == SHW_OK ? (enum view_train_wait)l : VIEW_WAIT_NONE;
            return result;
        }
    if (strcmp(argument, "labels") == 0) {
        app->wait_labels = true;
        return SHW_OK;
    }
    if (!view_parse_number(argument, 0, FRAMES_MAX, &frames))
        return view_action_refuse(&app->log, "a number of frames, labels, small, trained, judged, export or import",
                                  argument);
    app->wait = (uint32_t)frames;
    return SHW_OK;
}

static enum shw_result sleep_for(void *user, const char *argument)
{
    struct view_app *app = user;
    double seconds;

    SHW_PROPAGATE(view_parse_positive(&app->log, argument, &seconds));
    app->resume = view_clock() + seconds;
    return SHW_OK;
}

static enum shw_result take_screenshot(void *user, const char *argument)
{
    return view_app_screenshot(user, argument);
}

static enum shw_result set_overwrite(void *user, const char *argument)
{
    struct view_app *app = user;

    return view_parse_switch(&app->log, argument, &app->scene.outputs.overwrite);
}

static enum shw_result quit(void *user, const char *argument)
{
    struct view_app *app = user;

    (void)argument;
    app->quit = true;
    return SHW_OK;
}

/* `quit` for interactive use: asks first about an export in progress, and then about unsaved work, which may change
 * until the export has ended. */
static enum shw_result leave(void *user, const char *argument)
{
    struct view_app *app = user;

    if (view_exporting_asks_to_quit(&app->exporting) ||
        view_question_close(&app->teaching.question, view_project_is_unsaved(&app->teaching.project), "leave"))
        return SHW_OK;
    app->annotating.asked_early = app->teaching.question.passed;
    return view_question_close(&app->annotating.question, view_annotating_is_unsaved(&app->annotating), "leave")
               ? SHW_OK
               : quit(app, argument);
}

static const struct view_action program_actions[] = {
    {"size", "WIDTH HEIGHT", "set the size of the window's contents, in pixels", set_size},
    {"vsync", "on|off|toggle", "synchronise frames with the display", set_vsync},
    {"wait", "FRAMES|labels|small|trained|judged|export|import",
     "in scripts: wait for this many frames, or until what is seen is loaded and labelled, or the small forest trained "
     "from the strokes is shown, or the full "
     "one, or its accuracy is known, or until the export, the count of its files, or the import has ended",
     wait_for},
    {"sleep", "SECONDS", "in scripts: continue after this time", sleep_for},
    {"screenshot", "FILE", "write the window's contents as a PNG file", take_screenshot},
    {"overwrite", "on|off|toggle",
     "replace existing files even if Shadewood did not write them, or they were changed since; never those that are "
     "read",
     set_overwrite},
    {"quit", NULL, "quit the program", quit},
    {"leave", NULL, "quit, but ask first if the project or rectangles are not saved, or an export is in progress",
     leave},
    {0}};

static const struct view_key program_keys[] = {
    {"Ctrl+P", "screenshot shadewood-viewer.png", "screenshot"}, {"Ctrl+Q", "leave", "quit"}, {0}};

const struct view_action_group view_program_group = {"Program", program_actions, program_keys};
