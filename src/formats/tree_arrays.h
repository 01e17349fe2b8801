/* Record forests as arrays in JSON (docs/record-import.md), which people can read and any program can write. */
#ifndef SHW_FORMATS_TREE_ARRAYS_H
#define SHW_FORMATS_TREE_ARRAYS_H

#include <stdio.h>

#include <shadewood/record_forest.h>

#define SHW_TREE_ARRAYS_NAME         "record-trees"
#define SHW_TREE_ARRAYS_VERSION      2
#define SHW_TREE_ARRAYS_WITHOUT_SETS 1 /* the version of files without sets */

/* Members of a set besides its own "members". */
struct shw_tree_arrays_set_flag {
    const char *name;
    uint32_t flag;
};
#define SHW_TREE_ARRAYS_SET_FLAGS 3u
extern const struct shw_tree_arrays_set_flag shw_tree_arrays_set_flags[SHW_TREE_ARRAYS_SET_FLAGS];

/* The text of a threshold that no number has: this and its code. */
#define SHW_TREE_ARRAYS_CODE "code "

/* The first line of a file that is written here; between these texts is room for a mark (files/output/record_trees.h).
 */
#define SHW_TREE_ARRAYS_BEFORE_MARK "{\"shadewood\": \"" SHW_TREE_ARRAYS_NAME " "
#define SHW_TREE_ARRAYS_AFTER_MARK  "\","

/* Writes a forest, which reads back with the same hash; spaces stand for the digits of the mark. The stream keeps its
 * own errors. Errors: LIMIT for a base or cut that no double equals, MEMORY. */
enum shw_result shw_tree_arrays_print(const struct shw_record_forest *forest, const char *name, FILE *stream,
                                      const struct shw_log *log);

#endif
