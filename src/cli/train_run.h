/* Training in steps: checkpoints (--checkpoint, --checkpoint-every, --resume), the log, the memory, and the data of
 * projects. */
#ifndef SHW_CLI_TRAIN_RUN_H
#define SHW_CLI_TRAIN_RUN_H

#include <stdio.h>

#include <shadewood/train.h>

#include "base/options.h"
#include "cli/data_options.h"
#include "cli/device_list.h"
#include "cli/ranks.h"
#include "cli/report.h"
#include "files/dataset/train_memory.h"
#include "files/io/output_files.h"
#include "files/project/project_data.h"

/* --overwrite of such a command, with `what` it makes. */
#define CLI_OVERWRITE_RESULT_OPTION(files, what)                                                                       \
    SHW_OPTION_FLAG("overwrite", 0, &(files).overwrite,                                                                \
                    "replace an existing file by the " what                                                            \
                    ", even if it was not\nwritten by this command, but no checkpoint "                                \
                    "or log")
/* Options of a struct cli_checkpoint, with what the command makes and what a step of it is. */
#define CLI_CHECKPOINT_OPTIONS(checkpoint, what, step)                                                                 \
    SHW_OPTION(SHW_VALUE_TEXT, "checkpoint", 0, "FILE", &(checkpoint).path,                                            \
               "save the training state to FILE from time to time, and\nwhen interrupted; removed when the " what      \
               " is written"),                                                                                         \
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "checkpoint-every", 0, "N", &(checkpoint).minutes, 0, 100000,              \
                          "minutes between checkpoints, 0: after every " step " (5)"),                                 \
        SHW_OPTION_FLAG("resume", 0, &(checkpoint).resume, "continue from the checkpoint, if there is one")

#define CLI_SAVE_MINUTES 5u /* unless --checkpoint-every says otherwise */

struct cli_checkpoint {
    const char *path; /* NULL: none; changes if the name is taken meanwhile */
    uint32_t minutes; /* between two, 0: after every step */
    bool resume;
    bool elsewhere; /* another process writes and removes it */

    struct cli_report *report;
    struct shw_output_files *files; /* with the checkpoint */
    enum shw_result (*save)(void *trainer, const char *path);
    bool (*has_begun)(void *trainer); /* whether there is anything to save; NULL: always */
    void *trainer;                    /* set, with what follows, by cli_checkpoint_begin() */
    double saved_at;
    bool saved; /* there is one to continue from */
};

/* Adds the file, of that kind, to the outputs, among which is what the training makes, and checks these
 * (cli_check_outputs()). Both files are locked (shw_output_files_lock()). A file that is there must be resumed,
 * whatever
 * --overwrite says. Returns SHW_CONTINUE or the exit code. */
int cli_checkpoint_check_files(const struct cli_checkpoint *checkpoint, const struct shw_file_kind *kind,
                               const char *output);

/* Whether there is one to continue from; a missing one that --resume names is reported. */
bool cli_checkpoint_is_there(struct cli_checkpoint *checkpoint);

/* Before the first step of the trainer, which is borrowed and passed to save(). With a checkpoint, signals now wait for
 * the end of a step. */
void cli_checkpoint_begin(struct cli_checkpoint *checkpoint, void *trainer);

/* Runs all steps of training. After each one but the last it saves when it is time, or when the program was
 * interrupted; after a failed one, it reports how to continue and, with `keeps_steps`, saves the earlier steps if the
 * device is at fault. Returns the exit code. */
int cli_checkpoint_run(struct cli_checkpoint *checkpoint, enum shw_result (*step)(void *user, bool *finished),
                       void *user, bool keeps_steps);

/* After success: removes the file. Returns the exit code. */
int cli_checkpoint_remove(const struct cli_checkpoint *checkpoint);

struct cli_train_log {
    FILE *stream; /* NULL: no log; all functions below do nothing */
    const char *path;
    int error;          /* errno of the first line that could not be written, or 0 */
    uint64_t responses; /* when the last round ended */
};

/* Adds the project's file and its pictures to what the command reads. */
void cli_project_list_files(const char *path, const struct shw_project *project, struct shw_output_files *files);

/* Calls `visit` for the files of each of its pictures, with their other inputs, until it returns false; false then, or
 * if memory is exhausted. */
bool cli_project_visit_pictures(const char *path, const struct shw_project *project,
                                bool (*visit)(void *user, const char *picture), void *user);

/* Lets the texts of a project run, if that is allowed, or reports what they are. A text whose file has changed since is
 * noted. Before shw_project_data_make(). Returns SHW_CONTINUE or the exit code. */
int cli_project_run_texts(struct cli_report *report, const struct cli_code *code, const char *path,
                          struct shw_project *project);

struct cli_train_run {
    struct cli_checkpoint checkpoint; /* of which report, files and save are set here */
    const char *log_path;             /* NULL: no log; changes if the name is taken meanwhile */
    json_t *parameters;               /* for the log: what the provenance omits */
    struct shw_train_memory memory;
    uint64_t occupied; /* bytes of the process before training */

    struct cli_report *report;
    struct shw_output_files *files; /* with the checkpoint and the log, checked */
    struct shw_stored_calibration calibration;
    struct cli_helpers helpers; /* besides the device in the parameters */
    struct cli_ranks ranks;
    struct cli_train_log log;
    bool too_little; /* the trainer has refused what is left of --memory */
    struct shw_trainer *trainer;
    uint32_t level, levels; /* of the trainer, from 0; there are at least 1 */
};

/* Sets report and files, of the checkpoint as well. Call it first. */
void cli_train_run_begin(struct cli_train_run *run, struct cli_report *report, struct shw_output_files *files);

/* Opens the device in `params`, which the caller destroys, chooses the technique if it is automatic, and divides the
 * memory (0: as usual) accordingly. `has_cache`: the images are those of a data set in files. Returns SHW_CONTINUE or
 * the exit code. */
int cli_train_run_choose(struct cli_train_run *run, uint32_t device, uint64_t memory, bool has_cache,
                         struct shw_trainer_params *params);

/* The same for one or several devices, of which all but one become helpers, which the caller frees. */
int cli_train_run_choose_all(struct cli_train_run *run, const struct cli_device_list *devices, uint64_t memory,
                             bool has_cache, struct shw_trainer_params *params);

/* Writes the forest to its file, or elsewhere if that has become impossible (shw_output_files_save()). Returns the exit
 * code. */
int cli_train_run_save(const struct cli_train_run *run, const struct shw_forest *forest, const char *path);

/* Trains. params->memory, log, progress and progress_user are set here. Returns SHW_EXIT_SUCCESS and the forest, or the
 * exit code after a message. The log is open until cli_train_run_end(). */
int cli_train_run(struct cli_train_run *run, struct shw_trainer_params *params, const struct shw_dataset *dataset,
                  struct shw_forest **forest);

/* Writes the last line of the log, with `result` (or NULL) in it, and removes the checkpoint if `code` is success. */
void cli_train_run_end(struct cli_train_run *run, int *code, json_t *result);

#endif
