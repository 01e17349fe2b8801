#include "cli/export_records.h"

#include <stdio.h>

#include "base/counted.h"
#include "base/printable.h"
#include "files/formats/record_open.h"
#include "files/formats/tree_arrays.h"
#include "files/io/file_kind.h"
#include "files/io/json_text.h"

static int tell(struct cli_report *report, const char *path, const char *output,
                const struct shw_record_forest_info *info)
{
    if (report->json)
        return cli_print_json(report,
                              json_pack("{s:o, s:s, s:o, s:i}", "forest", shw_json_text(path), "format", "trees",
                                        "file", shw_json_text(output), "trees", (int)info->tree_count));
    if (!report->quiet)
        printf("%s: %s\n", shw_printable(output).text, shw_counted(info->tree_count, "tree", "trees").text);
    return SHW_EXIT_SUCCESS;
}

static int print_forest(struct cli_report *report, const char *path, const struct shw_record_forest *forest)
{
    const struct shw_log log = cli_log(report);

    return shw_exit_code(shw_tree_arrays_print(forest, path, stdout, &log));
}

static int export_forest(struct cli_report *report, struct shw_output_files *files, const char *path,
                         const char *output, const struct shw_record_forest *forest)
{
    const struct shw_log log = cli_log(report);
    enum shw_result result;
    int code;

    shw_output_files_read(files, path);
    shw_output_files_write(files, output, &shw_file_record_trees);
    code = cli_check_outputs(report, files);
    if (code != SHW_CONTINUE)
        return code;
    result = shw_output_files_look_again(files, output);
    if (result == SHW_OK)
        result = shw_tree_arrays_write(forest, path, output, &log);
    return result == SHW_OK ? tell(report, path, output, shw_record_forest_get_info(forest)) : shw_exit_code(result);
}

int cli_export_records(struct cli_report *report, struct shw_output_files *files, const char *path, const char *output)
{
    const struct shw_log log = cli_log(report);
    struct shw_record_forest *forest = NULL;
    enum shw_result result = shw_record_forest_open(path, &log, &forest);
    int code = shw_exit_code(result);

    if (code == SHW_EXIT_SUCCESS && cli_is_standard_output(output))
        code = print_forest(report, path, forest);
    else if (code == SHW_EXIT_SUCCESS)
        code = export_forest(report, files, path, output, forest);
    shw_record_forest_destroy(&forest);
    return code;
}
