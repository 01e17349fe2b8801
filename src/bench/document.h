/* The document of a run, described in docs/bench.md: made, read and validated. Table, CSV and comparison read this
 * tree. */
#ifndef SHW_BENCH_DOCUMENT_H
#define SHW_BENCH_DOCUMENT_H

#include <jansson.h>
#include <stdio.h>

#include <shadewood/log.h>

#include "bench/timing.h"
#include "files/io/file_kind.h"

/* Creates a document: format, version, date, command, host, device. NULL: out of memory. */
json_t *shw_bench_document(const struct shw_device_description *device, uint32_t processors, const char *command);

/* A published time of a setting. */
struct shw_bench_published {
    const char *who, *hardware, *where;
    double ms;
};

/* A row under construction. */
struct shw_bench_row {
    const char *suite, *stage, *technique, *title, *series; /* title and series may be NULL */
    const char *id;                                         /* unique in the document, and the same from run to run */
    json_t *setting;                                        /* the row takes ownership */
    const struct shw_bench_times *times;                    /* NULL: not run */
    const char *skipped;                                    /* then why */
    const char *unit;                                       /* of a run's output: "images"; NULL: no throughput */
    double units;                                           /* of a run; 0: 1, by the host's clock. Otherwise by the
                                                               device's, if there are such times */
    double work;                                            /* of one run, 0: not stated */
    const char *work_unit;                                  /* "node visits" */
    int equals_cpu;                                         /* 1, 0, or -1: not compared */
    const char *unchecked;                                  /* then why; NULL for rows of cpu itself */
    const struct shw_bench_published *published;            /* `published_count` of them */
    uint32_t published_count;
    bool custom; /* a custom technique */
};

/* Appends the row to the document, and takes ownership of `setting`. Returns the row, borrowed, to which members may be
 * added; NULL if memory is exhausted. */
json_t *shw_bench_add(struct shw_bench *bench, const struct shw_bench_row *row);

/* Appends a limit: `per_second` of `unit`. Errors: MEMORY. */
enum shw_result shw_bench_add_limit(struct shw_bench *bench, const char *limit, const char *title, double per_second,
                                    const char *unit, const struct shw_bench_times *times);

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

/* Output of the document of a run as a table and as CSV. */

/* The maximum width of a table. */
#define SHW_BENCH_TABLE_WIDTH 130

/* Rows grouped by suite, stage and series. */
void shw_bench_print_table(const json_t *document, FILE *stream);

/* A line of column names, then one line per row: RFC 4180, in UTF-8. The keys of all settings are columns. */
void shw_bench_print_csv(const json_t *document, FILE *stream);

/* The limits of rows; docs/bench.md describes the model. */

/* Sets `bound` of every row whose stage and technique are in the model, from the rates in `limits` (a document's
 * member); it stays null if a limit is missing. Errors: MEMORY. */
enum shw_result shw_bench_bind(json_t *document, const json_t *limits, const struct shw_log *log);

#endif
