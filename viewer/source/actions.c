#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "action/action.h"
#include "base/log.h"
#include "files/io/image_paths.h"
#include "source/browser.h"
#include "source/source.h"

static enum shw_result open_file(void *user, const char *argument)
{
    struct view_player *player = user;
    const char *action = view_opening_action(argument);

    return strcmp(action, "open") == 0 ? view_player_open(player, argument)
                                       : view_action_run(player->actions, action, argument);
}

static enum shw_result play(void *user, const char *argument)
{
    struct view_player *player = user;
    bool playing = view_player_info(player).playing;

    SHW_PROPAGATE(view_parse_switch(&player->log, argument, &playing));
    if (player->source == NULL)
        return SHW_OK;
    if (playing)
        view_source_play(player->source);
    else
        view_source_pause(player->source);
    return SHW_OK;
}

static enum shw_result step(void *user, const char *argument)
{
    struct view_player *player = user;
    bool back = strcmp(argument, "back") == 0;

    if (!back && strcmp(argument, "forward") != 0)
        return view_action_refuse(&player->log, "forward or back", argument);
    if (player->source == NULL)
        return SHW_OK;
    player->settle = true;
    return back ? view_source_step_back(player->source) : view_source_step_forward(player->source);
}

static enum shw_result go(void *user, const char *argument)
{
    struct view_player *player = user;
    const struct view_source_info info = view_player_info(player);
    bool first = strcmp(argument, "first") == 0, last = strcmp(argument, "last") == 0;
    int64_t number = last ? INT32_MAX : 1; /* beyond the end, the last one is shown */

    if (!first && !last && !view_parse_number(argument, 1, INT32_MAX, &number))
        return view_action_refuse(&player->log, "first, last or a picture's number, from 1", argument);
    if (player->source == NULL)
        return SHW_OK;
    player->settle = true;
    if (info.kind == VIEW_SOURCE_VIDEO && (first || last))
        return view_source_seek(player->source, first ? 0.0 : info.duration);
    return view_source_go_to(player->source, (uint32_t)number - 1);
}

static enum shw_result seek(void *user, const char *argument)
{
    struct view_player *player = user;
    double seconds;
    enum shw_result result = view_parse_positive(&player->log, argument, &seconds);

    if (result != SHW_OK || player->source == NULL)
        return result;
    player->settle = true;
    return view_source_seek(player->source, seconds);
}

static enum shw_result set_speed(void *user, const char *argument)
{
    struct view_player *player = user;
    double speed;
    enum shw_result result = view_parse_positive(&player->log, argument, &speed);

    if (result == SHW_OK && player->source != NULL)
        view_source_set_speed(player->source, speed);
    return result;
}

static const struct view_action actions[] = {
    {"open", "FILE",
     "show an image, a folder, a data set (dataset:FOLDER), a video, a camera (/dev/video0, "
     "camera:0?size=1280x720&rate=30, camera:FILE), their depth or that of a folder (depth:FILE) or a "
     "project's pictures (.json); or use a forest (.ktx2)",
     open_file},
    {"play", "on|off|toggle", "play or pause the source", play},
    {"step", "forward|back", "go to the next or previous picture, and pause", step},
    {"go", "first|last|NUMBER",
     "go to a picture of a folder or a data set, counted from 1, or to the first or last one of a video", go},
    {"seek", "SECONDS", "go to this time; pictures of folders are one second apart", seek},
    {"speed", "FACTOR", "set the playback speed: 1 is real time", set_speed},
    {0}};

static const struct view_key keys[] = {
    {"Space", "play toggle", "play or pause"},   {"PageDown", "step forward", "next picture"},
    {"PageUp", "step back", "previous picture"}, {"Home", "go first", "first picture"},
    {"End", "go last", "last picture"},          {0}};

const struct view_action_group view_source_group = {"Pictures", actions, keys};

static const char channels_argument[] = "auto, the number of a channel, or three of them, 0 for none";
static const char range_argument[] = "auto, or two numbers, the second above the first";

