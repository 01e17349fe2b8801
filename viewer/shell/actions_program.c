#include "shell/app.h"

#include <string.h>

#include "action/parse.h"
#include "base/log.h"

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

static const struct view_action actions[] = {
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

static const struct view_key keys[] = {
    {"Ctrl+P", "screenshot shadewood-viewer.png", "screenshot"}, {"Ctrl+Q", "leave", "quit"}, {0}};

const struct view_action_group view_program_group = {"Program", actions, keys};
