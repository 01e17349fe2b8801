/* Actions for what was opened before, and for the demo. */
#include <stdio.h>
#include <string.h>

#include "action/action.h"
#include "base/log.h"
#include "base/text.h"
#include "shell/app.h"

_Static_assert(VIEW_RECENTS <= VIEW_OPENED_MOST, "each has a small picture");

static enum shw_result print_list(const struct view_app *app)
{
    const struct view_settings *settings = &app->remembered;

    for (uint32_t i = 0; i < settings->recent_count; i++) {
        const struct view_opened_item *item = &app->opened.items[i];
        const bool known = i < app->opened.count && strcmp(item->line, settings->recent[i]) == 0 && item->known;

        printf("%u %s%s\n", i + 1, shw_printable(settings->recent[i]).text, known && item->missing ? " (missing)" : "");
    }
    fflush(stdout);
    return SHW_OK;
}

static void remove_missing(struct view_app *app)
{
    for (uint32_t i = app->opened.count; i > 0; i--) {
        const struct view_opened_item *item = &app->opened.items[i - 1];
        if (item->missing && i <= app->remembered.recent_count &&
            strcmp(app->remembered.recent[i - 1], item->line) == 0)
            view_settings_forget(&app->remembered, i - 1);
    }
}

static enum shw_result run_recent(void *user, const char *argument)
{
    struct view_app *app = user;
    struct view_settings *settings = &app->remembered;
    const bool removes = strncmp(argument, "remove ", 7) == 0;
    const char *which = removes ? argument + 7 : argument;
    char line[VIEW_SETTINGS_LINE];
    int64_t number;

    if (strcmp(argument, "list") == 0)
        return print_list(app);
    if (removes && strcmp(which, "missing") == 0) {
        remove_missing(app);
        return SHW_OK;
    }
    if (removes && strcmp(which, "all") == 0) {
        while (settings->recent_count > 0)
            view_settings_forget(settings, settings->recent_count - 1);
        return SHW_OK;
    }
    if (!view_parse_number(which, 1, (int64_t)settings->recent_count, &number))
        return view_action_refuse(&app->log, "list, the number of what was opened, `remove NUMBER`, missing or all",
                                  argument);
    if (removes) {
        view_settings_forget(settings, (uint32_t)number - 1);
        return SHW_OK;
    }
    snprintf(line, sizeof line, "%s", settings->recent[number - 1]);
    return view_app_run(app, line);
}

static enum shw_result open_demo(void *user, const char *argument)
{
    struct view_app *app = user;

    (void)argument;
    return view_demo_begin(&app->demo, &app->log);
}

static const struct view_action actions[] = {
    {"recent", "NUMBER|list|remove NUMBER|missing|all",
     "open again what was opened or saved before, the latest being number 1; `list` prints it; `remove` forgets one, "
     "those whose files are missing, or all",
     run_recent},
    {"demo", NULL,
     "open a project of rendered rooms with some strokes, which is made in $XDG_DATA_HOME/shadewood/demo the first "
     "time",
     open_demo},
    {0}};

static const struct view_key keys[] = {{0}};

const struct view_action_group view_recent_group = {"Recent files and demo", actions, keys};
