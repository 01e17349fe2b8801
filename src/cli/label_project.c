#include "cli/label_project.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <shadewood/shadewood.h>

#include "base/log.h"
#include "cli/report.h"
#include "cli/train_run.h"
#include "files/io/image_name.h"
#include "files/io/image_paths.h"

bool cli_is_project(const char *path)
{
    struct stat status;

    return shw_name_ends_with(path, ".json") || (stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
                                                 shw_file_project.is_ours(path, shw_file_project.name));
}

static bool add_picture(void *digester, const char *picture)
{
    return shw_digester_add_file(digester, picture);
}

/* The digest of everything that the forest depends on: the project, the bytes of its pictures, and the version of the
 * program. Empty if a picture cannot be read. */
static struct shw_digest digest_training(const char *path, const struct shw_project *project)
{
    struct shw_digester *digester = shw_digester_create();
    char *text = shw_project_encode(project), version[64];
    struct shw_digest digest;
    bool complete = digester != NULL && text != NULL;

    snprintf(version, sizeof version, "shadewood %d.%d.%d", SHW_VERSION_MAJOR, SHW_VERSION_MINOR, SHW_VERSION_PATCH);
    if (complete) {
        shw_digester_add_text(digester, version);
        shw_digester_add_text(digester, text);
        complete = cli_project_visit_pictures(path, project, add_picture, digester);
    }
    digest = shw_digester_end(&digester);
    free(text);
    return complete ? digest : (struct shw_digest){""};
}

/* The forest of an earlier call, if the record says that it was trained from the same. */
static bool recall(struct cli_labelling *labelling, const struct shw_digest *from, const char *path,
                   struct shw_forest **forest)
{
    uint64_t hash = from->text[0] != '\0' ? cli_label_journal_forest(labelling->record, from) : 0;
    const struct shw_log silent = {0};

    if (hash == 0 || shw_forest_load(path, &(struct shw_forest_load_params){.log = silent}, forest) != SHW_OK)
        return false;
    if (shw_forest_hash(*forest) == hash)
        return true;
    shw_forest_destroy(forest);
    return false;
}

static int train(struct cli_labelling *labelling, const struct shw_dataset *dataset, struct shw_trainer_params *params,
                 const struct shw_digest *from, const char *path, struct shw_forest **forest)
{
    struct cli_train_run run = {0};
    double start = shw_clock();
    int code;

    cli_train_run_begin(&run, &labelling->report, &labelling->outputs);
    params->feature = shw_feature_type_get(0);
    params->technique = labelling->device.technique == SHW_TECHNIQUE_CPU ? SHW_TECHNIQUE_CPU : SHW_TECHNIQUE_AUTO;
    params->threads = labelling->device.threads;
    code = cli_train_run_choose(&run, labelling->device.index, 0, false, params);
    if (code == SHW_CONTINUE)
        code = cli_train_run(&run, params, dataset, forest);
    if (code == SHW_EXIT_SUCCESS)
        code = cli_train_run_save(&run, *forest, path);
    cli_train_run_end(&run, &code, NULL);
    shw_device_destroy(&params->device);
    if (code == SHW_EXIT_SUCCESS)
        code = shw_exit_code(cli_label_journal_add_forest(labelling->record, from, shw_forest_hash(*forest)));
    if (code == SHW_EXIT_SUCCESS)
        cli_say(&labelling->report, "trained %s in %.1f s", path, shw_clock() - start);
    return code == SHW_EXIT_SUCCESS ? SHW_CONTINUE : code;
}

/* Trains, after everything was checked that is going to be written. */
static int train_project(const struct shw_command *command, struct cli_labelling *labelling, const char *path,
                         struct shw_project *project, const struct cli_image_list *images,
                         const struct shw_digest *from, const char *forest_path, struct shw_forest **forest)
{
    struct shw_trainer_params params = {0};
    struct cli_project_data data;
    int code = cli_project_make_data(&labelling->report, project, &params, &data);

    if (code == SHW_CONTINUE)
        code = cli_labelling_choose(command, labelling, data.set->classes, data.set->class_count, params.tree_count);
    if (code == SHW_CONTINUE) {
        shw_output_files_write(&labelling->outputs, forest_path, &shw_file_forest);
        code = cli_labelling_check(labelling, path, images);
    }
    if (code == SHW_CONTINUE)
        code = train(labelling, &data.all.dataset, &params, from, forest_path, forest);
    cli_labelling_free(labelling); /* it borrows the set's classes */
    cli_project_free_data(&data);
    return code;
}

/* OUTPUT/NAME.ktx2 for NAME.json. */
static char *forest_path_of(const struct cli_labelling *labelling, const char *project)
{
    char name[SHW_BASE_NAME_SIZE], *file = shw_path_join(shw_image_base_name(project, name), ".ktx2", "");
    char *path = file != NULL ? shw_path_in(labelling->output, file) : NULL;

    free(file);
    return path;
}

static int find_forest(const struct shw_command *command, struct cli_labelling *labelling, const char *path,
                       struct shw_project *project, const struct cli_image_list *images, const char *forest_path,
                       struct shw_forest **forest)
{
    struct shw_digest from = digest_training(path, project);

    cli_project_list_files(path, project, &labelling->outputs);
    if (!recall(labelling, &from, forest_path, forest))
        return train_project(command, labelling, path, project, images, &from, forest_path, forest);
    shw_output_files_read(&labelling->outputs, forest_path);
    if (labelling->report.verbose)
        cli_say(&labelling->report, "%s was trained from this project", forest_path);
    return SHW_CONTINUE;
}

int cli_label_project(const struct shw_command *command, struct cli_labelling *labelling, const char *path,
                      const struct cli_image_list *images, struct shw_forest **forest)
{
    const struct shw_log log = cli_log(&labelling->report);
    struct shw_project *project = NULL;
    char *forest_path = forest_path_of(labelling, path);
    int code = forest_path != NULL ? shw_exit_code(shw_project_read(path, &log, &project))
                                   : cli_fail(&labelling->report, "not enough memory for the names of files");

    labelling->report.data = path;
    labelling->report.data_has_settings = true;
    if (code == SHW_EXIT_SUCCESS)
        code = cli_make_folder(&labelling->report, labelling->output);
    if (code == SHW_CONTINUE)
        code = cli_label_journal_open(&labelling->report, labelling->output, labelling->outputs.overwrite,
                                      &labelling->record);
    if (code == SHW_CONTINUE)
        code = find_forest(command, labelling, path, project, images, forest_path, forest);
    labelling->report.data = NULL;
    labelling->report.data_has_settings = false;
    shw_project_destroy(&project);
    free(forest_path);
    return code;
}
