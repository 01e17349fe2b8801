/* Output folders. */
#ifndef SHW_CLI_FOLDER_H
#define SHW_CLI_FOLDER_H

#include "cli/report.h"

/* Creates the folder and its parents if they are missing. Returns CLI_CONTINUE, or CLI_FAILURE after a message. */
int cli_make_folder(struct cli_report *report, const char *path);

#endif
