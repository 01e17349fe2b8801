/* Histograms and splits of a round on the CPU, from the responses of one batch after another. A task is a node, or for large nodes a slice
 * of its candidates: no histogram is larger than a cache, and nothing has to be merged but the winners. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "train/batch.h"

#define COLUMNS         16u               /* candidates of which responses are taken out of the batch at a time: a cache line */
#define SLICE_RESPONSES ((size_t)1 << 20) /* of a task, unless one candidate has more */

struct scratch {
    struct shw_thresholds thresholds;
    int32_t bins[SHW_BLOCK];
    int32_t *columns;                   /* responses of COLUMNS candidates, one after the other */
    uint32_t *histogram;                /* bins * classes */
    uint16_t *class_index;              /* a class */
    uint32_t *weights, *totals, *sides; /* a class */
};

struct task {
    uint32_t item, first, end; /* candidates first..end-1 of the item's */
    struct shw_split best;
};

struct round {
    struct shw_trainer *trainer;
    const struct shw_batch *batch;
    struct scratch *scratch; /* a thread */
    struct task *tasks;
    uint32_t task_count;
};

static void free_scratch(struct scratch *scratch)
{
    free(scratch->columns);
    free(scratch->histogram);
    free(scratch->class_index);
    free(scratch->weights);
    free(scratch->totals);
    free(scratch->sides);
}

static bool allocate_scratch(struct scratch *scratch, const struct shw_trainer *trainer)
{
    size_t classes = trainer->dataset->class_count;

    scratch->columns = malloc(COLUMNS * SHW_LARGE_NODE * sizeof *scratch->columns);
    scratch->histogram = malloc(trainer->params.bins * classes * sizeof *scratch->histogram);
    scratch->class_index = malloc(classes * sizeof *scratch->class_index);
    scratch->weights = malloc(classes * sizeof *scratch->weights);
    scratch->totals = malloc(classes * sizeof *scratch->totals);
    scratch->sides = malloc(2 * classes * sizeof *scratch->sides);
    return scratch->columns != NULL && scratch->histogram != NULL && scratch->class_index != NULL && scratch->weights != NULL &&
           scratch->totals != NULL && scratch->sides != NULL;
}

static struct shw_node_counts count_classes(const struct shw_trainer *trainer, const struct shw_open_node *open,
                                            struct scratch *scratch)
{
    uint32_t classes = trainer->dataset->class_count;
    const uint32_t *counts = trainer->growth.open_counts + (size_t)(open - trainer->growth.open) * classes;
    struct shw_node_counts node = {.weights = scratch->weights, .totals = scratch->totals, .samples = open->count};
    struct shw_score_side none = {0};

    for (uint32_t c = 0; c < classes; c++)
        if (counts[c] > 0) {
            scratch->class_index[c] = (uint16_t)node.class_count;
            scratch->weights[node.class_count] = trainer->growth.weights[c];
            scratch->totals[node.class_count] = counts[c];
            scratch->sides[node.class_count++] = counts[c] * trainer->growth.weights[c];
        }
    node.all = shw_score_side_of(trainer->params.score, scratch->sides, node.class_count);
    node.unsplit = shw_score_of(trainer->params.score, &node.all, &node.all, &none);
    return node;
}

/* From the responses of a node that is not large. */
static void count_responses(const struct shw_trainer *trainer, const struct shw_open_node *open, const int32_t *responses,
                            uint32_t classes, struct scratch *scratch)
{
    const uint16_t *labels = trainer->growth.samples.label + open->first;

    for (uint32_t done = 0; done < open->count; done += SHW_BLOCK) {
        uint32_t count = open->count - done < SHW_BLOCK ? open->count - done : SHW_BLOCK;
        shw_thresholds_bin(trainer->params.thresholds, &scratch->thresholds, responses + done, scratch->bins, count);
        for (uint32_t i = 0; i < count; i++)
            scratch->histogram[(uint32_t)scratch->bins[i] * classes + scratch->class_index[labels[done + i]]]++;
    }
}

static void count_bins(const struct shw_trainer *trainer, const struct shw_open_node *open, const uint8_t *bins, uint32_t classes,
                       struct scratch *scratch)
{
    const uint16_t *labels = trainer->growth.samples.label + open->first;

    for (uint32_t i = 0; i < open->count; i++)
        scratch->histogram[(uint32_t)bins[i] * classes + scratch->class_index[labels[i]]]++;
}

/* Takes the responses to candidates first..first+count-1 out of the batch's rows. */
static void take_columns(const struct round *round, const struct shw_batch_item *item, uint32_t first, uint32_t count,
                         int32_t *columns)
{
    const struct shw_open_node *open = &round->trainer->growth.open[item->open];
    size_t pitch = shw_batch_pitch(item, open);
    const char *row = round->batch->bytes + item->begin + first * sizeof *columns;

    for (uint32_t s = 0; s < open->count; s++, row += pitch)
        for (uint32_t c = 0; c < count; c++)
            columns[c * open->count + s] = ((const int32_t *)(const void *)row)[c];
}

