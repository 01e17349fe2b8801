/* Images to be labelled or searched, with folders expanded. */
#ifndef SHW_FILES_OUTPUT_IMAGE_LIST_H
#define SHW_FILES_OUTPUT_IMAGE_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/log.h>

#include "base/file_bytes.h"
#include "files/image/image_choice.h"
#include "files/io/image_paths.h"
#include "files/io/shard.h"
#include "files/output/listed_files.h"

struct shw_image_entry {
    char *path;      /* of the file */
    char *place;     /* of its results in the output folder, before their endings: NAME, or FOLDER/NAME */
    uint32_t number; /* of a shard: that of the file in the whole list */
};

struct shw_image_list {
    struct shw_image_entry *list;
    uint32_t count, capacity;
    struct shw_image_paths whole; /* of a shard: the files of all shards */
};

/* Lists what paths stand for. Files are used as they are, but `page` is added to those that do not name one: a number,
 * UINT32_MAX for all of them, or 0 for none, which is the first, with a warning about files that have others. A folder
 * stands for the images in it, by extension and in natural order (f8 before f10), except those that `shadewood label`
 * or `shadewood detect` wrote and nobody has changed since, as their marks tell; and for those called NAME_colors
 * alone, if there are any. How many are left out is logged. With `in_folders`, the results of each folder go to one of
 * its name, or of as many of the names above it as tell the folders apart.
 *
 * Of a shard, the list has the images whose places, before pages are added to them, belong to it; files of other shards
 * are counted, but not opened. Free the list in either case. Errors: ARGUMENT, MEMORY. */
struct shw_image_list_params {
    uint32_t page;
    bool in_folders;
    struct shw_shard shard;
    struct shw_listed_files *files; /* of which files need not be opened, and the others are found out; or NULL */
    const struct shw_log *log;
};
enum shw_result shw_image_list_make(char **arguments, int count, const struct shw_image_list_params *params,
                                    struct shw_image_list *list);

/* The digest of the names of all files of a shard's whole list, in their order. */
struct shw_digest shw_image_list_digest(const struct shw_image_list *list);

/* Finds two images whose results would have the same names; same[0].path is NULL if there are none. They are borrowed.
 * Errors: MEMORY. */
enum shw_result shw_image_list_find_same(const struct shw_image_list *list, const struct shw_log *log,
                                         struct shw_image_entry same[2]);

/* All images share one range: unless one is chosen, that of the first readable image, of all shards, if it needs one.
 * Logs warnings, but no errors of images, which are reported when the images are read again. False: none can be read.
 */
bool shw_image_list_settle_choice(const struct shw_image_list *list, struct shw_image_choice *choice,
                                  const struct shw_log *log);

/* Accepts zero-initialised and freed ones. */
void shw_image_list_free(struct shw_image_list *list);

#endif
