/* `shadewood export` of cascades. */
#ifndef SHW_CLI_EXPORT_CASCADE_H
#define SHW_CLI_EXPORT_CASCADE_H

#include "cli/outputs.h"
#include "cli/report.h"

/* Writes a cascade as the tables of files/formats/csv_cascade.h to a folder. Returns the exit code. */
int cli_export_cascade(struct cli_report *report, struct shw_output_files *files, const char *path, const char *folder);

#endif
