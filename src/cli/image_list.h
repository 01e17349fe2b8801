/* The images that a command line names, with folders expanded. */
#ifndef SHW_CLI_IMAGE_LIST_H
#define SHW_CLI_IMAGE_LIST_H

#include <stdint.h>

#include "cli/report.h"

struct cli_image {
    char *path;  /* of the file */
    char *place; /* of its results in the output folder, before their endings: NAME, or FOLDER/NAME */
};

struct cli_image_list {
    struct cli_image *list;
    uint32_t count, capacity;
};

/* Files are used as they are, but `page` is added to those that do not name one: a number, UINT32_MAX for all of them,
 * or 0 for none, which is the first, with a warning of files that have others; a folder stands for the images in it, by
 * extension and in natural order (f8 before f10), except those that `shadewood label` or `shadewood detect` wrote and
 * nobody has changed since, as their marks tell; and for those called NAME_colors alone, if there are any. How many are
 * left out is logged. With `in_folders`, the results of each folder have one of its name, or of as many of the names
 * above it as tell the folders apart. Two images whose results would have the same names are refused. Returns
 * SHW_CONTINUE or the exit code; free the list in either case. */
int cli_list_images(const struct shw_command *command, struct cli_report *report, char **arguments, int count,
                    uint32_t page, bool in_folders, struct cli_image_list *list);

/* Accepts zero-initialised and freed ones. */
void cli_image_list_free(struct cli_image_list *list);

#endif
