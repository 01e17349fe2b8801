/* Actions for painting and training. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action/action.h"
#include "action/parse.h"
#include "base/log.h"
#include "teach/teaching.h"

static enum shw_result choose_hand(void *user, const char *argument)
{
    struct view_teaching *teaching = user;

    for (uint32_t hand = 0; hand < VIEW_HAND_COUNT; hand++)
        if (strcmp(argument, view_hand_names[hand]) == 0) {
            view_teaching_take_in_hand(teaching, (enum view_hand)hand);
            return SHW_OK;
        }
    return view_action_refuse(&teaching->scene->log, "pan, brush or eraser", argument);
}

static enum shw_result set_radius(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    long radius;

    if (!view_parse_number(argument, -(long)SHW_STROKE_RADIUS_MAX, SHW_STROKE_RADIUS_MAX, &radius))
        return view_action_refuse(&teaching->scene->log, "a radius in pixels, up to 1024, or a change like +2",
                                  argument);
    if (argument[0] == '+' || argument[0] == '-')
        radius += teaching->radius;
    radius = radius < 0 ? 0 : radius > (long)SHW_STROKE_RADIUS_MAX ? (long)SHW_STROKE_RADIUS_MAX : radius;
    teaching->radius = (uint32_t)radius;
    return SHW_OK;
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

/* CLASS RADIUS X Y X Y ... */
static enum shw_result paint_stroke(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    const char *rest = argument;
    char word[256], second[32];
    uint32_t number = SHW_LABEL_VOID;
    long radius, x, y;
    bool begun = false;
    enum shw_result result;

    SHW_TRY(view_project_need(&teaching->project, &teaching->scene->log));
    if (!next_word(&rest, word, sizeof word) ||
        (strcmp(word, "eraser") != 0 && !view_scene_find_class(teaching->scene, word, &number)))
        return view_action_refuse(&teaching->scene->log, "a class or `eraser`, a radius, and points", argument);
    if (!next_word(&rest, word, sizeof word) || !view_parse_number(word, 0, SHW_STROKE_RADIUS_MAX, &radius))
        return view_action_refuse(&teaching->scene->log, "a class, a radius up to 1024, and points", argument);
    while (next_word(&rest, word, sizeof word)) {
        struct shw_point point;
        if (!view_parse_number(word, -SHW_STROKE_PLACE_MAX, SHW_STROKE_PLACE_MAX, &x) ||
            !next_word(&rest, second, sizeof second) ||
            !view_parse_number(second, -SHW_STROKE_PLACE_MAX, SHW_STROKE_PLACE_MAX, &y)) {
            view_teaching_end_stroke(teaching);
            return view_action_refuse(&teaching->scene->log, "a list of points", argument);
        }
        point = (struct shw_point){(int32_t)x, (int32_t)y};
        SHW_TRY(begun ? view_painting_extend(&teaching->painting, point)
                      : view_painting_begin(&teaching->painting, number, (uint32_t)radius, point));
        begun = true;
    }
    if (!begun)
        return view_action_refuse(&teaching->scene->log, "a class, a radius, and points", argument);

fail:
    view_teaching_end_stroke(teaching);
    return result;
}

static enum shw_result undo(void *user, const char *argument)
{
    struct view_teaching *teaching = user;

    (void)argument;
    return view_teaching_undo(teaching, false);
}

static enum shw_result redo(void *user, const char *argument)
{
    struct view_teaching *teaching = user;

    (void)argument;
    return view_teaching_undo(teaching, true);
}

static enum shw_result show_strokes(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    bool shown = !teaching->hide_strokes;
    enum shw_result result = view_parse_switch(&teaching->scene->log, argument, &shown);

    teaching->hide_strokes = !shown;
    return result;
}

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
    struct shw_out_of_bag *classes;
    uint32_t count;

    (void)argument;
    SHW_PROPAGATE(view_project_need(&teaching->project, &teaching->scene->log));
    classes = calloc(teaching->class_count + 1u, sizeof *classes);
    if (classes == NULL)
        return shw_fail_memory(&teaching->scene->log, "accuracy");
    count = view_train_worker_get_accuracy(teaching->worker, classes, teaching->class_count);
    if (count == 0)
        printf("accuracy has not been measured yet\n");
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

static enum shw_result go_to_uncertain(void *user, const char *argument)
{
    struct view_teaching *teaching = user;

    (void)argument;
    return view_search_begin(&teaching->search, teaching->scene);
}

static const struct view_action actions[] = {
    {"hand", "pan|brush|eraser", "choose what the mouse does on the picture", choose_hand},
    {"radius", "PIXELS", "set the radius of the brush; 0 paints single pixels; +2 or -2 changes it", set_radius},
    {"stroke", "CLASS RADIUS X Y ...",
     "paint a stroke through these pixels of the shown picture; CLASS may be `eraser`", paint_stroke},
    {"undo", NULL, "undo the last stroke or change of classes", undo},
    {"redo", NULL, "redo what was undone", redo},
    {"strokes", "on|off|toggle", "show or hide strokes", show_strokes},
    {"teach", "on|off|toggle", "train from the strokes, or pause", teach},
    {"restore", NULL, "switch to the previous forest, and back", restore},
    {"trainer", "auto|device|cpu", "choose who trains; auto: the device, unless it is a CPU itself", set_trainer},
    {"labels", NULL, "print how many pixels of each class are painted", print_labels},
    {"accuracy", NULL,
     "print the out-of-bag accuracy: how well strokes are labelled by trees that were not trained on them",
     print_accuracy},
    {"uncertain", NULL, "centre the view on the most uncertain unlabelled pixel; scripts wait for it", go_to_uncertain},
    {0}};

static const struct view_key keys[] = {{"B", "hand brush", "brush"},
                                       {"E", "hand eraser", "eraser"},
                                       {"P", "hand pan", "move the picture"},
                                       {">", "radius +2", "larger brush"},
                                       {"<", "radius -2", "smaller brush"},
                                       {"Ctrl+Z", "undo", "undo"},
                                       {"Ctrl+Y", "redo", "redo"},
                                       {"S", "strokes toggle", "show or hide strokes"},
                                       {"T", "teach toggle", "pause or resume training"},
                                       {"R", "restore", "previous forest, and back"},
                                       {"N", "uncertain", "most uncertain place"},
                                       {0}};

const struct view_action_group view_teach_group = {"Teaching", actions, keys};
