/* Actions for ground-truth rectangles. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action/action.h"
#include "annotate/annotating.h"
#include "base/log.h"
#include "base/text.h"

static enum shw_result open_file(void *user, const char *argument)
{
    struct view_annotating *annotating = user;
    char line[VIEW_ACTION_LINE];

    snprintf(line, sizeof line, "rectangles %s", argument);
    if (annotating->careful && view_question_close(&annotating->question, view_annotating_is_unsaved(annotating), line))
        return SHW_OK;
    return view_annotating_open(annotating, strcmp(argument, "new") == 0 ? NULL : argument);
}

/* Asks for the name of the file: at first, beside the shown picture. */
static void ask_for_name(struct view_annotating *annotating)
{
    const struct view_picture *picture = annotating->scene->picture;
    struct view_question *question = &annotating->question;
    const char *file = picture != NULL ? view_picture_file(picture) : NULL;
    char *folder = NULL, name[sizeof question->field];

    if (annotating->work.origin.path == NULL && question->field[0] == '\0' && file != NULL)
        folder = view_folder_of(file);
    snprintf(name, sizeof name, "%srectangles.csv", folder != NULL ? folder : "");
    view_question_name(question, folder != NULL ? name : annotating->work.origin.path);
    free(folder);
}

/* `path` NULL: the file that there is. */
static bool ask_to_replace(struct view_annotating *annotating, const char *path)
{
    path = path != NULL ? path : annotating->work.origin.path;
    return view_question_replace(&annotating->question, path, view_annotating_replaces(annotating, path));
}

enum shw_result view_annotating_save_asking(struct view_annotating *annotating, const char *path)
{
    if (annotating->careful && path == NULL && annotating->work.origin.path == NULL) {
        ask_for_name(annotating);
        return SHW_OK;
    }
    if (annotating->careful && ask_to_replace(annotating, path))
        return SHW_OK;
    return view_annotating_save(annotating, path, false);
}

static enum shw_result save(void *user, const char *argument)
{
    return view_annotating_save_asking(user, *argument != '\0' ? argument : NULL);
}

static enum shw_result save_as(void *user, const char *argument)
{
    struct view_annotating *annotating = user;

    (void)argument;
    ask_for_name(annotating);
    return SHW_OK;
}

/* Saves for a question. Another question may come of it. */
static enum shw_result answer_save(struct view_annotating *annotating, const char *given)
{
    struct view_question *question = &annotating->question;
    const char *path = *given != '\0' ? given : NULL;
    const bool replace = question->kind == VIEW_QUESTION_REPLACE;

    if (replace) {
        path = question->path;
    } else if (path == NULL && (annotating->work.origin.path == NULL || question->kind == VIEW_QUESTION_NAME)) {
        ask_for_name(annotating);
        return SHW_OK;
    } else if (ask_to_replace(annotating, path)) {
        return SHW_OK;
    }
    question->focus = question->kind == VIEW_QUESTION_NAME; /* a name that is refused is typed again */
    SHW_PROPAGATE(view_annotating_save(annotating, path, replace));
    view_question_end(question, true);
    return SHW_OK;
}

static enum shw_result answer(void *user, const char *argument)
{
    struct view_annotating *annotating = user;
    const struct shw_log *log = &annotating->scene->log;
    const enum view_question_kind kind = annotating->question.kind;
    const size_t length = strcspn(argument, " \t");

    if (kind == VIEW_QUESTION_NONE)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no question about rectangles to answer");
    annotating->scene->redraw = true;
    if (length == 4 && strncmp(argument, "save", length) == 0)
        return answer_save(annotating, argument + length + strspn(argument + length, " \t"));
    if (kind == VIEW_QUESTION_REPLACE && strcmp(argument, "rename") == 0) {
        ask_for_name(annotating);
        return SHW_OK;
    }
    if (strcmp(argument, "cancel") != 0 && (strcmp(argument, "discard") != 0 || kind != VIEW_QUESTION_UNSAVED))
        return view_action_refuse(log,
                                  kind == VIEW_QUESTION_UNSAVED   ? "save, discard or cancel"
                                  : kind == VIEW_QUESTION_REPLACE ? "save, rename or cancel"
                                                                  : "save or cancel",
                                  argument);
    view_question_end(&annotating->question, strcmp(argument, "discard") == 0);
    return SHW_OK;
}

