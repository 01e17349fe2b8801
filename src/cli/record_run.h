/* Tables of records through a record forest: block after block, in memory of bounded size. */
#ifndef SHW_CLI_RECORD_RUN_H
#define SHW_CLI_RECORD_RUN_H

#include "base/thread_pool.h"
#include "cli/record_measures.h"
#include "cli/report.h"
#include "files/tables/results.h"
#include "records/model/doubles.h"

struct cli_record_run {
    struct cli_report *report;
    struct shw_record_evaluator *evaluator;
    const struct shw_record_forest *forest;
    struct shw_table_params table; /* but for the classes and the attributes, which are the forest's */
    bool has_missing;
    float missing;
    const struct shw_record_doubles *doubles; /* whose forest the evaluator has; NULL: records are float32 */
    double missing_double;                    /* with has_missing */
    const bool *wanted;                       /* results that are written, by enum shw_results_kind; NULL: none */
    struct shw_results *results;              /* open; NULL: none */
    struct cli_record_measures *measures;

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
