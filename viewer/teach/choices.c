/* What a project learns from, besides colours. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action/action.h"
#include "base/log.h"
#include "dense/channels/channels.h"
#include "files/dataset/image_inputs.h"
#include "files/dataset/pattern.h"
#include "files/image/image_file.h"
#include "files/io/image_paths.h"
#include "files/tune/look.h"
#include "files/tune/preset.h"
#include "files/tune/setting.h"
#include "teach/choices.h"

/* The channels of each input that the panel offers. */
static const struct {
    const char *name, *input, *channels;
} offered[] = {{"depth", SHW_DEPTH, "depth"}, {"motion", SHW_PREVIOUS, "dt,dt-gradient"}};

#define OFFERED (sizeof offered / sizeof *offered)

/* Appends an entry of a list of channels; false if it is too long. */
static bool append(char list[SHW_CHANNEL_LIST_NAME_SIZE], const char *entry, size_t length)
{
    const size_t before = strlen(list);

    return (size_t)snprintf(list + before, SHW_CHANNEL_LIST_NAME_SIZE - before, "%s%.*s", before > 0 ? "," : "",
                            (int)length, entry) < SHW_CHANNEL_LIST_NAME_SIZE - before;
}

/* Whether a channel of that entry reads the input; the entry is one of a list that could be parsed. */
static bool entry_reads(const char *entry, size_t length, const struct shw_channel_kinds *kinds, const char *input)
{
    char text[SHW_CHANNEL_LIST_NAME_SIZE];
    struct shw_channel_list list;

    snprintf(text, sizeof text, "%.*s", (int)length, entry);
    return shw_channel_list_parse(text, kinds, NULL, &list) == SHW_OK && shw_channels_read(&list, input);
}

bool view_choice_channels(const char *channels, const struct shw_channel_kinds *kinds, const char *input, bool on,
                          char made[SHW_CHANNEL_LIST_NAME_SIZE])
{
    char given[SHW_CHANNEL_LIST_NAME_SIZE];
    bool fine = true;

    snprintf(given, sizeof given, "%s", channels);
    made[0] = '\0';
    for (const char *entry = given; *entry != '\0' && fine;) {
        const size_t length = shw_channel_entry_length(entry, kinds);

        if (!entry_reads(entry, length, kinds, input))
            fine = append(made, entry, length);
        entry += length + (entry[length] == ',');
    }
    for (size_t i = 0; fine && on && i < OFFERED; i++)
        if (strcmp(offered[i].input, input) == 0)
            fine = append(made, offered[i].channels, strlen(offered[i].channels));
    return fine && made[0] != '\0';
}

/* Leaves out FOLDER/../ of a path whose folders are no links. */
static void leave_out_detours(char *path)
{
    for (char *dots; (dots = strstr(path, "/../")) != NULL && dots != path;) {
        char *before = dots;

        while (before > path && before[-1] != '/')
            before--;
        if (strncmp(before, "../", 3) == 0)
            return;
        memmove(before, dots + 4, strlen(dots + 4) + 1);
    }
}

char *view_choice_place_pattern(const struct view_teaching *teaching, const char *pattern)
{
    const struct view_picture *shown = teaching->scene->picture;
    const char *beside = shown != NULL && shown->name != NULL && shw_image_has_file(shown->name) ? shown->name : "";
    const char *folder = teaching->project.folder != NULL ? teaching->project.folder : "";
    char *start = *beside != '\0' ? view_folder_of(beside) : strdup(""), *path, *name;

    path = start != NULL ? shw_path_in(start, pattern) : NULL;
    if (path != NULL && *beside != '\0')
        leave_out_detours(path);
    name = path != NULL ? view_name_from(folder, path) : NULL;
    free(start);
    free(path);
    return name;
}

/* The path of a file from a folder, both without links; the path itself if it would begin with many dots. */
static void write_path_from(const char *folder, const char *path, char *text, size_t size)
{
    size_t common = 0, used = 0;
    uint32_t up = 0;

    for (size_t i = 0; folder[i] != '\0' && folder[i] == path[i]; i++)
        if (folder[i] == '/')
            common = i + 1;
    for (const char *rest = folder + common; *rest != '\0'; rest++)
        up += *rest == '/';
    if (common <= 1 || up > 3) {
        snprintf(text, size, "%s", path);
        return;
    }
    for (; up > 0 && used + 4 < size; up--, used += 3)
        memcpy(text + used, "../", 4);
    snprintf(text + used, size - used, "%s", path + common);
}

