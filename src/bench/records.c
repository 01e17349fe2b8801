#include "bench/records.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/records.h>

#include "base/integers.h"
#include "base/log.h"
#include "records/model/builder.h"
#include "shared/random.h"

uint64_t shw_bench_record_splits(const struct shw_bench_record_trees *params)
{
    uint64_t ends = UINT64_C(1) << params->full_levels;

    return ends - 1 + ends * (params->depth - params->full_levels);
}

/* A tree as it grows, root first. The bounds are those of the records that reach a node. */
struct grower {
    const struct shw_bench_record_trees *params;
    uint32_t tree, count; /* nodes */
    struct shw_record_builder_node *nodes;
    double *values; /* [node], of leaves */
    double *low, *high;
};

static double draw(const struct grower *grower, uint32_t node, uint32_t purpose)
{
    return shw_random(grower->tree * 4 + purpose, node, 7) * 0x1p-32;
}

static uint32_t add_leaf(struct grower *grower)
{
    uint32_t n = grower->count++;

    grower->values[n] = 2 * draw(grower, n, 0) - 1;
    grower->nodes[n] = (struct shw_record_builder_node){.source = n, .values = &grower->values[n]};
    return n;
}

static uint32_t grow(struct grower *grower, uint32_t depth);

/* The child to which records between `low` and `high` of the attribute go. */
static uint32_t grow_side(struct grower *grower, uint32_t depth, uint32_t attribute, double low, double high, bool ends)
{
    double low_before = grower->low[attribute], high_before = grower->high[attribute];
    uint32_t child;

    if (ends)
        return add_leaf(grower);
    grower->low[attribute] = low;
    grower->high[attribute] = high;
    child = grow(grower, depth + 1);
    grower->low[attribute] = low_before;
    grower->high[attribute] = high_before;
    return child;
}

/* A node at that depth and all below it. In a chain a leaf gets one of as many equal parts as there are tests left. */
static uint32_t grow(struct grower *grower, uint32_t depth)
{
    uint32_t left = grower->params->depth - depth, n = grower->count, attribute, left_child, right_child;
    bool in_chain = depth >= grower->params->full_levels, ends_left;
    double part, low, high, limit;

    if (left == 0)
        return add_leaf(grower);
    grower->count++;
    attribute = shw_random_below(shw_random(grower->tree * 4 + 1, n, 7), grower->params->attributes);
    ends_left = draw(grower, n, 2) < 0.5;
    part = !in_chain || left == 1 ? 0.5 : 1.0 / left;
    low = grower->low[attribute];
    high = grower->high[attribute];
    limit = low + (high - low) * (ends_left ? part : 1 - part);
    left_child = grow_side(grower, depth, attribute, low, limit, in_chain && ends_left);
    right_child = grow_side(grower, depth, attribute, limit, high, in_chain && !ends_left);
    grower->nodes[n] = (struct shw_record_builder_node){.is_split = true,
                                                        .left = left_child,
                                                        .right = right_child,
                                                        .attribute = attribute,
                                                        .threshold = shw_record_threshold_at_most(limit),
                                                        .source = n};
    return n;
}

static enum shw_result add_trees(struct grower *grower, struct shw_record_builder *builder)
{
    for (uint32_t t = 0; t < grower->params->trees; t++) {
        grower->tree = t;
        grower->count = 0;
        for (uint32_t a = 0; a < grower->params->attributes; a++) {
            grower->low[a] = 0;
            grower->high[a] = 1;
        }
        grow(grower, 0);
        SHW_PROPAGATE(shw_record_builder_add(builder, grower->nodes, grower->count, 0));
    }
    return SHW_OK;
}

