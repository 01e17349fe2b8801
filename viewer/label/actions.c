#include "label/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/technique.h>

#include "action/action.h"
#include "base/ktx2.h"
#include "base/log.h"
#include "files/code/forest_code.h"
#include "formats/kinect.h"

#define BUDGET_MAX 1000

/* Pictures are read as those were that the forest was trained on, unless a project says how. A forest that says nothing
 * leaves what the user has chosen, but not what another forest has. */
static void recall_choice(struct view_scene *scene, const struct shw_forest_info *info)
{
    struct view_player *player = scene->player;
    struct shw_image_choice choice = {0};

    shw_image_choice_recall(info, &choice);
    if (scene->project.list != NULL || (shw_image_choice_is_default(&choice) && !player->recalled) ||
        shw_image_choice_equal(&choice, &player->chosen))
        return;
    player->recalled = view_player_choose(player, &choice) == SHW_OK;
}

static void warn_of_classes(const struct view_scene *scene, const char *path)
{
    if (scene->project.count > 0 && !view_scene_forest_has_project_classes(scene))
        shw_log_message(&scene->log, SHW_LOG_WARNING, SHW_LOG_PROJECT,
                        "%s has other classes than the project: its labels are shown with the project's names and "
                        "colours",
                        path);
}

/* Takes over the forest, which was read from that file. */
static enum shw_result use_forest(struct view_scene *scene, const char *argument, struct shw_forest *forest)
{
    struct view_shared_forest *shared = view_shared_forest_create(forest, true, 0);

    if (shared == NULL) {
        shw_code_destroy_forest(&forest);
        return shw_fail_memory(&scene->log, argument);
    }
    shared->path = strdup(argument);
    shared->for_kinect = shw_forest_focal_is_assumed(shw_forest_get_info(forest));
    if (shared->path != NULL) {
        recall_choice(scene, shw_forest_get_info(forest));
        scene->smoothing.off = false;
        scene->smoothing.radius = 0;
        SHW_PROPAGATE(view_scene_set_forest(scene, shared));
        warn_of_classes(scene, argument);
        return SHW_OK;
    }
    view_shared_forest_release(&shared);
    return shw_fail_memory(&scene->log, argument);
}

void view_scene_drop_held_forest(struct view_scene *scene)
{
    free(scene->held_forest.path);
    free(scene->held_forest.bytes);
    shw_forest_code_free(&scene->held_forest.list, scene->held_forest.count);
    scene->held_forest.path = NULL;
    scene->held_forest.bytes = NULL;
    scene->held_forest.count = 0;
}

static enum shw_result load_bytes(struct view_scene *scene, const char *path, const void *bytes, size_t size,
                                  enum shw_code_trust trust)
{
    const struct shw_forest_load_params params = shw_plugins_params(&scene->plugins, &scene->log);
    struct shw_forest *forest = NULL;

    SHW_PROPAGATE(shw_code_forest_load_memory(bytes, size, path, trust, &params, &forest));
    return use_forest(scene, path, forest);
}

enum shw_result view_scene_load_held_forest(struct view_scene *scene)
{
    char *path = scene->held_forest.path;
    enum shw_result result;

    scene->held_forest.path = NULL; /* it waits no longer */
    result = load_bytes(scene, path, scene->held_forest.bytes, scene->held_forest.size, SHW_CODE_TRUSTED);
    free(path);
    view_scene_drop_held_forest(scene);
    return result;
}

/* One that brings texts waits until it is known whether they may run. */
static enum shw_result load_forest(void *user, const char *argument)
{
    struct view_scene *scene = user;
    struct shw_forest_code *list = NULL;
    uint32_t count = 0;
    void *bytes = NULL;
    char *path = NULL;
    size_t size;
    enum shw_result result;

