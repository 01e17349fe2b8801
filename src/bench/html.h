/* Self-contained pages: inline style and SVG, light and dark, nothing from a network, readable without a script. */
#ifndef SHW_BENCH_HTML_H
#define SHW_BENCH_HTML_H

#include <stdio.h>

#include "bench/compare.h"

/* Writes a document of shw_bench_load() or of a run of the bench. Errors: MEMORY; the caller checks the stream for
 * errors. */
enum shw_result shw_bench_write_html(const json_t *document, const struct shw_log *log, FILE *out);

/* Writes a comparison of two documents, named `a_name` and `b_name`. Errors: MEMORY. */
enum shw_result shw_bench_write_comparison_html(const struct shw_bench_comparison *comparison, const char *a_name,
                                                const char *b_name, const struct shw_log *log, FILE *out);

/* The common parts of both pages: from the doctype to the start of the body, and the end. `title` is escaped. */
void shw_html_open(FILE *out, const char *title);
void shw_html_close(FILE *out);

/* An entry of a list of facts; nothing if the value is empty. */
void shw_html_fact(FILE *out, const char *name, const char *value);

/* Date, version, device, driver, host and command of a document, as a list. */
void shw_html_origin(FILE *out, const json_t *document);

#endif
