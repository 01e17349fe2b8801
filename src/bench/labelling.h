/* Timing of the stages of labelling in a setting with every technique. */
#ifndef SHW_BENCH_LABELLING_H
#define SHW_BENCH_LABELLING_H

#include "bench/document.h"
#include "bench/setting.h"

/* The rates of stages so far, to predict the times of others: milliseconds per unit of work; 0: unknown. */
struct shw_bench_rates {
    double rate[SHW_BENCH_STAGE_COUNT]
               [SHW_TECHNIQUE_BLEND + SHW_BENCH_CUSTOM_MAX]; /* built-in ones, then those of shared objects */
};

struct shw_bench_labelling {
    const char *suite, *series, *title; /* series and title may be NULL */
    struct shw_bench_setting setting;
    uint32_t stages; /* 1 << enum shw_bench_stage */
    const struct shw_bench_published *published[SHW_BENCH_STAGE_COUNT];
    uint32_t published_count[SHW_BENCH_STAGE_COUNT];
    struct shw_bench_rates *rates; /* read and updated; may be NULL */
    const char *skipped;           /* why the setting is skipped, or NULL */
};

/* Adds a row for every requested stage and technique. Rows that would take much too long, or do not fit into memory,
 * say so. Errors: MEMORY, DEVICE_LOST and others that end the run. */
enum shw_result shw_bench_time_labelling(struct shw_bench *bench, const struct shw_bench_labelling *labelling);

#endif
