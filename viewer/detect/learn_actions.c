/* Actions for cascades: opening, training and saving them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "detect/learning.h"
#include "source/file_place.h"

static enum shw_result train(void *user, const char *argument)
{
    return view_learning_begin(user, argument);
}

static enum shw_result cancel(void *user, const char *argument)
{
    (void)argument;
    view_learning_cancel(user);
    return SHW_OK;
}

static enum shw_result set_folds(void *user, const char *argument)
{
    struct view_learning *learning = user;
    int64_t number;

    if (!view_parse_number(argument, 0, 10, &number))
        return view_action_refuse(&learning->log, "a number of folds up to 10; 0: the usual ones, 1: none", argument);
    learning->folds = (uint32_t)number;
    return SHW_OK;
}

static enum shw_result set_stages(void *user, const char *argument)
{
    struct view_learning *learning = user;
    int64_t number;

    if (!view_parse_number(argument, 0, 4096, &number))
        return view_action_refuse(&learning->log, "a number of stages up to 4096; 0: the usual one", argument);
    learning->stages = (uint32_t)number;
    return SHW_OK;
}

/* Once training has ended. */
static enum shw_result want_result(void *user, const char *argument)
{
    struct view_learning *learning = user;

    (void)argument;
    learning->result_wanted = true;
    return SHW_OK;
}

static enum shw_result open_cascade(void *user, const char *argument)
{
    struct view_learning *learning = user;
    const struct view_detector *detector = view_detecting_hand(learning->detecting);
    const bool is_lost = view_detector_is_unsaved(detector);
    char line[VIEW_ACTION_LINE];

    snprintf(line, sizeof line, "detect-open %s", argument);
    if (learning->careful && view_question_close(&learning->question, is_lost, line))
        return SHW_OK;
    if (is_lost && !learning->question.passed)
        view_learning_warn_of_loss(learning, detector);
    return view_detecting_open(learning->detecting, strcmp(argument, "none") == 0 ? NULL : argument);
}

static enum shw_result need_learned(const struct view_learning *learning)
{
    return view_learning_detector(learning) != NULL
               ? SHW_OK
               : shw_fail(&learning->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                          "the chosen cascade was not trained here: `detect-train` trains one");
}

/* Asks for the name of the file: at first, that of the objects beside the shown picture. */
static void ask_for_name(struct view_learning *learning)
{
    const struct view_picture *picture = learning->scene->picture;
    const char *own = view_learning_detector(learning)->cascade->path;
    char *folder = picture != NULL && picture->is_file ? view_folder_of(picture->name) : NULL;
    char name[sizeof learning->question.field];

    snprintf(name, sizeof name, "%s%s.ktx2", folder != NULL ? folder : "",
             view_detecting_hand(learning->detecting)->label);
    view_question_name(&learning->question, own[0] != '\0' ? own : name);
    free(folder);
}

/* Without a name, the cascade's own file or, of people, one that is asked for. */
static enum shw_result save(void *user, const char *argument)
{
    struct view_learning *learning = user;
    const char *own, *path;

    SHW_PROPAGATE(need_learned(learning));
    own = view_learning_detector(learning)->cascade->path;
    path = *argument != '\0' ? argument : own;
    if (*path == '\0' && learning->careful) {
        ask_for_name(learning);
        return SHW_OK;
    }
    if (*path == '\0')
        return view_action_refuse(&learning->log, "the name of a file (.ktx2)", argument);
    if (learning->careful && view_question_replace(&learning->question, path, view_learning_replaces(learning, path)))
        return SHW_OK;
    return view_learning_save(learning, path, false);
}

/* Saves for a question. Another question may come of it. */
static enum shw_result answer_save(struct view_learning *learning, const char *given)
{
    struct view_question *question = &learning->question;
    const bool replace = question->kind == VIEW_QUESTION_REPLACE;
    const struct view_detector *unsaved = view_learning_unsaved(learning);
    const char *path = replace ? question->path : given;

    if (question->kind == VIEW_QUESTION_UNSAVED && unsaved != NULL &&
        !view_detector_is_unsaved(view_detecting_hand(learning->detecting)))
        learning->detecting->hand = (uint32_t)(unsaved - learning->detecting->list);
    SHW_PROPAGATE(need_learned(learning));
    if (*path == '\0') {
        ask_for_name(learning);
        return SHW_OK;
    }
    if (!replace && view_question_replace(question, path, view_learning_replaces(learning, path)))
        return SHW_OK;
    question->focus = question->kind == VIEW_QUESTION_NAME; /* a name that is refused is typed again */
    SHW_PROPAGATE(view_learning_save(learning, path, replace));
    view_question_end(question, true);
    return SHW_OK;
}

static enum shw_result answer(void *user, const char *argument)
{
    struct view_learning *learning = user;
    const enum view_question_kind kind = learning->question.kind;
    const size_t length = strcspn(argument, " \t");

    if (kind == VIEW_QUESTION_NONE)
        return shw_fail(&learning->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "there is no question about a cascade to answer");
    learning->scene->redraw = true;
    if (length == 4 && strncmp(argument, "save", length) == 0)
        return answer_save(learning, argument + length + strspn(argument + length, " \t"));
    if (kind == VIEW_QUESTION_REPLACE && strcmp(argument, "rename") == 0) {
        ask_for_name(learning);
        return SHW_OK;
    }
    if (strcmp(argument, "cancel") != 0 && (strcmp(argument, "discard") != 0 || kind != VIEW_QUESTION_UNSAVED))
        return view_action_refuse(&learning->log,
                                  kind == VIEW_QUESTION_UNSAVED   ? "save, discard or cancel"
                                  : kind == VIEW_QUESTION_REPLACE ? "save, rename or cancel"
                                                                  : "save or cancel",
                                  argument);
    view_question_end(&learning->question, strcmp(argument, "discard") == 0);
    return SHW_OK;
}

static const struct view_action actions[] = {
    {"detect-train", "[LABEL]",
     "train a cascade with the rectangles of a class (that of new rectangles), in the background, and detect with it",
     train},
    {"detect-train-cancel", NULL, "stop training a cascade", cancel},
    {"detect-train-folds", "NUMBER",
     "parts of the pictures, each of which is held out once to measure; 0: the usual 3, 1: none", set_folds},
    {"detect-train-stages", "NUMBER", "stages of cascades that are trained, at most; 0: the usual 250", set_stages},
    {"detect-train-result", NULL, "wait until a cascade is trained, and print what it is worth", want_result},
    {"detect-open", "FILE|none",
     "find objects with a cascade in the place of the chosen one: our own (.ktx2), pico's, OpenCV's (.xml), or a "
     "folder of CSV tables; none: close that one",
     open_cascade},
    {"cascade-save", "[FILE]",
     "write the chosen cascade, which was trained here, with the least score in use, as a file (.ktx2); without a "
     "name, to its own "
     "file, or asks for one",
     save},
    {"cascade-answer", "save [FILE]|discard|rename|cancel",
     "answer a question about a cascade that is being trained or not saved, or its file's name", answer},
    {0}};

static const struct view_key keys[] = {{0}};

const struct view_action_group view_learn_group = {"Detectors and their training", actions, keys};
