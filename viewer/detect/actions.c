/* Actions for detection. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action/action.h"
#include "base/log.h"
#include "detect/detecting.h"
#include "detection/cascade/cascade.h"
#include "detection/detect/group.h"
#include "files/dataset/annotations.h"

static enum shw_result add_cascade(void *user, const char *argument)
{
    return view_detecting_add(user, argument);
}

static enum shw_result switch_on(void *user, const char *argument)
{
    struct view_detecting *detecting = user;

    SHW_PROPAGATE(view_parse_switch(&detecting->scene->log, argument, &detecting->on));
    detecting->wants_panel = detecting->on && strcmp(argument, "toggle") == 0;
    if (detecting->on && detecting->list[0].cascade == NULL)
        shw_log_message(&detecting->scene->log, SHW_LOG_WARNING, SHW_LOG_ARGUMENT,
                        "there is no cascade to detect with: open one, or train one with rectangles (D)");
    return SHW_OK;
}

static enum shw_result show_windows(void *user, const char *argument)
{
    struct view_detecting *detecting = user;

    return view_parse_switch(&detecting->scene->log, argument, &detecting->windows);
}

static enum shw_result compare(void *user, const char *argument)
{
    struct view_detecting *detecting = user;

    return view_parse_switch(&detecting->scene->log, argument, &detecting->compared);
}

static struct view_detector *hand(void *user)
{
    return view_detecting_hand(user);
}

static enum shw_result need_cascade(const struct view_detecting *detecting)
{
    return detecting->list[detecting->hand].cascade != NULL
               ? SHW_OK
               : shw_fail(&detecting->scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                          "there is no cascade: `detect-open FILE.ktx2` opens one");
}

/* By number, or by what it finds. */
static enum shw_result choose_cascade(void *user, const char *argument)
{
    struct view_detecting *detecting = user;
    int64_t number;

    if (!view_parse_number(argument, 1, (int64_t)detecting->count, &number)) {
        number = 1;
        while (number <= (int64_t)detecting->count && strcmp(detecting->list[number - 1].label, argument) != 0)
            number++;
    }
    if (number > (int64_t)detecting->count)
        return view_action_refuse(&detecting->scene->log, "the number of an open cascade, or the class that it finds",
                                  argument);
    detecting->hand = (uint32_t)number - 1;
    return SHW_OK;
}

/* What is shown changes, and counts with it. */
static enum shw_result switch_cascade(void *user, const char *argument)
{
    struct view_detecting *detecting = user;

    SHW_PROPAGATE(need_cascade(detecting));
    detecting->results++;
    return view_parse_switch(&detecting->scene->log, argument, &hand(user)->on);
}

static enum shw_result name_class(void *user, const char *argument)
{
    struct view_detecting *detecting = user;

    SHW_PROPAGATE(need_cascade(detecting));
    if (argument[0] == '\0' || strlen(argument) >= sizeof hand(user)->label || strcmp(argument, SHW_FALSE_ALARM) == 0)
        return view_action_refuse(&detecting->scene->log, "the name of a class", argument);
    snprintf(hand(user)->label, sizeof hand(user)->label, "%s", argument);
    detecting->results++;
    return SHW_OK;
}

static enum shw_result list_cascades(void *user, const char *argument)
{
    const struct view_detecting *detecting = user;

    (void)argument;
    for (uint32_t d = 0; d < detecting->count && detecting->list[d].cascade != NULL; d++) {
        const struct view_detector *detector = &detecting->list[d];
        const int bits = (int)view_detector_info(detector)->fraction_bits;
        char score[40] = "any";

        if (detector->settings.group.has_min_score)
            snprintf(score, sizeof score, "%.4f", ldexp(detector->settings.group.min_score, -bits));
        printf("cascade %u: %s, %s, #%02x%02x%02x, score %s, %s%s\n", d + 1, detector->label,
               detector->on ? "on" : "off", detector->colour[0], detector->colour[1], detector->colour[2], score,
               detector->cascade->path[0] != '\0' ? detector->cascade->path : "not saved",
               d == detecting->hand ? ", chosen" : "");
    }
    fflush(stdout);
    return SHW_OK;
}

static enum shw_result set_number(const struct view_detecting *detecting, const char *argument, int64_t low,
                                  int64_t high, const char *what, uint32_t *setting)
{
    int64_t number;

    if (!view_parse_number(argument, low, high, &number))
        return view_action_refuse(&detecting->scene->log, what, argument);
    *setting = (uint32_t)number;
    return SHW_OK;
}