void view_choice_depth(const struct view_teaching *teaching, char *pattern, size_t size)
{
    const struct view_picture *shown = teaching->scene->picture;
    const char *given = shw_project_get_input(teaching->project.data, SHW_DEPTH);
    char *path =
        given != NULL ? shw_path_in(teaching->project.folder != NULL ? teaching->project.folder : "", given) : NULL;
    char *folder = path != NULL && shown != NULL && shown->name != NULL && shw_image_has_file(shown->name)
                       ? view_folder_of(shown->name)
                       : NULL;

    pattern[0] = '\0';
    if (path != NULL && folder != NULL && shw_path_is_absolute(path))
        write_path_from(folder, path, pattern, size);
    else if (path != NULL)
        snprintf(pattern, size, "%s", path);
    free(path);
    free(folder);
}

/* Says at once where the shown picture's depth would be, if it has none. */
static void check_shown(const struct view_teaching *teaching)
{
    const struct view_picture *shown = teaching->scene->picture;
    struct shw_project_files files;
    char pattern[1024];
    bool lacks = shown != NULL && shown->name != NULL && shw_image_has_file(shown->name) &&
                 view_picture_depth(shown) == NULL && shw_project_reads(teaching->project.data, SHW_DEPTH) &&
                 view_project_seek(&teaching->project, shown->name) == UINT32_MAX;

    if (!lacks || shw_project_list_inputs(teaching->project.data, UINT32_MAX, &files) != SHW_OK)
        return;
    lacks = !shw_image_inputs_are_there(shown->name, files.files, files.count, SHW_DEPTH);
    shw_project_files_free(&files);
    view_choice_depth(teaching, pattern, sizeof pattern);
    if (lacks)
        shw_log_message(&teaching->scene->log, SHW_LOG_WARNING, SHW_LOG_PROJECT,
                        "%s has no depth: there is no file %s%s, so it cannot be painted on", shown->name,
                        pattern[0] != '\0' ? "by the pattern " : "NAME_depth.png beside NAME_colors.png", pattern);
}

enum shw_result view_choice_check_pattern(const struct view_teaching *teaching, const char *pattern, const char *input)
{
    return shw_pattern_places(pattern) > 0
               ? SHW_OK
               : shw_fail(&teaching->scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                          "%s would be the %s of every picture: write {} for the picture's name, as in %s/{}.png",
                          pattern, input, input);
}

/* depth or motion, and on, off, toggle or, for depth, a pattern. */
static enum shw_result learn_from(void *user, const char *argument)
{
    static const char expected[] = "depth or motion, and on, off, toggle or, for depth, a pattern or beside";
    struct view_teaching *teaching = user;
    const struct shw_log *log = &teaching->scene->log;
    const size_t length = strcspn(argument, " \t");
    const char *how = argument + length + strspn(argument + length, " \t");
    struct shw_project_training training;
    size_t which = 0;
    bool on, is_depth, is_pattern, is_beside;
    char *pattern = NULL;
    enum shw_result result;

    SHW_PROPAGATE(view_project_need(&teaching->project, log));
    while (which < OFFERED &&
           (strlen(offered[which].name) != length || strncmp(offered[which].name, argument, length) != 0))
        which++;
    if (which == OFFERED)
        return view_action_refuse(log, expected, argument);
    on = shw_project_reads(teaching->project.data, offered[which].input);
    is_depth = strcmp(offered[which].input, SHW_DEPTH) == 0;
    is_pattern = is_depth && strpbrk(how, "./{") != NULL;
    is_beside = is_depth && strcmp(how, "beside") == 0;
    if (is_pattern || is_beside)
        on = true;
    else if (view_parse_switch(NULL, how, &on) != SHW_OK)
        return view_action_refuse(log, expected, argument);
    training = shw_project_get_training(teaching->project.data);
    if (!view_choice_channels(shw_project_training_channels(&training), shw_project_get_kinds(teaching->project.data),
                              offered[which].input, on, training.channels))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the project would have %s channels",
                        on ? "too many" : "no");
    if (is_pattern)
        SHW_PROPAGATE(view_choice_check_pattern(teaching, how, SHW_DEPTH));
    if (is_pattern && (pattern = view_choice_place_pattern(teaching, how)) == NULL)
        return shw_fail_memory(log, how);
    result = view_teaching_set_training(teaching, &training, is_beside ? "" : pattern);
    free(pattern);
    if (result == SHW_OK && is_depth && on)
        check_shown(teaching);
    return result;
}

/* Of the shown picture, in pixels. */
static double diagonal_of(const struct view_picture *picture)
{
    return picture != NULL ? hypot(picture->image.width, picture->image.height) : 400.0;
}

