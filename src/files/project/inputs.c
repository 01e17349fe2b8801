/* What pictures of a project have besides their colours, for training on it: their files. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "dense/channels/channels.h"
#include "dense/input/inputs.h"
#include "files/dataset/image_inputs.h"
#include "files/image/image_file.h"
#include "files/io/image_paths.h"
#include "files/project/state.h"

const char *const shw_project_input_names[SHW_PROJECT_INPUTS] = {SHW_DEPTH, SHW_HEIGHT, SHW_PREVIOUS};

uint32_t shw_project_input_number(const char *name)
{
    uint32_t i = 0;

    while (i < SHW_PROJECT_INPUTS && strcmp(shw_project_input_names[i], name) != 0)
        i++;
    return i;
}

bool shw_project_keeps_input(const char *name)
{
    return shw_project_input_number(name) < SHW_PROJECT_INPUTS;
}

bool shw_project_reads(const struct shw_project *project, const char *name)
{
    const char *channels = project->training.channels[0] != '\0' ? project->training.channels : SHW_PROJECT_CHANNELS;
    struct shw_channel_list list;

    return shw_channel_list_parse(channels, &project->texts.kinds, NULL, &list) == SHW_OK &&
           shw_channels_read(&list, name);
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

/* Replaces a text by a copy; *changed: it was another. */
static enum shw_result replace(const struct shw_project *project, char **text, const char *with, bool *changed)
{
    char *copy = with != NULL ? strdup(with) : NULL;

    *changed = (*text == NULL) != (with == NULL) || (with != NULL && strcmp(*text, with) != 0);
    if (copy == NULL && with != NULL)
        return shw_fail_memory(&project->log, with);
    free(*text);
    *text = copy;
    return SHW_OK;
}

static enum shw_result refuse(const struct shw_project *project, const char *name)
{
    return shw_fail(&project->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                    "a project keeps no input \"%s\" of its pictures: only depth and height, and the previous frame of "
                    "single pictures",
                    name);
}

enum shw_result shw_project_set_input(struct shw_project *project, const char *name, const char *pattern)
{
    const uint32_t number = shw_project_input_number(name);
    bool changed;

    if (number == SHW_PROJECT_INPUTS || strcmp(name, SHW_PREVIOUS) == 0)
        return refuse(project, name);
    SHW_PROPAGATE(replace(project, &project->inputs[number], pattern, &changed));
    if (!changed)
        return SHW_OK;
    project->revision++;
    return shw_project_forget_files(project);
}

const char *shw_project_get_input(const struct shw_project *project, const char *name)
{
    const uint32_t number = shw_project_input_number(name);

    return number < SHW_PROJECT_INPUTS ? project->inputs[number] : NULL;
}

enum shw_result shw_project_set_picture_input(struct shw_project *project, uint32_t picture, const char *name,
                                              const char *path)
{
    const uint32_t number = shw_project_input_number(name);
    struct shw_picture_state *state = &project->pictures[picture];
    bool changed;

    if (number == SHW_PROJECT_INPUTS)
        return refuse(project, name);
    SHW_PROPAGATE(replace(project, &state->inputs[number], path, &changed));
    project->revision += changed;
    return SHW_OK;
}

const char *shw_project_get_picture_input(const struct shw_project *project, uint32_t picture, const char *name)
{
    const uint32_t number = shw_project_input_number(name);

    return number < SHW_PROJECT_INPUTS ? project->pictures[picture].inputs[number] : NULL;
}

enum shw_result shw_project_list_inputs(const struct shw_project *project, uint32_t picture,
                                        struct shw_project_files *files)
{
    *files = (struct shw_project_files){.count = 0};
    for (uint32_t i = 0; i < SHW_PROJECT_INPUTS; i++) {
        const char *own = picture < project->picture_count ? project->pictures[picture].inputs[i] : NULL;
        const char *pattern = own != NULL ? own : project->inputs[i];
        char *path = NULL;

        if (!shw_project_reads(project, shw_project_input_names[i]) ||
            (pattern == NULL && strcmp(shw_project_input_names[i], SHW_PREVIOUS) == 0))
            continue;
        if (pattern != NULL && (path = shw_path_in(project->folder, pattern)) == NULL) {
            shw_project_files_free(files);
            return shw_fail_memory(&project->log, pattern);
        }
        files->paths[files->count] = path;
        files->files[files->count++] =
            (struct shw_input_file){.name = shw_project_input_names[i], .path = path, .optional = own == NULL};
    }
    return SHW_OK;
}