/* The other end of the range gives way. */
static enum shw_result set_min(void *user, const char *argument)
{
    struct view_detecting *detecting = user;
    struct shw_scan *scan = &hand(user)->settings.scan;

    SHW_PROPAGATE(set_number(detecting, argument, 0, 65535, "a number of pixels; 0: the default", &scan->min_size));
    if (scan->max_size != 0 && scan->max_size < scan->min_size)
        scan->max_size = scan->min_size;
    return SHW_OK;
}

static enum shw_result set_max(void *user, const char *argument)
{
    struct view_detecting *detecting = user;
    struct shw_scan *scan = &hand(user)->settings.scan;

    SHW_PROPAGATE(set_number(detecting, argument, 0, 65535, "a number of pixels; 0: any size", &scan->max_size));
    if (scan->max_size != 0 && scan->min_size > scan->max_size)
        scan->min_size = scan->max_size;
    return SHW_OK;
}

static const struct shw_cascade_traits *traits_of(const struct view_detecting *detecting)
{
    return shw_cascade_get_traits(view_detector_info(&detecting->list[detecting->hand])->kind);
}

static enum shw_result set_levels(void *user, const char *argument)
{
    struct view_detecting *detecting = user;

    SHW_PROPAGATE(need_cascade(detecting));
    if (!traits_of(detecting)->has_pyramid)
        return shw_fail(&detecting->scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "this cascade has no levels per octave, but a scale factor: detect-factor");
    return set_number(detecting, argument, 0, 16, "a number of levels per octave up to 16; 0: the default",
                      &hand(user)->settings.scan.levels_per_octave);
}

/* A number in a range, or 0. */
static enum shw_result set_real(const struct view_detecting *detecting, const char *argument, double low, double high,
                                const char *what, double *setting)
{
    char *end;
    double number = strtod(argument, &end);

    if (end == argument || *end != '\0' || (number != 0.0 && !(number >= low && number <= high)))
        return view_action_refuse(&detecting->scene->log, what, argument);
    *setting = number;
    return SHW_OK;
}

static enum shw_result set_factor(void *user, const char *argument)
{
    struct view_detecting *detecting = user;

    SHW_PROPAGATE(need_cascade(detecting));
    if (traits_of(detecting)->has_pyramid)
        return shw_fail(&detecting->scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "this cascade has no scale factor, but levels per octave: detect-levels");
    return set_real(detecting, argument, 1.02, 10.0, "a factor from 1.02 to 10; 0: the default",
                    &hand(user)->settings.scan.scale_factor);
}

static enum shw_result set_step(void *user, const char *argument)
{
    struct view_detecting *detecting = user;

    SHW_PROPAGATE(need_cascade(detecting));
    if (traits_of(detecting)->is_relative)
        return set_real(detecting, argument, 0.01, 1.0, "a part of the windows' size from 0.01 to 1; 0: the default",
                        &hand(user)->settings.scan.stride);
    return set_number(detecting, argument, 0, 64, "a number of pixels up to 64; 0: the default",
                      &hand(user)->settings.scan.step);
}

static enum shw_result set_angles(void *user, const char *argument)
{
    struct view_detecting *detecting = user;

    SHW_PROPAGATE(need_cascade(detecting));
    if (!traits_of(detecting)->has_angles)
        return shw_fail(&detecting->scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "cascades of the kind %s find upright objects only", traits_of(detecting)->name);
    return set_number(detecting, argument, 0, VIEW_DETECT_ANGLES, "a number of angles up to 32",
                      &hand(user)->settings.angles);
}

static enum shw_result set_technique(void *user, const char *argument)
{
    static const struct {
        const char *name;
        enum shw_technique technique;
    } known[] = {{"auto", SHW_TECHNIQUE_AUTO},
                 {"cpu", SHW_TECHNIQUE_CPU},
                 {"compute", SHW_TECHNIQUE_COMPUTE},
                 {"fragment", SHW_TECHNIQUE_FRAGMENT}};
    struct view_detecting *detecting = user;

    for (size_t t = 0; t < sizeof known / sizeof *known; t++)
        if (strcmp(argument, known[t].name) == 0) {
            hand(user)->settings.technique = known[t].technique;
            return SHW_OK;
        }
    return view_action_refuse(&detecting->scene->log, "auto, cpu, compute or fragment", argument);
}

static enum shw_result set_group(void *user, const char *argument)
{
    struct view_detecting *detecting = user;

