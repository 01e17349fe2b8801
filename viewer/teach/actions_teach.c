/* Painting and teaching. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action/parse.h"
#include "base/log.h"
#include "shell/actions.h"

static enum shw_result choose_hand(struct view_app *app, const char *argument)
{
    for (uint32_t hand = 0; hand < VIEW_HAND_COUNT; hand++)
        if (strcmp(argument, view_hand_names[hand]) == 0) {
            view_teaching_take_in_hand(app, (enum view_hand)hand);
            return SHW_OK;
        }
    return view_action_refuse(app, "pan, brush or eraser", argument);
}

static enum shw_result set_radius(struct view_app *app, const char *argument)
{
    long radius;

    if (!view_parse_number(argument, -(long)SHW_STROKE_RADIUS_MAX, SHW_STROKE_RADIUS_MAX, &radius))
        return view_action_refuse(app, "a radius in pixels, up to 1024, or a change of it", argument);
    if (argument[0] == '+' || argument[0] == '-')
        radius += app->teaching->radius;
    radius = radius < 0 ? 0 : radius > (long)SHW_STROKE_RADIUS_MAX ? (long)SHW_STROKE_RADIUS_MAX : radius;
    app->teaching->radius = (uint32_t)radius;
    return SHW_OK;
}

/* The next word of a text; false at its end. */
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

/* CLASS RADIUS X Y X Y ... */
static enum shw_result paint_stroke(struct view_app *app, const char *argument)
{
    const char *rest = argument;
    char word[256], second[32];
    uint32_t number = SHW_LABEL_VOID;
    long radius, x, y;
    bool begun = false;
    enum shw_result result;

    SHW_TRY(view_teaching_need_project(app));
    if (!next_word(&rest, word, sizeof word) || (strcmp(word, "eraser") != 0 && !view_parse_class(app, word, &number)))
        return view_action_refuse(app, "a class or `eraser`, a radius, and points", argument);
    if (!next_word(&rest, word, sizeof word) || !view_parse_number(word, 0, SHW_STROKE_RADIUS_MAX, &radius))
        return view_action_refuse(app, "a class, a radius up to 1024, and points", argument);
    while (next_word(&rest, word, sizeof word)) {
        struct shw_point point;
        if (!view_parse_number(word, -SHW_STROKE_PLACE_MAX, SHW_STROKE_PLACE_MAX, &x) ||
            !next_word(&rest, second, sizeof second) ||
            !view_parse_number(second, -SHW_STROKE_PLACE_MAX, SHW_STROKE_PLACE_MAX, &y)) {
            view_teaching_end_stroke(app);
            return view_action_refuse(app, "a list of points", argument);
        }
        point = (struct shw_point){(int32_t)x, (int32_t)y};
        SHW_TRY(begun ? view_teaching_extend_stroke(app, point)
                      : view_teaching_begin_stroke(app, number, (uint32_t)radius, point));
        begun = true;
    }
    if (!begun)
        return view_action_refuse(app, "a class, a radius, and points", argument);

fail:
    view_teaching_end_stroke(app);
    return result;
}

static enum shw_result undo(struct view_app *app, const char *argument)
{
    (void)argument;
    return view_teaching_undo(app, false);
}

static enum shw_result redo(struct view_app *app, const char *argument)
{
    (void)argument;
    return view_teaching_undo(app, true);
}

static enum shw_result show_strokes(struct view_app *app, const char *argument)
{
    bool shown = !app->teaching->hide_strokes;
    enum shw_result result = view_parse_switch(app, argument, &shown);

    app->teaching->hide_strokes = !shown;
    return result;
}

static enum shw_result teach(struct view_app *app, const char *argument)
{
    struct view_train_status status;
    bool on;

    SHW_PROPAGATE(view_teaching_need_project(app));
    view_train_worker_get_status(app->teaching->worker, &status);
    on = !status.stopped;
    SHW_PROPAGATE(view_parse_switch(app, argument, &on));
    view_train_worker_stop(app->teaching->worker, !on);
    return SHW_OK;
}

static enum shw_result restore(struct view_app *app, const char *argument)
{
    (void)argument;
    SHW_PROPAGATE(view_teaching_need_project(app));
    if (!view_train_worker_restore(app->teaching->worker))
        return shw_fail(&app->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no forest before this one");
    return SHW_OK;
}

static enum shw_result set_trainer(struct view_app *app, const char *argument)
{
    for (uint32_t t = 0; t < VIEW_TRAINER_COUNT; t++)
        if (strcmp(argument, view_trainer_names[t]) == 0)
            return view_teaching_set_trainer(app, (enum view_trainer)t);
    return view_action_refuse(app, "auto, device or cpu", argument);
}

static enum shw_result print_labels(struct view_app *app, const char *argument)
{
    struct view_teaching *teaching = app->teaching;
    const uint64_t *counts;

