/* Actions for training and accuracy. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action/action.h"
#include "base/array.h"
#include "base/log.h"
#include "files/io/image_paths.h"
#include "files/io/output_files.h"
#include "label/scene.h"
#include "teach/accuracy.h"
#include "teach/teaching.h"
#include "teach/tools.h"

static enum shw_result teach(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    struct view_train_status status;
    bool on;

    SHW_PROPAGATE(view_project_need(&teaching->project, &teaching->scene->log));
    view_train_worker_get_status(teaching->worker, &status);
    on = !status.stopped;
    SHW_PROPAGATE(view_parse_switch(&teaching->scene->log, argument, &on));
    view_train_worker_stop(teaching->worker, !on);
    return SHW_OK;
}

static enum shw_result restore(void *user, const char *argument)
{
    struct view_teaching *teaching = user;

    (void)argument;
    SHW_PROPAGATE(view_project_need(&teaching->project, &teaching->scene->log));
    if (!view_train_worker_restore(teaching->worker))
        return shw_fail(&teaching->scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no previous forest");
    return SHW_OK;
}

static enum shw_result set_trainer(void *user, const char *argument)
{
    struct view_teaching *teaching = user;

    for (uint32_t t = 0; t < VIEW_TRAINER_COUNT; t++)
        if (strcmp(argument, view_trainer_names[t]) == 0)
            return view_teaching_set_trainer(teaching, (enum view_trainer)t);
    return view_action_refuse(&teaching->scene->log, "auto, device or cpu", argument);
}

static enum shw_result connect_trainer(void *user, const char *argument)
{
    return view_teaching_connect(user, argument);
}

static enum shw_result disconnect_trainer(void *user, const char *argument)
{
    (void)argument;
    return view_teaching_disconnect(user);
}

static enum shw_result print_trainer(void *user, const char *argument)
{
    const struct view_teaching *teaching = user;
    char text[512];

    (void)argument;
    view_away_tell(&teaching->away, text, sizeof text);
    printf("trainer: %s\n", text);
    fflush(stdout);
    return SHW_OK;
}

static enum shw_result print_labels(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    const uint64_t *counts;

    (void)argument;
    SHW_PROPAGATE(view_project_need(&teaching->project, &teaching->scene->log));
    counts = view_painting_count_labels(&teaching->painting);
    if (counts == NULL)
        return SHW_ERROR_MEMORY;
    for (uint32_t c = 0; c < teaching->class_count; c++)
        printf("%s: %llu pixels\n", teaching->classes[c].name, (unsigned long long)counts[c]);
    return SHW_OK;
}

static enum shw_result print_accuracy(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    const struct shw_held_out *accuracy;
    char text[VIEW_ACCURACY_TEXT];

    (void)argument;
    SHW_PROPAGATE(view_project_need(&teaching->project, &teaching->scene->log));
    accuracy = view_teaching_accuracy(teaching);
    if (accuracy == NULL) {
        printf("accuracy has not been measured yet\n");
        return SHW_OK;
    }
    for (uint32_t c = 0; c < accuracy->class_count; c++) {
        view_accuracy_of_class(accuracy, c, text);
        printf("%s: %s\n", teaching->classes[c].name, text);
    }
    view_accuracy_of_all(accuracy, text);
    printf("%s\n", text);
    return SHW_OK;
}

static enum shw_result set_memory(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    const struct shw_log *log = &teaching->scene->log;
    char *end;
    unsigned long long mebibytes = strtoull(argument, &end, 10);

    if (strcmp(argument, "auto") == 0)
        return view_teaching_set_memory(teaching, 0);
    if (argument[0] < '0' || argument[0] > '9' || *end != '\0' || mebibytes == 0 || mebibytes > UINT32_MAX)
        return view_action_refuse(log, "a number of MiB, 1 or more, or auto", argument);
    return view_teaching_set_memory(teaching, (uint64_t)mebibytes << 20);
}

/* A new file beside the project: NAME-accuracy.csv for NAME.json. NULL if out of memory. */
static char *choose_table(const struct view_teaching *teaching)
{
    const char *project = teaching->project.path;
    size_t length = strlen(project) - (shw_name_ends_with(project, ".json") ? strlen(".json") : 0);
    char *stem = strndup(project, length), *path = stem != NULL ? shw_path_join(stem, "-accuracy.csv", "") : NULL;
    char *made = path != NULL ? shw_name_unused(path) : NULL;

    free(stem);
    free(path);
    return made;
}