enum shw_result shw_project_list_own_inputs(const struct shw_project *project, bool read, struct shw_own_inputs *own)
{
    *own = (struct shw_own_inputs){0};
    for (uint32_t p = 0; p < project->picture_count; p++) {
        char *image = shw_path_in(project->folder, project->pictures[p].name);

        for (uint32_t i = 0; i < SHW_PROJECT_INPUTS; i++) {
            const char *given = project->pictures[p].inputs[i];
            char *path = given != NULL ? shw_path_in(project->folder, given) : NULL;
            bool fine = image != NULL && (path != NULL || given == NULL);

            if (fine && given != NULL && (!read || shw_project_reads(project, shw_project_input_names[i])))
                fine = shw_own_inputs_add(own, image, shw_project_input_names[i], path) == SHW_OK;
            free(path);
            if (!fine) {
                free(image);
                shw_own_inputs_free(own);
                return shw_fail_memory(&project->log, "pictures");
            }
        }
        free(image);
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

static enum shw_result refuse_picture(const struct shw_project *project, uint32_t input, const char *picture,
                                      const struct shw_log *log)
{
    const char *name = shw_project_input_names[input], *pattern = project->inputs[input];

    if (pattern != NULL)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s has no %s, which the project is trained on: there is no file by the pattern %s", picture,
                        name, pattern);
    return shw_fail(
        log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
        "%s has no %s, which the project is trained on: it can be in NAME_%s.png beside NAME_colors.png, or "
        "where a pattern of the project says",
        picture, name, name);
}

static bool is_needed(const struct shw_project *project, uint32_t input)
{
    return strcmp(shw_project_input_names[input], SHW_PREVIOUS) != 0 &&
           shw_project_reads(project, shw_project_input_names[input]);
}

enum shw_result shw_project_check_inputs(const struct shw_project *project, const char *picture,
                                         const struct shw_inputs *given, const struct shw_log *log)
{
    for (uint32_t i = 0; i < SHW_PROJECT_INPUTS; i++)
        if (is_needed(project, i) && shw_inputs_find(given, shw_project_input_names[i]) == NULL)
            return refuse_picture(project, i, picture, log);
    return SHW_OK;
}

static void count_file(void *user, const char *path)
{
    (void)path;
    ++*(uint32_t *)user;
}

/* Of a picture that is a file. */
static enum shw_result check_file(const struct shw_project *project, uint32_t picture, const char *path,
                                  const struct shw_log *log)
{
    struct shw_project_files files;
    enum shw_result result = shw_project_list_inputs(project, picture, &files);

    for (uint32_t i = 0; result == SHW_OK && i < files.count; i++) {
        const uint32_t input = shw_project_input_number(files.files[i].name);
        const char *own = project->pictures[picture].inputs[input];
        uint32_t count = 0;

        if (own != NULL && !shw_is_file(files.paths[i]))
            result = shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                              "%s: cannot open its %s %s: there is no such file", project->pictures[picture].name,
                              strcmp(files.files[i].name, SHW_PREVIOUS) == 0 ? "previous frame" : files.files[i].name,
                              files.paths[i]);
        else
            result = shw_image_inputs_list(path, &files.files[i], 1, count_file, &count, log);
        if (result == SHW_OK && own == NULL && count < 2 && is_needed(project, input))
            result = refuse_picture(project, input, project->pictures[picture].name, log);
    }
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
        char **inputs = p < project->picture_count ? project->pictures[p].inputs : project->inputs;

        for (uint32_t i = 0; i < SHW_PROJECT_INPUTS; i++) {
            char *renamed = inputs[i] != NULL ? rename(user, inputs[i]) : NULL;

            if (inputs[i] == NULL)
                continue;
            if (renamed == NULL)
                return shw_fail_memory(&project->log, inputs[i]);
            free(inputs[i]);
            inputs[i] = renamed;
        }
    }
    return SHW_OK;
}
