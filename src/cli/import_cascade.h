/* `shadewood import` of cascades. */
#ifndef SHW_CLI_IMPORT_CASCADE_H
#define SHW_CLI_IMPORT_CASCADE_H

#include "cli/outputs.h"
#include "cli/report.h"
#include "files/formats/cascade_formats.h"

struct cli_cascade_import {
    struct cli_report *report;
    struct shw_output_files *files;
    shw_cascade_read_function *read;
    const char *format;    /* its name */
    const char *object;    /* NULL: as the file says */
    const char *min_score; /* a number, "any", or NULL: the format's */
    const char *path, *output;
};

/* Checks the files, reads and writes. Returns the exit code. */
int cli_import_cascade(const struct cli_cascade_import *import);

#endif
