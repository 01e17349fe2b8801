#include "files/dataset/class_search.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One number from 0 to 255 and the character `end` after it; NULL if there is something else. */
static const char *parse_sample(const char *text, char end, uint8_t *sample)
{
    size_t digits = strspn(text, "0123456789");
    long value = digits > 0 && digits <= 3 ? strtol(text, NULL, 10) : 256;

    if (value > 255 || text[digits] != end)
        return NULL;
    *sample = (uint8_t)value;
    return text + digits + (end != '\0');
}

static bool parse_colour(const char *text, uint8_t colour[3])
{
    if (text[0] == '#') {
        unsigned long value = strtoul(text + 1, NULL, 16);

        if (strlen(text) != 7 || strspn(text + 1, "0123456789abcdefABCDEF") != 6)
            return false;
        for (int c = 0; c < 3; c++)
            colour[c] = (uint8_t)(value >> (16 - 8 * c));
        return true;
    }
    for (int c = 0; c < 3 && text != NULL; c++)
        text = parse_sample(text, c < 2 ? ',' : '\0', &colour[c]);
    return text != NULL;
}

uint32_t shw_class_find(const struct shw_class *classes, uint32_t count, const char *text)
{
    uint8_t colour[3];

    for (uint32_t c = 0; c < count; c++)
        if (strcmp(classes[c].name, text) == 0)
            return c;
    for (uint32_t c = 0; parse_colour(text, colour) && c < count; c++)
        if (memcmp(classes[c].colour, colour, 3) == 0)
            return c;
    return UINT32_MAX;
}

void shw_class_list(const struct shw_class *classes, uint32_t count, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t c = 0; c < count; c++) {
        const uint8_t *colour = classes[c].colour;
        char one[320];

        snprintf(one, sizeof one, "%s%s (#%02x%02x%02x)", c > 0 ? ", " : "", classes[c].name, colour[0], colour[1],
                 colour[2]);
        if (used + strlen(one) + sizeof " and 65535 more" > size) {
            snprintf(text + used, size - used, " and %u more", count - c);
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s", one);
    }
}
