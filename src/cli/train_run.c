#include "cli/train_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/counted.h"
#include "base/log.h"
#include "base/machine_memory.h"
#include "train/backend.h"
#include "train/memory_cpu.h"

static bool show_progress(void *user, const struct shw_train_progress *progress)
{
    struct cli_train_run *run = user;
    char text[160];

    snprintf(text, sizeof text, "tree %u of %u, round %u: %u of %u nodes split, %.1f M responses/s", progress->tree + 1,
             progress->tree_count, progress->depth + 1, progress->splits, progress->open_nodes,
             progress->seconds > 0 ? 1e-6 * (double)progress->responses / progress->seconds : 0);
    cli_progress_left(run->report, progress->fraction, progress->seconds_left, text);
    cli_train_log_round(&run->log, progress);
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
    uint64_t least = cli_train_memory_least(needed, run->occupied, run->memory.cache > 0);

    cli_fail(
        run->report,
        "training by cpu needs at least --memory %lluM here: %llu MiB for the samples of a tree, for one image at a "
        "time and for a round, the rest for the program itself; allow more, use fewer --threads%s",
        (unsigned long long)least, (unsigned long long)(needed >> 20) + 1,
        run->memory.cache > 0 ? ", or draw fewer pixels per image (--pixels)" : "");
}

/* Reads the training set and the checkpoint; *resumed: whether there was one. */
static enum shw_result begin(const struct cli_train_run *run, struct shw_trainer *trainer, bool *resumed)
{
    struct shw_train_progress progress;

    *resumed = run->resume && access(run->checkpoint, F_OK) == 0;
    if (!*resumed) {
        if (run->resume)
            cli_say(run->report, "there is no checkpoint %s: starting from the beginning", run->checkpoint);
        return shw_trainer_prepare(trainer);
    }
    SHW_PROPAGATE(shw_trainer_load(trainer, run->checkpoint));
    shw_trainer_get_progress(trainer, &progress);
    if (progress.tree < progress.tree_count)
        cli_say(run->report, "resuming %s at tree %u of %u, round %u", run->checkpoint, progress.tree + 1,
                progress.tree_count, progress.depth + 1);
    else
        cli_say(run->report, "resuming %s, which is complete with %s", run->checkpoint,
                shw_counted(progress.tree_count, "tree", "trees").text);
    return SHW_OK;
}

static bool save(struct cli_train_run *run, struct shw_trainer *trainer)
{
    double start = shw_clock();

    if (shw_output_files_settle(run->files, run->checkpoint, &run->checkpoint) != SHW_OK ||
        shw_trainer_save(trainer, run->checkpoint) != SHW_OK)
        return false;
    shw_output_files_written(run->files, run->checkpoint);
    cli_train_log_write(
        &run->log, "checkpoint",
        json_pack("{s:o, s:f}", "file", cli_json_text(run->checkpoint), "save_seconds", shw_clock() - start));
    return true;
}

/* Runs all rounds. Returns the exit code. */
static int grow(struct cli_train_run *run, struct shw_trainer *trainer, bool resumed)
{
    double saved_at = shw_clock();
    bool finished = false, saved = resumed, stepped = false;

    while (!finished) {
        enum shw_result result = shw_trainer_step(trainer, &finished);
        if (result != SHW_OK) {
            cli_progress_end();
            if (run->checkpoint != NULL && stepped &&
                (result == SHW_ERROR_DEVICE_LOST || result == SHW_ERROR_DEVICE_MEMORY))
                saved = save(run, trainer) || saved;
            if (saved)
                cli_say(run->report, "the same command with --resume continues from %s", run->checkpoint);
            return cli_exit_code(result);
        }
        stepped = true;
        if (finished || run->checkpoint == NULL)
            continue;
        if (cli_interrupted()) {
            cli_progress_end();
            if (!save(run, trainer))
                return CLI_FAILURE;
            cli_say(run->report, "interrupted; the same command with --resume continues from %s", run->checkpoint);
            return CLI_INTERRUPTED;
        }
        if (shw_clock() - saved_at >= 60.0 * run->checkpoint_minutes) {
            /* Training continues: a full disk may have space later. */
            saved = save(run, trainer) || saved;
            run->report->failed = false;
            saved_at = shw_clock();
        }
    }
    cli_progress_end();
    return CLI_SUCCESS;
}

