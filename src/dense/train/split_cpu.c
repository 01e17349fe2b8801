/* Histograms and splits of a round on the CPU, batch by batch. A task is a node, or for large nodes a slice of its
 * candidates: histograms fit the cache, and only the winners are merged. */
#include "dense/train/split_cpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "dense/train/histogram_cpu.h"

#define SLICE_RESPONSES ((size_t)1 << 20) /* per task, unless one candidate has more */

struct scratch {
    struct shw_histogram_work work;
    uint32_t *histogram;                /* bins * classes */
    uint32_t *weights, *totals, *sides; /* per class */
};

struct task {
    uint32_t item, first, end; /* candidates first..end-1 of the item */
    struct shw_split best;
    bool lost; /* a histogram does not hold all samples of the node */
};

struct round {
    struct shw_trainer *trainer;
    const struct shw_batch *batch;
    struct scratch *scratch; /* one per thread */
    struct task *tasks;
    uint32_t task_count;
    struct shw_split *splits;
};

static void free_scratch(struct scratch *scratch)
{
    shw_histogram_work_free(&scratch->work);
    free(scratch->histogram);
    free(scratch->weights);
    free(scratch->totals);
    free(scratch->sides);
}

static bool allocate_scratch(struct scratch *scratch, const struct shw_trainer *trainer)
{
    size_t classes = trainer->dataset->class_count;
    bool good = shw_histogram_work_make(&scratch->work, trainer);

    scratch->histogram = malloc(shw_histogram_bins(&trainer->params) * classes * sizeof *scratch->histogram);
    scratch->weights = malloc(classes * sizeof *scratch->weights);
    scratch->totals = malloc(classes * sizeof *scratch->totals);
    scratch->sides = malloc(2 * classes * sizeof *scratch->sides);
    return good && scratch->histogram != NULL && scratch->weights != NULL && scratch->totals != NULL &&
           scratch->sides != NULL;
}

static struct shw_node_counts count_classes(const struct shw_trainer *trainer, const struct shw_open_node *open,
                                            struct scratch *scratch)
{
    uint32_t classes = trainer->dataset->class_count;
    const uint32_t *counts = trainer->builder.open_counts + (size_t)(open - trainer->builder.open) * classes;
    uint32_t present = 0;

    for (uint32_t c = 0; c < classes; c++)
        if (counts[c] > 0) {
            scratch->weights[present] = trainer->builder.weights[c];
            scratch->totals[present++] = counts[c];
        }
    return shw_node_counts_make(trainer->params.score, open->count, present, scratch->weights, scratch->totals,
                                scratch->sides);
}

static void run_task(void *user, uint32_t index, uint32_t thread)
{
    const struct round *round = user;
    struct task *task = &round->tasks[index];
    struct scratch *scratch = &round->scratch[thread];
    const struct shw_trainer *trainer = round->trainer;
    const struct shw_batch_item *item = &round->batch->items[task->item];
    const struct shw_open_node *open = &trainer->builder.open[item->open];
    const struct shw_thresholds *thresholds = &scratch->work.thresholds;
    struct shw_node_counts node = count_classes(trainer, open, scratch);

    if (node.class_count < 2 || shw_trainer_is_interrupted(trainer))
        return;
    shw_histogram_begin(&scratch->work, trainer, open);
    for (uint32_t c = task->first; c < task->end; c++) {
        uint32_t column = (c - task->first) % SHW_COLUMNS, left = task->end - c;
        if (column == 0)
            shw_histogram_columns(&scratch->work, trainer, round->batch, item, c,
                                  c + (left < SHW_COLUMNS ? left : SHW_COLUMNS));
        if (!shw_histogram_fill(&scratch->work, trainer, round->batch, item, c, column, scratch->histogram))
            continue;
        task->lost = task->lost ||
                     !shw_histogram_is_complete(scratch->histogram, thresholds->count + 1 + thresholds->undefined_bins,
                                                node.class_count, node.totals);
        shw_split_choose(&trainer->params, &node, thresholds, scratch->histogram,
                         trainer->candidate_begin + item->first + c, scratch->sides, &task->best);
    }
}

/* Candidates per task. */
static uint32_t task_size(const struct round *round, const struct shw_batch_item *item)
{
    uint32_t samples = round->trainer->builder.open[item->open].count;

    return SLICE_RESPONSES / samples > 0 ? (uint32_t)(SLICE_RESPONSES / samples) : 1;
}

