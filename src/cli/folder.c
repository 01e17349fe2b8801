#include "cli/folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/outputs.h"

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
    int code = CLI_CONTINUE;

    if (cli_is_standard_output(path)) {
        cli_fail(report, "a folder is written, not standard output: name one (./- is a folder called -)");
        return CLI_USAGE;
    }
    part = strdup(path);
    if (part == NULL)
        return cli_fail(report, "cannot create the folder %s: out of memory", path);
    for (char *end = part; code == CLI_CONTINUE && end != NULL;) {
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