int cli_train_run_choose(struct cli_train_run *run, uint32_t device, uint64_t memory, bool has_cache,
                         struct shw_trainer_params *params)
{
    bool needed = shw_technique_needs_device(params->technique), automatic = params->technique == SHW_TECHNIQUE_AUTO;
    const struct shw_train_backend *backend;
    struct shw_trainer_params chosen;
    enum shw_result result;
    int code = CLI_CONTINUE;

    if (needed || automatic)
        code = cli_create_device(run->report, device, needed, &params->device);
    if (code != CLI_CONTINUE)
        return code;
    if (automatic)
        params->calibration = cli_recall_calibration(run->report, params->device, &run->calibration);
    chosen = *params;
    chosen.log = cli_log(run->report);
    result = shw_train_backend_choose(&chosen, &backend);
    if (result != SHW_OK)
        return cli_exit_code(result);
    params->technique = chosen.technique;
    run->memory = cli_train_memory_divide(memory, chosen.technique, has_cache);
    return CLI_CONTINUE;
}

int cli_train_run_save(const struct cli_train_run *run, const struct shw_forest *forest, const char *path)
{
    void *bytes = NULL;
    size_t size;
    enum shw_result result = shw_forest_save_memory(forest, &bytes, &size);

    result = result == SHW_OK ? shw_output_files_save(run->files, path, run->checkpoint, bytes, size)
                              : shw_fail_memory(&run->files->log, path);
    free(bytes);
    return cli_exit_code(result);
}

int cli_train_run(struct cli_train_run *run, struct shw_trainer_params *params, const struct shw_dataset *dataset,
                  struct shw_forest **forest)
{
    struct shw_trainer *trainer = NULL;
    bool resumed = false;
    enum shw_result result;
    int code;

    if (run->log_path != NULL && shw_output_files_settle(run->files, run->log_path, &run->log_path) != SHW_OK)
        return CLI_FAILURE;
    code = cli_train_log_open(&run->log, run->report, run->log_path, run->resume);
    if (code != CLI_CONTINUE)
        return code;
    run->occupied = shw_process_memory();
    params->memory = cli_train_memory_left(&run->memory, run->occupied);
    params->log = cli_log(run->report);
    params->log.function = receive;
    params->log.user = run;
    params->progress = show_progress;
    params->progress_user = run;
    result = shw_trainer_create(params, dataset, &trainer);
    if (result == SHW_OK)
        result = begin(run, trainer, &resumed);
    if (run->too_little)
        refuse_memory(run, trainer);
    code = cli_exit_code(result);
    if (code == CLI_SUCCESS) {
        cli_train_log_start(&run->log, trainer, params->device, resumed, json_incref(run->parameters));
        /* Until the program ends: after the last round only the forest is left to write, and training would be lost. */
        cli_hold_signals(run->checkpoint != NULL);
        code = grow(run, trainer, resumed);
    }
    if (code == CLI_SUCCESS)
        code = cli_exit_code(shw_trainer_get_forest(trainer, forest));
    shw_trainer_destroy(&trainer);
    return code;
}

void cli_train_run_end(struct cli_train_run *run, int *code, json_t *result)
{
    json_t *end = json_pack("{s:s}", "result",
                            *code == CLI_SUCCESS       ? "finished"
                            : *code == CLI_INTERRUPTED ? "interrupted"
                                                       : "failed");

    json_object_update(end, result);
    cli_train_log_write(&run->log, "end", end);
    cli_train_log_close(&run->log, run->report, code);
    json_decref(run->parameters);
    if (*code != CLI_SUCCESS || run->checkpoint == NULL)
        return;
    *code = cli_exit_code(shw_output_files_look_again(run->files, run->checkpoint));
    if (*code == CLI_SUCCESS && unlink(run->checkpoint) != 0 && errno != ENOENT)
        *code = cli_fail(run->report, "cannot remove %s: %s", run->checkpoint, strerror(errno));
}
