#include "source/camera_choice.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/dataset.h>

#include "base/log.h"

#define RATE_MAX 1000.0
#define SIDE_MAX 16384u

/* A decimal number up to SIDE_MAX; returns what follows it, or NULL. */
static const char *take_side(const char *text, uint32_t *side)
{
    *side = 0;
    if (!isdigit((unsigned char)*text))
        return NULL;
    for (; isdigit((unsigned char)*text) && *side <= SIDE_MAX; text++)
        *side = *side * 10 + (uint32_t)(*text - '0');
    return *side >= 1 && *side <= SIDE_MAX ? text : NULL;
}

static bool take_size(const char *text, size_t length, struct view_camera_choice *choice)
{
    const char *rest = take_side(text, &choice->width);

    rest = rest != NULL && *rest == 'x' ? take_side(rest + 1, &choice->height) : NULL;
    return rest == text + length;
}

static bool take_rate(const char *text, size_t length, struct view_camera_choice *choice)
{
    char *end;

    choice->rate = strtod(text, &end);
    return isdigit((unsigned char)*text) && end == text + length && choice->rate > 0.0 && choice->rate <= RATE_MAX;
}

static bool take_format(const char *text, size_t length, struct view_camera_choice *choice)
{
    if (length == 0 || length >= sizeof choice->format)
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_')
            return false;
    memcpy(choice->format, text, length);
    choice->format[length] = '\0';
    return true;
}

enum shw_result view_camera_choice_parse(const char *text, const char *name, const struct shw_log *log,
                                         struct view_camera_choice *choice)
{
    static const struct {
        const char *name;
        bool (*take)(const char *text, size_t length, struct view_camera_choice *choice);
    } members[] = {{"size=", take_size}, {"rate=", take_rate}, {"format=", take_format}};

    *choice = (struct view_camera_choice){0};
    for (;;) {
        const size_t length = strcspn(text, "&");
        bool taken = false;
        for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
            const size_t before = strlen(members[i].name);
            if (length > before && strncmp(text, members[i].name, before) == 0)
                taken = members[i].take(text + before, length - before, choice);
        }
        if (!taken)
            return shw_fail(
                log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                "%s: a camera can be asked for size=WIDTHxHEIGHT, rate=NUMBER and format=NAME, joined by &, "
                "not for \"%.*s\"",
                name, (int)length, text);
        if (text[length] == '\0')
            return SHW_OK;
        text += length + 1;
    }
}