static enum shw_result write_accuracy(struct view_teaching *teaching, const struct shw_held_out *accuracy,
                                      const char *path)
{
    SHW_PROPAGATE(view_teaching_check_output(teaching, path, &shw_file_table));
    SHW_PROPAGATE(view_accuracy_write(accuracy, teaching->classes, path, &teaching->scene->log));
    snprintf(teaching->said, sizeof teaching->said, "wrote %s", path);
    return SHW_OK;
}

static enum shw_result save_accuracy(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    const struct shw_held_out *accuracy;
    char *path;
    enum shw_result result;

    SHW_PROPAGATE(view_project_need(&teaching->project, &teaching->scene->log));
    accuracy = view_teaching_accuracy(teaching);
    if (accuracy == NULL)
        return shw_fail(&teaching->scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "accuracy has not been measured yet");
    if (*argument == '\0' && teaching->project.path == NULL)
        return shw_fail(&teaching->scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "the project has no file beside which the table could be: save it first");
    path = *argument != '\0' ? strdup(argument) : choose_table(teaching);
    if (path == NULL)
        return shw_fail_memory(&teaching->scene->log, "accuracy");
    result = write_accuracy(teaching, accuracy, path);
    free(path);
    return result;
}

/* Of the shown picture. */
static enum shw_result keep_for_test(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    struct view_painting *painting = &teaching->painting;
    bool kept;

    SHW_PROPAGATE(view_painting_need_picture(painting));
    view_teaching_end_stroke(teaching);
    kept = shw_project_get_picture(teaching->project.data, painting->picture).kept;
    SHW_PROPAGATE(view_parse_switch(&teaching->scene->log, argument, &kept));
    shw_project_keep_for_test(teaching->project.data, painting->picture, kept);
    return SHW_OK;
}

static enum shw_result go_to_uncertain(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    const struct view_scene *scene = teaching->scene;

    if (*argument == '\0' || strcmp(argument, "place") == 0)
        return view_search_begin(&teaching->search, scene);
    if (strcmp(argument, "picture") != 0)
        return view_action_refuse(&scene->log, "place or picture", argument);
    view_picture_list_update(&teaching->list, scene->player, &teaching->project);
    return view_ranking_go(&teaching->ranking, scene, &teaching->list, &teaching->project);
}

static const struct view_action actions[] = {
    {"teach", "on|off|toggle", "train from the strokes, or pause", teach},
    {"restore", NULL, "switch to the previous forest, and back", restore},
    {"trainer", "auto|device|cpu", "choose who trains; auto: the device, unless it is a CPU itself", set_trainer},
    {"trainer-connect", "[COMMAND]",
     "let a program train that this command starts, as `ssh HOST shadewood serve`; without one, that of before",
     connect_trainer},
    {"trainer-disconnect", NULL, "train here again", disconnect_trainer},
    {"trainer-status", NULL, "print whether another machine trains, and what it is doing", print_trainer},
    {"training-memory", "MIB|auto",
     "limit the memory of training by cpu and of measuring accuracy; auto: a quarter of the machine's", set_memory},
    {"labels", NULL, "print how many pixels of each class are painted", print_labels},
    {"accuracy", NULL, "print how well strokes are labelled by forests that were not trained on them", print_accuracy},
    {"accuracy-save", "[FILE.csv]",
     "write it, with the confusion matrix, as a table; by default with a new name beside the project", save_accuracy},
    {"keep-for-test", "on|off|toggle",
     "keep the shown picture for testing: its strokes are not trained on, but accuracy is measured on them",
     keep_for_test},
    {"uncertain", "[place|picture]",
     "centre the view on the most uncertain unlabelled place, and mark it; or show the most uncertain listed picture, "
     "the next one each time; scripts wait for it",
     go_to_uncertain},
    {0}};

