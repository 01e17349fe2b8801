#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cli/detecting.h"
#include "files/output/cascade_text.h"

#define DEGREES_PER_ANGLE 11.25
#define ANGLES            32

const char *const cli_groupings[] = {"default", "none", "mean", "cluster", "suppress", NULL};
_Static_assert(sizeof cli_groupings / sizeof *cli_groupings == SHW_GROUP_METHOD_COUNT + 1, "a name for each method");
const char *const cli_detect_variants[] = {"best", "global", "shared", "mipmap", "regroup", NULL};

/* A number of degrees as one of the angles; false: it is none. */
static bool read_angle(const char *text, size_t length, uint32_t *angle)
{
    char part[32], *end;
    double turns;

    if (length == 0 || length >= sizeof part || strspn(text, "+-.0123456789") < length)
        return false;
    memcpy(part, text, length);
    part[length] = '\0';
    turns = strtod(part, &end) / DEGREES_PER_ANGLE;
    if (*end != '\0' || turns != floor(turns) || fabs(turns) > ANGLES)
        return false;
    *angle = (uint32_t)((int)turns + ANGLES) % ANGLES;
    return true;
}

static int take_angles(const struct shw_command *command, struct cli_detect_options *options)
{
    const bool all = options->angles != NULL && strcmp(options->angles, "all") == 0;
    struct shw_scan *scan = &options->params.scan;
    bool given[ANGLES] = {false};

    scan->angles = options->angle_numbers;
    for (uint32_t angle = 0; all && angle < ANGLES; angle++)
        options->angle_numbers[scan->angle_count++] = angle;
    for (const char *text = all ? NULL : options->angles; text != NULL;) {
        size_t length = strcspn(text, ",");
        uint32_t angle;

        if (!read_angle(text, length, &angle))
            return shw_usage_error(command, "--angles: '%.*s' is no multiple of 11.25 from -360 to 360", (int)length,
                                   text);
        if (given[angle])
            return shw_usage_error(command, "--angles has the angle of %.*s degrees twice", (int)length, text);
        given[angle] = true;
        options->angle_numbers[scan->angle_count++] = angle;
        text = text[length] != '\0' ? text + length + 1 : NULL;
    }
    return SHW_CONTINUE;
}

static int take_regrouping(const struct shw_command *command, struct cli_detect_options *options)
{
    struct shw_detector_params *params = &options->params;

    for (const char *text = options->regroup; text != NULL;) {
        size_t length = strcspn(text, ",");
        uint32_t before = params->regroup_count > 0 ? options->regroup_stages[params->regroup_count - 1] : 0;
        char part[16] = "";
        uint64_t stage;

        if (length < sizeof part)
            memcpy(part, text, length);
        if (!shw_parse_number(part, before + 1, SHW_CASCADE_STAGES_MAX, &stage))
            return shw_usage_error(command, "--regroup takes increasing numbers of stages, as 8,32,128, not '%s'",
                                   options->regroup);
        if (params->regroup_count == SHW_DETECT_REGROUP_MAX)
            return shw_usage_error(command, "--regroup has more than %u stages", SHW_DETECT_REGROUP_MAX);
        options->regroup_stages[params->regroup_count++] = (uint32_t)stage;
        text = text[length] != '\0' ? text + length + 1 : NULL;
    }
    params->regroup = params->regroup_count > 0 ? options->regroup_stages : NULL;
    return SHW_CONTINUE;
}

static int take_format(const struct shw_command *command, struct cli_detect_options *options)
{
    for (const char *text = options->format;;) {
        size_t length = strcspn(text, ",");

        if (length == 3 && strncmp(text, "csv", length) == 0)
            options->csv = true;
        else if (length == 4 && strncmp(text, "coco", length) == 0)
            options->coco = true;
        else
            return shw_usage_error(command, "--format has csv and coco, not '%.*s'", (int)length, text);
        if (text[length] == '\0')
            return SHW_CONTINUE;
        text += length + 1;
    }
}

/* A part of something: above 0, below or at 1. */
static int check_part(const struct shw_command *command, const char *name, const struct shw_option_reals *part)
{
    if (part->count == 0 || (part->items[0] > 0.0 && part->items[0] <= 1.0))
        return SHW_CONTINUE;
    return shw_usage_error(command, "--%s takes a number above 0 and at most 1, not %g", name, part->items[0]);
}

static int check_numbers(const struct shw_command *command, const struct cli_detect_options *options)
{
    const double factor = options->scale_factor.items[0];
    int code = check_part(command, "overlap", &options->overlap);

    if (code == SHW_CONTINUE)
        code = check_part(command, "epsilon", &options->epsilon);
    if (code == SHW_CONTINUE)
        code = check_part(command, "stride", &options->stride);
    if (code == SHW_CONTINUE && options->scale_factor.count > 0 && !(factor > 1.01 && factor <= 10.0))
        code = shw_usage_error(command, "--scale-factor takes a number above 1.01 and at most 10, not %g", factor);
    if (code == SHW_CONTINUE && options->max_size > 0 && options->max_size < options->min_size)
        code =
            shw_usage_error(command, "--max-size %u is less than --min-size %u", options->max_size, options->min_size);
    return code;
}

