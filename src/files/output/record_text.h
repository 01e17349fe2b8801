/* Record forests as text and as JSON. */
#ifndef SHW_FILES_OUTPUT_RECORD_TEXT_H
#define SHW_FILES_OUTPUT_RECORD_TEXT_H

#include <jansson.h>

#include <shadewood/record_forest.h>

/* Prints what `shadewood inspect` shows of a record forest. */
void shw_print_record_forest(const struct shw_record_forest *forest, const char *path, long long file_bytes);

/* The same as a JSON document; NULL if out of memory. */
json_t *shw_record_forest_json(const struct shw_record_forest *forest, const char *path, long long file_bytes);

/* The nodes of a tree, one per line on standard output, and as a JSON document; NULL if out of memory. */
void shw_print_record_tree(const struct shw_record_forest *forest, uint32_t tree);
json_t *shw_record_tree_json(const struct shw_record_forest *forest, uint32_t tree);

#endif
