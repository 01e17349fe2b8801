/* Records: Spencer's experiment (2021, 4), and beyond it over shapes and depths of trees, attributes, trees, orders and
 * numbers of records (his section 6). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/integers.h"
#include "base/log.h"
#include "bench/record_paper.h"
#include "bench/record_rows.h"
#include "bench/record_trees.h"

#define PAPER_COUNT   ((uint64_t)4 * SHW_BENCH_PAPER_RECORDS)
#define SWEEP_SECONDS 0.25 /* of a row, unless fewer are asked for */
#define SWEEP_RUNS    21u
#define SWEEP_RECORDS (1u << 20)
#define SPLITS_MAX    32768u /* of a tree */

/* Table 1, average times in milliseconds; his EvalTreeByNode is Procedure 5. */
static const double inner_published[SHW_RECORD_TECHNIQUE_COUNT] = {
    [SHW_RECORD_COMPUTE] = 0.538235, [SHW_RECORD_SPECULATIVE_MAPPED] = 0.404466};
static const double outer_published[SHW_RECORD_TECHNIQUE_COUNT] = {
    [SHW_RECORD_SERIAL] = 1.91416, [SHW_RECORD_COMPUTE] = 3.90757, [SHW_RECORD_SPECULATIVE_MAPPED] = 3.78529};

static enum shw_result time_paper(struct shw_bench *bench, const struct shw_bench_paper *paper)
{
    uint64_t most = shw_bench_is_small(bench) ? PAPER_COUNT / 16 : PAPER_COUNT;
    uint64_t count = bench->options.records > 0 ? shw_min_u64(bench->options.records, most) : most;
    json_t *described =
        json_pack("{s:s, s:f}", "data", paper->is_generated ? "generated" : "uci_segment", "accuracy", paper->accuracy);
    struct shw_bench_record_setting setting = {.forest = paper->forest,
                                               .values = paper->values,
                                               .distinct = shw_min_u64(count, SHW_BENCH_PAPER_RECORDS),
                                               .count = count,
                                               .time = SHW_BENCH_RECORD_INNER,
                                               .stage = "experiment-inner",
                                               .name = paper->is_generated ? "generated" : "uci_segment",
                                               .title = paper->is_generated
                                                            ? "Table 1, with generated records instead of uci_segment"
                                                            : "Table 1, with a tree trained on uci_segment",
                                               .described = described,
                                               .slots = shw_bench_is_small(bench) ? 1 : 16,
                                               .device_only = true,
                                               .published = count == PAPER_COUNT ? &inner_published : NULL};
    enum shw_result result;

    SHW_TRY(shw_bench_record_rows(bench, &setting));
    setting.time = SHW_BENCH_RECORD_OUTER;
    setting.stage = "experiment-outer";
    setting.device_only = false;
    setting.published = count == PAPER_COUNT ? &outer_published : NULL;
    SHW_TRY(shw_bench_record_rows(bench, &setting));

fail:
    json_decref(described);
    return result;
}

/* 500 runs, as his, unless a number is asked for. */
static enum shw_result time_experiment(struct shw_bench *bench)
{
    uint32_t runs = bench->options.runs;
    struct shw_bench_paper paper;
    enum shw_result result = shw_bench_paper_make(bench, &paper);

    if (!bench->has_runs && !shw_bench_is_small(bench))
        bench->options.runs = 500;
    if (result == SHW_OK)
        result = time_paper(bench, &paper);
    bench->options.runs = runs;
    shw_bench_paper_free(&paper);
    return result;
}

/* A setting with generated trees and records. */
struct sweep {
    const char *stage, *series, *title;
    struct shw_bench_record_trees trees;
    const char *shape;
    uint64_t count;
    bool is_ordered, copies;
    enum shw_bench_record_time time;
    enum { BY_SIZE, BY_SHAPE, BY_ORDER } naming;
};

/* What the rows of a stage have in common is in their settings alone. */
static void name_sweep(const struct sweep *sweep, char *name, size_t size)
{
    unsigned long long count = sweep->count;

    if (sweep->naming == BY_SHAPE)
        snprintf(name, size, "%s/depth-%u/records-%llu", sweep->shape, sweep->trees.depth, count);
    else if (sweep->naming == BY_ORDER)
        snprintf(name, size, "%s/records-%llu", sweep->is_ordered ? "ordered" : "shuffled", count);
    else
        snprintf(name, size, "trees-%u/attributes-%u/records-%llu", sweep->trees.trees, sweep->trees.attributes, count);
}