int cli_detect_take_options(const struct shw_command *command, struct cli_detect_options *options)
{
    struct shw_detector_params *params = &options->params;
    int code = check_numbers(command, options);

    params->technique = (enum shw_technique)options->technique;
    params->way = (enum shw_detect_variant)options->way;
    params->threads = options->threads;
    params->scan = (struct shw_scan){.min_size = options->min_size,
                                     .max_size = options->max_size,
                                     .levels_per_octave = options->levels_per_octave,
                                     .scale_factor = options->scale_factor.items[0],
                                     .stride = options->stride.items[0],
                                     .step = options->step};
    options->grouping = (struct shw_group_params){.method = (enum shw_group_method)options->group,
                                                  .min_neighbours = options->min_neighbours,
                                                  .epsilon = options->epsilon.items[0],
                                                  .overlap = options->overlap.items[0]};
    if (code == SHW_CONTINUE)
        code = take_angles(command, options);
    if (code == SHW_CONTINUE)
        code = take_regrouping(command, options);
    if (code == SHW_CONTINUE)
        code = take_format(command, options);
    return code;
}

/* Options that mean something for some kinds of cascades and some ways of grouping alone. */
static int check_meaning(const struct shw_command *command, const struct cli_detect_options *options,
                         const struct shw_cascade_info *info)
{
    const enum shw_cascade_kind kind = info->kind;
    const int group = options->group != SHW_GROUP_DEFAULT ? options->group : (int)shw_group_method_default(kind);
    const struct {
        bool given, fits;
        const char *name;
    } of_kind[] = {{options->levels_per_octave > 0, kind == SHW_CASCADE_PIXELS, "levels-per-octave"},
                   {options->scale_factor.count > 0, kind != SHW_CASCADE_PIXELS, "scale-factor"},
                   {options->stride.count > 0, kind == SHW_CASCADE_SCALED, "stride"},
                   {options->step > 0, kind != SHW_CASCADE_SCALED, "step"},
                   {options->angles != NULL, kind == SHW_CASCADE_PIXELS || kind == SHW_CASCADE_SCALED, "angles"}},
      of_group[] = {
          {options->min_neighbours > 0, group == SHW_GROUP_MEAN || group == SHW_GROUP_CLUSTER, "min-neighbours"},
          {options->overlap.count > 0, group == SHW_GROUP_CLUSTER || group == SHW_GROUP_SUPPRESS, "overlap"},
          {options->epsilon.count > 0, group == SHW_GROUP_MEAN, "epsilon"}};

    for (size_t i = 0; i < sizeof of_kind / sizeof *of_kind; i++)
        if (of_kind[i].given && !of_kind[i].fits)
            return shw_usage_error(command, "--%s is not for cascades of the kind %s, as this one is", of_kind[i].name,
                                   shw_cascade_kind_name(kind));
    for (size_t i = 0; i < sizeof of_group / sizeof *of_group; i++)
        if (of_group[i].given && !of_group[i].fits)
            return shw_usage_error(command, "--%s is not for --group %s", of_group[i].name, cli_groupings[group]);
    return SHW_CONTINUE;
}

int cli_detect_take_cascade(const struct shw_command *command, struct cli_detect_options *options,
                            const struct shw_cascade_info *info, const struct shw_log *log)
{
    struct shw_cascade_info asked = *info;

    if (cli_cascade_min_score(options->min_score, log, &asked) != SHW_OK)
        return SHW_EXIT_USAGE;
    options->grouping.min_score = asked.min_score;
    options->grouping.has_min_score = asked.has_min_score;
    return check_meaning(command, options, info);
}

enum shw_result cli_cascade_min_score(const char *text, const struct shw_log *log, struct shw_cascade_info *info)
{
    const int bits = (int)info->fraction_bits;
    char *end;
    double score;

    if (text == NULL)
        return SHW_OK;
    info->min_score = 0;
    info->has_min_score = strcmp(text, "any") != 0;
    if (!info->has_min_score)
        return SHW_OK;
    score = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(score))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "--min-score takes a number or any, not '%.80s'",
                        text);
    score = ceil(ldexp(score, bits));
    if (!(score >= INT32_MIN && score <= INT32_MAX))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "--min-score %.80s: scores of this cascade are from %g to %g", text, ldexp(INT32_MIN, -bits),
                        ldexp(INT32_MAX, -bits));
    info->min_score = (int32_t)score;
    return SHW_OK;
}
