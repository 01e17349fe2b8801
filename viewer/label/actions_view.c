#include "shell/actions.h"

#include <stdlib.h>
#include <string.h>

#include "action/parse.h"
#include "base/log.h"

static enum shw_result set_overlay(struct view_app *app, const char *argument)
{
    for (uint32_t m = 0; m < VIEW_MODE_COUNT; m++)
        if (strcmp(view_mode_names[m], argument) == 0) {
            app->settings.mode = m;
            return SHW_OK;
        }
    return view_action_refuse(
        app, "an overlay: none, argmax, heat, blend, entropy, truth, errors, channel, integral or depth", argument);
}

static enum shw_result choose_class(struct view_app *app, const char *argument)
{
    const struct shw_class *classes;
    uint32_t count = view_app_classes(app, &classes), number = app->settings.chosen;

    if (strcmp(argument, "next") == 0 && count > 0)
        number = (number + 1) % count;
    else if (!view_parse_class(app, argument, &number))
        return argument[0] == '#'
                   ? shw_fail(&app->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there are only %u classes", count)
                   : view_action_refuse(app, "a class's name or number", argument);
    app->settings.chosen = number;
    return SHW_OK;
}

/* CLASS on, off or alone; or `all` on. */
static enum shw_result set_visible(struct view_app *app, const char *argument)
{
    char name[256];
    const char *blank = strrchr(argument, ' ');
    size_t length = blank != NULL ? (size_t)(blank - argument) : 0;
    const char *state = blank != NULL ? blank + 1 : "";
    uint32_t number = 0;
    bool on = strcmp(state, "on") == 0, alone = strcmp(state, "alone") == 0;

    if (length == 0 || length >= sizeof name || (!on && !alone && strcmp(state, "off") != 0))
        return view_action_refuse(app, "a class's name or number, or `all`, followed by on, off or alone", argument);
    memcpy(name, argument, length);
    name[length] = '\0';
    if (strcmp(name, "all") == 0 && !alone) {
        for (uint32_t c = 0; c < app->class_count; c++)
            app->hidden[c] = !on;
    } else if (!view_parse_class(app, name, &number)) {
        return view_action_refuse(app, "a class's name or number", name);
    } else {
        for (uint32_t c = 0; alone && c < app->class_count; c++)
            app->hidden[c] = true;
        app->hidden[number] = !on && !alone;
    }
    view_app_colour_classes(app);
    return SHW_OK;
}

/* A number, or a change: +10, -10. The result stays within 0..100. */
static enum shw_result set_percent(struct view_app *app, const char *argument, uint32_t *percent)
{
    long number;

    if (!view_parse_number(argument, -100, 100, &number))
        return view_action_refuse(app, "a percentage, or + or - one", argument);
    if (*argument == '+' || *argument == '-')
        number += *percent;
    *percent = number < 0 ? 0 : number > 100 ? 100 : (uint32_t)number;
    return SHW_OK;
}

static enum shw_result set_opacity(struct view_app *app, const char *argument)
{
    return set_percent(app, argument, &app->settings.opacity);
}

static enum shw_result set_wipe(struct view_app *app, const char *argument)
{
    return set_percent(app, argument, &app->settings.wipe);
}

static enum shw_result set_contours(struct view_app *app, const char *argument)
{
    return view_parse_switch(app, argument, &app->settings.contours);
}

static enum shw_result zoom(struct view_app *app, const char *argument)
{
    const struct view_area *area = &app->area;
    double factor;
    char *end;

    if (strcmp(argument, "fit") == 0) {
        view_app_fit(app);
        return SHW_OK;
    }
    factor = strtod(argument, &end);
    if (strcmp(argument, "in") == 0)
        factor = 2.0 * app->place.zoom / VIEW_ZOOM_ONE;
    else if (strcmp(argument, "out") == 0)
        factor = 0.5 * app->place.zoom / VIEW_ZOOM_ONE;
    else if (end == argument || *end != '\0' || !(factor > 0.0 && factor <= 1e6))
        return view_action_refuse(app, "fit, in, out or a factor", argument);
    view_app_zoom(app, factor >= 64.0 ? VIEW_ZOOM_MAX : (uint32_t)(factor * VIEW_ZOOM_ONE + 0.5),
                  area->x + (int32_t)(area->width / 2), area->y + (int32_t)(area->height / 2));
    return SHW_OK;
}

static enum shw_result pan(struct view_app *app, const char *argument)
{
    long x, y;