static const struct view_key keys[] = {{"T", "teach toggle", "pause or resume training"},
                                       {"R", "restore", "previous forest, and back"},
                                       {"N", "uncertain", "most uncertain place"},
                                       {"M", "uncertain picture", "most uncertain picture"},
                                       {0}};

const struct view_action_group view_teach_group = {"Teaching", actions, keys};

/* Actions for the tools. */

static enum shw_result choose_hand(void *user, const char *argument)
{
    struct view_teaching *teaching = user;

    for (uint32_t hand = 0; hand < VIEW_HAND_COUNT; hand++)
        if (strcmp(argument, view_tools[hand]->name) == 0) {
            view_teaching_take_in_hand(teaching, (enum view_hand)hand);
            return SHW_OK;
        }
    return view_action_refuse(&teaching->scene->log, "pan, brush, eraser, fill, lasso, polygon, wand or rectangle",
                              argument);
}

/* Takes the next word of a text; false at its end. */
static bool next_word(const char **text, char *word, size_t size)
{
    size_t length;

    *text += strspn(*text, " \t");
    length = strcspn(*text, " \t");
    if (length == 0 || length >= size)
        return false;
    memcpy(word, *text, length);
    word[length] = '\0';
    *text += length;
    return true;
}

/* The size stays about the same on the canvas. */
static void change_unit(const struct view_teaching *teaching, struct view_size *size, bool screen)
{
    uint64_t zoom = teaching->scene->place.zoom, diameter = 2 * (uint64_t)size->radius + 1;

    if (size->screen == screen)
        return;
    diameter = screen ? diameter * zoom / VIEW_ZOOM_ONE : diameter * VIEW_ZOOM_ONE / zoom;
    size->radius = diameter / 2 < SHW_STROKE_RADIUS_MAX ? (uint32_t)(diameter / 2) : SHW_STROKE_RADIUS_MAX;
    size->screen = screen;
}

/* RADIUS, UNIT or both. */
static enum shw_result set_radius(void *user, const char *argument)
{
    static const char expected[] = "a radius up to 1024, or a change like +2, and picture or screen";
    struct view_teaching *teaching = user;
    struct view_size size = *view_tool_size(teaching);
    char number[32] = "", unit[32] = "", more[32];
    const char *rest = argument;
    int64_t radius = size.radius;

    next_word(&rest, number, sizeof number);
    if (strcmp(number, "picture") == 0 || strcmp(number, "screen") == 0) {
        change_unit(teaching, &size, strcmp(number, "screen") == 0);
        if (next_word(&rest, more, sizeof more))
            return view_action_refuse(&teaching->scene->log, expected, argument);
        *view_tool_size(teaching) = size;
        return SHW_OK;
    }
    next_word(&rest, unit, sizeof unit);
    if (!view_parse_number(number, -(int64_t)SHW_STROKE_RADIUS_MAX, SHW_STROKE_RADIUS_MAX, &radius) ||
        next_word(&rest, more, sizeof more) ||
        (unit[0] != '\0' && strcmp(unit, "picture") != 0 && strcmp(unit, "screen") != 0))
        return view_action_refuse(&teaching->scene->log, expected, argument);
    if (number[0] == '+' || number[0] == '-')
        radius += size.radius;
    size.radius = (uint32_t)(radius < 0 ? 0 : radius > (int64_t)SHW_STROKE_RADIUS_MAX ? SHW_STROKE_RADIUS_MAX : radius);
    if (unit[0] != '\0')
        size.screen = strcmp(unit, "screen") == 0;
    *view_tool_size(teaching) = size;
    return SHW_OK;
}

/* The first words of an argument: a class or `eraser`, and with `radius` a radius. */
static enum shw_result parse_start(struct view_teaching *teaching, const char **rest, uint32_t *number, int64_t *radius)
{
    const char *argument = *rest;
    char word[256];

    SHW_PROPAGATE(view_project_need(&teaching->project, &teaching->scene->log));
    *number = SHW_LABEL_VOID;
    if (!next_word(rest, word, sizeof word) ||
        (strcmp(word, "eraser") != 0 && !view_scene_find_class(teaching->scene, word, number)))
        return view_action_refuse(&teaching->scene->log, "a class or `eraser`, and points", argument);
    if (radius != NULL &&
        (!next_word(rest, word, sizeof word) || !view_parse_number(word, 0, SHW_STROKE_RADIUS_MAX, radius)))
        return view_action_refuse(&teaching->scene->log, "a class, a radius up to 1024, and points", argument);
    return SHW_OK;
}