    if (strcmp(argument, "usual") == 0) /* of earlier versions */
        argument = shw_group_names[SHW_GROUP_DEFAULT];
    for (uint32_t m = 0; m < SHW_GROUP_METHOD_COUNT; m++)
        if (strcmp(argument, shw_group_names[m]) == 0) {
            hand(user)->settings.group.method = (enum shw_group_method)m;
            return SHW_OK;
        }
    return view_action_refuse(&detecting->scene->log, "default, none, mean, cluster or suppress", argument);
}

static enum shw_result set_neighbours(void *user, const char *argument)
{
    struct view_detecting *detecting = user;

    return set_number(detecting, argument, 0, 10000, "a number of windows; 0: the default",
                      &hand(user)->settings.group.min_neighbours);
}

static enum shw_result set_group_overlap(void *user, const char *argument)
{
    struct view_detecting *detecting = user;
    uint32_t percent = 0;

    SHW_PROPAGATE(set_number(detecting, argument, 0, 99, "percent from 0, the default, to 99", &percent));
    hand(user)->settings.group.overlap = percent / 100.0;
    return SHW_OK;
}

static enum shw_result set_score(void *user, const char *argument)
{
    struct view_detecting *detecting = user;
    struct shw_group_params *group = &hand(user)->settings.group;
    char *end;
    double score;

    if (strcmp(argument, "any") == 0) {
        group->has_min_score = false;
        group->min_score = 0;
        return SHW_OK;
    }
    SHW_PROPAGATE(need_cascade(detecting));
    if (strcmp(argument, "default") == 0 || strcmp(argument, "usual") == 0) { /* the latter in earlier versions */
        view_detector_reset_score(hand(user));
        return SHW_OK;
    }
    score = strtod(argument, &end);
    if (end == argument || *end != '\0' || !isfinite(score))
        return view_action_refuse(&detecting->scene->log, "a score, default or any", argument);
    score = ceil(ldexp(score, (int)view_detector_info(&detecting->list[detecting->hand])->fraction_bits));
    group->has_min_score = true;
    group->min_score = (int32_t)fmin(fmax(score, INT32_MIN), INT32_MAX);
    return SHW_OK;
}

static enum shw_result set_overlap(void *user, const char *argument)
{
    struct view_detecting *detecting = user;

    return set_number(detecting, argument, 1, 100, "percent from 1 to 100", &detecting->overlap);
}

static enum shw_result set_colour(void *user, const char *argument)
{
    struct view_detecting *detecting = user;

    return view_parse_colour(argument, hand(user)->colour)
               ? SHW_OK
               : view_action_refuse(&detecting->scene->log, "a colour like #56b4e9", argument);
}

static void choose_number(struct view_detecting *detecting, uint32_t number)
{
    struct view_detection detection;

    detecting->chosen = view_detecting_item(detecting, number, &detection) ? detection.place : VIEW_NO_DETECTION;
    detecting->chosen_picture = detecting->scene->picture;
}

static enum shw_result choose(void *user, const char *argument)
{
    struct view_detecting *detecting = user;
    int64_t number;

    detecting->chosen = VIEW_NO_DETECTION;
    if (strcmp(argument, "none") == 0)
        return SHW_OK;
    if (!view_parse_number(argument, 1, (int64_t)view_detecting_count(detecting), &number))
        return view_action_refuse(&detecting->scene->log, "the number of a detection in this picture, or none",
                                  argument);
    choose_number(detecting, (uint32_t)number - 1);
    return SHW_OK;
}

static enum shw_result choose_at(void *user, const char *argument)
{
    struct view_detecting *detecting = user;
    int64_t x, y;

    if (!view_parse_pair(argument, 0, UINT32_MAX, &x, &y))
        return view_action_refuse(&detecting->scene->log, "a column and a row of the picture", argument);
    choose_number(detecting, view_detecting_at(detecting, (double)x, (double)y));
    return SHW_OK;
}

static enum shw_result need_picture(const struct view_detecting *detecting)
{
    SHW_PROPAGATE(need_cascade(detecting));
    return detecting->scene->picture != NULL ? SHW_OK
                                             : shw_fail(&detecting->scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                                                        "there is no picture to search");
}

/* NUMBER, all, or X Y. */
static enum shw_result add_boxes(struct view_detecting *detecting, const char *argument, const char *label)
{
    const bool all = strcmp(argument, "all") == 0;
    int64_t x = 0, y = 0, number = 0;
    bool at = !all && view_parse_pair(argument, 0, UINT32_MAX, &x, &y);

