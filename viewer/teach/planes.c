/* Planes of pictures: which are shown as colours, which a project is taught on, and where they are. */
#include "teach/planes.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action/action.h"
#include "base/log.h"
#include "base/text.h"
#include "dense/channels/channels.h"
#include "teach/choices.h"

static enum shw_result need_picture(const struct view_teaching *teaching)
{
    return teaching->scene->picture != NULL ? SHW_OK
                                            : shw_fail(&teaching->scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                                                       "no picture is shown that has planes");
}

const char *view_plane_name(const struct view_picture *picture, uint32_t number, char text[SHW_INPUT_NAME_SIZE])
{
    uint32_t others = picture->planes.count;

    if (number < picture->planes.count)
        return shw_plane_list_name_of(&picture->planes, number, text);
    for (uint32_t i = 0; i < picture->input_count; i++) {
        const char *name = picture->inputs[i].name;

        if (!picture->numbers[i].own && shw_plane_name_is_valid(name) && others++ == number)
            return name;
    }
    return NULL;
}

/* The message lists the names that there are. */
static enum shw_result refuse_plane(const struct view_teaching *teaching, const char *name)
{
    const struct view_picture *picture = teaching->scene->picture;
    char names[800] = "", text[SHW_INPUT_NAME_SIZE];
    size_t length = 0;
    const char *one;

    for (uint32_t i = 0; (one = view_plane_name(picture, i, text)) != NULL && length < sizeof names; i++)
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", i > 0 ? ", " : "", one);
    if (length == 0)
        return shw_fail(&teaching->scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s has no planes besides its colours", picture->name);
    return shw_fail(&teaching->scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                    "%s has no plane %s; its planes are %s", picture->name, name, names);
}

/* Finds a plane by its name, in capital or small letters, or bN; `name` is what it is called. */
static enum shw_result find_plane(const struct view_teaching *teaching, const char *given,
                                  char name[SHW_INPUT_NAME_SIZE])
{
    const struct view_picture *picture = teaching->scene->picture;
    char text[SHW_INPUT_NAME_SIZE];
    const char *one;
    uint32_t number;
    size_t i = 0;

    for (; given[i] != '\0' && i + 1 < SHW_INPUT_NAME_SIZE; i++)
        name[i] = (char)tolower((unsigned char)given[i]);
    name[i] = '\0';
    number = shw_plane_list_find(&picture->planes, name);
    if (number < picture->planes.count) {
        snprintf(name, SHW_INPUT_NAME_SIZE, "%s", shw_plane_list_name_of(&picture->planes, number, text));
        return SHW_OK;
    }
    for (number = picture->planes.count; (one = view_plane_name(picture, number, text)) != NULL; number++)
        if (strcmp(one, name) == 0)
            return SHW_OK;
    return refuse_plane(teaching, given);
}

static enum shw_result show(struct view_teaching *teaching, const struct shw_shown_planes *shown)
{
    if (teaching->project.data != NULL)
        shw_project_set_shown_planes(teaching->project.data, shown);
    return view_scene_show_planes(teaching->scene, shown);
}

/* auto, a plane, or three of them. */
static enum shw_result show_planes(struct view_teaching *teaching, const char *argument)
{
    struct shw_shown_planes shown = teaching->scene->display.planes;
    char words[VIEW_ACTION_LINE], *rest = words, *word;

    memset(shown.names, 0, sizeof shown.names);
    shown.count = 0;
    if (strcmp(argument, "auto") == 0)
        return show(teaching, &shown);
    SHW_PROPAGATE(need_picture(teaching));
    snprintf(words, sizeof words, "%s", argument);
    while ((word = strsep(&rest, " \t")) != NULL) {
        if (*word == '\0')
            continue;
        if (shown.count == 3)
            return view_action_refuse(&teaching->scene->log, "auto, one plane, or three of them", argument);
        SHW_PROPAGATE(find_plane(teaching, word, shown.names[shown.count++]));
    }
    if (shown.count != 1 && shown.count != 3)
        return view_action_refuse(&teaching->scene->log, "auto, one plane, or three of them", argument);
    return show(teaching, &shown);
}

static enum shw_result set_range(struct view_teaching *teaching, const char *argument)
{
    static const char expected[] = "a plane, and auto or two numbers, the second above the first";
    struct shw_shown_planes shown = teaching->scene->display.planes;
    const size_t length = strcspn(argument, " \t");
    const char *numbers = argument + length + strspn(argument + length, " \t");
    char given[SHW_INPUT_NAME_SIZE], name[SHW_INPUT_NAME_SIZE], *middle, *end;
    const bool automatic = strcmp(numbers, "auto") == 0;
    float range[2];

