#include "source/player.h"

#include <string.h>

#include "action/action.h"
#include "base/log.h"
#include "source/browser.h"

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
    long number = last ? INT32_MAX : 1; /* beyond the end, the last one is shown */

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
     "project's "
     "pictures (.json); or use a forest (.ktx2)",
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
