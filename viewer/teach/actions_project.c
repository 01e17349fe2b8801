/* Actions for projects: files, classes and settings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action/action.h"
#include "base/log.h"
#include "files/dataset/palette.h"
#include "teach/class_colours.h"
#include "teach/teaching.h"

static enum shw_result open_project(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    char line[VIEW_ACTION_LINE];

    snprintf(line, sizeof line, "project %s", argument);
    if (teaching->careful &&
        view_question_close(&teaching->question, view_project_is_unsaved(&teaching->project), line))
        return SHW_OK;
    if (strcmp(argument, "close") == 0) {
        SHW_PROPAGATE(view_project_need(&teaching->project, &teaching->scene->log));
        return view_teaching_close(teaching);
    }
    return strcmp(argument, "new") == 0 ? view_teaching_new(teaching) : view_teaching_open(teaching, argument);
}

static enum shw_result add_pictures(void *user, const char *argument)
{
    return view_teaching_add_pictures(user, argument);
}

/* `path` NULL: the project's file. */
static bool ask_to_replace(struct view_teaching *teaching, const char *path)
{
    path = path != NULL ? path : teaching->project.path;
    return view_question_replace(&teaching->question, path, view_project_replaces(&teaching->project, path));
}

/* Asks for the name of the file: at first, beside the shown picture, called like the folder. */
static void ask_for_name(struct view_teaching *teaching)
{
    const struct view_picture *picture = teaching->scene->picture;
    struct view_question *question = &teaching->question;
    char *folder = NULL;

    if (teaching->project.path == NULL && question->field[0] == '\0' && picture != NULL && picture->is_file)
        folder = view_folder_of(picture->name);
    if (folder != NULL) {
        char name[sizeof question->field];
        const size_t length = strlen(folder) - 1; /* without its slash */
        size_t begin = length;

        while (begin > 0 && folder[begin - 1] != '/')
            begin--;
        snprintf(name, sizeof name, "%s%.*s.json", folder, begin < length ? (int)(length - begin) : 7,
                 begin < length ? folder + begin : "project");
        view_question_name(question, name);
    } else {
        view_question_name(question, teaching->project.path);
    }
    free(folder);
}

/* `path` NULL: the project's file. */
static enum shw_result save_project(struct view_teaching *teaching, const char *path)
{
    SHW_PROPAGATE(view_project_need(&teaching->project, &teaching->scene->log));
    if (teaching->careful && path == NULL && teaching->project.path == NULL) {
        ask_for_name(teaching);
        return SHW_OK;
    }
    if (teaching->careful && ask_to_replace(teaching, path))
        return SHW_OK;
    return view_teaching_save(teaching, path, false);
}

/* Without a name, rectangles are saved, too: those that have a file, or for whose file somebody can be asked. */
static enum shw_result save(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    struct view_annotating *annotating = teaching->annotating;
    const bool project = teaching->project.data != NULL, named = annotating->work.origin.path != NULL;
    const bool both = *argument == '\0' && (view_annotating_is_unsaved(annotating) || (named && !project)) &&
                      (named || teaching->careful || !project);
    enum shw_result result = SHW_OK, other = SHW_OK;

    if (project || !both)
        result = save_project(teaching, *argument != '\0' ? argument : NULL);
    if (both)
        other = view_annotating_save_asking(annotating, NULL);
    return result != SHW_OK ? result : other;
}

/* Asks for another name. */
static enum shw_result save_as(void *user, const char *argument)
{
    struct view_teaching *teaching = user;

    (void)argument;
    SHW_PROPAGATE(view_project_need(&teaching->project, &teaching->scene->log));
    ask_for_name(teaching);
    return SHW_OK;
}

/* Saves for a question. Another question may come of it. */
static enum shw_result answer_save(struct view_teaching *teaching, const char *given)
{
    struct view_question *question = &teaching->question;
    const char *path = *given != '\0' ? given : NULL;
    bool replace = question->kind == VIEW_QUESTION_REPLACE;

