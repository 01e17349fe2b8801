/* Record forests as arrays in JSON, in files. */
#ifndef SHW_FILES_OUTPUT_RECORD_TREES_H
#define SHW_FILES_OUTPUT_RECORD_TREES_H

#include <shadewood/record_forest.h>

#include "files/io/file_kind.h"

/* Writes a forest by shw_tree_arrays_print() (formats/tree_arrays.h), atomically and marked. `name` begins messages.
 * Errors: IO, LIMIT, MEMORY. */
enum shw_result shw_record_trees_write(const struct shw_record_forest *forest, const char *name, const char *path,
                                       const struct shw_log *log);

extern const struct shw_file_kind shw_file_record_trees;

#endif
