/* Numbers in texts of other programs, which write them in decimal. */
#ifndef SHW_BASE_DECIMAL_H
#define SHW_BASE_DECIMAL_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* strtod(), for which a hexadecimal number is none: *end is then the beginning of the text. */
static inline double shw_decimal_read(const char *text, char **end)
{
    const double number = strtod(text, end);

    if (memchr(text, 'x', (size_t)(*end - text)) == NULL && memchr(text, 'X', (size_t)(*end - text)) == NULL)
        return number;
    *end = (char *)(uintptr_t)text;
    return 0;
}

#endif
