/* The files to be imported, and the pictures that they may belong to. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "files/dataset/examples.h"
#include "files/io/image_name.h"
#include "files/io/image_paths.h"
#include "import/importing.h"
#include "teach/project_file.h"

/* Adds a picture unless it is there. `called`: its name in the project; NULL: the one that it would have. */
static enum shw_result add(struct view_importing *importing, const char *path, const char *called, uint32_t width,
                           uint32_t height)
{
    struct view_import_job *job = &importing->job;
    char base[SHW_BASE_NAME_SIZE];
    char *name = called != NULL ? strdup(called) : view_project_picture_name(&importing->teaching->project, path);
    char *copy = strdup(path), *stem = strdup(shw_image_base_name(path, base));
    struct view_import_picture *grown = NULL;
    bool known = false;

    for (uint32_t p = 0; name != NULL && p < job->picture_count && !known; p++)
        known = strcmp(job->pictures[p].name, name) == 0;
    if (!known && name != NULL && copy != NULL && stem != NULL)
        grown = realloc(job->pictures, (job->picture_count + (size_t)1) * sizeof *grown);
    if (grown == NULL) {
        free(name);
        free(copy);
        free(stem);
        return known ? SHW_OK : shw_fail_memory(&importing->teaching->scene->log, path);
    }
    job->pictures = grown;
    grown[job->picture_count++] =
        (struct view_import_picture){.path = copy, .name = name, .stem = stem, .width = width, .height = height};
    return SHW_OK;
}

/* The pictures of the project, and those of the source. */
static enum shw_result find_pictures(struct view_importing *importing)
{
    const struct view_project *project = &importing->teaching->project;
    const struct view_player *player = importing->teaching->scene->player;
    const char *name;

    for (uint32_t p = 0; p < shw_project_get_picture_count(project->data); p++) {
        const struct shw_project_picture picture = shw_project_get_picture(project->data, p);
        char *file = shw_path_in(project->folder != NULL ? project->folder : "", picture.name);
        enum shw_result result = file != NULL ? add(importing, shw_image_has_file(file) ? file : picture.name,
                                                    picture.name, picture.width, picture.height)
                                              : shw_fail_memory(&importing->teaching->scene->log, picture.name);
        free(file);
        SHW_PROPAGATE(result);
    }
    for (uint32_t i = 0; player->source != NULL && (name = view_source_name(player->source, i)) != NULL; i++)
        if (shw_image_has_file(name))
            SHW_PROPAGATE(add(importing, name, NULL, 0, 0));
    return SHW_OK;
}

static enum shw_result take_folder(struct view_importing *importing, const char *folder)
{
    const struct shw_log *log = &importing->teaching->scene->log;
    struct view_import_job *job = &importing->job;
    struct shw_image_paths paths = {0};
    enum shw_result result = find_pictures(importing);

    errno = 0;
    if (result == SHW_OK && !shw_image_paths_list(&paths, folder, shw_is_image_name))
        result = shw_fail_memory(log, folder);
    else if (result == SHW_OK && errno != 0)
        result =
            shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "cannot open the folder %s: %s", folder, strerror(errno));
    for (uint32_t i = 0; result == SHW_OK && i < paths.count; i++)
        result = view_import_job_add(job, paths.paths[i]);
    job->folder = strdup(folder);
    if (result == SHW_OK && job->folder == NULL)
        result = shw_fail_memory(log, folder);
    else if (result == SHW_OK && job->count == 0)
        result = shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s: there are no images in it", folder);
    shw_image_paths_free(&paths);
    return result;
}

static enum shw_result take_file(struct view_importing *importing, const char *path)
{
    const struct view_teaching *teaching = importing->teaching;
    const struct shw_project_picture picture =
        shw_project_get_picture(teaching->project.data, teaching->painting.picture);
    char *file = shw_path_in(teaching->project.folder != NULL ? teaching->project.folder : "", picture.name);
    enum shw_result result = file != NULL ? add(importing, shw_image_has_file(file) ? file : picture.name, picture.name,
                                                picture.width, picture.height)
                                          : shw_fail_memory(&teaching->scene->log, picture.name);

    if (result == SHW_OK)
        result = view_import_job_add(&importing->job, path);
    free(file);
    return result;
}

enum shw_result view_importing_take(struct view_importing *importing, const char *path)
{
    struct stat status;

    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return take_folder(importing, path);
    SHW_PROPAGATE(view_painting_need_picture(&importing->teaching->painting));
    return take_file(importing, path);
}
