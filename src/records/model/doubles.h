/* Records in double precision for a forest whose thresholds are known in double precision: a number becomes its rank
 * among the thresholds of its attribute, and tests compare ranks. Every technique then finds the leaves to which the
 * numbers lead before they are rounded to float32. */
#ifndef SHW_RECORDS_MODEL_DOUBLES_H
#define SHW_RECORDS_MODEL_DOUBLES_H

#include <shadewood/record_forest.h>

struct shw_record_doubles;

/* How many thresholds float32 cannot represent, in a model that has just been read; 0 if its program does not compare
 * in double precision. */
uint32_t shw_record_forest_count_double_thresholds(const struct shw_record_forest *forest);

/* `forest` is borrowed until destruction, `name` for the call. Errors: ARGUMENT if a threshold is known in float32
 * alone, LIMIT, MEMORY. */
enum shw_result shw_record_doubles_create(const struct shw_record_forest *forest, const char *name,
                                          const struct shw_log *log, struct shw_record_doubles **doubles);

/* Accepts NULL and a pointer to NULL. */
void shw_record_doubles_destroy(struct shw_record_doubles **doubles);

/* The forest of ranks: trees, nodes, leaves, values and outputs are those of the forest, its attributes are others. */
const struct shw_record_forest *shw_record_doubles_get_forest(const struct shw_record_doubles *doubles);

/* Turns `count` records with the forest's attributes into records for the forest of ranks. A number equal to *missing,
 * unless that is NULL, is missing, as NaN is. Any thread. */
void shw_record_doubles_convert(const struct shw_record_doubles *doubles, const double *records, uint64_t count,
                                const double *missing, float *converted);

#endif