    snprintf(given, sizeof given, "%.*s", (int)length, argument);
    SHW_PROPAGATE(need_picture(teaching));
    SHW_PROPAGATE(find_plane(teaching, given, name));
    range[0] = (float)shw_decimal_read(numbers, &middle);
    range[1] = (float)shw_decimal_read(middle, &end);
    if (!automatic &&
        (middle == numbers || end == middle || *end != '\0' || !shw_shown_range_is_valid(range[0], range[1])))
        return view_action_refuse(&teaching->scene->log, expected, argument);
    if (!shw_shown_planes_set_range(&shown, name, automatic ? NULL : range))
        return shw_fail(&teaching->scene->log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT,
                        "%u planes have a range already: make one of them automatic", SHW_SHOWN_RANGES_MAX);
    return show(teaching, &shown);
}

static enum shw_result list(struct view_teaching *teaching)
{
    const struct view_picture *picture = teaching->scene->picture;
    struct view_display_plane shown[3];
    char text[SHW_INPUT_NAME_SIZE];
    uint32_t count;
    const char *name;

    SHW_PROPAGATE(need_picture(teaching));
    count = view_display_find(&teaching->scene->display, picture, true, shown);
    for (uint32_t i = 0; (name = view_plane_name(picture, i, text)) != NULL; i++) {
        static const char *const colours[] = {"red", "green", "blue"};
        char number[SHW_INPUT_NAME_SIZE];

        snprintf(number, sizeof number, "b%u", i + 1);
        printf("%s", name);
        if (i < picture->planes.count && shw_plane_list_find(&picture->planes, number) == i &&
            strcmp(number, name) != 0)
            printf(" (%s)", number);
        for (uint32_t c = 0; c < count; c++)
            if (view_picture_find_plane(picture, name) == view_picture_find_plane(picture, shown[c].name) &&
                shown[c].plane != NULL)
                printf(": %s, %s%.6g to %.6g", count == 1 ? "grey" : colours[c], shown[c].chosen ? "" : "automatic, ",
                       (double)shown[c].low, (double)shown[c].high);
        printf("\n");
    }
    return SHW_OK;
}

/* Where the files of a plane are: NAME own or NAME PATTERN. */
static enum shw_result set_file(struct view_teaching *teaching, const char *argument)
{
    const struct shw_log *log = &teaching->scene->log;
    const size_t length = strcspn(argument, " \t");
    const char *pattern = argument + length + strspn(argument + length, " \t");
    char name[SHW_INPUT_NAME_SIZE];
    char *placed = NULL;
    enum shw_result result;

    SHW_PROPAGATE(view_project_need(&teaching->project, log));
    snprintf(name, sizeof name, "%.*s", (int)length, argument);
    if (*pattern == '\0' || shw_project_keeps_input(name) || length >= sizeof name)
        return view_action_refuse(log, "a plane, and own or the pattern of its files", argument);
    if (strcmp(pattern, "own") != 0) {
        SHW_PROPAGATE(view_choice_check_pattern(teaching, pattern, name));
        placed = view_choice_place_pattern(teaching, pattern);
        if (placed == NULL)
            return shw_fail_memory(log, pattern);
    }
    result = view_teaching_set_plane_files(teaching, name, placed);
    free(placed);
    return result;
}

/* A number of three digits, not above (or not below) the given one by what these leave out of the difference. */
static double round_to(double number, double difference, bool up)
{
    const double unit = pow(10.0, floor(log10(difference)) - 2.0), places = number / unit;

    return (up ? ceil(places - 1e-6) : floor(places + 1e-6)) * unit;
}

/* The least of 1, 2 or 5 times a power of ten that is not below a number of 1 or more. */
static double round_up(double number)
{
    const double power = pow(10.0, floor(log10(number)));

    return number <= power         ? power
           : number <= 2.0 * power ? 2.0 * power
           : number <= 5.0 * power ? 5.0 * power
                                   : 10.0 * power;
}

/* What all planes of 16 bits have in common, if they use less than a quarter of these; 0: they use more. */
static double common_range(const struct view_picture *picture, uint32_t count)
{
    char text[SHW_INPUT_NAME_SIZE];
    double greatest = 0.0;

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t input = view_picture_find_plane(picture, view_plane_name(picture, i, text));

        if (picture->inputs[input].image.format == SHW_PIXEL_GREY16)
            greatest = fmax(greatest, (double)picture->numbers[input].greatest);
    }
    return greatest >= 1.0 && greatest < UINT16_MAX / 4 ? round_up(greatest) : 0.0;
}

