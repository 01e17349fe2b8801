#include "action/action.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/process.h"

#define COLUMN 33 /* of the help texts */

static const struct view_action *find_action(const struct view_action_entry **entry, const char *name)
{
    for (; (*entry)->group != NULL; (*entry)++)
        for (const struct view_action *action = (*entry)->group->actions; action->name != NULL; action++)
            if (strcmp(action->name, name) == 0)
                return action;
    return NULL;
}

/* Arguments in brackets are optional. */
static bool needs_argument(const struct view_action *action)
{
    return action->argument != NULL &&
           !(action->argument[0] == '[' && action->argument[strlen(action->argument) - 1] == ']');
}

bool view_action_split(const char *line, char text[VIEW_ACTION_LINE], const char **argument)
{
    const char *begin = line + strspn(line, " \t");
    size_t length = strlen(begin);
    char *end;

    while (length > 0 && isspace((unsigned char)begin[length - 1]))
        length--;
    if (length >= VIEW_ACTION_LINE)
        return false;
    memcpy(text, begin, length);
    text[length] = '\0';
    end = text + strcspn(text, " \t");
    *argument = end + strspn(end, " \t");
    *end = '\0';
    return true;
}

/* Whether the help names a file, a folder or a pattern of paths. */
static bool takes_path(const struct view_action *action)
{
    static const char *const words[] = {"FILE", "FOLDER", "PATH", "PATTERN"};

    for (size_t i = 0; action->argument != NULL && i < sizeof words / sizeof *words; i++)
        if (strstr(action->argument, words[i]) != NULL)
            return true;
    return false;
}

static enum shw_result run_with_path(const struct view_actions *actions, const struct view_action_entry *entry,
                                     const struct view_action *action, const char *argument)
{
    char *path = strdup(argument);
    enum shw_result result;

    if (path == NULL)
        return shw_fail(&actions->log, SHW_ERROR_MEMORY, SHW_LOG_OUT_OF_MEMORY, "the action %s: out of memory",
                        action->name);
    shw_process_take_path(path);
    result = action->run((char *)actions->program + entry->offset, path);
    free(path);
    return result;
}

enum shw_result view_action_run(const struct view_actions *actions, const char *name, const char *argument)
{
    const struct view_action_entry *entry = actions->entries;
    const struct view_action *action = find_action(&entry, name);

    if (action == NULL)
        return view_action_refuse(&actions->log, "an action (shadewood-viewer --help lists them)", name);
    if ((action->argument == NULL && *argument != '\0') || (needs_argument(action) && *argument == '\0'))
        return shw_fail(&actions->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the action %s takes %s", action->name,
                        action->argument != NULL ? action->argument : "nothing");
    if (takes_path(action))
        return run_with_path(actions, entry, action, argument);
    return action->run((char *)actions->program + entry->offset, argument);
}

const char *view_key_line(const struct view_action_entry *entries, const char *key)
{
    for (; entries->group != NULL; entries++)
        for (const struct view_key *known = entries->group->keys; known->key != NULL; known++)
            if (strcmp(known->key, key) == 0)
                return known->line;
    return NULL;
}

const struct view_key *view_key_find(const struct view_action_entry *entries, const char *line)
{
    for (; entries->group != NULL; entries++)
        for (const struct view_key *known = entries->group->keys; known->key != NULL; known++)
            if (strcmp(known->line, line) == 0)
                return known;
    return NULL;
}

static void print_action(const struct view_action *action, FILE *file)
{
    const bool has_argument = action->argument != NULL;
    int length = fprintf(file, "  %s%s%s", action->name, has_argument ? " " : "", has_argument ? action->argument : "");

    if (length >= COLUMN) {
        fprintf(file, "\n");
        length = 0;
    }
    fprintf(file, "%*s%s\n", COLUMN - length, "", action->help);
}

void view_action_help(const struct view_action_entry *entries, FILE *file)
{
    fprintf(file, "\nActions, one per line in a script (lines that begin with # are comments):\n");
    for (const struct view_action_entry *entry = entries; entry->group != NULL; entry++) {
        fprintf(file, "\n%s\n", entry->group->title);
        for (const struct view_action *action = entry->group->actions; action->name != NULL; action++)
            print_action(action, file);
    }
    fprintf(file, "\nKeys:\n");
    for (const struct view_action_entry *entry = entries; entry->group != NULL; entry++)
        for (const struct view_key *key = entry->group->keys; key->key != NULL; key++)
            if (key->help != NULL)
                fprintf(file, "  %-8s %-28s (%s)\n", key->key, key->help, key->line);
}

