#include "cli/export_cascade.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/printable.h"
#include "cli/outputs.h"
#include "files/formats/csv_cascade.h"
#include "files/io/json_text.h"
#include "files/io/mark.h"

struct table {
    char *path, *text;
};

static enum shw_result format_tables(const char *path, const char *folder, const struct shw_log *log,
                                     struct table tables[SHW_CSV_WRITTEN_COUNT])
{
    struct shw_cascade *cascade = NULL;
    enum shw_result result = shw_cascade_load(path, log, &cascade);

    for (int f = 0; f < SHW_CSV_WRITTEN_COUNT && result == SHW_OK; f++) {
        tables[f].path = shw_csv_path(folder, (enum shw_csv_file)f);
        result = tables[f].path != NULL
                     ? shw_csv_cascade_format(cascade, (enum shw_csv_file)f, path, log, &tables[f].text)
                     : shw_fail_memory(log, folder);
    }
    shw_cascade_destroy(&cascade);
    return result;
}

static enum shw_result write_tables(struct shw_output_files *files, const struct table tables[SHW_CSV_WRITTEN_COUNT],
                                    const struct shw_log *log)
{
    for (int f = 0; f < SHW_CSV_WRITTEN_COUNT; f++) {
        SHW_PROPAGATE(shw_output_files_look_again(files, tables[f].path));
        SHW_PROPAGATE(shw_marked_text_write(tables[f].path, shw_file_cascade_table.name, tables[f].text,
                                            strlen(tables[f].text), log));
    }
    return SHW_OK;
}

static int tell(struct cli_report *report, const char *path, const char *folder)
{
    if (report->json)
        return cli_print_json(report, json_pack("{s:o, s:s, s:o, s:i}", "cascade", shw_json_text(path), "format", "csv",
                                                "folder", shw_json_text(folder), "tables", (int)SHW_CSV_WRITTEN_COUNT));
    if (!report->quiet)
        printf("%s: %d tables\n", shw_printable(folder).text, (int)SHW_CSV_WRITTEN_COUNT);
    return SHW_EXIT_SUCCESS;
}

/* Everything is checked before a folder or a file is written. */
static int export_tables(struct cli_report *report, struct shw_output_files *files, const char *path,
                         const char *folder, struct table tables[SHW_CSV_WRITTEN_COUNT])
{
    const struct shw_log log = cli_log(report);
    enum shw_result result = format_tables(path, folder, &log, tables);
    int code;

    if (result != SHW_OK)
        return shw_exit_code(result);
    code = cli_make_folder(report, folder);
    if (code != SHW_CONTINUE)
        return code;
    shw_output_files_read(files, path);
    for (int f = 0; f < SHW_CSV_WRITTEN_COUNT; f++)
        shw_output_files_write(files, tables[f].path, &shw_file_cascade_table);
    code = cli_check_outputs(report, files);
    if (code != SHW_CONTINUE)
        return code;
    result = write_tables(files, tables, &log);
    return result == SHW_OK ? tell(report, path, folder) : shw_exit_code(result);
}

int cli_export_cascade(struct cli_report *report, struct shw_output_files *files, const char *path, const char *folder)
{
    struct table tables[SHW_CSV_WRITTEN_COUNT] = {0};
    int code = export_tables(report, files, path, folder, tables);

    for (int f = 0; f < SHW_CSV_WRITTEN_COUNT; f++) {
        free(tables[f].path);
        free(tables[f].text);
    }
    return code;
}
