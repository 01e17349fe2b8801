/* What commands write (files/io/output_files.h). */
#ifndef SHW_CLI_OUTPUTS_H
#define SHW_CLI_OUTPUTS_H

#include "cli/report.h"
#include "files/io/output_files.h"

#define CLI_OVERWRITE_OPTION(files)                                                                                    \
    SHW_OPTION_FLAG("overwrite", 0, &(files).overwrite,                                                                \
                    "replace existing files even if they were not written by this\ncommand, or were changed since")

/* Adds an input; for functions that list files. `files`: a struct shw_output_files. */
void cli_add_input(void *files, const char *path);

/* Whether a path, or NULL, is "-", by which some commands mean standard output. */
bool cli_is_standard_output(const char *path);

/* Refuses to print JSON where the output goes, too. Returns SHW_CONTINUE or the exit code. */
int cli_check_standard_output(const struct shw_command *command, const struct cli_report *report, const char *output);

/* Checks what the command reads and writes. Returns SHW_CONTINUE or the exit code: usage if an output is an input or
 * another output. */
int cli_check_outputs(struct cli_report *report, struct shw_output_files *files);

/* Creates the folder and its parents if they are missing. Returns SHW_CONTINUE, or SHW_EXIT_FAILURE after a message. */
int cli_make_folder(struct cli_report *report, const char *path);

#endif
