#include "base/class_name.h"

#include <jansson.h>
#include <string.h>

#include "base/printable.h"

_Static_assert(SHW_CLASS_NAME_MAX == 255, "a message says the number");

static bool is_utf8(const char *name)
{
    json_t *string = json_string(name);

    json_decref(string);
    return string != NULL;
}

const char *shw_class_name_fault(const char *name)
{
    if (name == NULL || *name == '\0')
        return "is empty";
    if (strlen(name) > SHW_CLASS_NAME_MAX)
        return "has more than 255 bytes";
    if (!is_utf8(name))
        return "is not UTF-8";
    for (const char *c = name; *c != '\0'; c++)
        if (shw_control_character(c) != 0)
            return "has control characters";
    return NULL;
}

bool shw_class_name_is_valid(const char *name)
{
    return shw_class_name_fault(name) == NULL;
}
