/* Measures of a record forest: its predictions, and how they agree with the classes or values of the records. */
#ifndef SHW_CLI_RECORD_RUN_H
#define SHW_CLI_RECORD_RUN_H

#include <jansson.h>

#include <shadewood/records.h>

#include "base/thread_pool.h"
#include "cli/report.h"
#include "dense/metrics/accuracy.h"
#include "files/io/shard.h"
#include "files/tables/results.h"
#include "files/tables/table.h"
#include "records/model/doubles.h"

/* The values of an output, and their errors if there is one to compare with. */
struct cli_value_measures {
    double least, greatest, sum;
    uint64_t compared;
    double error, square; /* sums of |e| and e^2 */
    double target, target_square;
};

struct cli_record_measures {
    const struct shw_record_forest *forest; /* borrowed */
    uint64_t records, labelled;
    struct shw_name_set names;         /* of classes, closed */
    uint64_t *counts;                  /* of predictions, by class */
    struct shw_accuracy accuracy;      /* of labelled records */
    struct cli_value_measures *values; /* of each prediction; NULL for classes */
    uint32_t value_count;
};

/* `class_names`: of the forest's classes; NULL: its own, or numbers. Errors: ARGUMENT if a name is there twice, MEMORY.
 */
enum shw_result cli_record_measures_begin(struct cli_record_measures *measures, const struct shw_record_forest *forest,
                                          const char *const *class_names, const struct shw_log *log);

/* Prints them, on standard output. */
void cli_record_measures_print(const struct cli_record_measures *measures);

/* As members of a JSON object; NULL if memory is exhausted. */
json_t *cli_record_measures_pack(const struct cli_record_measures *measures);

/* Accepts a zero-initialised one. */
void cli_record_measures_free(struct cli_record_measures *measures);

struct cli_record_run {
    struct cli_report *report;
    struct shw_record_evaluator *evaluator;
    const struct shw_record_forest *forest;
    struct shw_table_params table; /* except the classes and the attributes, which are the forest's */
    bool has_missing;
    float missing;
    const struct shw_record_doubles *doubles; /* whose forest the evaluator has; NULL: records are float32 */
    double missing_double;                    /* with has_missing */
    const bool *wanted;                       /* results that are written, by enum shw_results_kind; NULL: none */
    struct shw_results *results;              /* open; NULL: none */
    struct cli_record_measures *measures;
    struct shw_shard shard; /* whose records are evaluated; with results */

    uint64_t row;                      /* of all tables, from 0: the next one */
    struct shw_record_seconds seconds; /* sums of all evaluations */
    uint32_t attribute_count;          /* of the forest */

    /* Results of records under way. */
    struct shw_record_results buffers;
    float *converted; /* with doubles: records for the evaluator */
    struct shw_thread_pool *pool;
    uint32_t capacity; /* in records */
};

/* Evaluates the records of a table. Returns the exit code. */
int cli_record_run_table(struct cli_record_run *run, const char *path);
void cli_record_run_free(struct cli_record_run *run);

#endif
