#include "base/class_name.h"

#include <jansson.h>
#include <string.h>

#include "base/printable.h"

bool shw_class_name_is_valid(const char *name)
{
    json_t *string = json_string(name); /* NULL unless it is UTF-8 */
    bool valid = string != NULL && *name != '\0' && strlen(name) <= SHW_CLASS_NAME_MAX;

    json_decref(string);
    for (const char *c = name; valid && *c != '\0'; c++)
        valid = shw_control_character(c) == 0;
    return valid;
}
