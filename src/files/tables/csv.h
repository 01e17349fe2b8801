/* Tables as text (CSV), read in pieces of bounded size: their layout, and their records. */
#ifndef SHW_FILES_TABLES_CSV_H
#define SHW_FILES_TABLES_CSV_H

#include <stddef.h>

#include "base/csv_read.h"
#include "base/thread_pool.h"
#include "files/tables/format.h"
#include "files/tables/name_set.h"
#include "files/tables/table.h"

/* A field of a record in text. */

enum shw_csv_field_kind {
    SHW_CSV_NUMBER,
    SHW_CSV_MISSING, /* empty, ?, NA, N/A, NaN or null, in upper or lower case */
    SHW_CSV_TEXT
};

/* Classifies a field. *value becomes the nearest float32 of NUMBER, and NaN for MISSING. */
enum shw_csv_field_kind shw_csv_field_number(const struct shw_csv_field *field, float *value);

/* The name of a class; a number has one name, however it is written (shw_class_name_of_number()). Returns its length: 0
 * for a record without class (an empty field, ? or NaN), more than SHW_CLASS_NAME_BYTES_MAX if it is too long. */
size_t shw_csv_field_class(const struct shw_csv_field *field, char name[SHW_CLASS_NAME_BYTES_MAX + 1]);

#define SHW_CSV_RECORD_MAX ((size_t)1 << 26) /* bytes */

/* Reads more of a record that does not fit. Errors: LIMIT, IO, MEMORY. */
enum shw_result shw_csv_buffer_grow(struct shw_text_buffer *buffer);

/* The next line that is a record; NULL if none begins in the buffer. *lines grows by the lines skipped. */
const char *shw_csv_find_record(const struct shw_text_buffer *buffer, const char *from, uint64_t *lines);

/* The byte after a record, or after a line that is none; NULL if it does not end before `end`. */
const char *shw_csv_buffer_record_end(const struct shw_text_buffer *buffer, const char *record, const char *end);

struct shw_csv_part;

struct shw_csv {
    struct shw_text_buffer buffer;
    const struct shw_table_params *params; /* borrowed */
    const char *name;
    struct shw_table_columns columns;

    struct shw_thread_pool *pool;
    struct shw_csv_part *parts;
    uint32_t part_count;

    /* The records of the block. */
    float *values, *targets;
    double *doubles; /* of the values; NULL unless they are asked for */
    uint32_t *classes;
    uint32_t capacity; /* in records */
    uint64_t count;    /* of all records before */
    bool overflow_said;
};

/* Finds delimiter, header and columns in the first bytes, and skips the header. Errors: IO, FORMAT, LIMIT, MEMORY. */
enum shw_result shw_csv_find_layout(struct shw_csv *csv);

#endif
