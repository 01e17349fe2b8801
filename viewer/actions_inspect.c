#include "actions.h"

#include <string.h>

#include "action_parse.h"

/* A name, a number, or + or - one; goes round. */
static enum shw_result choose_channel(struct view_app *app, const char *argument)
{
    const struct shw_channel_set_info *set = shw_channel_set_get(view_channels_set(app));
    long count = (long)set->channel_count, number;
    uint32_t named = 0;

    while (named < set->channel_count && strcmp(set->channels[named].name, argument) != 0)
        named++;
    if (named < set->channel_count)
        number = (long)named;
    else if (!view_parse_number(argument, -count, count - 1, &number) || (number < 0 && *argument != '-'))
        return view_action_refuse(app, "a channel's name or number, or + or - one", argument);
    else if (*argument == '+' || *argument == '-')
        number = ((long)app->channels.chosen + number + count) % count;
    app->channels.chosen = (uint32_t)number;
    app->channels.stale = true;
    if (app->settings.mode != VIEW_MODE_INTEGRAL)
        app->settings.mode = VIEW_MODE_CHANNEL;
    return SHW_OK;
}

static enum shw_result set_levels(struct view_app *app, const char *argument)
{
    struct view_channels *channels = &app->channels;
    long low, high;

    if (strcmp(argument, "auto") == 0) {
        channels->levels = VIEW_LEVELS_AUTO;
    } else if (strcmp(argument, "full") == 0) {
        channels->levels = VIEW_LEVELS_FULL;
    } else if (view_parse_pair(argument, INT32_MIN, UINT32_MAX, &low, &high) && low < high) {
        channels->levels = VIEW_LEVELS_GIVEN;
        channels->low = low;
        channels->high = high;
    } else {
        return view_action_refuse(app, "auto, full, or two numbers, the second above the first", argument);
    }
    channels->stale = true;
    return SHW_OK;
}

static const struct view_action actions[] = {
    {"channel", "CHANNEL", "of the overlays `channel` and `integral`, by name or number; +1 and -1 go to the next one",
     choose_channel},
    {"levels", "auto|full|LOW HIGH",
     "of a channel that are black and white: those of the picture, those that there could be, or these", set_levels},
    {0}};

static const struct view_key keys[] = {{"7", "overlay channel", "what a forest sees"},
                                       {"8", "overlay integral", "its integral image"},
                                       {"'", "channel +1", "next channel"},
                                       {";", "channel -1", "channel before"},
                                       {0}};

const struct view_action_group view_inspect_group = {"Look inside", actions, keys};
