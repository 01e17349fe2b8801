/* Tables as text (CSV), read in pieces of bounded size: their layout, and their records. */
#ifndef SHW_FILES_TABLES_CSV_H
#define SHW_FILES_TABLES_CSV_H

#include "base/thread_pool.h"
#include "files/tables/byte_source.h"
#include "files/tables/format.h"
#include "files/tables/table.h"

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
