/* Documents of the bench that were stored: read, and checked so that whoever reads them further need not. */
#ifndef SHW_BENCH_DOCUMENT_H
#define SHW_BENCH_DOCUMENT_H

#include <jansson.h>

#include <shadewood/log.h>

#define SHW_BENCH_FORMAT         "shadewood-bench"
#define SHW_BENCH_VERSION        1
#define SHW_BENCH_DOCUMENT_BYTES (64u << 20)
#define SHW_BENCH_ROWS_MAX       100000u

/* Afterwards *document has the shape that docs/bench.md describes: every member that is there has its type, texts are
 * one line without control characters, numbers are not negative, ids are unique. The caller releases it with
 * json_decref(). `name` is for messages. Errors, each told in one line, *document then being NULL: FORMAT, VERSION,
 * LIMIT, MEMORY. */
enum shw_result shw_bench_decode(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                                 json_t **document);

/* The same for a file. In addition IO. */
enum shw_result shw_bench_load(const char *path, const struct shw_log *log, json_t **document);

#endif
