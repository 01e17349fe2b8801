/* Images to be labelled or searched, with folders expanded. */
#ifndef SHW_FILES_OUTPUT_IMAGE_LIST_H
#define SHW_FILES_OUTPUT_IMAGE_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/log.h>

#include "files/image/image_choice.h"

struct shw_image_entry {
    char *path;  /* of the file */
    char *place; /* of its results in the output folder, before their endings: NAME, or FOLDER/NAME */
};

struct shw_image_list {
    struct shw_image_entry *list;
    uint32_t count, capacity;
};

/* Lists what paths stand for. Files are used as they are, but `page` is added to those that do not name one: a number,
 * UINT32_MAX for all of them, or 0 for none, which is the first, with a warning about files that have others. A folder
 * stands for the images in it, by extension and in natural order (f8 before f10), except those that `shadewood label`
 * or `shadewood detect` wrote and nobody has changed since, as their marks tell; and for those called NAME_colors
 * alone, if there are any. How many are left out is logged. With `in_folders`, the results of each folder go to one of
 * its name, or of as many of the names above it as tell the folders apart. Free the list in either case. Errors:
 * ARGUMENT, MEMORY. */
enum shw_result shw_image_list_make(char **arguments, int count, uint32_t page, bool in_folders,
                                    const struct shw_log *log, struct shw_image_list *list);

/* Finds two images whose results would have the same names; same[0].path is NULL if there are none. They are borrowed.
 * Errors: MEMORY. */
enum shw_result shw_image_list_find_same(const struct shw_image_list *list, const struct shw_log *log,
                                         struct shw_image_entry same[2]);

/* All images share one range: unless one is chosen, that of the first readable image, if it needs one. Logs warnings,
 * but no errors of images, which are reported when the images are read again. */
void shw_image_list_settle_choice(const struct shw_image_list *list, struct shw_image_choice *choice,
                                  const struct shw_log *log);

/* Accepts zero-initialised and freed ones. */
void shw_image_list_free(struct shw_image_list *list);

#endif
