/* Tables of numbers: CSV whose rows may have different lengths. Lines that are empty or begin with # are left out. */
#ifndef SHW_FILES_FORMATS_NUMBER_TABLE_H
#define SHW_FILES_FORMATS_NUMBER_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include <shadewood/log.h>

#define SHW_TABLE_VALUES_MAX (1u << 21)

struct shw_number_table {
    const char *name; /* for messages; borrowed */
    uint32_t row_count;
    uint32_t *starts; /* [row_count + 1]: of each row in `values`, and the end */
    uint32_t *lines;  /* [row_count] in the text, from 1 */
    double *values;   /* finite, or NaN where a field is empty */
};

/* Parses `size` bytes of text, which are not trusted and end with a zero byte that is not counted. Errors: FORMAT,
 * LIMIT, MEMORY. */
enum shw_result shw_number_table_parse(const char *text, size_t size, const char *name, const struct shw_log *log,
                                       struct shw_number_table *table);

/* Accepts a zero-initialised one. */
void shw_number_table_free(struct shw_number_table *table);

#endif