    if (!view_parse_pair(argument, -100000, 100000, &x, &y))
        return view_action_refuse(app, "two numbers of pixels", argument);
    view_app_move(app, (int64_t)x * VIEW_ZOOM_ONE, (int64_t)y * VIEW_ZOOM_ONE);
    return SHW_OK;
}

/* The middle of that pixel of the picture comes into the middle of the free part of the canvas. */
static enum shw_result centre(struct view_app *app, const char *argument)
{
    int64_t across = 2 * (int64_t)app->area.x + app->area.width, down = 2 * (int64_t)app->area.y + app->area.height;
    long x, y;

    if (!view_parse_pair(argument, 0, SHW_IMAGE_SIZE_MAX, &x, &y))
        return view_action_refuse(app, "a pixel of the picture", argument);
    view_app_move(app, across * VIEW_ZOOM_ONE / 2 - (2 * (int64_t)x + 1) * app->place.zoom / 2 - app->place.offset_x,
                  down * VIEW_ZOOM_ONE / 2 - (2 * (int64_t)y + 1) * app->place.zoom / 2 - app->place.offset_y);
    return SHW_OK;
}

static const struct view_action actions[] = {
    {"overlay", "MODE",
     "over the picture: none, argmax, heat (the probability of one class), blend (all classes by probability), "
     "entropy, truth, errors, channel, integral (of what `channel` says) or depth",
     set_overlay},
    {"class", "CLASS|next",
     "the class of the overlay `heat` and of the brush, by name or number; #2 is number 2 whatever classes are called",
     choose_class},
    {"visible", "CLASS on|off|alone", "colour the pixels of a class, or do not; CLASS may be `all`", set_visible},
    {"opacity", "PERCENT", "of the overlay; +10 or -10 change it", set_opacity},
    {"contours", "on|off|toggle", "draw lines where classes meet", set_contours},
    {"wipe", "PERCENT", "leave that much of the width to the picture alone; +5 or -5 change it", set_wipe},
    {"zoom", "fit|in|out|FACTOR", "1 is a pixel for a pixel; from 1/64 to 64", zoom},
    {"pan", "X Y", "move the picture by pixels of the window, to the right and down", pan},
    {"centre", "X Y", "bring a pixel of the picture into the middle", centre},
    {0}};

static const struct view_key keys[] = {{"0", "overlay none", "picture alone"},
                                       {"1", "overlay argmax", "likeliest class"},
                                       {"2", "overlay heat", "one class's probability"},
                                       {"3", "overlay blend", "all classes by probability"},
                                       {"4", "overlay entropy", "uncertainty"},
                                       {"5", "overlay truth", "ground truth"},
                                       {"6", "overlay errors", "errors"},
                                       {"Q", "class next", "next class, to see or to paint"},
                                       {"Ctrl+1", "class #0", "first class, ... Ctrl+9 the ninth"},
                                       {"Ctrl+2", "class #1", NULL},
                                       {"Ctrl+3", "class #2", NULL},
                                       {"Ctrl+4", "class #3", NULL},
                                       {"Ctrl+5", "class #4", NULL},
                                       {"Ctrl+6", "class #5", NULL},
                                       {"Ctrl+7", "class #6", NULL},
                                       {"Ctrl+8", "class #7", NULL},
                                       {"Ctrl+9", "class #8", NULL},
                                       {"C", "contours toggle", "contour lines"},
                                       {"]", "opacity +10", "more opaque"},
                                       {"[", "opacity -10", "more transparent"},
                                       {".", "wipe +5", "wipe to the right"},
                                       {",", "wipe -5", "wipe to the left"},
                                       {"A", "visible all on", "all classes visible"},
                                       {"F", "zoom fit", "whole picture"},
                                       {"Z", "zoom 1", "pixel for pixel"},
                                       {"+", "zoom in", "nearer"},
                                       {"-", "zoom out", "farther"},
                                       {"Left", "pan 64 0", "look to the left"},
                                       {"Right", "pan -64 0", "look to the right"},
                                       {"Up", "pan 0 64", "look up"},
                                       {"Down", "pan 0 -64", "look down"},
                                       {0}};

const struct view_action_group view_view_group = {"Overlay and place", actions, keys};
