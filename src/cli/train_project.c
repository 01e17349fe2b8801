#include "cli/train_project.h"

#include <stdlib.h>
#include <string.h>

#include "files/io/image_name.h"
#include "files/io/image_paths.h"

/* The file of a picture, which may be a page of it. NULL if memory is exhausted. */
static char *file_of(const char *folder, const char *name)
{
    char *path = shw_path_in(folder, name), *file;
    uint32_t page;

    if (path == NULL)
        return NULL;
    file = shw_image_file_of(path, &page);
    free(path);
    return file;
}

bool cli_project_visit_pictures(const char *path, const struct shw_project *project,
                                bool (*visit)(void *user, const char *picture), void *user)
{
    const char *slash = strrchr(path, '/');
    char *folder = strndup(path, slash != NULL ? (size_t)(slash - path) + 1 : 0);
    bool fine = folder != NULL;

    for (uint32_t p = 0; fine && p < shw_project_get_picture_count(project); p++) {
        char *picture = file_of(folder, shw_project_get_picture(project, p).name);
        fine = picture != NULL && visit(user, picture);
        free(picture);
    }
    free(folder);
    return fine;
}

static bool add_input(void *files, const char *picture)
{
    shw_output_files_read(files, picture);
    return true;
}

void cli_project_list_files(const char *path, const struct shw_project *project, struct shw_output_files *files)
{
    shw_output_files_read(files, path);
    if (!cli_project_visit_pictures(path, project, add_input, files))
        files->incomplete = true;
}

int cli_project_make_data(struct cli_report *report, struct shw_project *project, struct shw_trainer_params *params,
                          struct cli_project_data *data)
{
    const struct shw_log log = cli_log(report);
    enum shw_result result =
        shw_project_check_pictures(project, &log); /* the file alone does not make room for its pictures */
    struct shw_trainer_params taught;

    *data = (struct cli_project_data){0};
    if (result == SHW_OK)
        result = shw_training_set_make(project, &log, &data->set);
    if (result != SHW_OK)
        return shw_exit_code(result);
    taught = shw_training_set_params(data->set);
    params->channels = taught.channels;
    params->tree_count = taught.tree_count;
    params->depth = taught.depth;
    params->candidates = taught.candidates;
    params->seed = taught.seed;
    params->pixels_per_image = taught.pixels_per_image;
    params->weighting = taught.weighting;
    params->notes = taught.notes;
    result = shw_training_tiles_make(data->set, shw_trainer_params_get_reach(params), NULL, NULL, &data->tiles);
    if (result == SHW_OK)
        result = shw_training_choice_make(data->tiles, NULL, &data->all);
    return result == SHW_OK ? SHW_CONTINUE : shw_exit_code(result);
}

void cli_project_free_data(struct cli_project_data *data)
{
    shw_training_choice_free(&data->all);
    shw_training_tiles_release(&data->tiles);
    shw_training_set_destroy(&data->set);
}
