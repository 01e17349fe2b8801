#include "cli/train_run.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/counted.h"
#include "base/log.h"
#include "base/machine_memory.h"
#include "dense/train/backend.h"
#include "dense/train/memory_cpu.h"
#include "files/io/json_text.h"

static bool show_progress(void *user, const struct shw_train_progress *progress)
{
    struct cli_train_run *run = user;
    char text[160];

    snprintf(text, sizeof text, "tree %u of %u, round %u: %u of %u nodes split, %.1f M responses/s", progress->tree + 1,
             progress->tree_count, progress->depth + 1, progress->splits, progress->open_nodes,
             progress->seconds > 0 ? 1e-6 * (double)progress->responses / progress->seconds : 0);
    cli_train_log_round(&run->log, progress,
                        cli_progress_left(run->report, progress->fraction, progress->seconds_left, text));
    return true;
}

/* The trainer's message about memory would name what is left of --memory; refuse_memory() says the same of the option.
 */
static void receive(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    struct cli_train_run *run = user;
    struct shw_log log = cli_log(run->report);

    if (item != SHW_LOG_TRAIN_MEMORY || !run->memory.of_process)
        log.function(log.user, level, item, text);
    else
        run->too_little = true;
}

static void refuse_memory(const struct cli_train_run *run, const struct shw_trainer *trainer)
{
    uint64_t needed = shw_cpu_memory_least(trainer);
    uint64_t least = shw_train_memory_least(needed, run->occupied, run->memory.cache > 0);

    cli_fail(
        run->report,
        "training by cpu needs at least --memory %lluM here: %llu MiB for the samples of a tree, for one image at a "
        "time and for a round, the rest for the program itself; allow more, use fewer --threads%s",
        (unsigned long long)least, (unsigned long long)(needed >> 20) + 1,
        run->memory.cache > 0 ? ", or draw fewer pixels per image (--pixels)" : "");
}

/* Reads the training set and the checkpoint; *resumed: whether there was one. */
static enum shw_result begin(struct cli_train_run *run, bool *resumed)
{
    struct shw_train_progress progress;

    *resumed = cli_checkpoint_is_there(&run->checkpoint);
    if (!*resumed)
        return shw_trainer_prepare(run->trainer);
    SHW_PROPAGATE(shw_trainer_load(run->trainer, run->checkpoint.path));
    shw_trainer_get_progress(run->trainer, &progress);
    if (progress.tree < progress.tree_count)
        cli_say(run->report, "resuming %s at tree %u of %u, round %u", run->checkpoint.path, progress.tree + 1,
                progress.tree_count, progress.depth + 1);
    else
        cli_say(run->report, "resuming %s, which is complete with %s", run->checkpoint.path,
                shw_counted(progress.tree_count, "tree", "trees").text);
    return SHW_OK;
}

static enum shw_result save(void *user, const char *path)
{
    struct cli_train_run *run = user;
    double start = shw_clock();

    SHW_PROPAGATE(shw_trainer_save(run->trainer, path));
    cli_train_log_write(&run->log, "checkpoint",
                        json_pack("{s:o, s:f}", "file", shw_json_text(path), "save_seconds", shw_clock() - start));
    return SHW_OK;
}

void cli_train_run_begin(struct cli_train_run *run, struct cli_report *report, struct shw_output_files *files)
{
    run->report = run->checkpoint.report = report;
    run->files = run->checkpoint.files = files;
    run->checkpoint.save = save;
}

/* Runs all rounds. Returns the exit code. */
static int grow(struct cli_train_run *run)
{
    struct cli_checkpoint *checkpoint = &run->checkpoint;
    bool finished = false, stepped = false;
    int code = SHW_CONTINUE;

    while (!finished && code == SHW_CONTINUE) {
        enum shw_result result = shw_trainer_step(run->trainer, &finished);
        if (result != SHW_OK) {
            cli_progress_end();
            cli_checkpoint_fail(checkpoint, result, stepped);
            return shw_exit_code(result);
        }
        stepped = true;
        if (!finished)
            code = cli_checkpoint_step(checkpoint);
    }
    cli_progress_end();
    return finished ? SHW_EXIT_SUCCESS : code;
}

