#include "shell/actions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action/parse.h"
#include "source/browser.h"

static enum shw_result open_file(struct view_app *app, const char *argument)
{
    const char *action = view_opening_action(argument);
    char line[4096];

    if (strcmp(action, "open") == 0)
        return view_app_open(app, argument);
    snprintf(line, sizeof line, "%s %s", action, argument);
    return view_action_run(app, line);
}

static enum shw_result set_range(struct view_app *app, const char *argument)
{
    long low, high;

    app->auto_range = strcmp(argument, "auto") == 0;
    if (app->auto_range && app->source != NULL)
        app->range = view_source_display_range(app->source);
    else if (!app->auto_range) {
        if (!view_parse_pair(argument, 0, UINT16_MAX, &low, &high) || low >= high)
            return view_action_refuse(app, "auto, or two 16-bit samples, the second above the first", argument);
        app->range = (struct view_display_range){(uint16_t)low, (uint16_t)high};
    }
    app->upload = app->picture != NULL;
    return SHW_OK;
}

static enum shw_result play(struct view_app *app, const char *argument)
{
    struct view_source_info info = {0};
    enum shw_result result;

    if (app->source != NULL)
        view_source_info(app->source, &info);
    result = view_parse_switch(app, argument, &info.playing);
    if (result != SHW_OK || app->source == NULL)
        return result;
    if (info.playing)
        view_source_play(app->source);
    else
        view_source_pause(app->source);
    return SHW_OK;
}

static enum shw_result step(struct view_app *app, const char *argument)
{
    bool back = strcmp(argument, "back") == 0;

    if (!back && strcmp(argument, "forward") != 0)
        return view_action_refuse(app, "forward or back", argument);
    if (app->source == NULL)
        return SHW_OK;
    app->settle = true;
    return back ? view_source_step_back(app->source) : view_source_step_forward(app->source);
}

static enum shw_result go(struct view_app *app, const char *argument)
{
    long number;

    if (!view_parse_number(argument, 1, INT32_MAX, &number))
        return view_action_refuse(app, "a picture's number, from 1", argument);
    if (app->source == NULL)
        return SHW_OK;
    app->settle = true;
    return view_source_go_to(app->source, (uint32_t)number - 1);
}

static enum shw_result seek(struct view_app *app, const char *argument)
{
    double seconds;
    enum shw_result result = view_parse_positive(app, argument, &seconds);

    if (result != SHW_OK || app->source == NULL)
        return result;
    app->settle = true;
    return view_source_seek(app->source, seconds);
}

static enum shw_result set_speed(struct view_app *app, const char *argument)
{
    double speed;
    enum shw_result result = view_parse_positive(app, argument, &speed);

    if (result == SHW_OK && app->source != NULL)
        view_source_set_speed(app->source, speed);
    return result;
}

static const struct view_action actions[] = {
    {"open", "FILE",
     "show an image, a folder, a data set (dataset:FOLDER), a video, a camera (/dev/video0, camera:FILE); a project "
     "(.json) "
     "with its pictures; or label by a forest (.ktx2)",
     open_file},
    {"play", "on|off|toggle", "play the source, or stay at the picture", play},
    {"step", "forward|back", "to the picture after or before, and stay there", step},
    {"go", "NUMBER", "to that picture of a folder or a data set, counted from 1", go},
    {"seek", "SECONDS", "to that place of the source; pictures of folders are a second apart", seek},
    {"speed", "FACTOR", "of playing: 1 is real time", set_speed},
    {"range", "auto|LOW HIGH", "16-bit samples that are shown as black and white; labelling sees all", set_range},
    {0}};

static const struct view_key keys[] = {{"Space", "play toggle", "play or stay"},
                                       {"PageDown", "step forward", "next picture"},
                                       {"PageUp", "step back", "picture before"},
                                       {0}};

const struct view_action_group view_source_group = {"Pictures", actions, keys};
