/* classes.json, beside exported labels: what their numbers mean. It is a palette (files/dataset/palette.h), so that it
 * reads the label images back. */
#ifndef SHW_FILES_OUTPUT_CLASSES_FILE_H
#define SHW_FILES_OUTPUT_CLASSES_FILE_H

#include <stdbool.h>

#include <shadewood/forest.h>
#include <shadewood/log.h>

#define SHW_CLASSES_FILE "classes.json"

struct shw_classes_file {
    const struct shw_class *classes;
    uint32_t count;
    const struct shw_forest *forest; /* that made the labels, for its hash; NULL: none */
    const char *project;             /* its file; NULL: none */
};

/* Whether there is a list of classes at the path that has others, or in another order. Any thread. */
bool shw_classes_file_differs(const char *path, const struct shw_classes_file *file);

/* Whether the file is there as it would be written. Any thread. */
bool shw_classes_file_is(const char *path, const struct shw_classes_file *file);

/* Writes the file atomically: number, name and colour of each class, and after them void, which is a value of painted
 * labels only. Warns if it replaces a file with other classes, whose labels may still be beside it. Errors: IO, MEMORY.
 * Any thread. */
enum shw_result shw_classes_file_write(const char *path, const struct shw_classes_file *file,
                                       const struct shw_log *log);

#endif
