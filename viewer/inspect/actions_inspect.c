#include "shell/actions.h"

#include <stdio.h>
#include <string.h>

#include "action/parse.h"
#include "ui/panels.h"

/* A name, a number, or + or - one; goes round. */
static enum shw_result choose_channel(struct view_app *app, const char *argument)
{
    const struct shw_channel_list *set = view_channels_list(app);
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

static enum shw_result point_at_texel(struct view_app *app, uint32_t x, uint32_t y)
{
    const struct shw_image *image;

    view_texture_update(app);
    image = view_app_image(app);
    app->inspect.pinned = true;
    app->texture.pointed = image != NULL && x < image->width && y < image->height;
    app->texture.x = x;
    app->texture.y = y;
    return SHW_OK;
}

/* Where there are panels, the one that tells about it comes with it. */
static enum shw_result inspect(struct view_app *app, const char *argument)
{
    struct view_inspect *inspect = &app->inspect;
    enum shw_result result;
    long x, y;

    if (strcmp(argument, "print") == 0) {
        view_inspect_update(app);
        view_texture_update(app);
        if (app->texture.on)
            view_texture_print(app, stdout);
        else
            view_inspect_print(app, stdout);
        return SHW_OK;
    }
    if (strcmp(argument, "stay") == 0) {
        inspect->pinned = !inspect->pinned;
        return SHW_OK;
    }
    if (view_parse_pair(argument, 0, SHW_IMAGE_SIZE_MAX, &x, &y)) {
        if (app->texture.on)
            return point_at_texel(app, (uint32_t)x, (uint32_t)y);
        view_inspect_pin(inspect, (uint32_t)x, (uint32_t)y);
        return SHW_OK;
    }
    inspect->pinned = false;
    result = view_parse_switch(app, argument, &inspect->on);
    for (uint32_t p = 0; result == SHW_OK && inspect->on && view_panel_list[p].name != NULL; p++)
        if (view_panel_list[p].show == view_panel_inspect)
            view_panels_show(app, p, true);
    return result;
}

/* Which of `count` an argument says, + and - counting from `now`, going round. */
static bool parse_among(const char *argument, uint32_t count, uint32_t now, uint32_t *chosen)
{
    long number;

    if (!view_parse_number(argument, -(long)count, (long)count, &number))
        return false;
    if (*argument == '+' || *argument == '-')
        number = ((long)now + number + (long)count) % (long)count;
    if (number < 0 || number >= (long)count)
        return false;
    *chosen = (uint32_t)number;
    return true;
}

static enum shw_result choose_tree(struct view_app *app, const char *argument)
{
    uint32_t count = app->forest != NULL ? shw_forest_get_info(app->forest->forest)->tree_count : 1;

    if (parse_among(argument, count, app->inspect.tree, &app->inspect.tree))
        return SHW_OK;
    return view_action_refuse(app, "a tree's number, or + or - one", argument);
}

/* Tests are counted on the way of the inspected pixel. + and - also come by `all`. */
static enum shw_result choose_test(struct view_app *app, const char *argument)
{
    const struct shw_explained_tree *tree = view_inspect_tree(&app->inspect);
    uint32_t count = (tree != NULL ? tree->test_count : 0) + 1, chosen;
    uint32_t now = app->inspect.test < count - 1 ? app->inspect.test + 1 : 0; /* 0: all */
    bool change = *argument == '+' || *argument == '-';
    long number;

    if (strcmp(argument, "all") == 0)
        app->inspect.test = VIEW_ALL_TESTS;
    else if (change && parse_among(argument, count, now, &chosen))
        app->inspect.test = chosen > 0 ? chosen - 1 : VIEW_ALL_TESTS;
    else if (!change && view_parse_number(argument, 0, SHW_DEPTH_MAX - 1, &number))
        app->inspect.test = (uint32_t)number;
    else
        return view_action_refuse(app, "all, the number of a test on the way, or + or - one", argument);
    return SHW_OK;
}

static enum shw_result show_texture(struct view_app *app, const char *argument)
{
    bool on = app->texture.on;
    enum shw_result result = view_parse_switch(app, argument, &on);

    if (result == SHW_OK)
        view_texture_switch(app, on);
    return result;
}

static const struct view_action actions[] = {
    {"inspect", "X Y|stay|print|on|off|toggle",
     "explain the pixel (or the forest texture's texel) under the cursor, or that one; `stay` there, or follow again; "
     "`print` "
     "tells about it on standard output",
     inspect},
    {"texture", "on|off|toggle", "look at the forest's texture in the place of the picture", show_texture},
    {"tree", "TREE", "the tree whose tests the explanation shows; +1 and -1 go to the next one", choose_tree},
    {"test", "TEST|all", "the test, counted from the root, whose rectangles are drawn; +1 and -1 go to the next one",
     choose_test},
    {"channel", "CHANNEL", "of the overlays `channel` and `integral`, by name or number; +1 and -1 go to the next one",
     choose_channel},
    {"levels", "auto|full|LOW HIGH",
     "of a channel or depth image that are black and white: those of the picture, those that there could be, or these",
     set_levels},
    {0}};

static const struct view_key keys[] = {{"7", "overlay channel", "what a forest sees"},
                                       {"8", "overlay integral", "its integral image"},
                                       {"9", "overlay depth", "depth image"},
                                       {"I", "inspect toggle", "why is this pixel labelled so?"},
                                       {"Ctrl+I", "inspect stay", "stay at this pixel"},
                                       {"J", "tree +1", "next tree"},
                                       {"L", "test +1", "next test"},
                                       {"X", "texture toggle", "the forest's texture"},
                                       {"'", "channel +1", "next channel"},
                                       {";", "channel -1", "channel before"},
                                       {0}};

const struct view_action_group view_inspect_group = {"Look inside", actions, keys};
