/* Tables as text: their layout, and their records. */
#ifndef SHW_FILES_TABLES_CSV_H
#define SHW_FILES_TABLES_CSV_H

#include "base/thread_pool.h"
#include "files/tables/csv_buffer.h"
#include "files/tables/format.h"
#include "files/tables/table.h"

#define SHW_CSV_PARTS_MAX 64u

struct shw_csv_part;

struct shw_csv {
    struct shw_csv_buffer buffer;
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

/* Finds delimiter, header and columns in the first bytes, and passes over the header. Errors: IO, FORMAT, LIMIT,
 * MEMORY. */
enum shw_result shw_csv_find_layout(struct shw_csv *csv);

/* Makes what reading records needs. Errors: MEMORY. */
enum shw_result shw_csv_create_parts(struct shw_csv *csv);

/* Reads the records that begin in the buffer. Errors: FORMAT, MEMORY. */
enum shw_result shw_csv_read_rows(struct shw_csv *csv, struct shw_table_block *block);

/* Accepts a zero-initialised one. */
void shw_csv_free_rows(struct shw_csv *csv);

#endif
