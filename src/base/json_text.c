#include "base/json_text.h"

#include <stdlib.h>
#include <string.h>

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
    static const char replacement[] = "\xef\xbf\xbd";
    size_t left = strlen(text), used = 0;
    json_t *string = json_string(text);
    char *valid;

    if (string != NULL)
        return string;
    valid = malloc(left * 3 + 1);
    if (valid == NULL)
        return NULL;
    while (left > 0) {
        size_t length = character_length(text, left), taken = length > 0 ? length : 1;

        memcpy(valid + used, length > 0 ? text : replacement, length > 0 ? length : 3);
        used += length > 0 ? length : 3;
        text += taken;
        left -= taken;
    }
    string = json_stringn(valid, used);
    free(valid);
    return string;
}
