/* Training on the strokes of a project. */
#ifndef SHW_CLI_TRAIN_PROJECT_H
#define SHW_CLI_TRAIN_PROJECT_H

#include "cli/report.h"
#include "output/output_files.h"
#include "project/training_set.h"

/* Adds the project's file and its pictures to what the command reads. */
void cli_project_list_files(const char *path, const struct shw_project *project, struct shw_output_files *files);

/* Calls `visit` for the file of each of its pictures, until it returns false; false then, or if memory is exhausted. */
bool cli_project_visit_pictures(const char *path, const struct shw_project *project,
                                bool (*visit)(void *user, const char *picture), void *user);

/* Makes the training set, and sets the parameters that the project defines; they are valid as long as the set. Returns
 * CLI_CONTINUE or the exit code. */
int cli_project_make_set(struct cli_report *report, struct shw_project *project, struct shw_trainer_params *params,
                         struct shw_training_set **set);

#endif
