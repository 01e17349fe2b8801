/* What pictures of a project have besides their colours, for training on it: their files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "base/text.h"
#include "dense/channels/channels.h"
#include "dense/input/inputs.h"
#include "files/dataset/image_inputs.h"
#include "files/dataset/input_names.h"
#include "files/image/image_file.h"
#include "files/image/planes.h"
#include "files/io/image_paths.h"
#include "files/project/state.h"

const char *const shw_project_input_names[SHW_PROJECT_INPUTS] = {SHW_DEPTH, SHW_HEIGHT, SHW_PREVIOUS};

bool shw_project_keeps_input(const char *name)
{
    uint32_t i = 0;

    while (i < SHW_PROJECT_INPUTS && strcmp(shw_project_input_names[i], name) != 0)
        i++;
    return i < SHW_PROJECT_INPUTS;
}

static bool is_previous(const char *name)
{
    return strcmp(name, SHW_PREVIOUS) == 0;
}

bool shw_project_may_have_input(const char *name)
{
    return shw_project_keeps_input(name) || shw_plane_name_is_valid(name);
}

const char *shw_project_training_channels(const struct shw_project_training *training)
{
    return training->channels[0] != '\0' ? training->channels : SHW_PROJECT_CHANNELS;
}

const struct shw_channel_list *shw_project_get_channels(const struct shw_project *project)
{
    const char *text = shw_project_training_channels(&project->training);
    struct shw_taught_channels *channels = project->channels;

    if (channels->texts != project->texts.generation || strcmp(channels->text, text) != 0) {
        snprintf(channels->text, sizeof channels->text, "%s", text);
        channels->texts = project->texts.generation;
        if (shw_channel_list_parse(text, &project->texts.kinds, NULL, &channels->list) != SHW_OK)
            channels->list = (struct shw_channel_list){.channel_count = 0};
    }
    return &channels->list;
}

bool shw_project_reads(const struct shw_project *project, const char *name)
{
    return shw_channels_read(shw_project_get_channels(project), name);
}

/* Where the path of an input of that name is, or would be. */
static uint32_t place_of(const struct shw_named_paths *paths, const char *name)
{
    uint32_t place = 0;

    while (place < paths->count && strcmp(paths->list[place].name, name) < 0)
        place++;
    return place;
}

const char *shw_named_paths_find(const struct shw_named_paths *paths, const char *name)
{
    const uint32_t place = place_of(paths, name);

    return place < paths->count && strcmp(paths->list[place].name, name) == 0 ? paths->list[place].path : NULL;
}

/* Takes over the path, or removes the one that there is (NULL). False: out of memory; the path is then still the
 * caller's. */
static bool put(struct shw_named_paths *paths, const char *name, char *path)
{
    const uint32_t place = place_of(paths, name);
    const bool found = shw_named_paths_find(paths, name) != NULL;
    const char *kept = found || path == NULL ? name : shw_input_name_keep(name);

    if (!found && path == NULL)
        return true;
    if (found)
        free(paths->list[place].path);
    if (found && path == NULL) {
        memmove(&paths->list[place], &paths->list[place + 1], (--paths->count - place) * sizeof *paths->list);
        return true;
    }
    if (!found) {
        if (kept == NULL || !SHW_RESERVE(paths->list, paths->room, paths->count + 1))
            return false;
        memmove(&paths->list[place + 1], &paths->list[place], (paths->count++ - place) * sizeof *paths->list);
        paths->list[place].name = kept;
    }
    paths->list[place].path = path;
    return true;
}

bool shw_named_paths_copy(const struct shw_named_paths *from, struct shw_named_paths *to)
{
    for (uint32_t i = 0; i < from->count; i++) {
        char *path = strdup(from->list[i].path);

        if (path == NULL || !put(to, from->list[i].name, path)) {
            free(path);
            return false;
        }
    }
    return true;
}

