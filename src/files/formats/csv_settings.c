#include "files/formats/csv_settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"

enum key {
    NAME,
    WINDOW_WIDTH,
    WINDOW_HEIGHT,
    SHRINK,
    LEVELS_PER_OCTAVE,
    BLUR_BEFORE,
    BLUR_AFTER,
    OCTAVES,
    FRACTION_BITS,
    SCORE_BASE,
    MIN_SCORE,
    KEY_COUNT
};

/* The whole numbers that a value may be; `most` 0: it is no whole number. */
static const struct {
    const char *name;
    bool needed;
    uint32_t least, most;
} keys[KEY_COUNT] = {
    [NAME] = {"name", false, 0, 0},
    [WINDOW_WIDTH] = {"window_width", true, 2, 128},
    [WINDOW_HEIGHT] = {"window_height", true, 2, 128},
    [SHRINK] = {"shrink", true, 1, 16},
    [LEVELS_PER_OCTAVE] = {"levels_per_octave", false, 1, 16},
    [BLUR_BEFORE] = {"blur_before", false, 0, 1},
    [BLUR_AFTER] = {"blur_after", false, 0, 1},
    [OCTAVES] = {"octaves", false, 0, 1},
    [FRACTION_BITS] = {"fraction_bits", false, 0, 30},
    [SCORE_BASE] = {"score_base", false, 0, 0},
    [MIN_SCORE] = {"min_score", false, 0, 0},
};

struct line {
    const char *file;
    const struct shw_log *log;
    uint32_t number; /* from 1 */
    const char *value;
    int length;
};

#define BAD_LINE(line, format, ...)                                                                                    \
    shw_fail((line)->log, SHW_ERROR_FORMAT, SHW_LOG_CASCADE, "%s, line %u: " format, (line)->file, (line)->number,     \
             __VA_ARGS__)

static enum shw_result read_name(const struct line *line, char *name)
{
    char copy[SHW_CLASS_NAME_MAX + 2] = "";

    if (line->length <= (int)SHW_CLASS_NAME_MAX)
        memcpy(copy, line->value, (size_t)line->length);
    if (!shw_class_name_is_valid(copy))
        return BAD_LINE(line, "the name is not 1 to %u bytes of printable UTF-8", SHW_CLASS_NAME_MAX);
    memcpy(name, copy, sizeof copy - 1);
    return SHW_OK;
}

static enum shw_result read_number(const struct line *line, enum key key, double *number)
{
    char *end = NULL;

    *number = line->length > 0 ? shw_decimal_read(line->value, &end) : NAN;
    if (end != line->value + line->length || !isfinite(*number))
        return BAD_LINE(line, "the value of %s is not a number", keys[key].name);
    if (keys[key].most > 0 && (*number < keys[key].least || *number > keys[key].most || *number != floor(*number)))
        return BAD_LINE(line, "%s is %g instead of a whole number from %u to %u", keys[key].name, *number,
                        keys[key].least, keys[key].most);
    return SHW_OK;
}

static void set(struct shw_csv_settings *settings, enum key key, double number)
{
    switch (key) {
    case WINDOW_WIDTH: settings->window_width = (uint32_t)number; break;
    case WINDOW_HEIGHT: settings->window_height = (uint32_t)number; break;
    case SHRINK: settings->planes.shrink = (uint32_t)number; break;
    case LEVELS_PER_OCTAVE: settings->levels_per_octave = (uint32_t)number; break;
    case BLUR_BEFORE: settings->planes.blur_before = number != 0; break;
    case BLUR_AFTER: settings->planes.blur_after = number != 0; break;
    case OCTAVES: settings->planes.octaves = number != 0; break;
    case FRACTION_BITS:
        settings->has_fraction_bits = true;
        settings->fraction_bits = (uint32_t)number;
        break;
    case SCORE_BASE: settings->score_base = number; break;
    case MIN_SCORE:
        settings->has_min_score = true;
        settings->min_score = number;
        break;
    case NAME:
    case KEY_COUNT: break;
    }
}

static enum key find_key(const char *text, size_t length)
{
    for (int k = 0; k < KEY_COUNT; k++)
        if (strlen(keys[k].name) == length && memcmp(keys[k].name, text, length) == 0)
            return (enum key)k;
    return KEY_COUNT;
}

/* A line without its end, which is neither empty nor a comment. */
static enum shw_result read_line(struct line *line, const char *text, size_t length, bool seen[KEY_COUNT],
                                 struct shw_csv_settings *settings)
{
    const char *comma = memchr(text, ',', length);
    size_t key_length = comma != NULL ? (size_t)(comma - text) : length;
    enum key key = find_key(text, key_length);
    double number;

    if (key == KEY_COUNT || comma == NULL)
        return BAD_LINE(line, "\"%.*s\" is not a setting; lines are KEY,VALUE", (int)(length < 40 ? length : 40), text);
    if (seen[key])
        return BAD_LINE(line, "a second %s", keys[key].name);
    seen[key] = true;
    line->value = comma + 1;
    line->length = (int)(length - key_length - 1);
    if (key == NAME)
        return read_name(line, settings->name);
    SHW_PROPAGATE(read_number(line, key, &number));
    set(settings, key, number);
    return SHW_OK;
}

enum shw_result shw_csv_settings_parse(const struct shw_csv_text *file, const struct shw_log *log,
                                       struct shw_csv_settings *settings)
{
    struct line line = {.file = file->name, .log = log, .number = 1};
    bool seen[KEY_COUNT] = {0};

    *settings = (struct shw_csv_settings){.levels_per_octave = 4, .planes = {.blur_before = true, .blur_after = true}};
    for (const char *at = file->text, *end = at + file->size; at < end; line.number++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((newline != NULL ? newline : end) - at);
        size_t trimmed = length;

        while (trimmed > 0 && (at[trimmed - 1] == '\r' || at[trimmed - 1] == ' '))
            trimmed--;
        if (trimmed > 0 && *at != '#')
            SHW_PROPAGATE(read_line(&line, at, trimmed, seen, settings));
        at += length + (newline != NULL);
    }
    for (int k = 0; k < KEY_COUNT; k++)
        if (keys[k].needed && !seen[k])
            return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_CASCADE, "%s: there is no %s", file->name, keys[k].name);
    return SHW_OK;
}