/* Appends to a list of channels; false: it is full. */
static bool append(char list[SHW_CHANNEL_LIST_NAME_SIZE], const char *prefix, const char *name, const char *rest)
{
    const size_t length = strlen(list), room = SHW_CHANNEL_LIST_NAME_SIZE - length;

    return (size_t)snprintf(list + length, room, "%s%s%s%s", length > 0 ? "," : "", prefix, name, rest) < room;
}

/* States the range of a plane whose numbers need one. */
static bool append_range(const struct view_picture *picture, const char *name, double common,
                         char channels[SHW_CHANNEL_LIST_NAME_SIZE])
{
    const uint32_t input = view_picture_find_plane(picture, name);
    const enum shw_pixel_format format = picture->inputs[input].image.format;
    double low = (double)picture->numbers[input].least, high = (double)picture->numbers[input].greatest;
    char range[80];

    if (format == SHW_PIXEL_GREY8 || (format == SHW_PIXEL_GREY16 && common <= 0.0))
        return true;
    if (format == SHW_PIXEL_GREY16) {
        low = 0.0;
        high = common;
    } else if (high > low) {
        const double difference = high - low;
        low = round_to(low, difference, false);
        high = round_to(high, difference, true);
    } else {
        high = low + fmax(1.0, fabs(low));
    }
    snprintf(range, sizeof range, "=%.9g..%.9g", low, high);
    return append(channels, "range:", name, range);
}

/* As many kinds of each plane as forests have channels for; false: there is no room. */
static bool list_channels(const struct view_picture *picture, uint32_t count, uint32_t kind_count,
                          char channels[SHW_CHANNEL_LIST_NAME_SIZE])
{
    static const struct {
        const char *prefix, *at;
    } kinds[] = {{"plane:", ""}, {"gauss:2@", ""}, {"gauss:4@", ""}, {"deviation:4@", ""}};
    const double common = common_range(picture, count);
    char text[SHW_INPUT_NAME_SIZE];
    bool fine = true;

    channels[0] = '\0';
    for (uint32_t k = 0; k < kind_count && k < sizeof kinds / sizeof *kinds; k++)
        for (uint32_t i = 0; i < count && fine; i++)
            fine = append(channels, kinds[k].prefix, view_plane_name(picture, i, text), kinds[k].at);
    for (uint32_t i = 0; i < count && fine; i++)
        fine = append_range(picture, view_plane_name(picture, i, text), common, channels);
    return fine;
}

/* Whether the shown picture has come with all its planes. */
static bool has_all(const struct view_picture *picture)
{
    char text[SHW_INPUT_NAME_SIZE];

    for (uint32_t i = 0; i < picture->planes.count; i++)
        if (view_picture_find_plane(picture, shw_plane_list_name_of(&picture->planes, i, text)) == UINT32_MAX)
            return false;
    return true;
}

static uint32_t count_planes(const struct view_picture *picture)
{
    char text[SHW_INPUT_NAME_SIZE];
    uint32_t count = 0;

    while (view_plane_name(picture, count, text) != NULL)
        count++;
    return count;
}

/* Trains on all planes of the shown picture, which has come with them. */
static enum shw_result take_all(struct view_teaching *teaching)
{
    const struct view_picture *picture = teaching->scene->picture;
    const struct shw_log *log = &teaching->scene->log;
    struct shw_project_training training = shw_project_get_training(teaching->project.data);
    const uint32_t count = count_planes(picture);
    uint32_t kinds = SHW_CHANNELS_MAX / count;
    struct shw_channel_list made;

