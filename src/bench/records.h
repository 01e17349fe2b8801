/* The suite `records`: record forests of any shape and records for them, the same on every machine. */
#ifndef SHW_BENCH_RECORDS_H
#define SHW_BENCH_RECORDS_H

#include <shadewood/record_forest.h>
#include <shadewood/records.h>

#include "bench/bench.h"
#include "bench/document.h"

/* Trees whose first `full_levels` levels have splits only; below, every node of the last of them begins a chain, of
 * which each split has a leaf. So 0 is a chain, and `depth` a balanced tree. */
struct shw_bench_record_trees {
    uint32_t trees, depth; /* depth at least 1 */
    uint32_t full_levels;  /* up to the depth */
    uint32_t attributes;
};

/* Splits of a tree. */
uint64_t shw_bench_record_splits(const struct shw_bench_record_trees *params);

/* A forest with one output of two classes, such that records of shw_bench_record_values() halve at each full level, and
 * end at every test of a chain equally often. Errors: MEMORY, LIMIT. */
enum shw_result shw_bench_record_forest(const struct shw_bench_record_trees *params, const struct shw_log *log,
                                        struct shw_record_forest **forest);

/* Records whose attributes are independent and uniform from 0 to 1; to be freed with free(). NULL if out of memory. */
float *shw_bench_record_values(uint64_t count, uint32_t attributes);

/* What Spencer 2021, 4.1 evaluates: records of the UCI repository's image segmentation set, and a tree for them. */

#define SHW_BENCH_PAPER_ATTRIBUTES 19u
#define SHW_BENCH_PAPER_RECORDS    16384u /* which he repeats four times */

struct shw_bench_paper {
    bool is_generated; /* a stand-in, since the set was not found */
    struct shw_record_forest *forest;
    float *values;   /* [SHW_BENCH_PAPER_RECORDS][SHW_BENCH_PAPER_ATTRIBUTES] */
    double accuracy; /* of the tree on the set that it was trained on, 0 to 1 */
};

/* Reads the set from the folder of --data or of the variable SHADEWOOD_DATA, or generates one; trains a tree and cuts
 * it back to his size, 31 nodes and a depth of 11; and shuffles the set as often as it takes. Free with
 * shw_bench_paper_free(), also on failure. Errors: FORMAT (naming file and line), MEMORY, those of training. */
enum shw_result shw_bench_paper_make(struct shw_bench *bench, struct shw_bench_paper *paper);
void shw_bench_paper_free(struct shw_bench_paper *paper);

/* A setting of the suite `records`: a forest and records, timed with every technique. */

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
