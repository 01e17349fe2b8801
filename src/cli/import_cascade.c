#include "cli/import_cascade.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/printable.h"
#include "cli/detecting.h"
#include "files/formats/csv_cascade.h"
#include "files/io/json_text.h"
#include "files/output/cascade_text.h"

/* What is stored with the cascade: where it is from. NULL if memory is exhausted. */
static char *make_record(const struct cli_cascade_import *import)
{
    const char *slash = strrchr(import->path, '/');
    const char *name = slash != NULL && slash[1] != '\0' ? slash + 1 : import->path;
    json_t *record = json_pack("{s:s, s:[o]}", "imported_from", import->format, "files", shw_json_text(name));
    char *text = record != NULL ? json_dumps(record, JSON_COMPACT) : NULL;

    json_decref(record);
    return text;
}

/* The files that are read: those of a folder, if it is one of CSV files. */
static void add_inputs(const struct cli_cascade_import *import)
{
    shw_output_files_read(import->files, import->path);
    for (int f = 0; import->read == shw_csv_cascade_read && f < SHW_CSV_FILE_COUNT; f++) {
        char *path = shw_csv_path(import->path, (enum shw_csv_file)f);
        shw_output_files_read(import->files, path);
        free(path);
    }
}

/* Makes it the cascade of --min-score. */
static enum shw_result set_min_score(const struct cli_cascade_import *import, const struct shw_log *log,
                                     struct shw_cascade **cascade)
{
    struct shw_cascade_info info = *shw_cascade_get_info(*cascade);
    struct shw_cascade *made = NULL;

    SHW_PROPAGATE(cli_cascade_min_score(import->min_score, log, &info));
    SHW_PROPAGATE(shw_cascade_create(&info, log, &made));
    shw_cascade_destroy(cascade);
    *cascade = made;
    return SHW_OK;
}

static enum shw_result read_cascade(const struct cli_cascade_import *import, const struct shw_log *log,
                                    struct shw_cascade **cascade)
{
    char *record = make_record(import);
    const struct shw_cascade_import made = {.object = import->object, .training = record};
    enum shw_result result =
        record != NULL ? import->read(import->path, &made, log, cascade) : shw_fail_memory(log, "a cascade");

    free(record);
    return result == SHW_OK && import->min_score != NULL ? set_min_score(import, log, cascade) : result;
}

static int tell(const struct cli_cascade_import *import, const struct shw_cascade *cascade)
{
    if (import->report->json)
        return cli_print_json(import->report, shw_cascade_json(cascade, import->output));
    if (!import->report->quiet) {
        printf("%s: ", shw_printable(import->output).text);
        shw_print_cascade_line(cascade);
    }
    return SHW_EXIT_SUCCESS;
}

int cli_import_cascade(const struct cli_cascade_import *import)
{
    const struct shw_log log = cli_log(import->report);
    struct shw_cascade *cascade = NULL;
    enum shw_result result;
    int code;

    add_inputs(import);
    shw_output_files_write(import->files, import->output, &shw_file_cascade);
    code = cli_check_outputs(import->report, import->files);
    if (code != SHW_CONTINUE)
        return code;
    result = read_cascade(import, &log, &cascade);
    if (result == SHW_OK)
        result = shw_output_files_look_again(import->files, import->output);
    if (result == SHW_OK)
        result = shw_cascade_save(cascade, import->output, &log);
    code = result == SHW_OK ? tell(import, cascade) : shw_exit_code(result);
    shw_cascade_destroy(&cascade);
    return code;
}
