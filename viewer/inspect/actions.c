#include <stdio.h>
#include <string.h>

#include "action/action.h"
#include "base/log.h"
#include "inspect/inspect.h"

void view_inside_destroy(struct view_inside *inside)
{
    const struct view_gpu *gpu;

    if (inside->scene == NULL)
        return;
    gpu = inside->scene->labelling.params.gpu;
    view_inspect_destroy(&inside->inspect);
    view_texture_destroy(gpu, &inside->texture);
    view_channels_destroy(gpu, &inside->channels);
}

void view_inside_follow(struct view_inside *inside)
{
    view_inspect_update(&inside->inspect, &inside->channels, inside->scene, inside->cursor);
    view_texture_update(&inside->texture, inside->scene, inside->inspect.pinned ? NULL : inside->cursor);
}

/* A name, a number, or + or - for the next or previous, cyclically. */
static enum shw_result choose_channel(void *user, const char *argument)
{
    struct view_inside *inside = user;
    const struct shw_channel_list *set = view_channels_list(inside->scene);
    int64_t count = (int64_t)set->channel_count, number;
    uint32_t named = 0;

    while (named < set->channel_count && strcmp(set->channels[named].name, argument) != 0)
        named++;
    if (named < set->channel_count)
        number = (int64_t)named;
    else if (!view_parse_number(argument, -count, count - 1, &number) || (number < 0 && *argument != '-'))
        return view_action_refuse(&inside->scene->log, "a channel's name or number, or a change like +1", argument);
    else if (*argument == '+' || *argument == '-')
        number = ((int64_t)inside->channels.chosen + number + count) % count;
    inside->channels.chosen = (uint32_t)number;
    inside->channels.stale = true;
    if (view_overlay_kinds[inside->scene->settings.mode].plane != VIEW_INTEGRAL_PLANE)
        inside->scene->settings.mode = VIEW_MODE_CHANNEL;
    return SHW_OK;
}

static enum shw_result set_levels(void *user, const char *argument)
{
    struct view_inside *inside = user;
    struct view_channels *channels = &inside->channels;
    int64_t low, high;

    if (strcmp(argument, "auto") == 0) {
        channels->levels = VIEW_LEVELS_AUTO;
    } else if (strcmp(argument, "full") == 0) {
        channels->levels = VIEW_LEVELS_FULL;
    } else if (view_parse_pair(argument, INT32_MIN, UINT32_MAX, &low, &high) && low < high) {
        channels->levels = VIEW_LEVELS_GIVEN;
        channels->low = low;
        channels->high = high;
    } else {
        return view_action_refuse(&inside->scene->log, "auto, full, or two numbers, the second above the first",
                                  argument);
    }
    channels->stale = true;
    return SHW_OK;
}

static void point_at_texel(struct view_inside *inside, uint32_t x, uint32_t y)
{
    struct view_texture *texture = &inside->texture;
    const struct shw_image *image;

    view_inside_follow(inside);
    image = inside->scene->instead.image;
    inside->inspect.pinned = true;
    texture->pointed = image != NULL && x < image->width && y < image->height;
    texture->x = x;
    texture->y = y;
}

static enum shw_result inspect(void *user, const char *argument)
{
    struct view_inside *inside = user;
    struct view_inspect *inspect = &inside->inspect;
    int64_t x, y;

    if (strcmp(argument, "print") == 0) {
        view_inside_follow(inside);
        if (inside->scene->instead.on)
            view_texture_print(&inside->texture, stdout);
        else
            view_inspect_print(inspect, inside->scene, stdout);
        return SHW_OK;
    }
    if (strcmp(argument, "stay") == 0) {
        inspect->pinned = !inspect->pinned;
        return SHW_OK;
    }
    if (view_parse_pair(argument, 0, SHW_IMAGE_SIZE_MAX, &x, &y)) {
        if (inside->scene->instead.on)
            point_at_texel(inside, (uint32_t)x, (uint32_t)y);
        else
            view_inspect_pin(inspect, (uint32_t)x, (uint32_t)y);
        return SHW_OK;
    }
    inspect->pinned = false;
    SHW_PROPAGATE(view_parse_switch(&inside->scene->log, argument, &inspect->on));
    inside->wants_panel = inspect->on;
    return SHW_OK;
}

