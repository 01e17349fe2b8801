/* Lines of journals: JSON objects that end with a digest of the rest, `{...,"sum":"..."}`, so that one which was
 * damaged is not believed. Those of earlier versions have none. */
#ifndef SHW_FILES_OUTPUT_JOURNAL_LINE_H
#define SHW_FILES_OUTPUT_JOURNAL_LINE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define SHW_JOURNAL_LINE_SUM "sum" /* the member */

/* The object of a line, or NULL. Without `rows`, arrays among its members, which are rows of tables, are empty, and the
 * text is changed. *damaged: it is not what was written; *is_summed: it has a sum. */
json_t *shw_journal_line_parse(char *text, size_t length, bool rows, bool *damaged, bool *is_summed);

/* Prints an object, as text, with its sum. Negative on failure. */
int shw_journal_line_print(FILE *stream, const char *object);

#endif
