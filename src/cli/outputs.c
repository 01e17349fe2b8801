#include "cli/outputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void cli_add_input(void *files, const char *path)
{
    shw_output_files_read(files, path);
}

bool cli_is_standard_output(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

int cli_check_standard_output(const struct shw_command *command, const struct cli_report *report, const char *output)
{
    if (!report->json || !cli_is_standard_output(output))
        return SHW_CONTINUE;
    return shw_usage_error(command, "--json and --output - both write to standard output");
}

int cli_check_outputs(struct cli_report *report, struct shw_output_files *files)
{
    enum shw_result result;

    files->hint = "--overwrite";
    files->log = cli_log(report);
    result = shw_output_files_check(files);
    if (result == SHW_ERROR_ARGUMENT)
        return SHW_EXIT_USAGE;
    return result == SHW_OK ? SHW_CONTINUE : shw_exit_code(result);
}

/* 0, or the errno of the failure. */
static int make_one(const char *path)
{
    struct stat status;
    int error = mkdir(path, 0777) == 0 ? 0 : errno;

    return error == 0 || (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) ? 0 : error;
}

static const char *why_not(const char *path, int error)
{
    struct stat status;

    if (error != EEXIST)
        return strerror(error);
    return stat(path, &status) == 0 ? "it is a file" : "it is a link to nothing";
}

int cli_make_folder(struct cli_report *report, const char *path)
{
    char *part;
    int code = SHW_CONTINUE;

    if (cli_is_standard_output(path)) {
        cli_fail(report, "a folder is written, not standard output: name one (./- is a folder called -)");
        return SHW_EXIT_USAGE;
    }
    part = strdup(path);
    if (part == NULL)
        return cli_fail(report, "cannot create the folder %s: out of memory", path);
    for (char *end = part; code == SHW_CONTINUE && end != NULL;) {
        end = strchr(end + strspn(end, "/"), '/');
        if (end != NULL)
            *end = '\0';
        int error = make_one(part);
        if (error != 0)
            code = cli_fail(report, "cannot create the folder %s: %s", part, why_not(part, error));
        if (end != NULL)
            *end = '/';
    }
    free(part);
    return code;
}