/* One number or three, separated by blanks. */
static bool parse_channels(const char *text, struct shw_image_channels *channels)
{
    for (channels->count = 0; *text != '\0' && channels->count < 3; channels->count++) {
        char *end;
        unsigned long number = strtoul(text, &end, 10);

        if (*text < '0' || *text > '9' || (*end != '\0' && *end != ' ') || number > UINT16_MAX)
            return false;
        channels->numbers[channels->count] = (uint32_t)number;
        text = end + strspn(end, " ");
    }
    return *text == '\0' && channels->count > 0 && shw_image_channels_fault(channels) == NULL;
}

static enum shw_result set_channels(void *user, const char *argument)
{
    struct view_player *player = user;
    struct shw_image_choice choice = player->chosen;

    choice.channels = (struct shw_image_channels){0};
    if (strcmp(argument, "auto") != 0 && !parse_channels(argument, &choice.channels))
        return view_action_refuse(&player->log, channels_argument, argument);
    for (uint32_t c = 0; c < choice.channels.count; c++)
        if (player->facts.channel_count > 0 && choice.channels.numbers[c] > player->facts.channel_count)
            return shw_fail(&player->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                            "there is no channel %u, the picture has %u", choice.channels.numbers[c],
                            player->facts.channel_count);
    return view_player_choose(player, &choice);
}

static enum shw_result set_range(void *user, const char *argument)
{
    struct view_player *player = user;
    struct shw_image_choice choice = player->chosen;
    char *middle, *end;

    choice.range = (struct shw_intensity_range){0};
    if (strcmp(argument, "auto") == 0)
        return view_player_choose(player, &choice);
    choice.range.low = strtod(argument, &middle);
    choice.range.high = strtod(middle, &end);
    if (middle == argument || end == middle || *end != '\0' || !shw_intensity_range_is_set(&choice.range) ||
        shw_intensity_range_fault(&choice.range) != NULL)
        return view_action_refuse(&player->log, range_argument, argument);
    return view_player_choose(player, &choice);
}

/* Goes to the picture of that path. */
static enum shw_result go_to_path(struct view_player *player, const char *path, uint32_t from)
{
    uint32_t count = view_player_info(player).count;

    for (uint32_t i = 0; i < count; i++) { /* pages are side by side: the nearest first */
        uint32_t index = (from + (i % 2 == 0 ? i / 2 : count - (i + 1) / 2)) % count;
        const char *name = view_source_name(player->source, index);
        if (name != NULL && strcmp(name, path) == 0) {
            player->settle = true;
            return view_source_go_to(player->source, index);
        }
    }
    return shw_fail(&player->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s is not among the pictures", path);
}

static enum shw_result go_to_page(void *user, const char *argument)
{
    struct view_player *player = user;
    const struct view_source_info info = view_player_info(player);
    const char *shown = player->source != NULL ? view_source_name(player->source, info.index) : NULL;
    uint32_t page;
    int64_t number;
    char *file, *path;
    enum shw_result result;

    if (!view_parse_number(argument, 1, SHW_IMAGE_PAGES_MAX, &number))
        return view_action_refuse(&player->log, "a page's number, from 1", argument);
    if (shown == NULL || info.kind == VIEW_SOURCE_DATASET)
        return shw_fail(&player->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no picture that has pages");
    file = shw_image_file_of(shown, &page);
    path = file != NULL && number > 1 ? shw_image_page_path(file, (uint32_t)number) : NULL;
    result = file == NULL || (path == NULL && number > 1) ? shw_fail_memory(&player->log, shown)
                                                          : go_to_path(player, path != NULL ? path : file, info.index);
    free(file);
    free(path);
    return result;
}

static const struct view_action choice_actions[] = {
    {"page", "NUMBER", "go to this page of the shown picture's file, counted from 1", go_to_page},
    {"image-channels", "auto|GREY|RED GREEN BLUE",
     "read these channels of image files, counted from 1, 0 for none; auto: the first three, or the first of two",
     set_channels},
    {"image-range", "auto|LOW HIGH",
     "read these values of image files with more than 8 bits as black and white; auto: 16 bits as stored, others by "
     "the first picture",
     set_range},
    {0}};

static const struct view_key choice_keys[] = {{0}};

const struct view_action_group view_choice_group = {"Reading pictures", choice_actions, choice_keys};