enum shw_result view_action_refuse(const struct shw_log *log, const char *what, const char *argument)
{
    return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s is not %s", argument, what);
}

bool view_parse_number(const char *text, int64_t low, int64_t high, int64_t *number)
{
    char *end;

    *number = strtoll(text, &end, 10);
    return end != text && *end == '\0' && *number >= low && *number <= high;
}

bool view_parse_pair(const char *text, int64_t low, int64_t high, int64_t *first, int64_t *second)
{
    char *end;

    *first = strtoll(text, &end, 10);
    return end != text && *first >= low && *first <= high && isspace((unsigned char)*end) &&
           view_parse_number(end + strspn(end, " \t"), low, high, second);
}

bool view_parse_colour(const char *text, uint8_t colour[3])
{
    unsigned long value;

    if (text[0] != '#' || strlen(text) != 7 || strspn(text + 1, "0123456789abcdefABCDEF") != 6)
        return false;
    value = strtoul(text + 1, NULL, 16);
    for (int k = 0; k < 3; k++)
        colour[k] = (uint8_t)(value >> (16 - 8 * k));
    return true;
}

enum shw_result view_parse_positive(const struct shw_log *log, const char *argument, double *number)
{
    char *end;

    *number = strtod(argument, &end);
    return end != argument && *end == '\0' && *number >= 0.0 && *number < 1e9
               ? SHW_OK
               : view_action_refuse(log, "a number, 0 or more", argument);
}

enum shw_result view_parse_switch(const struct shw_log *log, const char *argument, bool *state)
{
    bool toggle = strcmp(argument, "toggle") == 0, on = strcmp(argument, "on") == 0;

    if (!toggle && !on && strcmp(argument, "off") != 0)
        return view_action_refuse(log, "on, off or toggle", argument);
    *state = toggle ? !*state : on;
    return SHW_OK;
}

/* Forgets the question, but not the action that was granted. */
static void forget(struct view_question *question)
{
    free(question->line);
    free(question->path);
    question->line = question->path = NULL;
    question->kind = VIEW_QUESTION_NONE;
    question->focus = false;
}

void view_question_free(struct view_question *question)
{
    forget(question);
    free(question->granted);
    *question = (struct view_question){0};
}

bool view_question_close(struct view_question *question, bool unsaved, const char *line)
{
    if (question->passed || !unsaved)
        return false;
    forget(question);
    question->kind = VIEW_QUESTION_UNSAVED;
    question->line = strdup(line);
    return true;
}

/* What the field proposes. */
static void propose_name(struct view_question *question, const char *current)
{
    const char *path = question->path != NULL ? question->path : current;
    char *slash = strrchr(question->field, '/');

    if (path != NULL)
        snprintf(question->field, sizeof question->field, "%s", path);
    else
        question->field[slash != NULL ? slash + 1 - question->field : 0] = '\0';
}

void view_question_name(struct view_question *question, const char *current)
{
    if (question->kind != VIEW_QUESTION_NAME) /* else it is asked again */
        propose_name(question, current);
    question->kind = VIEW_QUESTION_NAME;
    question->focus = true;
}

bool view_question_replace(struct view_question *question, const char *path, bool replaces)
{
    if (!replaces)
        return false;
    free(question->path);
    question->path = strdup(path);
    if (question->path == NULL)
        return false; /* saving then refuses what it must not replace */
    question->kind = VIEW_QUESTION_REPLACE;
    question->focus = false;
    return true;
}

void view_question_end(struct view_question *question, bool go_on)
{
    if (go_on && question->line != NULL) {
        free(question->granted);
        question->granted = question->line;
        question->line = NULL;
    }
    forget(question);
}

char *view_question_take(struct view_question *question)
{
    char *line = question->granted;

    question->granted = NULL;
    question->passed = line != NULL;
    return line;
}

void view_question_ran(struct view_question *question)
{
    question->passed = false;
}
