/* `shadewood export` of record forests. */
#ifndef SHW_CLI_EXPORT_RECORDS_H
#define SHW_CLI_EXPORT_RECORDS_H

#include "cli/outputs.h"
#include "cli/report.h"

/* Writes a record forest as trees in JSON to the file `output`. Returns the exit code. */
int cli_export_records(struct cli_report *report, struct shw_output_files *files, const char *path, const char *output);

#endif