static bool make_tasks(struct round *round)
{
    const struct shw_batch *batch = round->batch;
    size_t count = 0;

    for (uint32_t i = 0; i < batch->item_count; i++)
        count += (batch->items[i].count + task_size(round, &batch->items[i]) - 1) / task_size(round, &batch->items[i]);
    round->tasks = malloc(count * sizeof *round->tasks);
    round->task_count = 0;
    for (uint32_t i = 0; round->tasks != NULL && i < batch->item_count; i++) {
        uint32_t size = task_size(round, &batch->items[i]), all = batch->items[i].count;
        for (uint32_t first = 0; first < all; first += size)
            round->tasks[round->task_count++] =
                (struct task){.item = i, .first = first, .end = all - first < size ? all : first + size};
    }
    return round->tasks != NULL;
}

/* Tasks are in the order of their candidates, so that a later one needs a better score to win. */
static enum shw_result merge(const struct round *round)
{
    for (uint32_t t = 0; t < round->task_count; t++) {
        const struct task *task = &round->tasks[t];
        struct shw_split *split = &round->splits[round->batch->items[task->item].open];
        if (task->best.found && (!split->found || shw_score_compare(&task->best.score, &split->score) > 0))
            *split = task->best;
        if (task->lost)
            return shw_tree_builder_lost(round->trainer, round->batch->items[task->item].open);
    }
    return SHW_OK;
}

/* The sides of the samples of nodes all of whose responses are in the batch: only splits that are then not made, or
 * replaced by those of other workers, or found in several batches, need another pass over the images. */
static void find_sides(void *user, uint32_t index, uint32_t thread)
{
    const struct round *round = user;
    struct shw_trainer *trainer = round->trainer;
    const struct shw_batch_item *item = &round->batch->items[index];
    const struct shw_open_node *open = &trainer->builder.open[item->open];
    const struct shw_split *split = &round->splits[item->open];
    size_t pitch = shw_batch_pitch(item, open);
    uint32_t candidate = split->candidate - trainer->candidate_begin;
    const char *bytes = round->batch->bytes + item->begin;

    (void)thread;
    if (!split->found || item->count < trainer->candidate_count || item->kind == SHW_ITEM_COUNTS)
        return;
    if (item->kind == SHW_ITEM_BINS) {
        const uint8_t *bins = (const uint8_t *)bytes + candidate * pitch;
        uint32_t undefined = round->batch->thresholds[item->thresholds + candidate].count + 1;
        for (uint32_t s = 0; s < open->count; s++)
            trainer->sides[open->first + s] =
                (split->bin_first <= bins[s] && bins[s] <= split->bin_last) || bins[s] == undefined;
    } else {
        for (uint32_t s = 0; s < open->count; s++)
            trainer->sides[open->first + s] =
                shw_split_side(split, ((const int32_t *)(const void *)(bytes + s * pitch))[candidate]);
    }
    trainer->sided[item->open] = *split;
}

enum shw_result shw_split_cpu(struct shw_trainer *trainer, struct shw_split *splits)
{
    uint32_t threads = shw_thread_pool_size(trainer->pool);
    struct round round = {.trainer = trainer, .scratch = calloc(threads, sizeof *round.scratch), .splits = splits};
    struct shw_batch_position position = {0};
    struct shw_batch batch;
    enum shw_result result = shw_batch_create(trainer, &batch);
    bool good = round.scratch != NULL;

    memset(splits, 0, trainer->builder.open_count * sizeof *splits);
    for (uint32_t t = 0; good && t < threads; t++)
        good = allocate_scratch(&round.scratch[t], trainer);
    if (result == SHW_OK && !good)
        result = shw_fail_memory(&trainer->params.log, "histograms");
    round.batch = &batch;
    while (result == SHW_OK && (result = shw_batch_next(trainer, &position, &batch)) == SHW_OK &&
           batch.item_count > 0) {
        if (make_tasks(&round)) {
            shw_thread_pool_run(trainer->pool, round.task_count, run_task, &round);
            result = merge(&round);
            shw_thread_pool_run(trainer->pool, batch.item_count, find_sides, &round);
        } else {
            result = shw_fail_memory(&trainer->params.log, "tasks");
        }
        free(round.tasks);
    }
    shw_batch_destroy(&batch);
    for (uint32_t t = 0; round.scratch != NULL && t < threads; t++)
        free_scratch(&round.scratch[t]);
    free(round.scratch);
    return result;
}
