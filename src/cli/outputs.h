/* What commands write (output/output_files.h). */
#ifndef SHW_CLI_OUTPUTS_H
#define SHW_CLI_OUTPUTS_H

#include "cli/report.h"
#include "output/output_files.h"

#define CLI_OVERWRITE_OPTION(files)                                                                                    \
    CLI_OPTION_FLAG("overwrite", 0, &(files).overwrite,                                                                \
                    "replace existing files even if they were not written by this\ncommand, or were changed since")

/* Adds an input; for functions that list files. `files`: a struct shw_output_files. */
void cli_add_input(void *files, const char *path);

/* Checks what the command reads and writes. Returns CLI_CONTINUE or the exit code: usage if an output is an input or
 * another output. */
int cli_check_outputs(struct cli_report *report, struct shw_output_files *files);

#endif
