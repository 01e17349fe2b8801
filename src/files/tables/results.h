/* Tables of a record forest's predictions, written record by record, as CSV or NumPy arrays. */
#ifndef SHW_FILES_TABLES_RESULTS_H
#define SHW_FILES_TABLES_RESULTS_H

#include <jansson.h>

#include <shadewood/records.h>

#include "files/io/output_files.h"

enum shw_results_kind {
    SHW_RESULTS_CLASSES,     /* CSV: names; NPY: numbers, uint32 */
    SHW_RESULTS_PREDICTIONS, /* probabilities or values: float32 */
    SHW_RESULTS_LEAVES,      /* a number per tree, as in the program that made the forest: uint32 */
    SHW_RESULTS_SUMS         /* an integer per output, in units of 2^-fraction_bits: int64 */
};
#define SHW_RESULTS_KIND_COUNT 4

/* "classes", "probabilities", "leaves", "sums" of classes, or "values", "leaves", "sums"; NULL if forests with that
 * task have none. */
const char *shw_results_kind_name(enum shw_results_kind kind, enum shw_record_task task);

struct shw_results_params {
    const struct shw_record_forest *forest; /* borrowed until the end */
    const char *const *class_names;         /* of its classes, borrowed likewise; NULL: the forest's, or numbers */
    bool wanted[SHW_RESULTS_KIND_COUNT];
    const char *path;               /* .npy in any case: arrays; otherwise CSV, and "-" is standard output. Copied */
    struct shw_output_files *files; /* borrowed until the end */
    const json_t *part;             /* what it says of a shard, whose one file is then written (results_part.h), without
                                       "arrays", which are added; borrowed until they are open. NULL: all records */
    uint32_t threads;               /* 0: one per processor */
    struct shw_log log;
};

struct shw_results;

/* Adds the files that will be written to params->files: PATH, or, of several arrays, one for each with _classes,
 * _probabilities, _values, _leaves or _sums before the ending. Errors: MEMORY. */
enum shw_result shw_results_create(const struct shw_results_params *params, struct shw_results **results);

/* The path of one of these files; NULL after the last. */
const char *shw_results_get_path(const struct shw_results *results, uint32_t index);

/* Begins them, after the check of params->files. Errors: IO, MEMORY. */
enum shw_result shw_results_open(struct shw_results *results);

/* Adds records. Only wanted `values` are read; leaves are numbers in their trees. A failed write is reported at once:
 * IO, with a message except for standard output, which the program reports at its end. */
enum shw_result shw_results_add(struct shw_results *results, uint64_t count, const struct shw_record_results *values);

/* Of a shard: the block of records that were added ends. Errors: IO, MEMORY. */
enum shw_result shw_results_end_block(struct shw_results *results);

/* Completes the files and gives them their names, unless one has appeared meanwhile. `total`: the records of all
 * shards, of a shard. Errors: IO. */
enum shw_result shw_results_commit(struct shw_results *results, uint64_t total);

/* Forgets what was not committed. Accepts NULL and a pointer to NULL. */
void shw_results_destroy(struct shw_results **results);

#endif
