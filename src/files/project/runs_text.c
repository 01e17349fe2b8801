#include "files/project/runs_text.h"

#include <stdlib.h>
#include <string.h>

#define RUNS_MIN     256u /* shorter areas are lists of points, which every version reads */
#define DIGIT_BITS   5u
#define MORE         (1u << DIGIT_BITS) /* another digit follows */
#define NUMBER_BYTES 4u                 /* of numbers up to SHW_STROKE_PLACE_MAX */
#define WRONG_DIGIT  UINT32_MAX

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Where a run begins and ends, from the one before. */
struct place {
    int32_t end, y; /* the pixel after the last run, and its row */
};

bool shw_runs_are_text(const struct shw_stroke *area)
{
    struct place at = {0, 0};

    if (!area->area || area->radius != 0 || area->point_count < 2 * RUNS_MIN)
        return false;
    for (uint32_t p = 0; p < area->point_count; p += 2) {
        const struct shw_point first = area->points[p], last = area->points[p + 1];

        if (first.y != last.y || first.y < at.y || first.x > last.x || first.x < (first.y > at.y ? 0 : at.end) ||
            last.x > SHW_STROKE_PLACE_MAX || first.y > SHW_STROKE_PLACE_MAX)
            return false;
        at = (struct place){last.x + 1, first.y};
    }
    return true;
}

/* Groups of five bits, the lowest first. */
static char *put(char *to, int32_t number)
{
    uint32_t rest = (uint32_t)number;

    for (; rest >= MORE; rest >>= DIGIT_BITS)
        *to++ = digits[MORE | (rest & (MORE - 1))];
    *to++ = digits[rest];
    return to;
}

char *shw_runs_write(const struct shw_stroke *area)
{
    char *text = malloc((size_t)area->point_count / 2 * 3 * NUMBER_BYTES + 1), *to = text, *shrunk;
    struct place at = {0, 0};

    if (text == NULL)
        return NULL;
    for (uint32_t p = 0; p < area->point_count; p += 2) {
        const struct shw_point first = area->points[p], last = area->points[p + 1];

        to = put(to, first.y - at.y);
        to = put(to, first.x - (first.y > at.y ? 0 : at.end));
        to = put(to, last.x - first.x);
        at = (struct place){last.x + 1, first.y};
    }
    *to = '\0';
    shrunk = realloc(text, (size_t)(to - text) + 1);
    return shrunk != NULL ? shrunk : text;
}

static uint32_t value_of(char digit)
{
    const char *found = digit != '\0' ? strchr(digits, digit) : NULL;

    return found != NULL ? (uint32_t)(found - digits) : WRONG_DIGIT;
}

/* Reads a number up to SHW_STROKE_PLACE_MAX. */
static bool get(const char **text, int32_t *number)
{
    uint32_t value = 0, digit = MORE;

    for (unsigned shift = 0; (digit & MORE) != 0; shift += DIGIT_BITS) {
        digit = value_of(**text);
        if (digit == WRONG_DIGIT || shift == NUMBER_BYTES * DIGIT_BITS)
            return false;
        value |= (digit & (MORE - 1)) << shift;
        ++*text;
    }
    *number = (int32_t)value;
    return value <= SHW_STROKE_PLACE_MAX;
}

const char *shw_runs_read(const char *text, struct shw_stroke *area, bool *memory)
{
    struct place at = {0, 0};

    *memory = false;
    if (*text == '\0')
        return "\"runs\" is empty";
    while (*text != '\0') {
        int32_t down, right, length;
        struct shw_point first, last;

        if (!get(&text, &down) || !get(&text, &right) || !get(&text, &length))
            return "\"runs\" has a number that is cut off or too large, or another character";
        first = (struct shw_point){(down > 0 ? 0 : at.end) + right, at.y + down};
        last = (struct shw_point){first.x + length, first.y};
        if (last.x > SHW_STROKE_PLACE_MAX || first.y > SHW_STROKE_PLACE_MAX)
            return "\"runs\" has a coordinate above 131071";
        if (area->point_count == SHW_STROKE_POINTS_MAX)
            return "\"runs\" has more than 524288 runs";
        *memory = !shw_stroke_append_raw(area, first) || !shw_stroke_append_raw(area, last);
        if (*memory)
            return "";
        at = (struct place){last.x + 1, first.y};
    }
    return NULL;
}
