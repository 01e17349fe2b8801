/* Training of a project by another program (docs/serve.md). */
#ifndef SHW_CLI_TRAIN_AWAY_H
#define SHW_CLI_TRAIN_AWAY_H

#include "cli/data_options.h"
#include "cli/report.h"
#include "cli/train_preset.h"

#define CLI_TRAINER_OPTION(trainer_)                                                                                   \
    SHW_OPTION(SHW_VALUE_TEXT, "trainer", 0, "COMMAND", &(trainer_),                                                   \
               "train the project by a program that this command starts, as\n'ssh HOST shadewood serve'")

/* Refuses other options that say how it is trained: the project and the trainer do. Returns SHW_CONTINUE or the exit
 * code. */
int cli_check_away(const struct shw_command *command, const struct cli_train_options *given);

/* Trains; what is read is added to the files, which are checked. Returns SHW_EXIT_SUCCESS and the forest with the
 * number of its pictures, or the exit code after a message. */
int cli_train_away(struct cli_report *report, const struct cli_code *code, const char *trainer, const char *project,
                   struct shw_output_files *files, struct shw_forest **forest, uint32_t *images);

#endif
