/* Training on the strokes of a project. */
#ifndef SHW_CLI_TRAIN_PROJECT_H
#define SHW_CLI_TRAIN_PROJECT_H

#include "cli/report.h"
#include "files/io/output_files.h"
#include "files/project/training_tiles.h"

/* Adds the project's file and its pictures to what the command reads. */
void cli_project_list_files(const char *path, const struct shw_project *project, struct shw_output_files *files);

/* Calls `visit` for the file of each of its pictures, until it returns false; false then, or if memory is exhausted. */
bool cli_project_visit_pictures(const char *path, const struct shw_project *project,
                                bool (*visit)(void *user, const char *picture), void *user);

struct cli_project_data {
    struct shw_training_set *set;
    struct shw_training_tiles *tiles;
    struct shw_training_choice all; /* its data set is to be trained on */
};

/* Makes the training set and, for the feature and the offsets in `params`, its tiles; sets the parameters that the
 * project defines, which are valid as long as the data. *data must not move, and is to be freed in either case. Returns
 * SHW_CONTINUE or the exit code. */
int cli_project_make_data(struct cli_report *report, struct shw_project *project, struct shw_trainer_params *params,
                          struct cli_project_data *data);
void cli_project_free_data(struct cli_project_data *data);

#endif