static uint32_t number_of(const json_t *setting, const char *name)
{
    const json_int_t value = json_integer_value(json_object_get(setting, name));

    return value > 0 && value <= UINT32_MAX ? (uint32_t)value : 0;
}

/* A preset of `train`: what a project stores of it. */
static enum shw_result take_preset(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    const struct shw_log *log = &teaching->scene->log;
    struct shw_project_training training;
    struct shw_preset preset;
    const char *channels;
    enum shw_result result;

    SHW_PROPAGATE(view_project_need(&teaching->project, log));
    SHW_PROPAGATE(shw_preset_load(argument, log, &preset));
    result = shw_preset_scale(&preset, diagonal_of(teaching->scene->picture));
    if (result != SHW_OK)
        shw_fail_memory(log, argument);
    training = shw_project_get_training(teaching->project.data);
    training = (struct shw_project_training){.seed = training.seed, .levels = training.levels};
    channels = json_string_value(json_object_get(preset.setting, "channels"));
    if (strcmp(preset.name, "strokes") != 0) { /* which are the defaults */
        snprintf(training.channels, sizeof training.channels, "%s", channels != NULL ? channels : "");
        training.tree_count = number_of(preset.setting, "trees");
        training.depth = number_of(preset.setting, "depth");
        training.candidates = number_of(preset.setting, "candidates");
        training.offset = number_of(preset.setting, "offset");
        training.smooth = number_of(preset.setting, SHW_SETTING_SMOOTH);
        training.smooth = training.smooth > 0 ? training.smooth : SHW_SMOOTHING_NONE;
    }
    shw_preset_free(&preset);
    if (result == SHW_OK)
        result = view_teaching_set_training(teaching, &training, NULL);
    return result == SHW_OK ? view_scene_smooth(teaching->scene, false, 0) : result;
}

static enum shw_result begin_preview(struct view_teaching *teaching)
{
    const char *depth = shw_project_get_input(teaching->project.data, SHW_DEPTH);
    char *copy = depth != NULL ? strdup(depth) : NULL;

    SHW_PROPAGATE(view_scene_need_forest(teaching->scene));
    if (copy == NULL && depth != NULL)
        return shw_fail_memory(&teaching->scene->log, depth);
    view_teaching_end_preview(teaching);
    teaching->preview.on = true;
    teaching->preview.training = shw_project_get_training(teaching->project.data);
    teaching->preview.depth = copy;
    view_scene_compare_with(teaching->scene, view_shared_forest_share(teaching->scene->forest));
    return SHW_OK;
}

/* Goes back to what was chosen when the preview began. */
static enum shw_result drop_changes(struct view_teaching *teaching)
{
    const struct shw_project_training training = teaching->preview.training;
    char *depth = teaching->preview.depth;
    enum shw_result result;

    teaching->preview.depth = NULL;
    view_teaching_end_preview(teaching);
    result = view_teaching_set_training(teaching, &training, depth != NULL ? depth : "");
    free(depth);
    return result == SHW_OK ? view_scene_smooth(teaching->scene, false, 0) : result;
}

static enum shw_result preview(void *user, const char *argument)
{
    struct view_teaching *teaching = user;
    const struct shw_log *log = &teaching->scene->log;
    const bool drops = strcmp(argument, "drop") == 0;

    SHW_PROPAGATE(view_project_need(&teaching->project, log));
    if (strcmp(argument, "on") == 0)
        return begin_preview(teaching);
    if (!drops && strcmp(argument, "keep") != 0)
        return view_action_refuse(log, "on, keep or drop", argument);
    if (!teaching->preview.on)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "nothing is compared: `preview on` begins, before a choice is changed");
    if (drops)
        return drop_changes(teaching);
    view_teaching_end_preview(teaching);
    return SHW_OK;
}

static const struct view_action actions[] = {
    {"preset", "NAME",
     "train with the settings of a preset: strokes (the defaults), photographs, street-scenes, microscopy, rgbd-rooms, "
     "or a file of `shadewood tune`",
     take_preset},
    {"preview", "on|keep|drop",
     "keep the present labels left of the wipe's line, those of other choices right of it; then keep the choices, or "
     "go "
     "back to those before",
     preview},
    {"learn-from", "depth|motion on|off|toggle|PATTERN|beside",
     "train on depth, or on motion against the previous frame, too; PATTERN: where the pictures' depth is, from the "
     "folder of the shown one, {} standing for a picture's name; beside, or without one: in NAME_depth.png beside "
     "NAME_colors.png",
     learn_from},
    {0}};

static const struct view_key keys[] = {{0}};

const struct view_action_group view_choices_group = {"Choices of training", actions, keys};
