/* Whether what training draws of a text has possible reaches and sums, before hours go into trees that no file takes.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/integers.h"
#include "files/code/reader.h"
#include "shared/candidate.h"

#define SUM_MAX    ((1 << 30) - 1)
#define OFFSET_MAX 16383u /* of training */

/* "FILE:LINE: ...", of which a long name of the file is cut at its beginning. */
__attribute__((format(printf, 4, 5))) static bool refuse(const struct shw_code_text *text, uint32_t line,
                                                         char why[SHW_WHY_SIZE], const char *format, ...)
{
    const size_t length = strlen(text->file), cut = length > 60 ? length - 60 : 0;
    va_list arguments;
    int begin;

    begin = snprintf(why, SHW_WHY_SIZE, "%s%s:%u: ", cut > 0 ? "..." : "", text->file + cut, line);
    va_start(arguments, format);
    vsnprintf(why + begin, SHW_WHY_SIZE - (size_t)begin, format, arguments);
    va_end(arguments);
    return false;
}

/* The greatest width (axis 0) or height (1) of the reach, in which the pixel itself always is. */
static int64_t extent_of(const struct shw_code_text *text, const struct shw_code_interval ends[4], uint32_t axis)
{
    const int64_t begin = text->reach_count == 4 ? ends[axis].low : -ends[axis].high;
    const int64_t end = text->reach_count == 4 ? ends[axis + 2].high : ends[axis].high + 1;

    return (end > 1 ? end : 1) - (begin < 0 ? begin : 0);
}

/* Sums anywhere in the reach must be exact for all numbers that can be drawn; rectangles are drawn accordingly. */
static bool check_window(const struct shw_code_text *text, const struct shw_channel_list *channels,
                         const struct shw_draw_limits *limits, char why[SHW_WHY_SIZE])
{
    struct shw_code_interval ends[4] = {{0, 0}};
    int64_t width, height;

    if (text->summing_line == 0 || text->bound.count > 0)
        return true;
    if (text->reaches_all || text->reach_count == 0)
        return refuse(text, text->summing_line, why,
                      "%s adds up values at positions of its own: it needs //!REACH or //!BOUND", text->name);
    for (uint32_t i = 0; i < 4; i++)
        (void)shw_code_expression_interval(text, &text->reach[text->reach_count == 4 ? i : 0], limits, &ends[i]);
    width = extent_of(text, ends, 0);
    height = extent_of(text, ends, 1);
    if (width * height <= (int64_t)SHW_RECTANGLE_SUM_MAX / shw_code_greatest_of(channels))
        return true;
    return refuse(text, text->reach_line, why,
                  "%s may add up %lld x %lld values of up to %u, which can exceed %u: smaller MAXIMUMs, or a //!BOUND",
                  text->name, (long long)width, (long long)height, shw_code_greatest_of(channels),
                  SHW_RECTANGLE_SUM_MAX);
}

/* --- The extremes of what is drawn: each is a feature that training can draw --- */

struct extremes {
    const struct shw_code_text *text;
    const struct shw_channel_list *channels;
    struct shw_draw_limits limits;
    uint32_t least, greatest; /* channels */
    int32_t values[SHW_CODE_PARAMS_MAX][4];
};

/* 1 x 1, long, high and as large as can be, in the four corners. */
static void set_rectangle(struct extremes *extremes, uint32_t i, uint32_t choice)
{
    const struct shw_code_param *param = &extremes->text->params[i];
    const uint32_t channel = param->channel >= 0 ? (uint32_t)extremes->values[param->channel][0] : 0;
    const uint32_t most = param->channel >= 0 ? extremes->channels->channels[channel].max_abs : INT16_MAX;
    const uint32_t side =
        param->has_max ? shw_min_u32(extremes->limits.size_max, (uint32_t)param->max) : extremes->limits.size_max;
    const struct shw_uint2 sides =
        shw_candidate_sides((choice & 1) != 0 ? side : 1, (choice & 2) != 0 ? side : 1, most);
    const int32_t offset = (int32_t)extremes->limits.offset_max;
    int32_t *values = extremes->values[i];

    values[0] = (choice & 4) != 0 ? offset + 1 - (int32_t)sides.x : -offset;
    values[1] = (choice & 8) != 0 ? offset + 1 - (int32_t)sides.y : -offset;
    values[2] = values[0] + (int32_t)sides.x;
    values[3] = values[1] + (int32_t)sides.y;
}