    SHW_PROPAGATE(shw_ktx2_read_file(argument, &scene->log, &bytes, &size));
    if (scene->held_forest.may_wait && shw_forest_code_list(bytes, size, &list, &count) && count > 0)
        path = strdup(argument);
    view_scene_drop_held_forest(scene);
    if (path != NULL) {
        scene->held_forest.path = path;
        scene->held_forest.bytes = bytes;
        scene->held_forest.size = size;
        scene->held_forest.list = list;
        scene->held_forest.count = count;
        return SHW_OK;
    }
    shw_forest_code_free(&list, count);
    result = load_bytes(scene, argument, bytes, size, SHW_CODE_REFUSED);
    free(bytes);
    return result;
}

/* STAGE TECHNIQUE, or one technique for all stages. */
static enum shw_result set_technique(void *user, const char *argument)
{
    struct view_scene *scene = user;
    const char *blank = strchr(argument, ' '), *name = blank != NULL ? blank + 1 : argument;
    bool found = false;

    for (uint32_t stage = 0; stage < SHW_STAGE_COUNT; stage++) {
        const char *stage_name = shw_stage_name((enum shw_stage)stage);
        if (blank != NULL && (strlen(stage_name) != (size_t)(blank - argument) ||
                              strncmp(stage_name, argument, (size_t)(blank - argument)) != 0))
            continue;
        for (int t = 0; t <= SHW_TECHNIQUE_COMPUTE; t++)
            if (strcmp(shw_technique_name((enum shw_technique)t), name) == 0) {
                scene->labelling.techniques[stage] = (enum shw_technique)t;
                found = true;
            }
    }
    if (!found)
        return view_action_refuse(
            &scene->log,
            "a technique: auto, fragment, compute or cpu, after `channels`, `integrate` or `evaluate` for one stage",
            argument);
    scene->labelling.new_techniques = scene->labelling.wanted = true;
    return SHW_OK;
}

static enum shw_result set_budget(void *user, const char *argument)
{
    struct view_scene *scene = user;
    int64_t budget;

    if (!view_parse_number(argument, 0, BUDGET_MAX, &budget))
        return view_action_refuse(&scene->log, "milliseconds, or 0", argument);
    scene->labelling.budget = (double)budget;
    return SHW_OK;
}

/* What is known about the labels that are seen. */
static enum shw_result print_labels(void *user, const char *argument)
{
    const struct view_scene *scene = user;
    const struct shw_part detail = view_scene_part(scene, VIEW_DETAIL),
                          overview = view_scene_part(scene, VIEW_OVERVIEW);
    bool any = scene->picture != NULL && scene->forest != NULL && view_labelling_has_labels(&scene->labelling);

    (void)argument;
    printf("shown labels: %s", !any ? "none" : view_scene_is_current(scene) ? "exact" : "preview");
    if (any)
        printf(", of one in %u pixels across and down", detail.width > 0 ? detail.step : overview.step);
    if (any && view_scene_radius(scene) > 0)
        printf(scene->smoothing.off ? ", not smoothed" : ", smoothed with radius %u", view_scene_radius(scene));
    printf("\n");
    fflush(stdout);
    return SHW_OK;
}

static const struct view_action label_actions[] = {
    {"forest", "FILE", "use the forest in this .ktx2 file", load_forest},
    {"technique", "[STAGE] NAME",
     "compute labels by auto, fragment, compute or cpu; STAGE: channels, integrate or evaluate", set_technique},
    {"budget", "MILLISECONDS",
     "time per frame for labels; the rest is done in the next frames; 0: complete labels in every frame", set_budget},
    {"shown-labels", NULL,
     "print whether the labels that are seen are exact or a preview, of which pixels of a large picture there are any, "
     "and how they are smoothed",
     print_labels},
    {0}};

static const struct view_key no_keys[] = {{0}};

const struct view_action_group view_label_group = {"Labels", label_actions, no_keys};

#define NAMED(mode, name, ...) " " name

static enum shw_result set_overlay(void *user, const char *argument)
{
    struct view_scene *scene = user;
    uint32_t mode = view_overlay_find(argument);

    if (mode == VIEW_MODE_COUNT)
        return view_action_refuse(&scene->log, "an overlay: one of" VIEW_OVERLAY_KINDS(NAMED), argument);
    scene->settings.mode = mode;
    return SHW_OK;
}

