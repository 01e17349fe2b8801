#include "base/json_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */
enum { REPLACEMENT_BYTES = sizeof replacement - 1, ESCAPE_BYTES = REPLACEMENT_BYTES + 2 };

/* The length of the character in UTF-8 at the beginning of the text; 0 if there is none. */
static size_t character_length(const char *text, size_t size)
{
    for (size_t length = 1; length <= 4 && length <= size; length++) {
        json_t *character = json_stringn(text, length); /* which accepts only UTF-8 */
        json_decref(character);
        if (character != NULL)
            return length;
    }
    return 0;
}

json_t *shw_json_text(const char *text)
{
    size_t left = strlen(text), used = 0;
    json_t *string = json_string(text);
    char *valid;

    if (string != NULL)
        return string;
    valid = malloc(left * REPLACEMENT_BYTES + 1);
    if (valid == NULL)
        return NULL;
    while (left > 0) {
        size_t length = character_length(text, left), taken = length > 0 ? length : 1;

        memcpy(valid + used, length > 0 ? text : replacement, length > 0 ? length : REPLACEMENT_BYTES);
        used += length > 0 ? length : REPLACEMENT_BYTES;
        text += taken;
        left -= taken;
    }
    string = json_stringn(valid, used);
    free(valid);
    return string;
}

static bool is_replacement(const char *text)
{
    return strncmp(text, replacement, REPLACEMENT_BYTES) == 0;
}

json_t *shw_json_name(const char *name)
{
    size_t left = strlen(name), used = 0;
    json_t *string = strstr(name, replacement) == NULL ? json_string(name) : NULL;
    char *escaped;

    if (string != NULL)
        return string;
    escaped = malloc(left * ESCAPE_BYTES + 1);
    if (escaped == NULL)
        return NULL;
    while (left > 0) {
        const size_t length = is_replacement(name) ? 0 : character_length(name, left), taken = length > 0 ? length : 1;

        /* a byte that was escaped is not the beginning of U+FFFD, and so the two after it are escaped as well */
        if (length > 0)
            memcpy(escaped + used, name, length);
        else
            snprintf(escaped + used, ESCAPE_BYTES + 1, "%s%02x", replacement, (unsigned char)*name);
        used += length > 0 ? length : ESCAPE_BYTES;
        name += taken;
        left -= taken;
    }
    string = json_stringn(escaped, used);
    free(escaped);
    return string;
}

/* The value of two lower-case hexadecimal digits; -1: there are none. */
static int read_digits(const char *text)
{
    static const char digits[] = "0123456789abcdef";
    const char *high = text[0] != '\0' ? strchr(digits, text[0]) : NULL;
    const char *low = high != NULL && text[1] != '\0' ? strchr(digits, text[1]) : NULL;

    return low != NULL ? (int)((high - digits) * 16 + (low - digits)) : -1;
}

char *shw_json_name_read(const json_t *string)
{
    const char *text = json_string_value(string);
    char *name = text != NULL ? strdup(text) : NULL, *end = name;

    if (name == NULL || strstr(text, replacement) == NULL)
        return name;
    while (*text != '\0') {
        const int byte = is_replacement(text) ? read_digits(text + REPLACEMENT_BYTES) : -1;

        *end++ = byte > 0 ? (char)byte : *text;
        text += byte > 0 ? ESCAPE_BYTES : 1;
    }
    *end = '\0';
    return name;
}
