#include "cli/checkpoint.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/report.h"

int cli_checkpoint_check_files(const struct cli_checkpoint *checkpoint, const struct shw_file_kind *kind,
                               const char *output)
{
    struct shw_output_files *files = checkpoint->files;
    int code;

    shw_output_files_write_apart(files, checkpoint->path, checkpoint->resume ? &shw_file_resumed : kind);
    code = cli_check_outputs(checkpoint->report, files);
    if (code == SHW_CONTINUE &&
        ((checkpoint->path != NULL && shw_output_files_lock(files, checkpoint->path) != SHW_OK) ||
         shw_output_files_lock(files, output) != SHW_OK))
        return SHW_EXIT_FAILURE;
    if (code == SHW_CONTINUE && checkpoint->path != NULL && !checkpoint->resume && access(checkpoint->path, F_OK) == 0)
        return cli_fail(checkpoint->report, "%s exists: continue from it with --resume, or remove it to start again",
                        checkpoint->path);
    return code;
}

bool cli_checkpoint_is_there(struct cli_checkpoint *checkpoint)
{
    if (!checkpoint->resume)
        return false;
    checkpoint->saved = access(checkpoint->path, F_OK) == 0;
    if (checkpoint->saved)
        return true;
    cli_say(checkpoint->report, "there is no checkpoint %s: starting from the beginning", checkpoint->path);
    return false;
}

void cli_checkpoint_begin(struct cli_checkpoint *checkpoint, void *trainer)
{
    cli_hold_signals(checkpoint->path != NULL);
    checkpoint->trainer = trainer;
    checkpoint->saved_at = shw_clock();
}

bool cli_checkpoint_save(struct cli_checkpoint *checkpoint)
{
    if (shw_output_files_settle(checkpoint->files, checkpoint->path, &checkpoint->path) != SHW_OK ||
        checkpoint->save(checkpoint->trainer, checkpoint->path) != SHW_OK)
        return false;
    shw_output_files_written(checkpoint->files, checkpoint->path);
    checkpoint->saved = true;
    return true;
}

void cli_checkpoint_fail(struct cli_checkpoint *checkpoint, enum shw_result result, bool stepped)
{
    if (checkpoint->path == NULL)
        return;
    if (stepped && (result == SHW_ERROR_DEVICE_LOST || result == SHW_ERROR_DEVICE_MEMORY))
        cli_checkpoint_save(checkpoint);
    if (checkpoint->saved)
        cli_say(checkpoint->report, "the same command with --resume continues from %s", checkpoint->path);
}

int cli_checkpoint_step(struct cli_checkpoint *checkpoint)
{
    if (checkpoint->path == NULL)
        return SHW_CONTINUE;
    if (cli_interrupted()) {
        cli_progress_end();
        if (!cli_checkpoint_save(checkpoint))
            return SHW_EXIT_FAILURE;
        cli_say(checkpoint->report, "interrupted; the same command with --resume continues from %s", checkpoint->path);
        return SHW_EXIT_INTERRUPTED;
    }
    if (shw_clock() - checkpoint->saved_at >= 60.0 * checkpoint->minutes) {
        /* Training continues: a full disk may have space later. */
        cli_checkpoint_save(checkpoint);
        checkpoint->report->failed = false;
        checkpoint->saved_at = shw_clock();
    }
    return SHW_CONTINUE;
}

int cli_checkpoint_remove(const struct cli_checkpoint *checkpoint)
{
    int code;

    if (checkpoint->path == NULL)
        return SHW_EXIT_SUCCESS;
    code = shw_exit_code(shw_output_files_look_again(checkpoint->files, checkpoint->path));
    if (code == SHW_EXIT_SUCCESS && unlink(checkpoint->path) != 0 && errno != ENOENT)
        code = cli_fail(checkpoint->report, "cannot remove %s: %s", checkpoint->path, strerror(errno));
    return code;
}