struct points {
    struct shw_point *list;
    uint32_t count, capacity;
};

/* X Y X Y ...: at least one point. The list is to be freed, also after a failure. */
static enum shw_result parse_points(const struct shw_log *log, const char *rest, struct points *points)
{
    const char *argument = rest;
    char across[32], down[32];
    int64_t x, y;

    while (next_word(&rest, across, sizeof across)) {
        if (!view_parse_number(across, -SHW_STROKE_PLACE_MAX, SHW_STROKE_PLACE_MAX, &x) ||
            !next_word(&rest, down, sizeof down) ||
            !view_parse_number(down, -SHW_STROKE_PLACE_MAX, SHW_STROKE_PLACE_MAX, &y))
            return view_action_refuse(log, "a list of points", argument);
        if (!SHW_RESERVE(points->list, points->capacity, points->count + 1u))
            return shw_fail_memory(log, "points");
        points->list[points->count++] = (struct shw_point){(int32_t)x, (int32_t)y};
    }
    return points->count > 0 ? SHW_OK : view_action_refuse(log, "a list of points", argument);
}

/* Paints through the points, from the first one or from where the last stroke ended. */
static enum shw_result paint(struct view_teaching *teaching, const char *argument, bool line)
{
    struct view_painting *painting = &teaching->painting;
    struct points points = {0};
    uint32_t number;
    int64_t radius;
    enum shw_result result;

    SHW_TRY(parse_start(teaching, &argument, &number, &radius));
    SHW_TRY(parse_points(&teaching->scene->log, argument, &points));
    SHW_TRY(line ? view_tool_line(teaching, number, (uint32_t)radius, points.list[0])
                 : view_painting_begin(painting, number, (uint32_t)radius, points.list[0]));
    for (uint32_t p = 1; p < points.count; p++)
        SHW_TRY(view_painting_extend(painting, points.list[p]));

fail:
    view_teaching_end_stroke(teaching);
    free(points.list);
    return result;
}

static enum shw_result paint_stroke(void *user, const char *argument)
{
    return paint(user, argument, false);
}

static enum shw_result paint_line(void *user, const char *argument)
{
    return paint(user, argument, true);
}

/* CLASS X Y. */
static enum shw_result parse_pixel(struct view_teaching *teaching, const char *argument, uint32_t *number,
                                   struct shw_point *pixel)
{
    int64_t x, y;

    SHW_PROPAGATE(parse_start(teaching, &argument, number, NULL));
    if (!view_parse_pair(argument + strspn(argument, " \t"), -SHW_STROKE_PLACE_MAX, SHW_STROKE_PLACE_MAX, &x, &y))
        return view_action_refuse(&teaching->scene->log, "a pixel", argument);
    *pixel = (struct shw_point){(int32_t)x, (int32_t)y};
    return SHW_OK;
}

static enum shw_result fill(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    struct shw_point pixel;
    uint32_t number;

    SHW_PROPAGATE(parse_pixel(teaching, argument, &number, &pixel));
    return view_tool_fill(teaching, number, pixel);
}

static enum shw_result use_wand(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    struct shw_point pixel;
    uint32_t number;

    SHW_PROPAGATE(parse_pixel(teaching, argument, &number, &pixel));
    return view_tool_wand(teaching, number, pixel);
}

static enum shw_result fill_polygon(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    struct points points = {0};
    uint32_t number;
    enum shw_result result;

    SHW_TRY(parse_start(teaching, &argument, &number, NULL));
    SHW_TRY(parse_points(&teaching->scene->log, argument, &points));
    SHW_TRY(view_tool_polygon(teaching, number, points.list, points.count));

fail:
    free(points.list);
    return result;
}

