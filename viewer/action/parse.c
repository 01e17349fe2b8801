#include "action/parse.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

enum shw_result view_action_refuse(const struct shw_log *log, const char *what, const char *argument)
{
    return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s is not %s", argument, what);
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