void shw_named_paths_free(struct shw_named_paths *paths)
{
    for (uint32_t i = 0; i < paths->count; i++)
        free(paths->list[i].path);
    free(paths->list);
    *paths = (struct shw_named_paths){0};
}

bool shw_project_has_planes(const struct shw_project *project)
{
    const struct shw_channel_list *list = shw_project_get_channels(project);
    bool any = false;

    for (uint32_t i = 0; i < list->input_count; i++)
        any = any || list->is_plane[i];
    for (uint32_t p = 0; p <= project->picture_count; p++) {
        const struct shw_named_paths *paths =
            p < project->picture_count ? &project->pictures[p].inputs : &project->inputs;

        for (uint32_t i = 0; i < paths->count; i++)
            any = any || !shw_project_keeps_input(paths->list[i].name);
    }
    return any;
}

enum shw_result shw_project_forget_files(struct shw_project *project)
{
    for (uint32_t i = 0; i < project->picture_count; i++) {
        char *path = shw_path_in(project->folder, project->pictures[i].name);

        if (path == NULL)
            return shw_fail_memory(&project->log, "pictures");
        if (project->pictures[i].pixels != NULL && shw_image_has_file(path))
            shw_pixels_release(&project->pictures[i].pixels);
        free(path);
    }
    return SHW_OK;
}

static enum shw_result refuse(const struct shw_project *project, const char *name)
{
    return shw_fail(&project->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                    "a project keeps no input \"%s\" of its pictures: only depth and height, planes, and the previous "
                    "frame of single pictures",
                    name);
}

/* Replaces a path by a copy; *changed: it was another. */
static enum shw_result replace(const struct shw_project *project, struct shw_named_paths *paths, const char *name,
                               const char *with, bool *changed)
{
    char *copy;

    *changed = !shw_text_is_same(shw_named_paths_find(paths, name), with);
    if (!*changed)
        return SHW_OK;
    if (shw_text_copy(with, &copy) && put(paths, name, copy))
        return SHW_OK;
    free(copy);
    return shw_fail_memory(&project->log, name);
}

enum shw_result shw_project_set_input(struct shw_project *project, const char *name, const char *pattern)
{
    bool changed;

    if (!shw_project_may_have_input(name) || is_previous(name))
        return refuse(project, name);
    SHW_PROPAGATE(replace(project, &project->inputs, name, pattern, &changed));
    if (!changed)
        return SHW_OK;
    project->revision++;
    return shw_project_forget_files(project);
}

const char *shw_project_get_input(const struct shw_project *project, const char *name)
{
    return shw_named_paths_find(&project->inputs, name);
}

enum shw_result shw_project_set_picture_input(struct shw_project *project, uint32_t picture, const char *name,
                                              const char *path)
{
    bool changed;

    if (!shw_project_may_have_input(name))
        return refuse(project, name);
    SHW_PROPAGATE(replace(project, &project->pictures[picture].inputs, name, path, &changed));
    project->revision += changed;
    return SHW_OK;
}

const char *shw_project_get_picture_input(const struct shw_project *project, uint32_t picture, const char *name)
{
    return shw_named_paths_find(&project->pictures[picture].inputs, name);
}

/* The file of an input that training reads. Errors: MEMORY. */
static enum shw_result add_file(const struct shw_project *project, uint32_t picture, const char *name, bool is_plane,
                                struct shw_project_files *files)
{
    const char *own = picture < project->picture_count ? shw_project_get_picture_input(project, picture, name) : NULL;
    const char *pattern = own != NULL ? own : shw_project_get_input(project, name), *kept;
    char *path = NULL;

    if (pattern == NULL && is_previous(name))
        return SHW_OK;
    kept = shw_input_name_keep(name);
    if (kept == NULL || (pattern != NULL && (path = shw_path_in(project->folder, pattern)) == NULL))
        return shw_fail_memory(&project->log, name);
    files->paths[files->count] = path;
    files->files[files->count++] = (struct shw_input_file){.name = kept,
                                                           .path = path,
                                                           .optional = own == NULL && pattern != NULL,
                                                           .of_image = is_plane && pattern == NULL};
    return SHW_OK;
}

