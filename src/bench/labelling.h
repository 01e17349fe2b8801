/* Timing the stages of labelling in one setting by every technique. */
#ifndef SHW_BENCH_LABELLING_H
#define SHW_BENCH_LABELLING_H

#include "bench/report.h"
#include "bench/setting.h"

/* How long stages took so far, from which is guessed how long others will: milliseconds a unit of work; 0: not
 * known. */
struct shw_bench_rates {
    double rate[SHW_BENCH_STAGE_COUNT]
               [SHW_TECHNIQUE_BLEND + SHW_BENCH_CUSTOM_MAX]; /* ours, then those of shared objects */
};

struct shw_bench_labelling {
    const char *suite, *series, *title; /* series and title may be NULL */
    struct shw_bench_setting setting;
    uint32_t stages; /* 1 << enum shw_bench_stage */
    const struct shw_bench_published *published[SHW_BENCH_STAGE_COUNT];
    uint32_t published_count[SHW_BENCH_STAGE_COUNT];
    struct shw_bench_rates *rates; /* learned from and added to; may be NULL */
    const char *skipped;           /* why the setting is not even tried, or NULL */
};

/* Adds a row for every stage and technique that is wanted. What would take much longer than a row may, and what does
 * not fit, is a row that says so. Errors: MEMORY, DEVICE_LOST and others that end the run. */
enum shw_result shw_bench_time_labelling(struct shw_bench *bench, const struct shw_bench_labelling *labelling);

#endif