/* Parses a number below `count`, or + and - relative to `now`, cyclically. */
static bool parse_among(const char *argument, uint32_t count, uint32_t now, uint32_t *chosen)
{
    int64_t number;

    if (!view_parse_number(argument, -(int64_t)count, (int64_t)count, &number))
        return false;
    if (*argument == '+' || *argument == '-')
        number = ((int64_t)now + number + (int64_t)count) % (int64_t)count;
    if (number < 0 || number >= (int64_t)count)
        return false;
    *chosen = (uint32_t)number;
    return true;
}

static enum shw_result choose_tree(void *user, const char *argument)
{
    struct view_inside *inside = user;
    uint32_t count = inside->scene->forest != NULL ? shw_forest_get_info(inside->scene->forest->forest)->tree_count : 1;

    if (parse_among(argument, count, inside->inspect.tree, &inside->inspect.tree))
        return SHW_OK;
    return view_action_refuse(&inside->scene->log, "a tree's number, or a change like +1", argument);
}

/* Tests are numbered along the path of the inspected pixel. + and - include `all`. */
static enum shw_result choose_test(void *user, const char *argument)
{
    struct view_inside *inside = user;
    const struct shw_explained_tree *tree = view_inspect_tree(&inside->inspect);
    uint32_t count = (tree != NULL ? tree->test_count : 0) + 1, chosen;
    uint32_t now = inside->inspect.test < count - 1 ? inside->inspect.test + 1 : 0; /* 0: all */
    bool change = *argument == '+' || *argument == '-';
    int64_t number;

    if (strcmp(argument, "all") == 0)
        inside->inspect.test = VIEW_ALL_TESTS;
    else if (change && parse_among(argument, count, now, &chosen))
        inside->inspect.test = chosen > 0 ? chosen - 1 : VIEW_ALL_TESTS;
    else if (!change && view_parse_number(argument, 0, SHW_DEPTH_MAX - 1, &number))
        inside->inspect.test = (uint32_t)number;
    else
        return view_action_refuse(&inside->scene->log, "all, the number of a test on the path, or a change like +1",
                                  argument);
    return SHW_OK;
}

static enum shw_result show_texture(void *user, const char *argument)
{
    struct view_inside *inside = user;
    bool on = inside->scene->instead.on;

    SHW_PROPAGATE(view_parse_switch(&inside->scene->log, argument, &on));
    if (on && !inside->scene->instead.on)
        SHW_PROPAGATE(view_scene_need_forest(inside->scene));
    view_texture_switch(&inside->texture, inside->scene, on);
    return SHW_OK;
}

static const struct view_action actions[] = {
    {"inspect", "X Y|stay|print|on|off|toggle",
     "explain the pixel (or the texel of the forest's texture) under the cursor, or this one; `stay` keeps it, or "
     "follows the cursor again; `print` writes the explanation to standard output",
     inspect},
    {"texture", "on|off|toggle", "show the forest's texture instead of the picture", show_texture},
    {"tree", "TREE", "choose the tree whose tests the explanation shows; +1 and -1 select its neighbours", choose_tree},
    {"test", "TEST|all",
     "choose the test whose rectangles are drawn, counted from the root; +1 and -1 select its neighbours", choose_test},
    {"channel", "CHANNEL",
     "choose the channel of the overlays `channel` and `integral`, by name or number; +1 and -1 select its neighbours",
     choose_channel},
    {"levels", "auto|full|LOW HIGH",
     "values of a channel or depth image to show as black and white: the picture's extremes, the possible extremes, or "
     "these",
     set_levels},
    {0}};

static const struct view_key keys[] = {{"7", "overlay channel", "a channel"},
                                       {"8", "overlay integral", "its integral image"},
                                       {"9", "overlay depth", "depth image"},
                                       {"I", "inspect toggle", "explain the pixel"},
                                       {"Ctrl+I", "inspect stay", "keep this pixel"},
                                       {"J", "tree +1", "next tree"},
                                       {"L", "test +1", "next test"},
                                       {"X", "texture toggle", "the forest's texture"},
                                       {"'", "channel +1", "next channel"},
                                       {";", "channel -1", "previous channel"},
                                       {0}};

const struct view_action_group view_inspect_group = {"Look inside", actions, keys};
