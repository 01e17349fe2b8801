/* Reading and validation of stored documents of the bench. */
#ifndef SHW_BENCH_DOCUMENT_H
#define SHW_BENCH_DOCUMENT_H

#include <jansson.h>

#include <shadewood/log.h>

#include "files/io/file_kind.h"

#define SHW_BENCH_FORMAT         "shadewood-bench"
#define SHW_BENCH_VERSION        1
#define SHW_BENCH_DOCUMENT_BYTES (64u << 20)
#define SHW_BENCH_ROWS_MAX       100000u

/* A member of an object: "" or 0 if there is none. */
static inline const char *shw_bench_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "";
}

static inline double shw_bench_number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* Afterwards *document has the form that docs/bench.md describes: every member has its type, strings are one line
 * without control characters, numbers are not negative, ids are unique. The caller releases it with json_decref().
 * `name` is for messages. Errors, each with one message, and *document is then NULL: FORMAT, VERSION, LIMIT, MEMORY. */
enum shw_result shw_bench_decode(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                                 json_t **document);

/* The same for a file. Also IO. */
enum shw_result shw_bench_load(const char *path, const struct shw_log *log, json_t **document);

extern const struct shw_file_kind shw_file_bench_report;

#endif