/* Thresholds and histogram of candidate `c` of an item, into scratch; `column`: its responses, unless the item is binned. False where there
 * is no threshold. */
static bool fill_histogram(const struct round *round, const struct shw_batch_item *item, uint32_t c, const int32_t *column,
                           const uint32_t *probes, uint32_t probe_count, uint32_t classes, struct scratch *scratch)
{
    const struct shw_trainer *trainer = round->trainer;
    const struct shw_open_node *open = &trainer->growth.open[item->open];
    int32_t values[256];

    if (item->binned) {
        scratch->thresholds = round->batch->thresholds[item->thresholds + c];
    } else {
        for (uint32_t i = 0; i < probe_count; i++)
            values[i] = column[probes[i]];
        shw_thresholds_make(&trainer->params, values, probe_count, &scratch->thresholds);
    }
    if (scratch->thresholds.count == 0)
        return false;
    memset(scratch->histogram, 0, (size_t)(scratch->thresholds.count + 1) * classes * sizeof *scratch->histogram);
    if (item->binned)
        count_bins(trainer, open, (const uint8_t *)round->batch->bytes + item->begin + c * shw_batch_pitch(item, open), classes,
                   scratch);
    else
        count_responses(trainer, open, column, classes, scratch);
    return true;
}

static void run_task(void *user, uint32_t index, uint32_t thread)
{
    const struct round *round = user;
    struct task *task = &round->tasks[index];
    struct scratch *scratch = &round->scratch[thread];
    const struct shw_trainer *trainer = round->trainer;
    const struct shw_batch_item *item = &round->batch->items[task->item];
    const struct shw_open_node *open = &trainer->growth.open[item->open];
    struct shw_node_counts node = count_classes(trainer, open, scratch);
    uint32_t probes[256], probe_count = shw_choose_probes(trainer, open, probes);

    if (node.class_count < 2)
        return;
    for (uint32_t c = task->first; c < task->end; c++) {
        uint32_t column = (c - task->first) % COLUMNS, left = task->end - c;
        if (!item->binned && column == 0)
            take_columns(round, item, c, left < COLUMNS ? left : COLUMNS, scratch->columns);
        if (fill_histogram(round, item, c, scratch->columns + (size_t)column * open->count, probes, probe_count, node.class_count,
                           scratch))
            shw_split_choose(&trainer->params, &node, &scratch->thresholds, scratch->histogram, item->first + c, scratch->sides,
                             &task->best);
    }
}

/* Candidates of one task. */
static uint32_t task_size(const struct round *round, const struct shw_batch_item *item)
{
    uint32_t samples = round->trainer->growth.open[item->open].count;

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

/* Tasks are in order of their candidates, so a later one only wins by a better score. */
static void merge(const struct round *round, struct shw_split *splits)
{
    for (uint32_t t = 0; t < round->task_count; t++) {
        const struct task *task = &round->tasks[t];
        struct shw_split *split = &splits[round->batch->items[task->item].open];
        if (task->best.found && (!split->found || shw_score_compare(&task->best.score, &split->score) > 0))
            *split = task->best;
    }
}

static void recall_features(const struct shw_trainer *trainer, struct shw_split *splits)
{
    uint32_t key = shw_draw_key(trainer->params.seed, trainer->tree_count, SHW_DRAW_CANDIDATES);
    bool by_node = trainer->params.pool == SHW_POOL_NODE;

    for (uint32_t o = 0; o < trainer->growth.open_count; o++)
        if (splits[o].found)
            splits[o].feature =
                shw_candidate_draw(&trainer->params, trainer->set, key,
                                   by_node ? trainer->growth.open[o].node : trainer->growth.depth, splits[o].candidate);
}

enum shw_result shw_split_cpu(struct shw_trainer *trainer, struct shw_split *splits)
{
    uint32_t threads = shw_thread_pool_size(trainer->pool);
    struct round round = {.trainer = trainer, .scratch = calloc(threads, sizeof *round.scratch)};
    struct shw_batch_position position = {0};
    struct shw_batch batch;
    enum shw_result result = shw_batch_create(trainer, &batch);
    bool good = round.scratch != NULL;

    memset(splits, 0, trainer->growth.open_count * sizeof *splits);
    for (uint32_t t = 0; good && t < threads; t++)
        good = allocate_scratch(&round.scratch[t], trainer);
    if (result == SHW_OK && !good)
        result = shw_fail_memory(&trainer->params.log, "histograms");
    round.batch = &batch;
    while (result == SHW_OK && (result = shw_batch_next(trainer, &position, &batch)) == SHW_OK && batch.item_count > 0) {
        if (make_tasks(&round)) {
            shw_thread_pool_run(trainer->pool, round.task_count, run_task, &round);
            merge(&round, splits);
        } else {
            result = shw_fail_memory(&trainer->params.log, "tasks");
        }
        free(round.tasks);
    }
    recall_features(trainer, splits);
    shw_batch_destroy(&batch);
    for (uint32_t t = 0; round.scratch != NULL && t < threads; t++)
        free_scratch(&round.scratch[t]);
    free(round.scratch);
    return result;
}
