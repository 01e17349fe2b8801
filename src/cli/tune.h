/* What `tune` is told, and its parts: the search, and its results. */
#ifndef SHW_CLI_TUNE_H
#define SHW_CLI_TUNE_H

#include "cli/commands.h"
#include "cli/data_options.h"
#include "cli/device_list.h"
#include "cli/ranks.h"
#include "cli/report.h"
#include "cli/train_run.h"
#include "files/project/project_data.h"
#include "files/tune/folds.h"
#include "files/tune/tuner.h"

struct cli_tuning {
    struct cli_report report;
    struct cli_data data;
    struct shw_trainer_params params; /* technique, device, threads, memory */
    struct cli_device_list devices;
    uint64_t memory, seed;
    const char *output, *project, *journal_path, *page, *name;
    struct shw_option_list changes; /* of the space */
    uint32_t budget, trials, folds, trees, sample, smooth;
    int fold_kind, objective, search, technique;
    bool whole;
    struct shw_output_files files;
    struct cli_train_run run;
    struct cli_ranks ranks; /* which share the journal */

    char *usual_journal, *usual_name;
    struct shw_dataset dataset;
    struct shw_folds dealt;
    struct shw_project_data strokes;
    struct shw_thread_pool *pool;
    struct cli_code code;
    struct shw_space space;
    json_t *beginnings, *header;
    struct shw_journal journal;
    uint32_t radii[SHW_TUNE_RADII_MAX], radius_count;
    const struct shw_class *classes;
    uint32_t class_count;
    double begun;
};

/* tune_results.c: writes the preset and the report of what has been found so far, and prints it. Returns the exit code.
 */
int cli_tuning_finish(struct cli_tuning *command);

#endif