    while (kinds > 0 && !list_channels(picture, count, kinds, training.channels))
        kinds--;
    if (kinds == 0)
        return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT,
                        "the names of %u planes are too long for one list of channels: choose some by `training "
                        "channels`",
                        count);
    SHW_PROPAGATE(shw_channel_list_parse(training.channels, NULL, log, &made));
    snprintf(training.channels, sizeof training.channels, "%s", made.name);
    training.smooth = SHW_SMOOTHING_NONE; /* it follows colours, which need not show what planes do */
    SHW_PROPAGATE(view_teaching_set_training(teaching, &training, NULL));
    snprintf(teaching->said, sizeof teaching->said,
             "the project is taught on %u planes, in %u channels, without smoothing", count, made.channel_count);
    return SHW_OK;
}

enum shw_result view_planes_follow(struct view_teaching *teaching)
{
    struct view_scene *scene = teaching->scene;

    if (!scene->taught_planes.all || view_player_info(scene->player).pending || scene->labelling.coming != NULL ||
        scene->labelling.picture != NULL)
        return SHW_OK;
    scene->taught_planes.all = false;
    if (teaching->project.data == NULL || scene->picture == NULL || scene->picture->planes.count == 0)
        return SHW_OK;
    if (has_all(scene->picture))
        return take_all(teaching) == SHW_ERROR_MEMORY ? SHW_ERROR_MEMORY : SHW_OK; /* others have been told */
    shw_log_message(&scene->log, SHW_LOG_ERROR, SHW_LOG_DATASET,
                    "%s has planes that cannot be read: the project is taught as before", scene->picture->name);
    return SHW_OK;
}

static enum shw_result teach_all(struct view_teaching *teaching)
{
    struct view_scene *scene = teaching->scene;
    uint32_t count;

    SHW_PROPAGATE(view_project_need(&teaching->project, &scene->log));
    SHW_PROPAGATE(need_picture(teaching));
    count = count_planes(scene->picture);
    if (count == 0)
        return refuse_plane(teaching, "");
    if (count > SHW_CHANNELS_MAX)
        return shw_fail(&scene->log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT,
                        "%s has %u planes, and forests read up to %u: choose some by `training channels`",
                        scene->picture->name, count, SHW_CHANNELS_MAX);
    if (has_all(scene->picture))
        return take_all(teaching);
    scene->taught_planes.all = true;
    return view_scene_follow_planes(scene);
}

static enum shw_result run(void *user, const char *argument)
{
    static const struct {
        const char *name;
        enum shw_result (*with)(struct view_teaching *teaching, const char *argument);
        enum shw_result (*without)(struct view_teaching *teaching);
    } verbs[] = {{"list", NULL, list},
                 {"show", show_planes, NULL},
                 {"range", set_range, NULL},
                 {"teach", NULL, teach_all},
                 {"file", set_file, NULL}};
    struct view_teaching *teaching = user;
    const size_t length = strcspn(argument, " \t");
    const char *rest = argument + length + strspn(argument + length, " \t");

    for (size_t v = 0; v < sizeof verbs / sizeof *verbs; v++) {
        if (strlen(verbs[v].name) != length || strncmp(verbs[v].name, argument, length) != 0)
            continue;
        if (verbs[v].with != NULL && *rest != '\0')
            return verbs[v].with(teaching, rest);
        if (verbs[v].without != NULL && *rest == '\0')
            return verbs[v].without(teaching);
    }
    return view_action_refuse(&teaching->scene->log, "list, show, range, teach or file, and what belongs to it",
                              argument);
}

static const struct view_action actions[] = {
    {"planes", "WHAT...",
     "planes of a picture with more than colours: list; `show RED GREEN BLUE`, `show PLANE` in grey, or `show auto`; "
     "`range PLANE LOW HIGH` or `range PLANE auto`: the numbers that are black and white; teach: train the project on "
     "all of them; `file PLANE PATTERN` or `file PLANE own`: where they are, {} standing for a picture's name",
     run},
    {0}};

static const struct view_key keys[] = {{0}};

const struct view_action_group view_planes_group = {"Planes", actions, keys};
