/* Results of records as CSV, which threads write at the same time. */
#ifndef SHW_FILES_TABLES_RESULTS_TEXT_H
#define SHW_FILES_TABLES_RESULTS_TEXT_H

#include <stdio.h>

#include <shadewood/records.h>

struct shw_results_text_params {
    const struct shw_record_forest *forest; /* all is borrowed */
    const char *const *class_names;         /* NULL: numbers */
    const bool *wanted;                     /* by enum shw_results_kind */
    const uint32_t *columns;                /* of each kind */
    const uint32_t *sources;                /* of each leaf of all trees */
    uint32_t threads;
};

struct shw_results_text;

/* Errors: MEMORY. */
enum shw_result shw_results_text_create(const struct shw_results_text_params *params, const struct shw_log *log,
                                        struct shw_results_text **text);

/* The names of the columns: class, probability_CLASS, value or value_OUTPUT, leaf_TREE, sum_OUTPUT. Errors: MEMORY. */
enum shw_result shw_results_text_header(const struct shw_results_text *text, FILE *stream, const struct shw_log *log);

/* The stream keeps errors of writing. */
void shw_results_text_add(struct shw_results_text *text, uint64_t count, const struct shw_record_results *values,
                          FILE *stream);

/* Accepts NULL and a pointer to NULL. */
void shw_results_text_destroy(struct shw_results_text **text);

#endif
