/* How near a row is to what the device can do: docs/bench.md gives the model. */
#ifndef SHW_BENCH_BOUND_H
#define SHW_BENCH_BOUND_H

#include <jansson.h>

#include <shadewood/log.h>

/* Sets `bound` of every row whose stage and technique the model knows, from the rates in `limits` (a document's
 * member); rows keep null where a limit that they need is not there. Errors: MEMORY. */
enum shw_result shw_bench_bind(json_t *document, const json_t *limits, const struct shw_log *log);

/* The rate of a limit a second, or 0. */
double shw_bench_limit(const json_t *limits, const char *name);

#endif
