/* `shadewood import` of models that become record forests. */
#ifndef SHW_CLI_IMPORT_RECORDS_H
#define SHW_CLI_IMPORT_RECORDS_H

#include "cli/outputs.h"
#include "cli/report.h"

struct cli_record_import {
    struct cli_report *report;
    struct shw_output_files *files;
    const char *format; /* its name; NULL: as the contents tell */
    const char *path, *output;
};

/* Checks the files, reads and writes. Returns the exit code. */
int cli_import_records(const struct cli_record_import *import);

#endif
