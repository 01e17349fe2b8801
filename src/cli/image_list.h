/* The images that a command line names, folders opened. */
#ifndef SHW_CLI_IMAGE_LIST_H
#define SHW_CLI_IMAGE_LIST_H

#include <stddef.h>

#include "cli/report.h"

struct cli_image_list {
    char **paths;
    size_t count;
};

/* Takes files as they are, and of folders the images in them, by the endings of their names and in bytewise order; what
 * `shadewood label` writes is left out. Two images whose results would have the same names are refused. Returns
 * CLI_CONTINUE or the exit code; the list is to be freed either way. */
int cli_list_images(const struct cli_command *command, struct cli_report *report, char **arguments, int count,
                    struct cli_image_list *list);
void cli_free_images(struct cli_image_list *list);

/* The part of a path that names its results: the file name without folders and extension. */
const char *cli_image_name(const char *path, int *length);

#endif