enum shw_result shw_bench_record_forest(const struct shw_bench_record_trees *params, const struct shw_log *log,
                                        struct shw_record_forest **forest)
{
    size_t node_count = 2 * (size_t)shw_bench_record_splits(params) + 1;
    const struct shw_record_builder_params finish = {
        .info = {.attribute_count = params->attributes, .output_count = 1, .class_count = 2}};
    struct grower grower = {.params = params,
                            .nodes = malloc(node_count * sizeof *grower.nodes),
                            .values = malloc(node_count * sizeof *grower.values),
                            .low = malloc(params->attributes * sizeof *grower.low),
                            .high = malloc(params->attributes * sizeof *grower.high)};
    struct shw_record_builder *builder = NULL;
    enum shw_result result = SHW_OK;

    if (grower.nodes == NULL || grower.values == NULL || grower.low == NULL || grower.high == NULL)
        result = shw_fail_memory(log, "a generated record forest");
    if (result == SHW_OK)
        result = shw_record_builder_create("generated", 1, log, &builder);
    if (result == SHW_OK)
        result = add_trees(&grower, builder);
    if (result == SHW_OK)
        result = shw_record_builder_finish(builder, &finish, forest);
    shw_record_builder_destroy(&builder);
    free(grower.nodes);
    free(grower.values);
    free(grower.low);
    free(grower.high);
    return result;
}

float *shw_bench_record_values(uint64_t count, uint32_t attributes)
{
    size_t value_count = (size_t)count * attributes;
    float *values = malloc(value_count * sizeof *values);

    for (size_t v = 0; values != NULL && v < value_count; v += 2) {
        struct shw_uint2 bits = shw_random2(5, (uint32_t)v, (uint32_t)(v >> 32));
        values[v] = (float)(bits.x >> 8) * 0x1p-24f;
        if (v + 1 < value_count)
            values[v + 1] = (float)(bits.y >> 8) * 0x1p-24f;
    }
    return values;
}

static enum shw_result find_leaves(const struct shw_record_forest *forest, const float *values, uint64_t count,
                                   const struct shw_log *log, uint32_t *leaves)
{
    const struct shw_record_evaluator_params params = {.forest = forest, .technique = SHW_RECORD_SERIAL, .log = *log};
    const struct shw_records records = {
        .values = values, .count = count, .attribute_count = shw_record_forest_get_info(forest)->attribute_count};
    struct shw_record_evaluator *evaluator = NULL;
    enum shw_result result = shw_record_evaluator_create(&params, &evaluator);

    if (result == SHW_OK)
        result = shw_record_evaluator_run(evaluator, &records, &(struct shw_record_results){.leaves = leaves});
    shw_record_evaluator_destroy(&evaluator);
    return result;
}

struct place {
    uint32_t leaf;
    uint64_t record;
};

static int compare(const void *a, const void *b)
{
    const struct place *one = a, *other = b;

    if (one->leaf != other->leaf)
        return one->leaf < other->leaf ? -1 : 1;
    return (one->record > other->record) - (one->record < other->record);
}

/* Puts records in the order of their leaves in the first tree. Errors: those of evaluation by `serial`. */
static enum shw_result records_sort(const struct shw_record_forest *forest, float *values, uint64_t count,
                                    const struct shw_log *log)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
    size_t size = info->attribute_count * sizeof *values;
    uint32_t *leaves = malloc((size_t)count * info->tree_count * sizeof *leaves);
    struct place *places = malloc((size_t)count * sizeof *places);
    float *sorted = malloc((size_t)count * size);
    enum shw_result result = SHW_OK;

    if (leaves == NULL || places == NULL || sorted == NULL)
        result = shw_fail_memory(log, "ordered records");
    if (result == SHW_OK)
        result = find_leaves(forest, values, count, log, leaves);
    if (result == SHW_OK) {
        for (uint64_t r = 0; r < count; r++)
            places[r] = (struct place){leaves[r * info->tree_count], r};
        qsort(places, count, sizeof *places, compare);
        for (uint64_t r = 0; r < count; r++)
            memcpy(sorted + r * info->attribute_count, values + places[r].record * info->attribute_count, size);
        memcpy(values, sorted, count * size);
    }
    free(leaves);
    free(places);
    free(sorted);
    return result;
}

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

/* Only the settings hold what the rows of a stage have in common. */
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
        result = records_sort(forest, values, distinct, &bench->log);
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
