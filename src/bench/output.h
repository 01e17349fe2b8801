/* Output of the document of a run as a table and as CSV. */
#ifndef SHW_BENCH_OUTPUT_H
#define SHW_BENCH_OUTPUT_H

#include <stdio.h>

#include <jansson.h>

/* The maximum width of a table. */
#define SHW_BENCH_TABLE_WIDTH 130

/* Rows grouped by suite, stage and series. */
void shw_bench_print_table(const json_t *document, FILE *stream);

/* A line of column names, then one line per row: RFC 4180, in UTF-8. The keys of all settings are columns. */
void shw_bench_print_csv(const json_t *document, FILE *stream);

#endif
