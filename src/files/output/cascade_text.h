/* Cascades as text and as JSON. */
#ifndef SHW_FILES_OUTPUT_CASCADE_TEXT_H
#define SHW_FILES_OUTPUT_CASCADE_TEXT_H

#include <jansson.h>

#include <shadewood/cascade.h>

/* Prints a line that says what the cascade is on standard output. */
void shw_print_cascade_line(const struct shw_cascade *cascade);

/* Prints what `shadewood inspect` shows of a cascade. */
void shw_print_cascade(const struct shw_cascade *cascade, const char *path, long long file_bytes);

/* The same as a JSON document, without the size of the file; NULL if out of memory. */
json_t *shw_cascade_json(const struct shw_cascade *cascade, const char *path);

/* The nodes of a tree, one per line on standard output, and as a JSON document; NULL if out of memory. */
void shw_print_cascade_tree(const struct shw_cascade *cascade, uint32_t tree);
json_t *shw_cascade_tree_json(const struct shw_cascade *cascade, uint32_t tree);

#endif