/* Looks again for what earlier runs left, which is then asked about. */
static enum shw_result find_left(struct view_annotating *annotating)
{
    const struct shw_log *log = &annotating->scene->log;

    if (annotating->autosave == NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "no copies of unsaved work are kept: --recovery FOLDER keeps them");
    view_left_free(&annotating->recovered);
    SHW_PROPAGATE(view_left_find(annotating->autosave->kind, annotating->autosave->base, log, &annotating->recovered));
    if (annotating->recovered.count == 0)
        snprintf(annotating->said, sizeof annotating->said, "no earlier run has left rectangles that are not saved");
    return SHW_OK;
}

/* NUMBER, `delete NUMBER`, `later`, `ask` or `keep`. */
static enum shw_result recover(void *user, const char *argument)
{
    struct view_annotating *annotating = user;
    const struct shw_log *log = &annotating->scene->log;
    const bool deletes = strncmp(argument, "delete ", 7) == 0;
    char line[VIEW_ACTION_LINE];
    int64_t number;

    annotating->scene->redraw = true;
    if (strcmp(argument, "keep") == 0)
        return view_autosave_keep(annotating->autosave, &annotating->work, log);
    if (strcmp(argument, "later") == 0) {
        view_left_free(&annotating->recovered);
        return SHW_OK;
    }
    if (strcmp(argument, "ask") == 0)
        return find_left(annotating);
    if (!view_parse_number(deletes ? argument + 7 : argument, 1, (int64_t)annotating->recovered.count, &number))
        return view_action_refuse(log, "the number of unsaved rectangles that were found, later, ask or keep",
                                  argument);
    if (deletes) {
        view_left_delete(&annotating->recovered, (uint32_t)number - 1);
        return SHW_OK;
    }
    snprintf(line, sizeof line, "rectangles-recover %s", argument);
    if (annotating->careful && view_question_close(&annotating->question, view_annotating_is_unsaved(annotating), line))
        return SHW_OK;
    return view_annotating_recover(annotating, (uint32_t)number - 1);
}

static enum shw_result show(void *user, const char *argument)
{
    struct view_annotating *annotating = user;
    bool shown = !annotating->hidden;
    enum shw_result result = view_parse_switch(&annotating->scene->log, argument, &shown);

    annotating->hidden = !shown;
    return result;
}

/* X Y WIDTH HEIGHT; *rest: what follows. */
static enum shw_result parse_box(const struct shw_log *log, const char *argument, struct view_box *box,
                                 const char **rest)
{
    int end = 0;

    if (sscanf(argument, "%d %d %u %u%n", &box->x, &box->y, &box->width, &box->height, &end) < 4 ||
        (argument[end] != '\0' && argument[end] != ' '))
        return view_action_refuse(log, "left, top, width and height in pixels of the picture", argument);
    *rest = argument + end + strspn(argument + end, " ");
    return SHW_OK;
}

static enum shw_result add(void *user, const char *argument)
{
    struct view_annotating *annotating = user;
    struct view_box box;
    const char *label = argument;

    SHW_PROPAGATE(parse_box(&annotating->scene->log, argument, &box, &label));
    view_annotating_poll(annotating);
    if (*label != '\0')
        snprintf(annotating->label, sizeof annotating->label, "%s", label);
    box.label = view_annotating_label(annotating);
    return view_annotating_add(annotating, &box, 1);
}

static enum shw_result change(void *user, const char *argument)
{
    struct view_annotating *annotating = user;
    uint32_t count;
    const struct view_box *items = view_annotating_boxes(annotating, &count);
    struct view_box box;
    const char *rest = argument;

    SHW_PROPAGATE(parse_box(&annotating->scene->log, argument, &box, &rest));
    if (*rest != '\0')
        return view_action_refuse(&annotating->scene->log, "left, top, width and height alone", argument);
    box.label = annotating->chosen < count ? items[annotating->chosen].label : VIEW_NO_BOX;
    return view_annotating_change(annotating, annotating->chosen, &box);
}

static enum shw_result delete_chosen(void *user, const char *argument)
{
    struct view_annotating *annotating = user;

    if (strcmp(argument, "all") == 0)
        return view_annotating_clear(annotating);
    if (*argument != '\0')
        return view_action_refuse(&annotating->scene->log, "`all` or nothing", argument);
    return view_annotating_change(annotating, annotating->chosen, NULL);
}

static enum shw_result choose(void *user, const char *argument)
{
    struct view_annotating *annotating = user;
    uint32_t count;
    int64_t number;