/* Sets parameter `i` to its extreme number `choice` of as many as are returned. */
static uint32_t set(struct extremes *extremes, uint32_t i, uint32_t choice)
{
    const struct shw_code_param *param = &extremes->text->params[i];
    const struct shw_code_interval interval = shw_code_param_interval(param, &extremes->limits);
    const int32_t low = (int32_t)interval.low, high = (int32_t)interval.high;
    int32_t *values = extremes->values[i];

    switch (param->type) {
    case SHW_CODE_CHANNEL_OF: values[0] = (int32_t)(choice > 0 ? extremes->greatest : extremes->least); return 2;
    case SHW_CODE_RECTANGLE: set_rectangle(extremes, i, choice); return 16;
    case SHW_CODE_OFFSET:
        values[0] = (int32_t)(choice % 3) * high - high;
        values[1] = (int32_t)(choice / 3) * high - high;
        return 9;
    case SHW_CODE_SINGLE: return 1;
    default: values[0] = choice == 0 ? low : choice == 1 ? high : shw_clamp(0, low, high); return low < high ? 3 : 1;
    }
}

/* False if this extreme is impossible, with the reason. */
static bool check_extreme(const struct extremes *extremes, char why[SHW_WHY_SIZE])
{
    const struct shw_code_text *text = extremes->text;
    const struct shw_draw_limits *limits = &extremes->limits;
    const int32_t most = SHW_REACH_ALL - (text->reach_count == 1); /* the pixel itself has one end, too */

    for (uint32_t i = 0; i < text->reach_count; i++) {
        const int64_t reach = shw_code_expression_value(&text->reach[i], extremes->values, NULL);

        if ((text->reach_count == 4 && i < 2 ? -reach : reach) > most)
            return refuse(text, text->reach_line, why,
                          "with offsets up to %u and sizes up to %u the reach can be %lld, farther than %d pixels: "
                          "smaller MAXIMUMs, or //!REACH all",
                          limits->offset_max, limits->size_max, (long long)reach, most);
    }
    if (text->bound.count > 0) {
        const int64_t bound = shw_code_expression_value(&text->bound, extremes->values, extremes->channels);

        if (bound > SUM_MAX)
            return refuse(text, text->bound_line, why,
                          "with offsets up to %u and sizes up to %u the bound can be %lld, more than %d: smaller "
                          "MAXIMUMs, sizes or offsets",
                          limits->offset_max, limits->size_max, (long long)bound, SUM_MAX);
    }
    return true;
}

bool shw_code_text_can_draw(const struct shw_code_text *text, const struct shw_channel_list *channels,
                            const struct shw_draw_limits *limits, char why[SHW_WHY_SIZE])
{
    struct extremes extremes = {.text = text, .channels = channels};
    uint32_t choices[SHW_CODE_PARAMS_MAX] = {0}, i;

    if (!check_window(text, channels, limits, why))
        return false;
    if (limits == NULL || (text->reach_count == 0 && text->bound.count == 0))
        return true;
    extremes.limits = (struct shw_draw_limits){shw_min_u32(limits->offset_max, OFFSET_MAX),
                                               shw_min_u32(limits->size_max, 2 * OFFSET_MAX + 1)};
    for (uint32_t c = 0; c < channels->channel_count; c++) {
        const uint32_t most = channels->channels[c].max_abs;

        extremes.least = most < channels->channels[extremes.least].max_abs ? c : extremes.least;
        extremes.greatest = most > channels->channels[extremes.greatest].max_abs ? c : extremes.greatest;
    }
    do {
        for (i = 0; i < text->param_count; i++)
            (void)set(&extremes, i, choices[i]);
        if (!check_extreme(&extremes, why))
            return false;
        for (i = 0; i < text->param_count && ++choices[i] == set(&extremes, i, 0); i++)
            choices[i] = 0;
    } while (i < text->param_count);
    return true;
}
