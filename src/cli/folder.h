/* Folders for results. */
#ifndef SHW_CLI_FOLDER_H
#define SHW_CLI_FOLDER_H

#include "cli/report.h"

/* Makes the folder, and those above it, where they are missing. Returns CLI_CONTINUE, or CLI_FAILURE after having told
 * why not. */
int cli_make_folder(struct cli_report *report, const char *path);

#endif