static enum shw_result time_forest(struct shw_bench *bench, const struct sweep *sweep,
                                   const struct shw_record_forest *forest)
{
    uint64_t distinct = shw_bench_records_distinct(sweep->count, (uint64_t)sweep->trees.trees * sweep->trees.depth);
    float *values = shw_bench_record_values(distinct, sweep->trees.attributes);
    json_t *described = json_pack("{s:s, s:s}", "shape", sweep->shape, "order", sweep->is_ordered ? "leaves" : "none");
    char name[128];
    const struct shw_bench_record_setting setting = {.forest = forest,
                                                     .values = values,
                                                     .distinct = distinct,
                                                     .count = sweep->count,
                                                     .time = sweep->time,
                                                     .stage = sweep->stage,
                                                     .series = sweep->series,
                                                     .name = name,
                                                     .title = sweep->title,
                                                     .described = described,
                                                     .copies = sweep->copies,
                                                     .slots = 1};
    enum shw_result result = SHW_OK;

    name_sweep(sweep, name, sizeof name);
    if (values == NULL || described == NULL)
        result = shw_fail_memory(&bench->log, "the records of a sweep");
    if (result == SHW_OK && sweep->is_ordered)
        result = shw_bench_records_sort(forest, values, distinct, &bench->log);
    if (result == SHW_OK)
        result = shw_bench_record_rows(bench, &setting);
    json_decref(described);
    free(values);
    return result;
}

/* With as many records as there may be. */
static enum shw_result time_sweep(struct shw_bench *bench, const struct sweep *sweep)
{
    struct sweep capped = *sweep;
    struct shw_record_forest *forest = NULL;
    enum shw_result result;

    capped.count = shw_min_u64(sweep->count, shw_bench_records_max(bench, sweep->trees.attributes));
    SHW_TRY(shw_bench_record_forest(&sweep->trees, &bench->log, &forest));
    SHW_TRY(time_forest(bench, &capped, forest));

fail:
    shw_record_forest_destroy(&forest);
    return result;
}

/* Where speculation wins: one tree, from a chain to a balanced one. */
static enum shw_result time_shapes(struct shw_bench *bench)
{
    static const struct {
        const char *name;
        uint32_t quarters; /* of the levels that are full */
    } shapes[] = {{"chain", 0}, {"quarter-full", 1}, {"half-full", 2}, {"balanced", 4}};
    static const uint32_t depths[] = {2, 4, 8, 11, 16, 24, 32};
    bool is_small = shw_bench_is_small(bench);
    size_t most = is_small ? 3 : sizeof depths / sizeof *depths;

    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s += is_small ? 3 : 1)
        for (size_t d = 0; d < most; d += is_small ? 2 : 1) {
            const struct sweep sweep = {.stage = "shapes",
                                        .series = "depth",
                                        .title = "one tree: the first levels full, below a chain at each end",
                                        .trees = {.trees = 1,
                                                  .depth = depths[d],
                                                  .full_levels = depths[d] * shapes[s].quarters / 4,
                                                  .attributes = 16},
                                        .shape = shapes[s].name,
                                        .naming = BY_SHAPE,
                                        .count = SWEEP_RECORDS};
            if (shw_bench_record_splits(&sweep.trees) <= SPLITS_MAX)
                SHW_PROPAGATE(time_sweep(bench, &sweep));
        }
    return SHW_OK;
}

static enum shw_result time_attributes(struct shw_bench *bench, struct sweep sweep)
{
    static const uint32_t attributes[] = {8, 32, 128, 512};

    sweep.series = "attributes";
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i += shw_bench_is_small(bench) ? 2 : 1) {
        sweep.trees.attributes = attributes[i];
        SHW_PROPAGATE(time_sweep(bench, &sweep));
    }
    return SHW_OK;
}

