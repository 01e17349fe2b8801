#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <shadewood/shadewood.h>

#include "base/clock.h"
#include "cli/label.h"
#include "cli/train_run.h"
#include "files/io/image_paths.h"

bool cli_labelling_is_project(const char *path)
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

/* The forest of an earlier call, if the journal says that it was trained from the same. */
static bool recall(struct cli_labelling *command, const struct shw_digest *from, const struct shw_project *project,
                   const char *path, struct shw_forest **forest)
{
    const struct shw_feature_type *feature = shw_project_get_feature(project);
    uint64_t hash = from->text[0] != '\0' ? shw_result_journal_forest(command->job.resume.journal, from) : 0;
    const struct shw_forest_load_params load = {
        .features = &feature, .feature_count = feature != NULL, .kinds = *shw_project_get_kinds(project)};

    if (hash == 0 || shw_forest_load(path, &load, forest) != SHW_OK)
        return false;
    if (shw_forest_hash(*forest) == hash)
        return true;
    shw_forest_destroy(forest);
    return false;
}

static int train(struct cli_labelling *command, const struct shw_dataset *dataset, struct shw_trainer_params *params,
                 const struct shw_digest *from, const char *path, struct shw_forest **forest)
{
    struct cli_train_run run = {0};
    double start = shw_clock();
    int code;

    cli_train_run_begin(&run, &command->report, &command->job.outputs);
    params->technique = command->device.technique == SHW_TECHNIQUE_CPU ? SHW_TECHNIQUE_CPU : SHW_TECHNIQUE_AUTO;
    params->threads = command->device.threads;
    code = cli_train_run_choose(&run, command->device.index, 0, false, params);
    if (code == SHW_CONTINUE)
        code = cli_train_run(&run, params, dataset, forest);
    if (code == SHW_EXIT_SUCCESS)
        code = cli_train_run_save(&run, *forest, path);
    cli_train_run_end(&run, &code, NULL);
    shw_device_destroy(&params->device);
    if (code == SHW_EXIT_SUCCESS)
        code =
            shw_exit_code(shw_result_journal_add_forest(command->job.resume.journal, from, shw_forest_hash(*forest)));
    if (code == SHW_EXIT_SUCCESS)
        cli_say(&command->report, "trained %s in %.1f s", path, shw_clock() - start);
    return code == SHW_EXIT_SUCCESS ? SHW_CONTINUE : code;
}

/* Trains, after everything was checked that is going to be written. */
static int train_project(struct cli_labelling *command, const char *path, struct shw_project *project,
                         const struct shw_image_list *images, const struct shw_digest *from, const char *forest_path,
                         struct shw_forest **forest)
{
    struct shw_trainer_params params = shw_project_params();
    const struct shw_log log = cli_log(&command->report);
    struct shw_project_data data;
    const enum shw_result result = shw_project_data_make(project, &log, &params, &data);
    int code = result == SHW_OK ? SHW_CONTINUE : shw_exit_code(result);

    if (params.feature == NULL)
        params.feature = shw_feature_type_get(0);
    if (code == SHW_CONTINUE)
        code = cli_labelling_choose(command, data.set->classes, data.set->class_count, params.tree_count);
    if (code == SHW_CONTINUE) {
        shw_output_files_write(&command->job.outputs, forest_path, &shw_file_forest);
        code = cli_labelling_check_files(command, path, images);
    }
    if (code == SHW_CONTINUE)
        code = train(command, data.dataset, &params, from, forest_path, forest);
    shw_label_job_free(&command->job); /* it borrows the set's classes */
    shw_project_data_free(&data);
    return code;
}

/* OUTPUT/NAME.ktx2 for NAME.json. */
static char *forest_path_of(const struct cli_labelling *command, const char *project)
{
    char name[SHW_BASE_NAME_SIZE], *file = shw_path_join(shw_image_base_name(project, name), ".ktx2", "");
    char *path = file != NULL ? shw_path_in(command->job.output, file) : NULL;

    free(file);
    return path;
}

static int find_forest(struct cli_labelling *command, const char *path, struct shw_project *project,
                       const struct shw_image_list *images, const char *forest_path, struct shw_forest **forest)
{
    struct shw_digest from = digest_training(path, project);
    const int code = cli_project_run_texts(&command->report, &command->code, path, project);

    if (code != SHW_CONTINUE)
        return code;
    cli_project_list_files(path, project, &command->job.outputs);
    if (!recall(command, &from, project, forest_path, forest))
        return train_project(command, path, project, images, &from, forest_path, forest);
    shw_output_files_read(&command->job.outputs, forest_path);
    if (command->report.verbose)
        cli_say(&command->report, "%s was trained from this project", forest_path);
    return SHW_CONTINUE;
}

/* The project's patterns are those of the images, too, where no option says otherwise; its pictures have theirs. */
static int take_inputs(struct cli_labelling *command, const struct shw_project *project)
{
    struct shw_label_job *job = &command->job;

    job->given_inputs = job->input_count;
    job->own = &command->own;
    if (shw_project_list_inputs(project, UINT32_MAX, &command->taught) != SHW_OK ||
        shw_project_list_own_inputs(project, true, &command->own) != SHW_OK)
        return shw_exit_code(SHW_ERROR_MEMORY);
    for (uint32_t i = 0; i < command->taught.count; i++) {
        const struct shw_input_file *file = &command->taught.files[i];
        if (file->path != NULL && !shw_input_files_have(job->inputs, job->input_count, file->name) &&
            job->input_count < SHW_INPUTS_MAX - 1)
            job->inputs[job->input_count++] = *file;
    }
    return SHW_CONTINUE;
}

int cli_labelling_find_or_train(struct cli_labelling *command, const char *path, const struct shw_image_list *images,
                                struct shw_forest **forest)
{
    const struct shw_log log = cli_log(&command->report);
    struct shw_project *project = NULL;
    char *forest_path = forest_path_of(command, path);
    int code = forest_path != NULL ? shw_exit_code(shw_project_read(path, &log, &project))
                                   : cli_fail(&command->report, "not enough memory for the names of files");

    command->report.data = path;
    command->report.data_has_settings = true;
    if (code == SHW_EXIT_SUCCESS)
        code = take_inputs(command, project);
    if (code == SHW_CONTINUE)
        code = cli_make_folder(&command->report, command->job.output);
    command->taken.project = path;
    if (code == SHW_CONTINUE && (command->job.each.objects.wanted || command->job.content.scale_bar))
        code = cli_label_objects_from_project(&command->taken, project, images, &command->report,
                                              &command->job.each.objects);
    if (code == SHW_CONTINUE)
        code = cli_labelling_check_scale_bar(command);
    if (code == SHW_CONTINUE)
        code = cli_open_journal(&command->parts, &command->job.resume, command->job.outputs.overwrite);
    if (code == SHW_CONTINUE)
        code = find_forest(command, path, project, images, forest_path, forest);
    command->report.data = NULL;
    command->report.data_has_settings = false;
    shw_project_destroy(&project);
    free(forest_path);
    return code;
}
