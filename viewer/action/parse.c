#include "action/parse.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

enum shw_result view_action_refuse(struct view_app *app, const char *what, const char *argument)
{
    return shw_fail(&app->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s is not %s", argument, what);
}

bool view_parse_number(const char *text, long low, long high, long *number)
{
    char *end;

    *number = strtol(text, &end, 10);
    return end != text && *end == '\0' && *number >= low && *number <= high;
}

bool view_parse_pair(const char *text, long low, long high, long *first, long *second)
{
    char *end;

    *first = strtol(text, &end, 10);
    return end != text && *first >= low && *first <= high && isspace((unsigned char)*end) &&
           view_parse_number(end + strspn(end, " \t"), low, high, second);
}

enum shw_result view_parse_positive(struct view_app *app, const char *argument, double *number)
{
    char *end;

    *number = strtod(argument, &end);
    return end != argument && *end == '\0' && *number >= 0.0 && *number < 1e9
               ? SHW_OK
               : view_action_refuse(app, "a number, 0 or more", argument);
}

enum shw_result view_parse_switch(struct view_app *app, const char *argument, bool *state)
{
    bool toggle = strcmp(argument, "toggle") == 0, on = strcmp(argument, "on") == 0;

    if (!toggle && !on && strcmp(argument, "off") != 0)
        return view_action_refuse(app, "on, off or toggle", argument);
    *state = toggle ? !*state : on;
    return SHW_OK;
}

bool view_parse_class(const struct view_app *app, const char *text, uint32_t *number)
{
    const struct shw_class *classes;
    uint32_t count = view_app_classes(app, &classes);
    long parsed;

    if (text[0] == '#' && view_parse_number(text + 1, 0, (long)app->class_count - 1, &parsed)) {
        *number = (uint32_t)parsed;
        return true;
    }
    for (uint32_t c = 0; classes != NULL && c < count && c < app->class_count; c++)
        if (strcmp(classes[c].name, text) == 0) {
            *number = c;
            return true;
        }
    if (!view_parse_number(text, 0, (long)app->class_count - 1, &parsed))
        return false;
    *number = (uint32_t)parsed;
    return true;
}
