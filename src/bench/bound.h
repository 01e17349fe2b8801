/* The limits of rows; docs/bench.md describes the model. */
#ifndef SHW_BENCH_BOUND_H
#define SHW_BENCH_BOUND_H

#include <jansson.h>

#include <shadewood/log.h>

/* Sets `bound` of every row whose stage and technique are in the model, from the rates in `limits` (a document's
 * member); it stays null if a limit is missing. Errors: MEMORY. */
enum shw_result shw_bench_bind(json_t *document, const json_t *limits, const struct shw_log *log);

#endif