enum shw_result shw_project_list_inputs(const struct shw_project *project, uint32_t picture,
                                        struct shw_project_files *files)
{
    const struct shw_channel_list *list = shw_project_get_channels(project);
    enum shw_result result = SHW_OK;

    *files = (struct shw_project_files){.count = 0};
    for (uint32_t i = 0; i < list->input_count && result == SHW_OK; i++)
        if (list->is_plane[i] || shw_project_keeps_input(list->inputs[i]))
            result = add_file(project, picture, list->inputs[i], list->is_plane[i], files);
    if (result != SHW_OK)
        shw_project_files_free(files);
    return result;
}

/* Adds those of a picture whose file is `image`. Errors: MEMORY, not logged. */
static enum shw_result add_own_inputs(const struct shw_project *project, uint32_t picture, const char *image, bool read,
                                      struct shw_own_inputs *own)
{
    const struct shw_named_paths *given = &project->pictures[picture].inputs;
    enum shw_result result = SHW_OK;

    for (uint32_t i = 0; i < given->count && result == SHW_OK; i++) {
        char *path;

        if (read && !shw_project_reads(project, given->list[i].name))
            continue;
        path = shw_path_in(project->folder, given->list[i].path);
        result = path != NULL ? shw_own_inputs_add(own, image, given->list[i].name, path) : SHW_ERROR_MEMORY;
        free(path);
    }
    return result;
}

enum shw_result shw_project_list_own_inputs(const struct shw_project *project, bool read, struct shw_own_inputs *own)
{
    *own = (struct shw_own_inputs){0};
    for (uint32_t p = 0; p < project->picture_count; p++) {
        char *image = shw_path_in(project->folder, project->pictures[p].name);
        const enum shw_result result = image != NULL ? add_own_inputs(project, p, image, read, own) : SHW_ERROR_MEMORY;

        free(image);
        if (result != SHW_OK) {
            shw_own_inputs_free(own);
            return shw_fail_memory(&project->log, "pictures");
        }
    }
    shw_own_inputs_sort(own);
    return SHW_OK;
}

void shw_project_files_free(struct shw_project_files *files)
{
    for (uint32_t i = 0; i < files->count; i++)
        free(files->paths[i]);
    *files = (struct shw_project_files){.count = 0};
}

static enum shw_result refuse_picture(const struct shw_project *project, const char *name, const char *picture,
                                      const struct shw_log *log)
{
    const char *pattern = shw_project_get_input(project, name);
    const bool is_plane = !shw_project_keeps_input(name);

    if (pattern != NULL)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s has no %s%s, which the project is trained on: there is no file by the pattern %s", picture,
                        is_plane ? "plane " : "", name, pattern);
    if (is_plane)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s has no plane %s, which the project is trained on: it can be in the picture's own file, or "
                        "where a pattern of the project says",
                        picture, name);
    return shw_fail(
        log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
        "%s has no %s, which the project is trained on: it can be in NAME_%s.png beside NAME_colors.png, or "
        "where a pattern of the project says",
        picture, name, name);
}

/* Whether pictures must have input `index` of those that training reads. */
static bool is_needed(const struct shw_channel_list *list, uint32_t index)
{
    return list->is_plane[index] || (shw_project_keeps_input(list->inputs[index]) && !is_previous(list->inputs[index]));
}

enum shw_result shw_project_check_inputs(const struct shw_project *project, const char *picture,
                                         const struct shw_inputs *given, const struct shw_log *log)
{
    const struct shw_channel_list *list = shw_project_get_channels(project);

    for (uint32_t i = 0; i < list->input_count; i++)
        if (is_needed(list, i) && shw_inputs_find(given, list->inputs[i]) == NULL)
            return refuse_picture(project, list->inputs[i], picture, log);
    return SHW_OK;
}