    if (replace) {
        path = question->path;
    } else if (path == NULL && (teaching->project.path == NULL || question->kind == VIEW_QUESTION_NAME)) {
        ask_for_name(teaching);
        return SHW_OK;
    } else if (ask_to_replace(teaching, path)) {
        return SHW_OK;
    }
    question->focus = question->kind == VIEW_QUESTION_NAME; /* a name that is refused is typed again */
    SHW_PROPAGATE(view_teaching_save(teaching, path, replace));
    view_question_end(question, true);
    return SHW_OK;
}

static enum shw_result answer(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    enum view_question_kind kind = teaching->question.kind;
    size_t length = strcspn(argument, " \t");

    if (kind == VIEW_QUESTION_NONE)
        return shw_fail(&teaching->scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no question to answer");
    teaching->scene->redraw = true;
    if (length == 4 && strncmp(argument, "save", length) == 0)
        return answer_save(teaching, argument + length + strspn(argument + length, " \t"));
    if (kind == VIEW_QUESTION_REPLACE && strcmp(argument, "rename") == 0) {
        ask_for_name(teaching);
        return SHW_OK;
    }
    if (strcmp(argument, "cancel") != 0 && (strcmp(argument, "discard") != 0 || kind != VIEW_QUESTION_UNSAVED))
        return view_action_refuse(&teaching->scene->log,
                                  kind == VIEW_QUESTION_UNSAVED   ? "save, discard or cancel"
                                  : kind == VIEW_QUESTION_REPLACE ? "save, rename or cancel"
                                                                  : "save or cancel",
                                  argument);
    view_question_end(&teaching->question, strcmp(argument, "discard") == 0);
    return SHW_OK;
}

/* Looks again for what earlier runs left, which is then asked about. */
static enum shw_result find_left(struct view_teaching *teaching)
{
    const struct shw_log *log = &teaching->scene->log;

    if (teaching->autosave == NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "no copies of unsaved work are kept: --recovery FOLDER keeps them");
    view_left_free(&teaching->recovered);
    SHW_PROPAGATE(view_left_find(&view_project_autosave, teaching->autosave->base, log, &teaching->recovered));
    if (teaching->recovered.count == 0)
        snprintf(teaching->said, sizeof teaching->said, "no earlier run has left a project that is not saved");
    return SHW_OK;
}

/* NUMBER, `delete NUMBER`, `later`, `ask` or `keep`. */
static enum shw_result recover(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    bool deletes = strncmp(argument, "delete ", 7) == 0;
    char line[VIEW_ACTION_LINE];
    int64_t number;

    teaching->scene->redraw = true;
    if (strcmp(argument, "keep") == 0)
        return view_autosave_keep(teaching->autosave, &teaching->project, &teaching->scene->log);
    if (strcmp(argument, "later") == 0) {
        view_left_free(&teaching->recovered);
        return SHW_OK;
    }
    if (strcmp(argument, "ask") == 0)
        return find_left(teaching);
    if (!view_parse_number(deletes ? argument + 7 : argument, 1, (int64_t)teaching->recovered.count, &number))
        return view_action_refuse(&teaching->scene->log,
                                  "the number of unsaved work that was found, later, ask or keep", argument);
    if (deletes) {
        view_left_delete(&teaching->recovered, (uint32_t)number - 1);
        return SHW_OK;
    }
    snprintf(line, sizeof line, "recover %s", argument);
    if (teaching->careful &&
        view_question_close(&teaching->question, view_project_is_unsaved(&teaching->project), line))
        return SHW_OK;
    return view_teaching_recover(teaching, (uint32_t)number - 1);
}

/* Removes the last word, which must not be the only one, and returns it. */
static char *cut_last_word(char *text)
{
    char *blank = strrchr(text, ' ');

    if (blank == NULL || blank == text)
        return NULL;
    *blank = '\0';
    while (blank > text && blank[-1] == ' ')
        *--blank = '\0';
    return text + strlen(text) + strspn(text + strlen(text) + 1, " ") + 1;
}

/* Splits the argument into a class, named by all words but the last, and the last word. */
static enum shw_result class_and_word(struct view_teaching *teaching, const char *argument, char text[4096],
                                      uint32_t *number, char **word)
{
    SHW_PROPAGATE(view_project_need(&teaching->project, &teaching->scene->log));
    snprintf(text, 4096, "%s", argument);
    *word = cut_last_word(text);
    if (*word == NULL)
        return view_action_refuse(&teaching->scene->log, "a class and its new value", argument);
    if (!view_scene_find_class(teaching->scene, text, number) || *number >= teaching->class_count)
        return view_action_refuse(&teaching->scene->log, "a class's name or number", text);
    return SHW_OK;
}

static bool is_taken(const struct view_teaching *teaching, const uint8_t colour[3])
{
    bool taken = false;

    for (uint32_t c = 0; c < teaching->class_count; c++)
        taken = taken || memcmp(teaching->classes[c].colour, colour, 3) == 0;
    return taken;
}

/* A colour that no class has: that of the name if it suggests one. */
static void choose_colour(const struct view_teaching *teaching, const char *name, uint8_t colour[3])
{
    uint32_t number;

    if (view_class_colour_of(name, &number)) {
        shw_palette_default_colour(number, colour);
        if (!is_taken(teaching, colour))
            return;
    }
    for (number = 0; number < SHW_PROJECT_CLASSES_MAX; number++) {
        shw_palette_default_colour(number, colour);
        if (!is_taken(teaching, colour))
            return;
    }
}

/* NAME, with or without its colour. The new class becomes the chosen one. */
static enum shw_result add_class(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    char name[4096], *colour_text;
    uint8_t colour[3];

    SHW_PROPAGATE(view_project_need(&teaching->project, &teaching->scene->log));
    snprintf(name, sizeof name, "%s", argument);
    colour_text = cut_last_word(name);
    if (colour_text == NULL || !view_parse_colour(colour_text, colour)) {
        snprintf(name, sizeof name, "%s", argument);
        choose_colour(teaching, name, colour);
    }
    SHW_PROPAGATE(shw_project_add_class(teaching->project.data, name, colour));
    SHW_PROPAGATE(view_teaching_classes_changed(teaching));
    teaching->scene->settings.chosen = teaching->class_count - 1;
    return SHW_OK;
}

static enum shw_result delete_class(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    uint32_t number;

    SHW_PROPAGATE(view_project_need(&teaching->project, &teaching->scene->log));
    if (!view_scene_find_class(teaching->scene, argument, &number))
        return view_action_refuse(&teaching->scene->log, "a class's name or number", argument);
    view_teaching_end_stroke(teaching);
    SHW_PROPAGATE(shw_project_delete_class(teaching->project.data, number));
    return view_teaching_classes_changed(teaching);
}

/* CLASS NAME: CLASS is a number, or a name without blanks. */
static enum shw_result rename_class(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    size_t length = strcspn(argument, " \t");
    const char *name = argument + length + strspn(argument + length, " \t");
    char text[4096];
    uint32_t number;

    SHW_PROPAGATE(view_project_need(&teaching->project, &teaching->scene->log));
    snprintf(text, sizeof text, "%.*s", (int)length, argument);
    if (!view_scene_find_class(teaching->scene, text, &number) || number >= teaching->class_count)
        return view_action_refuse(&teaching->scene->log, "a class's name or number", text);
    SHW_PROPAGATE(shw_project_change_class(teaching->project.data, number, name, teaching->classes[number].colour));
    return view_teaching_classes_changed(teaching);
}

static enum shw_result colour_class(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    char text[4096], *word;
    uint32_t number;
    uint8_t colour[3];

    SHW_PROPAGATE(class_and_word(teaching, argument, text, &number, &word));
    if (!view_parse_colour(word, colour))
        return view_action_refuse(&teaching->scene->log, "a colour like #56b4e9", word);
    SHW_PROPAGATE(shw_project_change_class(teaching->project.data, number, teaching->classes[number].name, colour));
    return view_teaching_classes_changed(teaching);
}

static enum shw_result lock_class(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    char text[4096], *word;
    uint32_t number;
    bool locked;

    SHW_PROPAGATE(class_and_word(teaching, argument, text, &number, &word));
    locked = shw_project_get_class(teaching->project.data, number)->locked;
    SHW_PROPAGATE(view_parse_switch(&teaching->scene->log, word, &locked));
    shw_project_lock_class(teaching->project.data, number, locked);
    return SHW_OK;
}

static enum shw_result set_training(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    struct shw_project_training training;
    char text[4096], *word, *end;
    struct shw_channel_list list;
    unsigned long long value;

    SHW_PROPAGATE(view_project_need(&teaching->project, &teaching->scene->log));
    training = shw_project_get_training(teaching->project.data);
    snprintf(text, sizeof text, "%s", argument);
    word = cut_last_word(text);
    if (word == NULL)
        return view_action_refuse(&teaching->scene->log,
                                  "trees, depth, candidates, offset, levels, seed or channels, and a value", argument);
    value = strtoull(word, &end, 10);
    if (strcmp(text, "channels") == 0) {
        SHW_PROPAGATE(
            shw_channel_list_parse(word, shw_project_get_kinds(teaching->project.data), &teaching->scene->log, &list));
        snprintf(training.channels, sizeof training.channels, "%s", list.name);
    } else if (end == word || *end != '\0' || word[0] == '-' || (strcmp(text, "seed") != 0 && value > UINT32_MAX)) {
        return view_action_refuse(&teaching->scene->log, "a whole number, 0 or more", word);
    } else if (strcmp(text, "trees") == 0) {
        training.tree_count = (uint32_t)value;
    } else if (strcmp(text, "depth") == 0) {
        training.depth = (uint32_t)value;
    } else if (strcmp(text, "candidates") == 0) {
        training.candidates = (uint32_t)value;
    } else if (strcmp(text, "offset") == 0) {
        training.offset = (uint32_t)value;
    } else if (strcmp(text, "levels") == 0) {
        training.levels = (uint32_t)value;
    } else if (strcmp(text, "seed") == 0) {
        training.seed = value;
    } else {
        return view_action_refuse(&teaching->scene->log, "trees, depth, candidates, offset, levels, seed or channels",
                                  text);
    }
    return view_teaching_set_training(teaching, &training, NULL);
}

static const struct view_action actions[] = {
    {"project", "new|close|FILE", "start a project, close the open one, or open one with its pictures", open_project},
    {"add-pictures", "FILE",
     "show pictures (as `open` does) that are painted on for the open project, which stays open", add_pictures},
    {"save", "[FILE]", "save the project; without a name, also rectangles that are not saved", save},
    {"save-as", NULL, "ask for the name of another file, and save the project there", save_as},
    {"answer", "save [FILE]|discard|rename|cancel",
     "answer a question about work that is not saved, or a file's name; rename: under another name", answer},
    {"recover", "NUMBER|delete NUMBER|later|ask|keep",
     "open unsaved work that an earlier run left, the latest being number 1; later: leave it for now; ask: look for it "
     "again; keep: copy this run's work now",
     recover},
    {"add-class", "NAME [#RRGGBB]", "add a class and choose it", add_class},
    {"delete-class", "CLASS", "delete a class with everything that is painted of it", delete_class},
    {"rename-class", "CLASS NAME", "rename a class", rename_class},
    {"colour", "CLASS #RRGGBB", "set the colour of a class", colour_class},
    {"lock", "CLASS on|off|toggle", "protect a class from being painted over", lock_class},
    {"training", "SETTING VALUE",
     "set trees, depth, candidates, offset, levels, seed or channels of the training; 0: the default", set_training},
    {0}};

static const struct view_key keys[] = {{"Ctrl+N", "project new", "new project"},
                                       {"Ctrl+S", "save", "save project and rectangles"},
                                       {"Ctrl+Shift+S", "save-as", "save it under another name"},
                                       {0}};

const struct view_action_group view_project_group = {"Projects", actions, keys};

/* Actions for the list of pictures. */

/* With the classes on all pictures. */
static void update(struct view_teaching *teaching)
{
    view_painting_finish(&teaching->painting);
    view_picture_list_update(&teaching->list, teaching->scene->player, &teaching->project);
}

/* Shows the picture of the row before or after that of the shown picture. */
static enum shw_result go_on(struct view_teaching *teaching, bool back)
{
    struct view_player *player = teaching->scene->player;
    const struct view_picture_list *list = &teaching->list;
    const struct view_source_info info = view_player_info(player);
    uint32_t row = 0;

    update(teaching);
    while (row < list->row_count && (back ? list->rows[row] < info.index : list->rows[row] <= info.index))
        row++;
    if (back ? row == 0 : row == list->row_count) {
        snprintf(teaching->said, sizeof teaching->said, "there is no %s picture in the list",
                 back ? "previous" : "further");
        return SHW_OK;
    }
    player->settle = true;
    return view_source_go_to(player->source, list->rows[back ? row - 1 : row]);
}

static enum shw_result change_list(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    struct view_picture_list *list = &teaching->list;
    size_t length = strcspn(argument, " \t");
    const char *rest = argument + length + strspn(argument + length, " \t");
    uint32_t number;

    if (strcmp(argument, "next") == 0 || strcmp(argument, "previous") == 0)
        return go_on(teaching, argument[0] == 'p');
    if (length == 4 && strncmp(argument, "name", length) == 0) {
        snprintf(list->name, sizeof list->name, "%s", rest);
    } else if (length == 5 && strncmp(argument, "class", length) == 0) {
        if (!view_scene_find_class(teaching->scene, rest, &number) || number >= teaching->class_count)
            return view_action_refuse(&teaching->scene->log, "a class's name or number", rest);
        list->filter = VIEW_LIST_CLASS;
        list->class_number = number;
    } else if (strcmp(argument, "all") == 0) {
        list->filter = VIEW_LIST_ALL;
        list->name[0] = '\0';
    } else if (strcmp(argument, "painted") == 0) {
        list->filter = VIEW_LIST_PAINTED;
    } else if (strcmp(argument, "unpainted") == 0) {
        list->filter = VIEW_LIST_UNPAINTED;
    } else if (strcmp(argument, "kept") == 0) {
        list->filter = VIEW_LIST_KEPT;
    } else {
        return view_action_refuse(&teaching->scene->log,
                                  "all, painted, unpainted, kept, class CLASS, name PART, next or previous", argument);
    }
    list->stale = true;
    return SHW_OK;
}

static void print_row(const struct view_teaching *teaching, uint32_t entry, bool shown)
{
    const char *name = view_source_name(teaching->scene->player->source, entry), *separator = ": ";
    uint32_t strokes;
    const bool *classes = view_picture_list_marks(&teaching->list, entry, &strokes);

    printf("%s%u %s", shown ? "*" : " ", entry + 1, name != NULL ? view_picture_list_base(name) : "");
    if (strokes > 0)
        printf(", %u %s", strokes, strokes == 1 ? "stroke" : "strokes");
    for (uint32_t c = 0; strokes > 0 && c < teaching->list.class_count && c < teaching->class_count; c++)
        if (classes[c]) {
            printf("%s%s", separator, teaching->classes[c].name);
            separator = ", ";
        }
    if (view_picture_list_is_kept(&teaching->list, entry))
        printf("; kept for testing");
    if (view_ranking_value(&teaching->ranking, entry) >= 0.0)
        printf("; uncertainty %.1f %%", 100.0 * view_ranking_value(&teaching->ranking, entry));
    printf("\n");
}

static enum shw_result print_list(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    const struct view_player *player = teaching->scene->player;

    (void)argument;
    update(teaching);
    for (uint32_t row = 0; row < teaching->list.row_count; row++)
        print_row(teaching, teaching->list.rows[row], teaching->list.rows[row] == view_player_info(player).index);
    return SHW_OK;
}

static enum shw_result rank(void *user, const char *argument)
{
    struct view_teaching *teaching = user;

    (void)argument;
    update(teaching);
    return view_ranking_begin(&teaching->ranking, teaching->scene, &teaching->list, &teaching->project);
}

static const struct view_action list_actions[] = {
    {"list", "WHAT...",
     "choose which pictures are listed: all, painted, unpainted, kept (for testing), `class CLASS`, and `name PART` "
     "for those whose names contain "
     "it; or show the next or previous one of them",
     change_list},
    {"pictures", NULL, "print the list of pictures, with the strokes and classes on each, and its uncertainty",
     print_list},
    {"rank", NULL, "find out how uncertain the forest is on each picture; scripts wait for it", rank},
    {0}};

static const struct view_key list_keys[] = {{0}};

const struct view_action_group view_list_group = {"List of pictures", list_actions, list_keys};