static enum shw_result time_trees(struct shw_bench *bench, struct sweep sweep)
{
    static const uint32_t trees[] = {16, 64, 256, 1024};
    uint32_t divisor = shw_bench_is_small(bench) ? 8 : 1;

    sweep.series = "trees";
    for (size_t i = 0; i < sizeof trees / sizeof *trees / (divisor > 1 ? 2 : 1); i++) {
        sweep.trees.trees = trees[i] / divisor;
        SHW_PROPAGATE(time_sweep(bench, &sweep));
    }
    return SHW_OK;
}

/* One tree of about the experiment's shape; without hardware a thousandth of the records. */
static enum shw_result time_counts(struct shw_bench *bench)
{
    static const uint32_t counts[] = {10000, 100000, 1000000, 10000000, 100000000};
    struct sweep sweep = {.stage = "sweep",
                          .series = "records",
                          .title = "one tree of about the experiment's shape",
                          .trees = {.trees = 1, .depth = 11, .full_levels = 2, .attributes = 16},
                          .shape = "quarter-full"};

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        sweep.count = shw_bench_is_small(bench) ? counts[i] / 1000 : counts[i];
        if (sweep.count <= shw_bench_records_max(bench, sweep.trees.attributes))
            SHW_PROPAGATE(time_sweep(bench, &sweep));
    }
    return SHW_OK;
}

/* Each around one setting. */
static enum shw_result time_series(struct shw_bench *bench)
{
    uint32_t depth = shw_bench_is_small(bench) ? 4 : 8;
    const struct sweep sweep = {
        .stage = "sweep",
        .title = "balanced trees",
        .trees = {.trees = shw_bench_is_small(bench) ? 2 : 16, .depth = depth, .full_levels = depth, .attributes = 32},
        .shape = "balanced",
        .count = SWEEP_RECORDS / 4};

    SHW_PROPAGATE(time_attributes(bench, sweep));
    SHW_PROPAGATE(time_trees(bench, sweep));
    return time_counts(bench);
}

/* Records that lie in the order of the leaves that they reach, and in none. */
static enum shw_result time_orders(struct shw_bench *bench)
{
    uint32_t depth = shw_bench_is_small(bench) ? 8 : 16;
    struct sweep sweep = {.stage = "order",
                          .title = "records in the order of their leaves, and in none",
                          .trees = {.trees = 1, .depth = depth, .full_levels = depth / 2, .attributes = 16},
                          .shape = "half-full",
                          .naming = BY_ORDER,
                          .count = SWEEP_RECORDS};

    SHW_PROPAGATE(time_sweep(bench, &sweep));
    sweep.is_ordered = true;
    return time_sweep(bench, &sweep);
}

/* Ten million records by a hundred trees; without hardware fewer of both. */
static enum shw_result time_large(struct shw_bench *bench)
{
    struct sweep sweep = {
        .stage = "large-inner",
        .title = "balanced trees of depth 8",
        .trees = {.trees = shw_bench_is_small(bench) ? 4 : 100, .depth = 8, .full_levels = 8, .attributes = 32},
        .shape = "balanced",
        .count = 10000000};

    SHW_PROPAGATE(time_sweep(bench, &sweep));
    sweep.stage = "large-outer";
    sweep.time = SHW_BENCH_RECORD_OUTER;
    sweep.copies = true;
    return time_sweep(bench, &sweep);
}

enum shw_result shw_bench_records(struct shw_bench *bench)
{
    double seconds = bench->options.seconds;
    uint32_t runs = bench->options.runs;
    enum shw_result result;

    shw_bench_say(bench, "records: up to %llu of 32 attributes in a setting, by memory, --quick or --records",
                  (unsigned long long)shw_bench_records_max(bench, 32));
    SHW_PROPAGATE(time_experiment(bench));
    bench->options.seconds = fmin(seconds, shw_bench_is_small(bench) ? SWEEP_SECONDS / 5 : SWEEP_SECONDS);
    bench->options.runs = shw_min_u32(runs, SWEEP_RUNS);
    SHW_TRY(time_large(bench));
    SHW_TRY(time_orders(bench));
    SHW_TRY(time_shapes(bench));
    SHW_TRY(time_series(bench));

fail:
    bench->options.seconds = seconds;
    bench->options.runs = runs;
    return result;
}