static enum shw_result choose_class(void *user, const char *argument)
{
    struct view_scene *scene = user;
    uint32_t count = view_scene_classes(scene).count, number = scene->settings.chosen;

    if (strcmp(argument, "next") == 0 && count > 0)
        number = (number + 1) % count;
    else if (!view_scene_find_class(scene, argument, &number))
        return argument[0] == '#'
                   ? shw_fail(&scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there are only %u classes", count)
                   : view_action_refuse(&scene->log, "a class's name or number", argument);
    scene->settings.chosen = number;
    return SHW_OK;
}

/* CLASS on, off or alone; or `all` on. */
static enum shw_result set_visible(void *user, const char *argument)
{
    struct view_scene *scene = user;
    char name[256];
    const char *blank = strrchr(argument, ' ');
    size_t length = blank != NULL ? (size_t)(blank - argument) : 0;
    const char *state = blank != NULL ? blank + 1 : "";
    uint32_t number = 0;
    bool on = strcmp(state, "on") == 0, alone = strcmp(state, "alone") == 0;

    if (length == 0 || length >= sizeof name || (!on && !alone && strcmp(state, "off") != 0))
        return view_action_refuse(&scene->log, "a class's name or number, or `all`, followed by on, off or alone",
                                  argument);
    memcpy(name, argument, length);
    name[length] = '\0';
    if (strcmp(name, "all") == 0 && !alone) {
        for (uint32_t c = 0; c < scene->class_count; c++)
            scene->hidden[c] = !on;
    } else if (!view_scene_find_class(scene, name, &number)) {
        return view_action_refuse(&scene->log, "a class's name or number", name);
    } else {
        for (uint32_t c = 0; alone && c < scene->class_count; c++)
            scene->hidden[c] = true;
        scene->hidden[number] = !on && !alone;
    }
    view_scene_colour_classes(scene);
    return SHW_OK;
}

/* A number, or a change such as +10 or -10. The result is clamped to 0..100. */
static enum shw_result set_percent(const struct view_scene *scene, const char *argument, uint32_t *percent)
{
    int64_t number;

    if (!view_parse_number(argument, -100, 100, &number))
        return view_action_refuse(&scene->log, "a percentage, or a change like +10", argument);
    if (*argument == '+' || *argument == '-')
        number += *percent;
    *percent = number < 0 ? 0 : number > 100 ? 100 : (uint32_t)number;
    return SHW_OK;
}

static enum shw_result set_colour_blind(void *user, const char *argument)
{
    struct view_scene *scene = user;

    SHW_PROPAGATE(view_parse_switch(&scene->log, argument, &scene->colour_blind));
    view_scene_colour_classes(scene);
    return SHW_OK;
}

static enum shw_result set_opacity(void *user, const char *argument)
{
    struct view_scene *scene = user;

    return set_percent(scene, argument, &scene->settings.opacity);
}

static enum shw_result set_wipe(void *user, const char *argument)
{
    struct view_scene *scene = user;

    return set_percent(scene, argument, &scene->settings.wipe);
}

static enum shw_result set_contours(void *user, const char *argument)
{
    struct view_scene *scene = user;

    return view_parse_switch(&scene->log, argument, &scene->settings.contours);
}

static enum shw_result zoom(void *user, const char *argument)
{
    struct view_scene *scene = user;
    const struct view_area *area = &scene->area;
    double factor;
    char *end;

    if (strcmp(argument, "fit") == 0) {
        view_scene_fit(scene);
        return SHW_OK;
    }
    factor = strtod(argument, &end);
    if (strcmp(argument, "in") == 0)
        factor = 2.0 * scene->place.zoom / VIEW_ZOOM_ONE;
    else if (strcmp(argument, "out") == 0)
        factor = 0.5 * scene->place.zoom / VIEW_ZOOM_ONE;
    else if (end == argument || *end != '\0' || !(factor > 0.0 && factor <= 1e6))
        return view_action_refuse(&scene->log, "fit, in, out or a factor", argument);
    view_scene_zoom(scene, factor >= 64.0 ? VIEW_ZOOM_MAX : (uint32_t)(factor * VIEW_ZOOM_ONE + 0.5),
                    area->x + (int32_t)(area->width / 2), area->y + (int32_t)(area->height / 2));
    return SHW_OK;
}

static enum shw_result pan(void *user, const char *argument)
{
    struct view_scene *scene = user;
    int64_t x, y;