int cli_train_run_choose(struct cli_train_run *run, uint32_t device, uint64_t memory, bool has_cache,
                         struct shw_trainer_params *params)
{
    bool needed = shw_technique_needs_device(params->technique), automatic = params->technique == SHW_TECHNIQUE_AUTO;
    const struct shw_train_backend *backend;
    struct shw_trainer_params chosen;
    enum shw_result result;
    int code = SHW_CONTINUE;

    if (needed || automatic)
        code = cli_create_device(run->report, device, needed, &params->device);
    if (code != SHW_CONTINUE)
        return code;
    if (automatic)
        params->calibration = cli_recall_calibration(run->report, params->device, &run->calibration);
    chosen = *params;
    chosen.log = cli_log(run->report);
    result = shw_train_backend_choose(&chosen, &backend);
    if (result != SHW_OK)
        return shw_exit_code(result);
    params->technique = chosen.technique;
    run->memory = shw_train_memory_divide(memory, chosen.technique, has_cache);
    return SHW_CONTINUE;
}

int cli_train_run_save(const struct cli_train_run *run, const struct shw_forest *forest, const char *path)
{
    void *bytes = NULL;
    size_t size;
    enum shw_result result = shw_forest_save_memory(forest, &bytes, &size);

    result = result == SHW_OK ? shw_output_files_save(run->files, path, run->checkpoint.path, bytes, size)
                              : shw_fail_memory(&run->files->log, path);
    free(bytes);
    return shw_exit_code(result);
}

int cli_train_run(struct cli_train_run *run, struct shw_trainer_params *params, const struct shw_dataset *dataset,
                  struct shw_forest **forest)
{
    bool resumed = false;
    enum shw_result result;
    int code;

    if (run->log_path != NULL && shw_output_files_settle(run->files, run->log_path, &run->log_path) != SHW_OK)
        return SHW_EXIT_FAILURE;
    code = cli_train_log_open(&run->log, run->report, run->log_path, run->checkpoint.resume);
    if (code != SHW_CONTINUE)
        return code;
    run->occupied = shw_process_memory();
    params->memory = shw_train_memory_left(&run->memory, run->occupied);
    params->log = cli_log(run->report);
    params->log.function = receive;
    params->log.user = run;
    params->progress = show_progress;
    params->progress_user = run;
    result = shw_trainer_create(params, dataset, &run->trainer);
    if (result == SHW_OK)
        result = begin(run, &resumed);
    if (run->too_little)
        refuse_memory(run, run->trainer);
    code = shw_exit_code(result);
    if (code == SHW_EXIT_SUCCESS) {
        cli_train_log_start(&run->log, run->trainer, params->device, resumed, json_incref(run->parameters));
        cli_checkpoint_begin(&run->checkpoint, run);
        code = grow(run);
    }
    if (code == SHW_EXIT_SUCCESS)
        code = shw_exit_code(shw_trainer_get_forest(run->trainer, forest));
    shw_trainer_destroy(&run->trainer);
    return code;
}

void cli_train_run_end(struct cli_train_run *run, int *code, json_t *result)
{
    json_t *end = json_pack("{s:s}", "result",
                            *code == SHW_EXIT_SUCCESS       ? "finished"
                            : *code == SHW_EXIT_INTERRUPTED ? "interrupted"
                                                            : "failed");

    json_object_update(end, result);
    cli_train_log_write(&run->log, "end", end);
    cli_train_log_close(&run->log, run->report, code);
    json_decref(run->parameters);
    if (*code == SHW_EXIT_SUCCESS)
        *code = cli_checkpoint_remove(&run->checkpoint);
}
