#include "action.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/technique.h>

#include "base/log.h"

#define FRAMES_MAX 1000000u

static enum shw_result refuse(struct view_app *app, const char *what, const char *argument)
{
    return shw_fail(&app->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s is not %s", argument, what);
}

/* A whole number from low to high. */
static bool parse_number(const char *text, long low, long high, long *number)
{
    char *end;

    *number = strtol(text, &end, 10);
    return end != text && *end == '\0' && *number >= low && *number <= high;
}

/* Two whole numbers. */
static bool parse_pair(const char *text, long low, long high, long *first, long *second)
{
    char *end;

    *first = strtol(text, &end, 10);
    return end != text && *first >= low && *first <= high && isspace((unsigned char)*end) &&
           parse_number(end + strspn(end, " \t"), low, high, second);
}

/* The number of a class, by its name or its number. */
static bool parse_class(const struct view_app *app, const char *text, uint32_t *number)
{
    long parsed;

    for (uint32_t c = 0; app->forest != NULL && c < app->class_count; c++)
        if (strcmp(shw_forest_get_info(app->forest)->classes[c].name, text) == 0) {
            *number = c;
            return true;
        }
    if (!parse_number(text, 0, (long)app->class_count - 1, &parsed))
        return false;
    *number = (uint32_t)parsed;
    return true;
}

static enum shw_result load_forest(struct view_app *app, const char *argument)
{
    struct shw_forest *forest = NULL;
    enum shw_result result = shw_forest_load(argument, &app->log, &forest);

    return result == SHW_OK ? view_app_set_forest(app, forest) : result;
}

static enum shw_result set_overlay(struct view_app *app, const char *argument)
{
    for (uint32_t m = 0; m < VIEW_MODE_COUNT; m++)
        if (strcmp(view_mode_names[m], argument) == 0) {
            app->settings.mode = m;
            return SHW_OK;
        }
    return refuse(app, "an overlay: none, argmax, heat, blend, entropy, truth or errors", argument);
}

static enum shw_result choose_class(struct view_app *app, const char *argument)
{
    uint32_t number;

