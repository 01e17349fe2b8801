/* A setting of the suite `records`: a forest and records, timed with every technique. */
#ifndef SHW_BENCH_RECORD_ROWS_H
#define SHW_BENCH_RECORD_ROWS_H

#include "bench/bench.h"
#include "bench/document.h"

#include <shadewood/record_forest.h>
#include <shadewood/records.h>

/* What is timed (Spencer 2021, 4.2.2). */
enum shw_bench_record_time {
    SHW_BENCH_RECORD_INNER, /* records and forest are where they are evaluated: on the device, by recording */
    SHW_BENCH_RECORD_OUTER  /* from records in memory to classes in memory, with all transfers */
};

struct shw_bench_record_setting {
    const struct shw_record_forest *forest;
    const float *values; /* `distinct` records, which are repeated up to `count` */
    uint64_t distinct, count;
    enum shw_bench_record_time time;
    const char *stage, *series; /* of the rows; series may be NULL */
    const char *name;           /* the part of ids between stage and technique */
    const char *title;
    json_t *described; /* members of the rows' settings besides those of the forest; borrowed, or NULL */
    uint32_t slots;    /* recordings in flight where many are timed; 1: none */
    bool device_only;  /* nothing on the host */
    bool copies; /* a row for the technique "copy", too: the records to the device and as many classes back, from and to
                    memory that the device reads and writes itself, without evaluation */
    const double (*published)[SHW_RECORD_TECHNIQUE_COUNT]; /* milliseconds by Spencer; NULL: none, or 0 */
};

/* Evaluates the records with every technique that is wanted, and compares all with `serial`: classes of all records,
 * and leaves and sums of the first ones. Errors: those that end the suite. */
enum shw_result shw_bench_record_rows(struct shw_bench *bench, const struct shw_bench_record_setting *setting);

/* The most records of `attributes` that the suite may use, by option or by memory. */
uint64_t shw_bench_records_max(const struct shw_bench *bench, uint32_t attributes);

/* The number of records that `serial` evaluates within a second or so. */
uint64_t shw_bench_records_distinct(uint64_t count, uint64_t tests_per_record);

#endif
