/* Actions for imports. */
#include <stdio.h>
#include <string.h>

#include "action/action.h"
#include "base/log.h"
#include "import/importing.h"

static enum shw_result import(void *user, const char *argument)
{
    struct view_importing *importing = user;

    SHW_PROPAGATE(view_importing_begin(importing, argument));
    importing->awaited = true;
    return SHW_OK;
}

/* VALUE CLASS, VALUE - or reset. */
static enum shw_result choose(void *user, const char *argument)
{
    struct view_importing *importing = user;
    size_t length = strcspn(argument, " \t");
    const char *name = argument + length + strspn(argument + length, " \t");
    struct view_import_value value;
    char text[16];

    if (strcmp(argument, "reset") == 0)
        return view_importing_choose(importing, NULL, "");
    snprintf(text, sizeof text, "%.*s", (int)length, argument);
    if (length >= sizeof text || *name == '\0' || !view_import_value_parse(text, &value))
        return view_action_refuse(&importing->teaching->scene->log,
                                  "a value like 255 or #ff0000, and a class or - for nothing", argument);
    return view_importing_choose(importing, &value, strcmp(name, "-") == 0 ? "" : name);
}

static enum shw_result answer(void *user, const char *argument)
{
    struct view_importing *importing = user;

    if (strcmp(argument, "import") != 0 && strcmp(argument, "cancel") != 0)
        return view_action_refuse(&importing->teaching->scene->log, "import or cancel", argument);
    SHW_PROPAGATE(view_importing_answer(importing, strcmp(argument, "import") == 0));
    importing->awaited = importing->state == VIEW_IMPORT_READING;
    return SHW_OK;
}

static const struct view_action actions[] = {
    {"import", "FILE|FOLDER",
     "import a mask or a label image as strokes on the shown picture, or those of a folder onto the pictures of their "
     "names; scripts wait for the end",
     import},
    {"import-value", "VALUE CLASS|VALUE -|reset",
     "say which class, new or not, a value or colour (#RRGGBB) of imported masks means; -: none; reset: forget it",
     choose},
    {"import-answer", "import|cancel", "answer what the values of a mask mean, as `import-value` has said", answer},
    {0}};

static const struct view_key keys[] = {{0}};

const struct view_action_group view_import_group = {"Import", actions, keys};