    SHW_PROPAGATE(need_picture(detecting));
    if (!all && !at && !view_parse_number(argument, 1, UINT32_MAX, &number))
        return view_action_refuse(&detecting->scene->log, "the number of a detection, all, or a column and a row",
                                  argument);
    detecting->accept.wanted = true;
    detecting->accept.at = at;
    detecting->accept.number = all ? VIEW_NO_DETECTION : (uint32_t)number - 1;
    detecting->accept.x = (double)x;
    detecting->accept.y = (double)y;
    detecting->accept.label = label;
    return SHW_OK;
}

static enum shw_result accept(void *user, const char *argument)
{
    return add_boxes(user, argument, NULL);
}

static enum shw_result dismiss(void *user, const char *argument)
{
    return add_boxes(user, argument, SHW_FALSE_ALARM);
}

static enum shw_result list(void *user, const char *argument)
{
    struct view_detecting *detecting = user;

    (void)argument;
    SHW_PROPAGATE(need_picture(detecting));
    detecting->list_wanted = true;
    return SHW_OK;
}

static enum shw_result save(void *user, const char *argument)
{
    struct view_detecting *detecting = user;
    char *path;

    SHW_PROPAGATE(need_picture(detecting));
    path = strdup(argument);
    if (path == NULL)
        return shw_fail_memory(&detecting->scene->log, argument);
    free(detecting->save_path);
    detecting->save_path = path;
    return SHW_OK;
}

static const struct view_action actions[] = {
    {"detect-add", "FILE", "open a cascade beside those that are open: the pictures are searched with all",
     add_cascade},
    {"detect-cascade", "NUMBER|CLASS",
     "choose one of the open cascades: the actions for settings, scores and colours change it", choose_cascade},
    {"detect-cascades", NULL, "print which cascades are open, and how they are used", list_cascades},
    {"detect-class", "NAME",
     "name what the chosen cascade finds: detections become rectangles of this class, and are compared with those",
     name_class},
    {"detect-with", "on|off|toggle", "search with the chosen cascade, or leave it out", switch_cascade},
    {"detect", "on|off|toggle", "find the objects of the open cascades, in videos and cameras live", switch_on},
    {"detect-min", "PIXELS", "the smallest size of windows; 0: the default", set_min},
    {"detect-max", "PIXELS", "the largest size of windows; 0: any", set_max},
    {"detect-levels", "NUMBER", "levels of the pyramid per octave, for cascades with a pyramid; 0: the default",
     set_levels},
    {"detect-factor", "FACTOR", "the ratio of successive sizes, for other cascades; 0: the default", set_factor},
    {"detect-step", "STEP",
     "from window to window: pixels of the level, or for cascades of scaled pixels a part of the window's size; 0: the "
     "default",
     set_step},
    {"detect-angles", "NUMBER", "try this many angles, equally spaced over a full turn; 0: upright alone", set_angles},
    {"detect-technique", "auto|cpu|compute|fragment",
     "choose who searches; auto: the device, unless it is a CPU itself", set_technique},
    {"detect-group", "default|none|mean|cluster|suppress", "how windows that show the same object become one",
     set_group},
    {"detect-neighbours", "NUMBER", "drop groups of fewer windows; 0: the default", set_neighbours},
    {"detect-group-overlap", "PERCENT", "overlap above which windows belong together; 0: the default",
     set_group_overlap},
    {"detect-score", "SCORE|default|any", "drop detections with a lower score; default: than the cascade's file says",
     set_score},
    {"detect-windows", "on|off|toggle", "show the windows that were found before they were grouped, too", show_windows},
    {"detect-colour", "#RRGGBB", "set the colour of detections", set_colour},
    {"detect-compare", "on|off|toggle", "tell true from false detections where there are ground-truth rectangles",
     compare},
    {"detect-overlap", "PERCENT", "the overlap with a ground-truth rectangle at which it counts as found", set_overlap},
    {"detection", "NUMBER|none", "choose a detection of the picture", choose},
    {"detection-at", "X Y", "choose the detection at a pixel of the picture", choose_at},
    {"detect-accept", "NUMBER|all|X Y", "add detections of the picture to the ground-truth rectangles", accept},
    {"false-alarm", "NUMBER|all|X Y",
     "say that detections of the picture are wrong: they are not shown any more, and training learns from them",
     dismiss},
    {"detect-list", NULL, "print the detections of the picture", list},
    {"detect-save", "FILE", "write the detections of the picture as a CSV file, as `shadewood detect` does", save},
    {0}};

static const struct view_key keys[] = {{"V", "detect toggle", "detections"}, {0}};

const struct view_action_group view_detect_group = {"Detection", actions, keys};