    (void)argument;
    SHW_PROPAGATE(view_teaching_need_project(app));
    counts = view_teaching_count_labels(app);
    if (counts == NULL)
        return SHW_ERROR_MEMORY;
    for (uint32_t c = 0; c < teaching->class_count; c++)
        printf("%s: %llu pixels\n", teaching->classes[c].name, (unsigned long long)counts[c]);
    return SHW_OK;
}

static enum shw_result print_accuracy(struct view_app *app, const char *argument)
{
    struct view_teaching *teaching = app->teaching;
    struct shw_out_of_bag *classes;
    uint32_t count;

    (void)argument;
    SHW_PROPAGATE(view_teaching_need_project(app));
    classes = calloc(teaching->class_count + 1u, sizeof *classes);
    if (classes == NULL)
        return shw_fail_memory(&app->log, "accuracy");
    count = view_train_worker_get_accuracy(teaching->worker, classes, teaching->class_count);
    if (count == 0)
        printf("accuracy is not measured yet\n");
    for (uint32_t c = 0; c < count && c < teaching->class_count; c++)
        if (classes[c].labelled > 0)
            printf("%s: %.2f %% of %llu pixels out of bag\n", teaching->classes[c].name,
                   100.0 * (double)classes[c].right / (double)classes[c].labelled,
                   (unsigned long long)classes[c].labelled);
        else
            printf("%s: too few strokes to tell\n", teaching->classes[c].name);
    free(classes);
    return SHW_OK;
}

static enum shw_result go_to_uncertain(struct view_app *app, const char *argument)
{
    (void)argument;
    return view_search_begin(app);
}

/* Renders frames until the last stroke has been learned from, and its labels are over the picture. */
static enum shw_result print_latency(struct view_app *app, const char *argument)
{
    const struct view_stroke_times *times = &app->teaching->times;

    (void)argument;
    SHW_PROPAGATE(view_teaching_need_project(app));
    if (times->ended == 0)
        return shw_fail(&app->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "nothing was painted yet");
    app->teaching->wait = VIEW_WAIT_SMALL;
    while (app->teaching->wait != VIEW_WAIT_NONE) {
        bool waits;
        SHW_PROPAGATE(view_app_frame(app, NULL));
        SHW_PROPAGATE(view_teaching_waits(app, &waits));
    }
    SHW_PROPAGATE(view_frames_wait(&app->gpu, &app->frames));
    view_teaching_notice(app, 0.0);
    printf("from the end of the stroke to its overlay: %.3f ms\n", 1e3 * (times->shown - times->ended));
    printf("  taken up %.3f ms, made ready %.3f ms, grown %.3f ms (%u slices, %.3f ms), labelled and drawn %.3f ms\n",
           1e3 * (times->training.begun - times->ended), 1e3 * (times->training.prepared - times->training.begun),
           1e3 * (times->training.grown - times->training.prepared), times->slices, 1e3 * times->slice_seconds,
           1e3 * (times->shown - times->training.grown));
    return SHW_OK;
}

static const struct view_action actions[] = {
    {"hand", "pan|brush|eraser", "what the mouse does on the picture", choose_hand},
    {"radius", "PIXELS", "of the brush; 0 paints single pixels; +2 or -2 change it", set_radius},
    {"stroke", "CLASS RADIUS X Y ...", "paint on the shown picture, through these pixels; CLASS may be `eraser`",
     paint_stroke},
    {"undo", NULL, "take the last stroke back, or the last change of classes", undo},
    {"redo", NULL, "what was taken back", redo},
    {"strokes", "on|off|toggle", "show what is painted", show_strokes},
    {"teach", "on|off|toggle", "learn from what is painted, or stop, and go on later", teach},
    {"restore", NULL, "the forest before this one, and back", restore},
    {"trainer", "auto|device|cpu", "who trains; auto: the device, unless it is a CPU itself", set_trainer},
    {"labels", NULL, "print how many pixels of each class are painted", print_labels},
    {"accuracy", NULL, "print how well strokes are labelled by trees that did not learn from them", print_accuracy},
    {"uncertain", NULL,
     "bring the most uncertain place that has no label into the middle; scripts go on when it is there",
     go_to_uncertain},
    {"latency", NULL, "print the time from the last stroke's end to the overlay that knows it", print_latency},
    {0}};

static const struct view_key keys[] = {{"B", "hand brush", "brush"},
                                       {"E", "hand eraser", "eraser"},
                                       {"P", "hand pan", "no brush: move the picture"},
                                       {">", "radius +2", "larger brush"},
                                       {"<", "radius -2", "smaller brush"},
                                       {"Ctrl+Z", "undo", "undo"},
                                       {"Ctrl+Y", "redo", "redo"},
                                       {"S", "strokes toggle", "show what is painted, or not"},
                                       {"T", "teach toggle", "stop learning, and go on"},
                                       {"R", "restore", "forest before this, and back"},
                                       {"N", "uncertain", "go where it is least certain"},
                                       {0}};

const struct view_action_group view_teach_group = {"Teaching", actions, keys};