    if (!parse_class(app, argument, &number))
        return refuse(app, "a class's name or number", argument);
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
        return refuse(app, "a class's name or number, or `all`, followed by on, off or alone", argument);
    memcpy(name, argument, length);
    name[length] = '\0';
    if (strcmp(name, "all") == 0 && !alone) {
        for (uint32_t c = 0; c < app->class_count; c++)
            app->hidden[c] = !on;
    } else if (!parse_class(app, name, &number)) {
        return refuse(app, "a class's name or number", name);
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

    if (!parse_number(argument, -100, 100, &number))
        return refuse(app, "a percentage, or + or - one", argument);
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

static enum shw_result set_switch(struct view_app *app, const char *argument, bool *state)
{
    bool toggle = strcmp(argument, "toggle") == 0, on = strcmp(argument, "on") == 0;

    if (!toggle && !on && strcmp(argument, "off") != 0)
        return refuse(app, "on, off or toggle", argument);
    *state = toggle ? !*state : on;
    return SHW_OK;
}

static enum shw_result set_contours(struct view_app *app, const char *argument)
{
    return set_switch(app, argument, &app->settings.contours);
}

static enum shw_result set_vsync(struct view_app *app, const char *argument)
{
    return set_switch(app, argument, &app->vsync);
}

static enum shw_result zoom(struct view_app *app, const char *argument)
{
    VkExtent2D canvas = app->canvas.image.extent;
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
        return refuse(app, "fit, in, out or a factor", argument);
    view_app_zoom(app, factor >= 64.0 ? VIEW_ZOOM_MAX : (uint32_t)(factor * VIEW_ZOOM_ONE + 0.5), (int32_t)(canvas.width / 2),
                  (int32_t)(canvas.height / 2));
    return SHW_OK;
}

static enum shw_result pan(struct view_app *app, const char *argument)
{
    long x, y;

    if (!parse_pair(argument, -100000, 100000, &x, &y))
        return refuse(app, "two numbers of pixels", argument);
    view_app_move(app, (int64_t)x * VIEW_ZOOM_ONE, (int64_t)y * VIEW_ZOOM_ONE);
    return SHW_OK;
}

/* The middle of that pixel of the picture comes into the middle of the canvas. */
static enum shw_result centre(struct view_app *app, const char *argument)
{
    VkExtent2D canvas = app->canvas.image.extent;
    long x, y;

    if (!parse_pair(argument, 0, SHW_IMAGE_SIZE_MAX, &x, &y))
        return refuse(app, "a pixel of the picture", argument);
    view_app_move(app,
                  (int64_t)canvas.width * VIEW_ZOOM_ONE / 2 - (2 * (int64_t)x + 1) * app->place.zoom / 2 - app->place.offset_x,
                  (int64_t)canvas.height * VIEW_ZOOM_ONE / 2 - (2 * (int64_t)y + 1) * app->place.zoom / 2 - app->place.offset_y);
    return SHW_OK;
}

static enum shw_result set_range(struct view_app *app, const char *argument)
{
    long low, high;

    app->auto_range = strcmp(argument, "auto") == 0;
    if (app->auto_range && app->source != NULL)
        app->range = view_source_display_range(app->source);
    else if (!app->auto_range) {
        if (!parse_pair(argument, 0, UINT16_MAX, &low, &high) || low >= high)
            return refuse(app, "auto, or two 16-bit samples, the second above the first", argument);
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
    result = set_switch(app, argument, &info.playing);
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
        return refuse(app, "forward or back", argument);
    if (app->source == NULL)
        return SHW_OK;
    app->settle = true;
    return back ? view_source_step_back(app->source) : view_source_step_forward(app->source);
}

static enum shw_result parse_positive(struct view_app *app, const char *argument, double *number)
{
    char *end;

    *number = strtod(argument, &end);
    return end != argument && *end == '\0' && *number >= 0.0 && *number < 1e9 ? SHW_OK
                                                                              : refuse(app, "a number, 0 or more", argument);
}

static enum shw_result seek(struct view_app *app, const char *argument)
{
    double seconds;
    enum shw_result result = parse_positive(app, argument, &seconds);

    if (result != SHW_OK || app->source == NULL)
        return result;
    app->settle = true;
    return view_source_seek(app->source, seconds);
}

static enum shw_result set_speed(struct view_app *app, const char *argument)
{
    double speed;
    enum shw_result result = parse_positive(app, argument, &speed);

    if (result == SHW_OK && app->source != NULL)
        view_source_set_speed(app->source, speed);
    return result;
}

/* STAGE TECHNIQUE, or the technique of all stages. */
static enum shw_result set_technique(struct view_app *app, const char *argument)
{
    const char *blank = strchr(argument, ' '), *name = blank != NULL ? blank + 1 : argument;
    const enum shw_technique known[] = {SHW_TECHNIQUE_AUTO, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE};
    bool found = false;

    for (uint32_t stage = 0; stage < SHW_STAGE_COUNT; stage++) {
        const char *stage_name = shw_stage_name((enum shw_stage)stage);
        if (blank != NULL &&
            (strlen(stage_name) != (size_t)(blank - argument) || strncmp(stage_name, argument, (size_t)(blank - argument)) != 0))
            continue;
        for (size_t t = 0; t < sizeof known / sizeof *known; t++)
            if (strcmp(shw_technique_name(known[t]), name) == 0) {
                app->techniques[stage] = known[t];
                found = true;
            }
    }
    if (!found)
        return refuse(app, "a technique: auto, fragment or compute, after `channels`, `integrate` or `evaluate` for one stage",
                      argument);
    app->new_labeller = app->relabel = true;
    return SHW_OK;
}

static enum shw_result set_size(struct view_app *app, const char *argument)
{
    const uint32_t most = app->gpu.properties.limits.maxImageDimension2D;
    long width, height;

    if (!parse_pair(argument, 1, (long)most, &width, &height))
        return refuse(app, "a width and a height in pixels", argument);
    app->size = (VkExtent2D){(uint32_t)width, (uint32_t)height};
    return SHW_OK;
}

static enum shw_result wait_frames(struct view_app *app, const char *argument)
{
    long frames;

    if (!parse_number(argument, 0, FRAMES_MAX, &frames))
        return refuse(app, "a number of frames", argument);
    app->wait = (uint32_t)frames;
    return SHW_OK;
}

static enum shw_result print_times(struct view_app *app, const char *argument)
{
    enum shw_result result;

    (void)argument;
    app->relabel = true;
    SHW_TRY(view_app_frame(app, NULL));
    SHW_TRY(view_frames_wait(&app->gpu, &app->frames));
    printf("frame %llu: labelling %.3f ms, drawing %.3f ms\n", (unsigned long long)app->frames.count, app->frames.times.labelling,
           app->frames.times.drawing);

fail:
    return result;
}

static enum shw_result quit(struct view_app *app, const char *argument)
{
    (void)argument;
    app->quit = true;
    return SHW_OK;
}

const struct view_action view_actions[] = {
    {"open", "FILE", "show an image, a folder, a data set (dataset:FOLDER), a video, a camera (/dev/video0, camera:FILE)",
     view_app_open},
    {"play", "on|off|toggle", "play the source, or stay at the picture", play},
    {"step", "forward|back", "to the picture after or before, and stay there", step},
    {"seek", "SECONDS", "to that place of the source; pictures of folders are a second apart", seek},
    {"speed", "FACTOR", "of playing: 1 is real time", set_speed},
    {"forest", "FILE", "label by the forest in a .ktx2 file", load_forest},
    {"overlay", "MODE",
     "over the picture: none, argmax, heat (the probability of one class), blend (all classes by probability), "
     "entropy, truth or errors",
     set_overlay},
    {"class", "CLASS", "the class of the overlay `heat`, by name or number", choose_class},
    {"visible", "CLASS on|off|alone", "colour the pixels of a class, or do not; CLASS may be `all`", set_visible},
    {"opacity", "PERCENT", "of the overlay; +10 or -10 change it", set_opacity},
    {"contours", "on|off|toggle", "draw lines where classes meet", set_contours},
    {"wipe", "PERCENT", "leave that much of the width to the picture alone; +5 or -5 change it", set_wipe},
    {"zoom", "fit|in|out|FACTOR", "1 is a pixel for a pixel; from 1/64 to 64", zoom},
    {"pan", "X Y", "move the picture by pixels of the window, to the right and down", pan},
    {"centre", "X Y", "bring a pixel of the picture into the middle", centre},
    {"range", "auto|LOW HIGH", "16-bit samples that are shown as black and white; labelling sees all", set_range},
    {"technique", "[STAGE] NAME", "label by auto, fragment or compute; STAGE: channels, integrate or evaluate", set_technique},
    {"size", "WIDTH HEIGHT", "of the window's contents, in pixels", set_size},
    {"vsync", "on|off|toggle", "let a window wait for its display", set_vsync},
    {"times", NULL, "label once more and print the device's times", print_times},
    {"wait", "FRAMES", "in scripts: go on after that many frames", wait_frames},
    {"screenshot", "FILE", "write what is seen as a PNG file", view_app_screenshot},
    {"quit", NULL, "end the program", quit},
    {0}};

const struct view_key view_keys[] = {{"Space", "play toggle", "play or stay"},
                                     {"PageDown", "step forward", "next picture"},
                                     {"PageUp", "step back", "picture before"},
                                     {"0", "overlay none", "picture alone"},
                                     {"1", "overlay argmax", "likeliest class"},
                                     {"2", "overlay heat", "one class's probability"},
                                     {"3", "overlay blend", "all classes by probability"},
                                     {"4", "overlay entropy", "uncertainty"},
                                     {"5", "overlay truth", "ground truth"},
                                     {"6", "overlay errors", "errors"},
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
                                     {"Ctrl+S", "screenshot shadewood-viewer.png", "screenshot"},
                                     {"Ctrl+Q", "quit", "quit"},
                                     {0}};

enum shw_result view_action_run(struct view_app *app, const char *line)
{
    char text[4096];
    const char *name = line + strspn(line, " \t"), *argument;
    size_t length = strlen(name), name_length = strcspn(name, " \t");

    while (length > 0 && isspace((unsigned char)name[length - 1]))
        length--;
    if (length >= sizeof text)
        return refuse(app, "an action, but too long", "a line");
    memcpy(text, name, length);
    text[length] = '\0';
    name_length = strcspn(text, " \t");
    argument = text + name_length + strspn(text + name_length, " \t");
    for (const struct view_action *action = view_actions; action->name != NULL; action++) {
        if (strlen(action->name) != name_length || strncmp(action->name, text, name_length) != 0)
            continue;
        if ((action->argument != NULL) != (*argument != '\0'))
            return shw_fail(&app->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the action %s takes %s", action->name,
                            action->argument != NULL ? action->argument : "nothing");
        app->redraw = true;
        return action->run(app, argument);
    }
    return refuse(app, "an action (shadewood-viewer --help lists them)", text);
}

enum shw_result view_key_run(struct view_app *app, const char *key)
{
    for (const struct view_key *known = view_keys; known->key != NULL; known++)
        if (strcmp(known->key, key) == 0)
            return view_action_run(app, known->line);
    return SHW_OK;
}

void view_action_help(FILE *file)
{
    fprintf(file, "\nActions, one a line in a script (a line that begins with # is none):\n");
    for (const struct view_action *action = view_actions; action->name != NULL; action++)
        fprintf(file, "  %-10s %-18s  %s\n", action->name, action->argument != NULL ? action->argument : "", action->help);
    fprintf(file, "\nKeys:\n");
    for (const struct view_key *key = view_keys; key->key != NULL; key++)
        fprintf(file, "  %-7s %-28s (%s)\n", key->key, key->help, key->line);
}
