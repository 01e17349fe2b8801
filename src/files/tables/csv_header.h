/* Whether the first record of a text names its columns. */
#ifndef SHW_FILES_TABLES_CSV_HEADER_H
#define SHW_FILES_TABLES_CSV_HEADER_H

#include "files/tables/csv.h"
#include "files/tables/csv_field.h"

/* A record, divided into fields. */
struct shw_csv_row {
    struct shw_csv_field *fields;
    enum shw_csv_field_kind *kinds;
    uint32_t count; /* 0: there is none */
    uint64_t line;
};

/* By the rules of docs/records-command.md. `rows`: the first two records of the buffer. */
bool shw_csv_is_header(const struct shw_csv *csv, const struct shw_csv_row rows[2]);

#endif
