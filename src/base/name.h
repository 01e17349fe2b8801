/* Names of extensions and inputs, which text, options and files use. */
#ifndef SHW_BASE_NAME_H
#define SHW_BASE_NAME_H

#include <stdbool.h>
#include <string.h>

/* Whether the name is 1 to `length_max` lower-case letters, digits and '-'. False for NULL. */
static inline bool shw_name_is_valid(const char *name, size_t length_max)
{
    size_t length = name != NULL ? strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") : 0;

    return length > 0 && length <= length_max && name[length] == '\0';
}

#endif