/* close, back or drop. */
static enum shw_result change_outline(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    const struct shw_log *log = &teaching->scene->log;

    if (strcmp(argument, "close") != 0 && strcmp(argument, "back") != 0 && strcmp(argument, "drop") != 0)
        return view_action_refuse(log, "close, back or drop", argument);
    if (!teaching->outline.begun && teaching->wand.waits && strcmp(argument, "drop") == 0) {
        view_wand_give_up(&teaching->wand);
        return SHW_OK;
    }
    if (!teaching->outline.begun)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no outline in progress");
    if (strcmp(argument, "close") == 0)
        return view_tool_close(teaching);
    if (strcmp(argument, "back") == 0)
        view_outline_take_back(&teaching->outline);
    else
        view_outline_drop(&teaching->outline);
    return SHW_OK;
}

static enum shw_result undo(void *user, const char *argument)
{
    struct view_teaching *teaching = user;

    (void)argument;
    if (teaching->hand == VIEW_HAND_RECTANGLE)
        view_annotating_undo(teaching->annotating, false);
    else if (teaching->outline.begun)
        view_outline_take_back(&teaching->outline);
    else if (teaching->wand.waits)
        view_wand_give_up(&teaching->wand);
    else
        return view_teaching_undo(teaching, false);
    return SHW_OK;
}

static enum shw_result redo(void *user, const char *argument)
{
    struct view_teaching *teaching = user;

    (void)argument;
    if (teaching->hand != VIEW_HAND_RECTANGLE)
        return view_teaching_undo(teaching, true);
    view_annotating_undo(teaching->annotating, true);
    return SHW_OK;
}

static enum shw_result show_strokes(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    bool shown = !teaching->hide_strokes;
    enum shw_result result = view_parse_switch(&teaching->scene->log, argument, &shown);

    teaching->hide_strokes = !shown;
    return result;
}

static const struct view_action tool_actions[] = {
    {"hand", "pan|brush|eraser|fill|lasso|polygon|wand|rectangle", "choose what the mouse does on the picture",
     choose_hand},
    {"radius", "PIXELS [picture|screen]",
     "set the radius of the tool in hand, in pixels of the picture or of the screen; 0: single pixels; +2 or -2 "
     "changes it; `radius screen` changes the unit alone",
     set_radius},
    {"stroke", "CLASS RADIUS X Y ...",
     "paint a stroke through these pixels of the shown picture; CLASS may be `eraser`, here and below", paint_stroke},
    {"line", "CLASS RADIUS X Y ...", "the same, in a straight line from where the last stroke ended", paint_line},
    {"fill", "CLASS X Y",
     "label the region around this pixel that strokes enclose; if it is painted, all that is painted alike", fill},
    {"lasso", "CLASS X Y ...", "label the pixels that this outline encloses", fill_polygon},
    {"polygon", "CLASS X Y ...", "the same, by its corners", fill_polygon},
    {"wand", "CLASS X Y",
     "label the connected region around this pixel that the forest gives the same class; scripts wait for it",
     use_wand},
    {"outline", "close|back|drop",
     "label what the outline in progress encloses, take back its last point, or give it up, as a wand that waits: "
     "Enter, Backspace and Escape",
     change_outline},
    {"undo", NULL,
     "undo the last stroke or change of classes; take back the last corner of an outline; give up a wand that waits; "
     "with the tool for rectangles in hand, undo the last change of rectangles",
     undo},
    {"redo", NULL, "redo what was undone", redo},
    {"strokes", "on|off|toggle", "show or hide strokes", show_strokes},
    {0}};

static const struct view_key tool_keys[] = {{"P", "hand pan", "move the picture"},
                                            {"B", "hand brush", "brush"},
                                            {"E", "hand eraser", "eraser"},
                                            {"K", "hand fill", "fill a region"},
                                            {"O", "hand lasso", "lasso"},
                                            {"Y", "hand polygon", "polygon"},
                                            {"W", "hand wand", "wand"},
                                            {">", "radius +2", "larger brush or eraser"},
                                            {"<", "radius -2", "smaller brush or eraser"},
                                            {"Ctrl+Z", "undo", "undo"},
                                            {"Ctrl+Y", "redo", "redo; also Ctrl+Shift+Z"},
                                            {"Ctrl+Shift+Z", "redo", NULL},
                                            {"S", "strokes toggle", "show or hide strokes"},
                                            {0}};

const struct view_action_group view_tools_group = {"Tools", tool_actions, tool_keys};