static void count_file(void *user, const char *path)
{
    (void)path;
    ++*(uint32_t *)user;
}

static enum shw_result refuse_file(const char *picture, const struct shw_input_file *file, const struct shw_log *log)
{
    const bool is_plane = !shw_project_keeps_input(file->name);

    return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s: cannot open its %s%s %s: there is no such file",
                    picture, is_plane ? "plane " : "", is_previous(file->name) ? "previous frame" : file->name,
                    file->path);
}

/* Planes that are to be in the picture's own file. */
static enum shw_result check_own_planes(const struct shw_project *project, uint32_t picture, const char *path,
                                        const struct shw_project_files *files, const struct shw_log *log)
{
    struct shw_plane_list planes = {.count = 0};
    enum shw_result result = SHW_OK;
    bool listed = false;

    for (uint32_t i = 0; result == SHW_OK && i < files->count; i++) {
        if (!files->files[i].of_image)
            continue;
        if (!listed)
            result = shw_image_planes_list(path, log, &planes);
        listed = true;
        if (result == SHW_OK && shw_plane_list_find(&planes, files->files[i].name) == planes.count)
            result = refuse_picture(project, files->files[i].name, project->pictures[picture].name, log);
    }
    shw_plane_list_free(&planes);
    return result;
}

/* Of a picture that is a file. */
static enum shw_result check_file(const struct shw_project *project, uint32_t picture, const char *path,
                                  const struct shw_log *log)
{
    const char *name = project->pictures[picture].name;
    struct shw_project_files files;
    enum shw_result result = shw_project_list_inputs(project, picture, &files);

    for (uint32_t i = 0; result == SHW_OK && i < files.count; i++) {
        const struct shw_input_file *file = &files.files[i];
        const bool own = shw_project_get_picture_input(project, picture, file->name) != NULL;
        uint32_t count = 0;

        if (own && !shw_is_file(file->path))
            result = refuse_file(name, file, log);
        else
            result = shw_image_inputs_list(path, file, 1, count_file, &count, log);
        if (result == SHW_OK && !own && !file->of_image && count < 2 && !is_previous(file->name))
            result = refuse_picture(project, file->name, name, log);
    }
    if (result == SHW_OK)
        result = check_own_planes(project, picture, path, &files, log);
    shw_project_files_free(&files);
    return result;
}

enum shw_result shw_project_check_files(const struct shw_project *project, const struct shw_log *log)
{
    enum shw_result result = SHW_OK;

    for (uint32_t p = 0; p < project->picture_count && result == SHW_OK; p++) {
        char *path;

        if (project->pictures[p].stroke_count == 0)
            continue;
        path = shw_path_in(project->folder, project->pictures[p].name);
        if (path == NULL)
            return shw_fail_memory(log, "pictures");
        if (shw_image_has_file(path))
            result = check_file(project, p, path, log);
        free(path);
    }
    return result;
}

enum shw_result shw_project_move_inputs(struct shw_project *project,
                                        char *(*rename)(const void *user, const char *given), const void *user)
{
    for (uint32_t i = 0; i < project->texts.count; i++) {
        char **path = &project->texts.list[i].path, *renamed = *path != NULL ? rename(user, *path) : NULL;

        if (*path != NULL && renamed == NULL)
            return shw_fail_memory(&project->log, *path);
        free(*path);
        *path = renamed;
    }
    for (uint32_t p = 0; p <= project->picture_count; p++) {
        struct shw_named_paths *inputs = p < project->picture_count ? &project->pictures[p].inputs : &project->inputs;

        for (uint32_t i = 0; i < inputs->count; i++) {
            char *renamed = rename(user, inputs->list[i].path);

            if (renamed == NULL)
                return shw_fail_memory(&project->log, inputs->list[i].path);
            free(inputs->list[i].path);
            inputs->list[i].path = renamed;
        }
    }
    return SHW_OK;
}
