/* Comparison of two documents of the bench. */
#ifndef SHW_BENCH_COMPARE_H
#define SHW_BENCH_COMPARE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include <shadewood/log.h>

enum shw_bench_verdict {
    SHW_BENCH_ALIKE,     /* the times differ by at most the threshold */
    SHW_BENCH_NOISE,     /* they differ by more, but the interquartile ranges overlap */
    SHW_BENCH_FASTER,    /* B is faster by more than the threshold, and the interquartile ranges are disjoint */
    SHW_BENCH_SLOWER,    /* B is slower, likewise: a regression */
    SHW_BENCH_DIFFERENT, /* B's result no longer equals that of `cpu`: a regression, whatever the times are */
    SHW_BENCH_UNTIMED    /* one of them has no time, or a time of another clock */
};

/* A row in both documents. */
struct shw_bench_change {
    const json_t *a, *b;               /* rows */
    const json_t *a_timing, *b_timing; /* device_ms if both have it, otherwise wall_ms; NULL: untimed */
    bool by_device;
    double ratio;      /* of the medians, B to A; 0: untimed */
    bool beyond_noise; /* the interquartile ranges are disjoint. One that does not contain its own median counts as that
                          median alone */
    bool beyond_threshold;
    enum shw_bench_verdict verdict;
};

/* The rows of one stage of one suite. */
struct shw_bench_stage_change {
    const char *suite, *stage;
    size_t first, count; /* of the changes */
    double ratio;        /* geometric mean of the timed ones; 0: none */
};

struct shw_bench_comparison {
    const json_t *a, *b;
    double threshold;                 /* 0.1: ten per cent */
    struct shw_bench_change *changes; /* by stage, in A's order */
    size_t change_count;
    struct shw_bench_stage_change *stages;
    size_t stage_count;
    const json_t **only_a, **only_b; /* rows */
    size_t only_a_count, only_b_count;
    size_t verdicts[SHW_BENCH_UNTIMED + 1]; /* number of changes of each kind */
    size_t slower_stages;                   /* whose mean ratio exceeds the threshold */
};

/* Both documents must be as from shw_bench_load(), and must outlive *comparison. Errors: MEMORY; freeing is then
 * allowed, but not necessary. */
enum shw_result shw_bench_compare(const json_t *a, const json_t *b, double threshold, const struct shw_log *log,
                                  struct shw_bench_comparison *comparison);
void shw_bench_comparison_free(struct shw_bench_comparison *comparison);

/* Whether there is a regression of a row or of a stage as a whole. */
bool shw_bench_regressed(const struct shw_bench_comparison *comparison);

/* As text for a terminal. */
void shw_bench_print_comparison(const struct shw_bench_comparison *comparison, const char *a_name, const char *b_name,
                                FILE *stream);

#endif
