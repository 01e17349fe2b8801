#include "cli/outputs.h"

#include <string.h>

void cli_add_input(void *files, const char *path)
{
    shw_output_files_read(files, path);
}

bool cli_is_standard_output(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

int cli_check_standard_output(const struct cli_command *command, const struct cli_report *report, const char *output)
{
    if (!report->json || !cli_is_standard_output(output))
        return CLI_CONTINUE;
    return cli_usage_error(command, "--json and --output - both write to standard output");
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
