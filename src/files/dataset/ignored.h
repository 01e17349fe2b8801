/* Classes that are ignored: their pixels are void when labels are read. */
#ifndef SHW_FILES_DATASET_IGNORED_H
#define SHW_FILES_DATASET_IGNORED_H

#include <jansson.h>

#include <shadewood/forest.h>

#include "files/dataset/palette.h"

/* Zero-initialised: none. */
struct shw_ignored {
    const char *const *given; /* names or colours, see shw_class_find() */
    uint32_t count;
    const struct shw_forest_info *forest; /* NULL, or: what it was trained without is ignored, too, and the classes that
                                             it has stay classes, without pixels */
};

/* Makes entries of the palette void; `name` is the palette's in messages. Other classes are numbered anew. Entries that
 * are void may be given, too. What is given and not in the palette is an error that lists what is; what the forest was
 * trained without need not be there. Errors: ARGUMENT, also if no class is left; MEMORY. */
enum shw_result shw_ignored_apply(const struct shw_ignored *ignored, const char *name, const struct shw_log *log,
                                  struct shw_palette *palette);

/* The member "ignored" of training records: the names of the classes that were ignored, in the order of the palette.
 * NULL if memory is exhausted. */
json_t *shw_ignored_pack(const struct shw_palette *palette);

#define SHW_IGNORED_KEY "ignored"

#endif
