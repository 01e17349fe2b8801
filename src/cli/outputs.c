#include "cli/outputs.h"

void cli_add_input(void *files, const char *path)
{
    shw_output_files_read(files, path);
}

int cli_check_outputs(struct cli_report *report, struct shw_output_files *files)
{
    enum shw_result result;

    files->hint = "--overwrite";
    files->log = cli_log(report);
    result = shw_output_files_check(files);
    if (result == SHW_ERROR_ARGUMENT)
        return CLI_USAGE;
    return result == SHW_OK ? CLI_CONTINUE : cli_exit_code(result);
}
