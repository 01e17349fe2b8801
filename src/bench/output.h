/* The document of a run as people and spreadsheets read it. */
#ifndef SHW_BENCH_OUTPUT_H
#define SHW_BENCH_OUTPUT_H

#include <stdio.h>

#include <jansson.h>

/* What a table never exceeds. */
#define SHW_BENCH_TABLE_WIDTH 130

/* Groups of rows: a suite's stage, and what varies in it. */
void shw_bench_print_table(const json_t *document, FILE *stream);

/* One row a line, after a line of column names: RFC 4180, in UTF-8. Settings that any row has are columns. */
void shw_bench_print_csv(const json_t *document, FILE *stream);

#endif
