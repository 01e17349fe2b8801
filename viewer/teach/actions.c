/* Actions for training and accuracy. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action/action.h"
#include "base/log.h"
#include "files/io/image_paths.h"
#include "files/io/output_files.h"
#include "label/scene.h"
#include "teach/accuracy.h"
#include "teach/teaching.h"

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
