#include "action/action.h"

#include <ctype.h>
#include <string.h>

#include "action/parse.h"
#include "base/log.h"
#include "shell/actions.h"

const struct view_action_group *const view_action_groups[] = {&view_source_group,
                                                              &view_label_group,
                                                              &view_view_group,
                                                              &view_inspect_group,
                                                              &view_project_group,
                                                              &view_teach_group,
                                                              &view_panels_group,
                                                              &view_measure_group,
                                                              &view_program_group,
                                                              &view_input_group,
                                                              NULL};

static const struct view_action *find_action(const char *name, size_t length)
{
    for (const struct view_action_group *const *group = view_action_groups; *group != NULL; group++)
        for (const struct view_action *action = (*group)->actions; action->name != NULL; action++)
            if (strlen(action->name) == length && strncmp(action->name, name, length) == 0)
                return action;
    return NULL;
}

/* One in brackets may be left out. */
static bool needs_argument(const struct view_action *action)
{
    return action->argument != NULL &&
           !(action->argument[0] == '[' && action->argument[strlen(action->argument) - 1] == ']');
}

enum shw_result view_action_run(struct view_app *app, const char *line)
{
    const struct view_action *action;
    char text[4096];
    const char *name = line + strspn(line, " \t"), *argument;
    size_t length = strlen(name), name_length;
    enum shw_result result;

    while (length > 0 && isspace((unsigned char)name[length - 1]))
        length--;
    if (length >= sizeof text)
        return view_action_refuse(app, "an action, but too long", "a line");
    memcpy(text, name, length);
    text[length] = '\0';
    name_length = strcspn(text, " \t");
    argument = text + name_length + strspn(text + name_length, " \t");
    action = find_action(text, name_length);
    if (action == NULL)
        return view_action_refuse(app, "an action (shadewood-viewer --help lists them)", text);
    if ((action->argument == NULL && *argument != '\0') || (needs_argument(action) && *argument == '\0'))
        return shw_fail(&app->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the action %s takes %s", action->name,
                        action->argument != NULL ? action->argument : "nothing");
    app->redraw = true;
    result = action->run(app, argument);
    if (result == SHW_OK)
        view_settings_opened(&app->remembered, action->name, argument);
    return result;
}

enum shw_result view_key_run(struct view_app *app, const char *key)
{
    for (const struct view_action_group *const *group = view_action_groups; *group != NULL; group++)
        for (const struct view_key *known = (*group)->keys; known->key != NULL; known++)
            if (strcmp(known->key, key) == 0)
                return view_action_run(app, known->line);
    return SHW_OK;
}

const struct view_key *view_key_find(const char *line)
{
    for (const struct view_action_group *const *group = view_action_groups; *group != NULL; group++)
        for (const struct view_key *known = (*group)->keys; known->key != NULL; known++)
            if (strcmp(known->line, line) == 0)
                return known;
    return NULL;
}

void view_action_help(FILE *file)
{
    fprintf(file, "\nActions, one a line in a script (a line that begins with # is none):\n");
    for (const struct view_action_group *const *group = view_action_groups; *group != NULL; group++) {
        fprintf(file, "\n%s\n", (*group)->title);
        for (const struct view_action *action = (*group)->actions; action->name != NULL; action++)
            fprintf(file, "  %-10s %-18s  %s\n", action->name, action->argument != NULL ? action->argument : "",
                    action->help);
    }
    fprintf(file, "\nKeys:\n");
    for (const struct view_action_group *const *group = view_action_groups; *group != NULL; group++)
        for (const struct view_key *key = (*group)->keys; key->key != NULL; key++)
            if (key->help != NULL)
                fprintf(file, "  %-8s %-28s (%s)\n", key->key, key->help, key->line);
}
