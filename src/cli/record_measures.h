/* How a record forest does on records: what it predicts, and how that agrees with their classes or values. */
#ifndef SHW_CLI_RECORD_MEASURES_H
#define SHW_CLI_RECORD_MEASURES_H

#include <jansson.h>

#include <shadewood/records.h>

#include "dense/metrics/accuracy.h"
#include "files/tables/table.h"

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

/* Adds records of a block, from `first` on. Of `results`, classes or predictions are read, whichever the forest has. */
void cli_record_measures_add(struct cli_record_measures *measures, const struct shw_table_block *block, uint32_t first,
                             uint32_t count, const struct shw_record_results *results);

/* Prints them, on standard output. */
void cli_record_measures_print(const struct cli_record_measures *measures);

/* As members of a JSON object; NULL if memory is exhausted. */
json_t *cli_record_measures_pack(const struct cli_record_measures *measures);

/* Accepts a zero-initialised one. */
void cli_record_measures_free(struct cli_record_measures *measures);

#endif