    view_annotating_poll(annotating);
    view_annotating_boxes(annotating, &count);
    annotating->scene->redraw = true;
    annotating->fields.shown = VIEW_NO_BOX;
    if (strcmp(argument, "none") == 0) {
        annotating->chosen = VIEW_NO_BOX;
        return SHW_OK;
    }
    if (!view_parse_number(argument, 1, (int64_t)count, &number))
        return view_action_refuse(&annotating->scene->log, "the number of a rectangle of this picture, or none",
                                  argument);
    annotating->chosen = (uint32_t)number - 1;
    return SHW_OK;
}

/* The label of new rectangles, and of the chosen one. */
static enum shw_result set_label(void *user, const char *argument)
{
    struct view_annotating *annotating = user;
    uint32_t count;
    const struct view_box *items = view_annotating_boxes(annotating, &count);
    struct view_box box;

    if (strlen(argument) >= sizeof annotating->label)
        return view_action_refuse(&annotating->scene->log, "a label of less than 128 bytes", argument);
    snprintf(annotating->label, sizeof annotating->label, "%s", argument);
    annotating->fields.shown = VIEW_NO_BOX;
    if (annotating->chosen >= count)
        return SHW_OK;
    box = items[annotating->chosen];
    box.label = view_annotating_label(annotating);
    return view_annotating_change(annotating, annotating->chosen, &box);
}

static enum shw_result undo(void *user, const char *argument)
{
    (void)argument;
    view_annotating_undo(user, false);
    return SHW_OK;
}

static enum shw_result redo(void *user, const char *argument)
{
    (void)argument;
    view_annotating_undo(user, true);
    return SHW_OK;
}

static enum shw_result list(void *user, const char *argument)
{
    struct view_annotating *annotating = user;
    const struct view_box *items;
    uint32_t count;

    (void)argument;
    view_annotating_poll(annotating);
    items = view_annotating_boxes(annotating, &count);
    for (uint32_t b = 0; b < count; b++)
        printf("rectangle %u: %d %d %u %u %s\n", b + 1, items[b].x, items[b].y, items[b].width, items[b].height,
               shw_printable(view_boxes_label_name(&annotating->work.boxes, items[b].label)).text);
    fflush(stdout);
    return SHW_OK;
}

static const struct view_action actions[] = {
    {"rectangles", "new|FILE", "begin a table of ground-truth rectangles, or open one: CSV, or COCO's JSON", open_file},
    {"rectangles-save", "[FILE]", "save the rectangles of all pictures as a CSV file, for training and evaluation",
     save},
    {"rectangles-save-as", NULL, "ask for the name of another file, and save the rectangles there", save_as},
    {"rectangles-answer", "save [FILE]|discard|rename|cancel",
     "answer a question about rectangles that are not saved, or their file's name", answer},
    {"rectangles-recover", "NUMBER|delete NUMBER|later|ask|keep",
     "open unsaved rectangles that an earlier run left; later: leave them for now; ask: look for them again; keep: "
     "copy "
     "this run's now",
     recover},
    {"rectangles-shown", "on|off|toggle", "show or hide ground-truth rectangles", show},
    {"rectangles-list", NULL, "print the rectangles of the shown picture", list},
    {"rectangle", "X Y WIDTH HEIGHT [LABEL]", "add a rectangle to the shown picture, and choose it", add},
    {"rectangle-choose", "NUMBER|none", "choose a rectangle of the shown picture", choose},
    {"rectangle-change", "X Y WIDTH HEIGHT", "move and resize the chosen rectangle", change},
    {"rectangle-label", "LABEL", "the class of new rectangles, and of the chosen one", set_label},
    {"rectangle-delete", "[all]",
     "delete the chosen rectangle; all: those of the shown picture, which is then listed as one without objects",
     delete_chosen},
    {"rectangle-undo", NULL, "undo the last change of rectangles, on whatever picture", undo},
    {"rectangle-redo", NULL, "redo what was undone", redo},
    {0}};

static const struct view_key keys[] = {{"D", "hand rectangle", "draw ground-truth rectangles"},
                                       {"Delete", "rectangle-delete", "delete the chosen rectangle"},
                                       {"H", "rectangles-shown toggle", "show or hide ground-truth rectangles"},
                                       {0}};

const struct view_action_group view_annotate_group = {"Rectangles", actions, keys};
