/* Checkpoints of a command whose training is a trainer's steps: --checkpoint, --checkpoint-every and --resume; and what
 * two trainings must not do to each other. */
#ifndef SHW_CLI_CHECKPOINT_H
#define SHW_CLI_CHECKPOINT_H

#include "base/options.h"
#include "cli/report.h"
#include "files/io/output_files.h"

/* --overwrite of such a command, with `what` it makes. */
#define CLI_OVERWRITE_RESULT_OPTION(files, what)                                                                       \
    SHW_OPTION_FLAG("overwrite", 0, &(files).overwrite,                                                                \
                    "replace an existing file by the " what                                                            \
                    ", even if it was not\nwritten by this command, but no checkpoint "                                \
                    "or log")

#define CLI_SAVE_MINUTES 5u /* unless --checkpoint-every says otherwise */

struct cli_checkpoint {
    const char *path; /* NULL: none; changes if the name is taken meanwhile */
    uint32_t minutes; /* between two, 0: after every step */
    bool resume;

    struct cli_report *report;
    struct shw_output_files *files; /* with the checkpoint */
    enum shw_result (*save)(void *trainer, const char *path);
    void *trainer; /* set, with what follows, by cli_checkpoint_begin() */
    double saved_at;
    bool saved; /* there is one to continue from */
};

/* Adds the file, of that kind, to the outputs, among which is what the training makes, and checks these
 * (cli_check_outputs()). Both files are locked (shw_output_files_lock()). A file that is there must be resumed,
 * whatever
 * --overwrite says. Returns SHW_CONTINUE or the exit code. */
int cli_checkpoint_check_files(const struct cli_checkpoint *checkpoint, const struct shw_file_kind *kind,
                               const char *output);

/* Whether there is one to continue from; says so if there should be. */
bool cli_checkpoint_is_there(struct cli_checkpoint *checkpoint);

/* Before the first step of the trainer, which is borrowed, and which save() gets: signals end steps from now on, if
 * there is a checkpoint. */
void cli_checkpoint_begin(struct cli_checkpoint *checkpoint, void *trainer);

bool cli_checkpoint_save(struct cli_checkpoint *checkpoint);

/* After a step that failed: saves if the device is at fault, and what was done before is whole (`stepped`: something
 * was); says how to continue. */
void cli_checkpoint_fail(struct cli_checkpoint *checkpoint, enum shw_result result, bool stepped);

/* After a step that was not the last: saves when it is time, or when the program was interrupted. Returns SHW_CONTINUE
 * or the exit code. */
int cli_checkpoint_step(struct cli_checkpoint *checkpoint);

/* After success: removes the file. Returns the exit code. */
int cli_checkpoint_remove(const struct cli_checkpoint *checkpoint);

#endif