    if (!view_parse_pair(argument, -100000, 100000, &x, &y))
        return view_action_refuse(&scene->log, "two numbers of pixels", argument);
    view_scene_move(scene, (int64_t)x * VIEW_ZOOM_ONE, (int64_t)y * VIEW_ZOOM_ONE);
    return SHW_OK;
}

static enum shw_result centre(void *user, const char *argument)
{
    struct view_scene *scene = user;
    int64_t x, y;

    if (!view_parse_pair(argument, 0, SHW_IMAGE_SIZE_MAX, &x, &y))
        return view_action_refuse(&scene->log, "a pixel of the picture", argument);
    view_scene_centre(scene, (uint32_t)x, (uint32_t)y);
    return SHW_OK;
}

static enum shw_result set_range(void *user, const char *argument)
{
    struct view_scene *scene = user;
    int64_t low, high;

    scene->auto_range = strcmp(argument, "auto") == 0;
    scene->range_given = true;
    if (scene->auto_range && scene->picture != NULL)
        scene->display.range = scene->picture->range;
    else if (!scene->auto_range) {
        if (!view_parse_pair(argument, 0, UINT16_MAX, &low, &high) || low >= high)
            return view_action_refuse(&scene->log, "auto, or two 16-bit samples, the second above the first", argument);
        scene->display.range = (struct view_display_range){(uint16_t)low, (uint16_t)high};
    }
    scene->upload = scene->picture != NULL;
    scene->shown.rows = 0;
    return SHW_OK;
}

static const struct view_action view_actions[] = {
    {"overlay", "MODE",
     "choose what is shown over the picture, or instead of it; MODE is one of" VIEW_OVERLAY_KINDS(
         NAMED) "; heat is the probability "
                "of one class, blend all classes by probability, channel and integral what `channel` says",
     set_overlay},
    {"class", "CLASS|next",
     "choose the class of the overlay `heat` and of the brush, by name or number; #2 is number 2 even if a class is "
     "called 2",
     choose_class},
    {"visible", "CLASS on|off|alone", "show or hide the colour of a class; CLASS may be `all`", set_visible},
    {"colour-blind", "on|off|toggle",
     "show default colours of classes as others that colour-blind people can distinguish; the classes keep theirs",
     set_colour_blind},
    {"opacity", "PERCENT", "set the opacity of the overlay; +10 or -10 changes it", set_opacity},
    {"contours", "on|off|toggle", "draw contour lines between classes", set_contours},
    {"wipe", "PERCENT",
     "show the picture without overlay in this part of the width, from the left; +5 or -5 changes it", set_wipe},
    {"zoom", "fit|in|out|FACTOR", "zoom; 1 is pixel for pixel; from 1/64 to 64", zoom},
    {"pan", "X Y", "move the picture right and down by this many pixels of the window", pan},
    {"centre", "X Y", "centre the view on this pixel of the picture", centre},
    {"range", "auto|LOW HIGH", "16-bit samples to show as black and white; labels are computed from the full range",
     set_range},
    {0}};

#define VIEW_WITH_KEY(...) {__VA_ARGS__},
#define VIEW_WITHOUT_KEY
#define KEY(mode, name, panel, button, tip, labels, plane, needs, begins, ends, key) key

static const struct view_key view_keys[] = {VIEW_OVERLAY_KINDS(KEY){"Q", "class next", "next class"},
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
                                            {"+", "zoom in", "zoom in"},
                                            {"-", "zoom out", "zoom out"},
                                            {"Left", "pan 64 0", "scroll left"},
                                            {"Right", "pan -64 0", "scroll right"},
                                            {"Up", "pan 0 64", "scroll up"},
                                            {"Down", "pan 0 -64", "scroll down"},
                                            {0}};

const struct view_action_group view_view_group = {"Overlay and place", view_actions, view_keys};
