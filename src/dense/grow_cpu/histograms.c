/* Histograms on the CPU, one at a time, from the responses of a batch. */
#include "dense/grow_cpu/histograms.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "dense/grow/fern.h"
#include "dense/grow/splitting.h"

/* Working memory of a thread. */
struct histogram_work {
    struct shw_thresholds thresholds;
    int32_t bins[SHW_BLOCK];
    int32_t *columns;      /* the trainer's: responses of SHW_COLUMNS candidates, one candidate after the other */
    uint16_t *class_index; /* [class]: index among the classes present in the node */
    uint32_t class_count;  /* present in the node */
    uint32_t probes[256], probe_count;
};

/* False if out of memory. histogram_work_free() must be called in any case; it accepts a zero one. */
static bool histogram_work_make(struct histogram_work *work, const struct shw_trainer *trainer, uint32_t thread)
{
    work->columns = trainer->columns + thread * trainer->column_values;
    work->class_index = malloc(trainer->dataset->class_count * sizeof *work->class_index);
    return work->class_index != NULL;
}

static void histogram_work_free(struct histogram_work *work)
{
    free(work->class_index);
}

static void free_works(struct histogram_work *works, const struct shw_trainer *trainer)
{
    for (uint32_t t = 0; works != NULL && t < shw_thread_pool_size(trainer->pool); t++)
        histogram_work_free(&works[t]);
    free(works);
}

/* Working memory for each thread; NULL if out of memory. */
static struct histogram_work *make_works(const struct shw_trainer *trainer)
{
    uint32_t threads = shw_thread_pool_size(trainer->pool);
    struct histogram_work *works = calloc(threads, sizeof *works);
    bool good = works != NULL;

    for (uint32_t t = 0; good && t < threads; t++)
        good = histogram_work_make(&works[t], trainer, t);
    if (good)
        return works;
    free_works(works, trainer);
    return NULL;
}

/* Switches to another open node. */
static void histogram_begin(struct histogram_work *work, const struct shw_trainer *trainer,
                            const struct shw_open_node *open)
{
    uint32_t classes = trainer->dataset->class_count;
    const uint32_t *counts = trainer->builder.open_counts + (size_t)(open - trainer->builder.open) * classes;

    work->class_count = 0;
    for (uint32_t c = 0; c < classes; c++)
        if (counts[c] > 0)
            work->class_index[c] = (uint16_t)work->class_count++;
    work->probe_count = shw_choose_probes(trainer, open, work->probes);
}

/* For nodes that are not large. */
static void count_responses(struct histogram_work *work, const struct shw_trainer *trainer,
                            const struct shw_open_node *open, const int32_t *responses, uint32_t *histogram)
{
    const uint16_t *labels = trainer->builder.samples.label + open->first;

    for (uint32_t done = 0; done < open->count; done += SHW_BLOCK) {
        uint32_t count = open->count - done < SHW_BLOCK ? open->count - done : SHW_BLOCK;
        shw_thresholds_bin(trainer->params.thresholds, &work->thresholds, responses + done, work->bins, count,
                           trainer->simd);
        for (uint32_t i = 0; i < count; i++)
            histogram[(uint32_t)work->bins[i] * work->class_count + work->class_index[labels[done + i]]]++;
    }
}

static void count_bins(const struct histogram_work *work, const struct shw_trainer *trainer,
                       const struct shw_open_node *open, const uint8_t *bins, uint32_t *histogram)
{
    const uint16_t *labels = trainer->builder.samples.label + open->first;

    for (uint32_t i = 0; i < open->count; i++)
        histogram[(uint32_t)bins[i] * work->class_count + work->class_index[labels[i]]]++;
}

/* Copies the responses of `samples` samples, at most SHW_LARGE_NODE, to `count` candidates, at most SHW_COLUMNS, from
 * rows of `pitch` bytes to work->columns. */
static void histogram_gather(struct histogram_work *work, const char *rows, size_t pitch, uint32_t count,
                             uint32_t samples)
{
    for (uint32_t s = 0; s < samples; s++, rows += pitch)
        for (uint32_t c = 0; c < count; c++)
            work->columns[(size_t)c * samples + s] = ((const int32_t *)(const void *)rows)[c];
}

/* Prepares the histograms of candidates first..end-1 of an item, at most SHW_COLUMNS. */
static void histogram_columns(struct histogram_work *work, const struct shw_trainer *trainer,
                              const struct shw_batch *batch, const struct shw_batch_item *item, uint32_t first,
                              uint32_t end)
{
    const struct shw_open_node *open = &trainer->builder.open[item->open];

    if (item->kind == SHW_ITEM_RESPONSES)
        histogram_gather(work, batch->bytes + item->begin + first * sizeof *work->columns, shw_batch_pitch(item, open),
                         end - first, open->count);
}

/* Makes the thresholds of a candidate; `responses`: of the node's samples, if they are there. */
static void make_thresholds(struct histogram_work *work, const struct shw_trainer *trainer,
                            const struct shw_batch *batch, const struct shw_batch_item *item, uint32_t c,
                            const int32_t *responses)
{
    uint32_t count = work->probe_count;
    int32_t values[256];

    if (item->kind == SHW_ITEM_BINS) {
        work->thresholds = batch->thresholds[item->thresholds + c];
        return;
    }
    if (item->kind == SHW_ITEM_COUNTS || trainer->params.ferns || trainer->division != NULL)
        count = shw_batch_get_values(trainer, batch, item, c, values);
    else
        for (uint32_t i = 0; i < count; i++)
            values[i] = responses[work->probes[i]];
    shw_thresholds_make(&trainer->params, shw_batch_interval(trainer, item, c), values, count, &work->thresholds);
}

/* Widens the counts of a candidate. */
static void copy_counts(const struct shw_trainer *trainer, const struct shw_batch *batch,
                        const struct shw_batch_item *item, uint32_t c, uint32_t *histogram, size_t cells)
{
    const char *counts = batch->bytes + item->begin + c * shw_batch_histogram(trainer, item->open);
    bool narrow = shw_batch_is_narrow(&trainer->builder.open[item->open]);

    for (size_t i = 0; i < cells; i++)
        histogram[i] =
            narrow ? ((const uint16_t *)(const void *)counts)[i] : ((const uint32_t *)(const void *)counts)[i];
}

/* Computes the thresholds (in work->thresholds) and the bins * class_count counts of candidate `c` of an item, which is
 * at `column` of those prepared. False if there is no threshold; `histogram` is then unchanged. */
static bool histogram_fill(struct histogram_work *work, const struct shw_trainer *trainer,
                           const struct shw_batch *batch, const struct shw_batch_item *item, uint32_t c,
                           uint32_t column, uint32_t *histogram)
{
    const struct shw_open_node *open = &trainer->builder.open[item->open];
    const int32_t *responses = work->columns + (size_t)column * open->count;
    size_t cells;

    make_thresholds(work, trainer, batch, item, c, responses);
    if (work->thresholds.count == 0)
        return false;
    cells = (size_t)(work->thresholds.count + 1 + work->thresholds.undefined_bins) * work->class_count;
    if (item->kind == SHW_ITEM_COUNTS) {
        copy_counts(trainer, batch, item, c, histogram, cells);
        return true;
    }
    memset(histogram, 0, cells * sizeof *histogram);
    if (item->kind == SHW_ITEM_BINS)
        count_bins(work, trainer, open, (const uint8_t *)batch->bytes + item->begin + c * shw_batch_pitch(item, open),
                   histogram);
    else
        count_responses(work, trainer, open, responses, histogram);
    return true;
}

/* Adds the responses of a range of images to histograms. A task is some candidates of one node: no two write to
 * the same histogram. */

#define TASK_RESPONSES ((size_t)1 << 18)

struct range_task {
    uint32_t item, first, end; /* candidates */
};

struct range_counting {
    const struct shw_trainer *trainer;
    const struct shw_batch *batch;
    struct histogram_work *works; /* one per thread */
    struct range_task *tasks;
    uint32_t task_count;
};

/* Counts `count` responses of consecutive samples with these labels. */
static void add_responses(const struct shw_trainer *trainer, struct histogram_work *work, bool narrow,
                          const int32_t *responses, const uint16_t *labels, uint32_t count, void *histogram)
{
    for (uint32_t done = 0; done < count; done += SHW_BLOCK) {
        uint32_t part = count - done < SHW_BLOCK ? count - done : SHW_BLOCK;
        shw_thresholds_bin(trainer->params.thresholds, &work->thresholds, responses + done, work->bins, part,
                           trainer->simd);
        for (uint32_t i = 0; narrow && i < part; i++)
            ((uint16_t *)
                 histogram)[(uint32_t)work->bins[i] * work->class_count + work->class_index[labels[done + i]]]++;
        for (uint32_t i = 0; !narrow && i < part; i++)
            ((uint32_t *)
                 histogram)[(uint32_t)work->bins[i] * work->class_count + work->class_index[labels[done + i]]]++;
    }
}

static void count_range(void *user, uint32_t index, uint32_t thread)
{
    const struct range_counting *counting = user;
    const struct shw_trainer *trainer = counting->trainer;
    const struct range_task *task = &counting->tasks[index];
    const struct shw_batch_item *item = &counting->batch->items[task->item];
    const struct shw_open_node *open = &trainer->builder.open[item->open];
    struct histogram_work *work = &counting->works[thread];
    size_t pitch = shw_batch_pitch(item, open), histogram = shw_batch_histogram(trainer, item->open);
    int32_t values[256];

    histogram_begin(work, trainer, open);
    for (uint32_t first = task->first; first < task->end; first += SHW_COLUMNS) {
        uint32_t end = task->end - first < SHW_COLUMNS ? task->end : first + SHW_COLUMNS;
        for (uint32_t done = 0; done < item->range_count; done += SHW_LARGE_NODE) {
            uint32_t left = item->range_count - done, count = left < SHW_LARGE_NODE ? left : SHW_LARGE_NODE;
            const char *row = counting->batch->bytes + item->range_rows + done * pitch + first * sizeof(int32_t);
            histogram_gather(work, row, pitch, end - first, count);
            for (uint32_t c = first; c < end; c++) {
                uint32_t value_count = shw_batch_get_values(trainer, counting->batch, item, c, values);
                if (!shw_thresholds_bound(&trainer->params, shw_batch_interval(trainer, item, c), values, value_count,
                                          &work->thresholds))
                    continue;
                add_responses(trainer, work, shw_batch_is_narrow(open), work->columns + (size_t)(c - first) * count,
                              trainer->builder.samples.label + item->range_first + done, count,
                              counting->batch->bytes + item->begin + c * histogram);
            }
        }
    }
}

/* Candidates per task: whole groups of columns. */
static uint32_t range_task_size(const struct shw_batch_item *item)
{
    size_t size = TASK_RESPONSES / item->range_count / SHW_COLUMNS * SHW_COLUMNS;

    return size < SHW_COLUMNS ? SHW_COLUMNS : size < item->count ? (uint32_t)size : item->count;
}

static bool is_counted(const struct shw_batch_item *item)
{
    return item->kind == SHW_ITEM_COUNTS && item->range_count > 0;
}

static bool make_range_tasks(struct range_counting *counting)
{
    const struct shw_batch *batch = counting->batch;
    size_t count = 0;

    for (uint32_t i = 0; i < batch->item_count; i++)
        if (is_counted(&batch->items[i]))
            count +=
                (batch->items[i].count + range_task_size(&batch->items[i]) - 1) / range_task_size(&batch->items[i]);
    counting->tasks = malloc((count + 1) * sizeof *counting->tasks);
    for (uint32_t i = 0; counting->tasks != NULL && i < batch->item_count; i++) {
        const struct shw_batch_item *item = &batch->items[i];
        uint32_t size = is_counted(item) ? range_task_size(item) : 1, all = is_counted(item) ? item->count : 0;
        for (uint32_t first = 0; first < all; first += size)
            counting->tasks[counting->task_count++] =
                (struct range_task){i, first, all - first < size ? all : first + size};
    }
    return counting->tasks != NULL;
}

enum shw_result shw_batch_count(struct shw_trainer *trainer, struct shw_batch *batch)
{
    struct range_counting counting = {.trainer = trainer, .batch = batch, .works = make_works(trainer)};
    bool good = counting.works != NULL && make_range_tasks(&counting);

    if (good)
        shw_thread_pool_run(trainer->pool, counting.task_count, count_range, &counting);
    free_works(counting.works, trainer);
    free(counting.tasks);
    return good ? SHW_OK : shw_fail_memory(&trainer->params.log, "histograms");
}

/* Histograms and splits of a round on the CPU, batch by batch. A task is a node, or for large nodes a slice of its
 * candidates: histograms fit the cache, and only the winners are merged. */

#define SLICE_RESPONSES ((size_t)1 << 20) /* per task, unless one candidate has more */

struct scratch {
    struct histogram_work work;
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
    histogram_work_free(&scratch->work);
    free(scratch->histogram);
    free(scratch->weights);
    free(scratch->totals);
    free(scratch->sides);
}

static bool allocate_scratch(struct scratch *scratch, const struct shw_trainer *trainer, uint32_t thread)
{
    size_t classes = trainer->dataset->class_count;
    bool good = histogram_work_make(&scratch->work, trainer, thread);

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
    const uint32_t present = shw_tree_builder_list_classes(trainer, (uint32_t)(open - trainer->builder.open),
                                                           scratch->weights, scratch->totals);

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
    histogram_begin(&scratch->work, trainer, open);
    for (uint32_t c = task->first; c < task->end; c++) {
        uint32_t column = (c - task->first) % SHW_COLUMNS, left = task->end - c;
        if (column == 0)
            histogram_columns(&scratch->work, trainer, round->batch, item, c,
                              c + (left < SHW_COLUMNS ? left : SHW_COLUMNS));
        if (!histogram_fill(&scratch->work, trainer, round->batch, item, c, column, scratch->histogram))
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
        good = allocate_scratch(&round.scratch[t], trainer, t);
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

/* Histograms for the caller's splitter, counted on the CPU batch by batch. */

/* A range of candidates of a piece. */
struct piece_task {
    uint32_t item, first, end; /* candidates first..end-1 of the item */
    uint32_t piece, offset;    /* in the piece, the item's candidate `first` has number `offset` */
};

struct piece_counting {
    struct shw_splitting *splitting;
    struct shw_batch batch;
    struct histogram_work *works; /* one per thread */
    uint32_t *histograms;         /* of one call */
    size_t capacity, used;
    struct piece_task *tasks;
    uint32_t task_count, task_capacity;
};

static void count_piece(void *user, uint32_t index, uint32_t thread)
{
    struct piece_counting *counting = user;
    struct shw_splitting *splitting = counting->splitting;
    const struct shw_trainer *trainer = splitting->trainer;
    const struct piece_task *task = &counting->tasks[index];
    const struct shw_batch_item *item = &counting->batch.items[task->item];
    struct histogram_work *work = &counting->works[thread];

    histogram_begin(work, trainer, &trainer->builder.open[item->open]);
    histogram_columns(work, trainer, &counting->batch, item, task->first, task->end);
    for (uint32_t c = task->first; c < task->end; c++) {
        uint32_t candidate = task->offset + c - task->first;
        histogram_fill(work, trainer, &counting->batch, item, c, c - task->first,
                       shw_splitting_histogram(splitting, task->piece, candidate));
        shw_splitting_set_thresholds(splitting, task->piece, candidate, &work->thresholds);
    }
}

/* Counts what has been added, and calls the splitter. */
static enum shw_result hand_over(struct piece_counting *counting)
{
    shw_thread_pool_run(counting->splitting->trainer->pool, counting->task_count, count_piece, counting);
    counting->task_count = 0;
    counting->used = 0;
    return shw_splitting_call(counting->splitting);
}

/* Adds candidates first..first+count-1 of an item as a piece. */
static enum shw_result add_piece(struct piece_counting *counting, uint32_t index, uint32_t first, uint32_t count)
{
    const struct shw_batch_item *item = &counting->batch.items[index];
    struct shw_splitting *splitting = counting->splitting;
    uint32_t piece = splitting->piece_count;

    if (!SHW_RESERVE(counting->tasks, counting->task_capacity, counting->task_count + count / SHW_COLUMNS + 1))
        return shw_fail_memory(&splitting->trainer->params.log, "tasks");
    SHW_PROPAGATE(
        shw_splitting_add(splitting, item->open, item->first + first, count, counting->histograms + counting->used));
    for (uint32_t done = 0; done < count; done += SHW_COLUMNS) {
        uint32_t end = count - done < SHW_COLUMNS ? count : done + SHW_COLUMNS;
        counting->tasks[counting->task_count++] = (struct piece_task){index, first + done, first + end, piece, done};
    }
    return SHW_OK;
}

static enum shw_result count_batch(struct piece_counting *counting)
{
    for (uint32_t i = 0; i < counting->batch.item_count; i++) {
        const struct shw_batch_item *item = &counting->batch.items[i];
        size_t words = shw_splitting_words(counting->splitting, item->open);
        for (uint32_t c = 0; c < item->count;) {
            size_t room = (counting->capacity - counting->used) / words;
            uint32_t count = item->count - c < room ? item->count - c : (uint32_t)room;
            if (count == 0) {
                SHW_PROPAGATE(hand_over(counting));
                continue;
            }
            SHW_PROPAGATE(add_piece(counting, i, c, count));
            counting->used += count * words;
            c += count;
        }
    }
    SHW_PROPAGATE(hand_over(counting)); /* the next batch reuses the memory of this one's responses */
    return SHW_OK;
}

static bool allocate(struct piece_counting *counting, struct shw_trainer *trainer)
{
    const struct shw_splitting *splitting = counting->splitting;
    size_t all = 0, limit = (trainer->params.ferns || trainer->division != NULL ? SHW_FERN_BYTES : SHW_SPLITTER_BYTES) /
                            sizeof(uint32_t);

    for (uint32_t o = 0; o < splitting->round.node_count; o++) {
        size_t words = shw_splitting_words(splitting, o);
        limit = words > limit ? words : limit;
        all += words * splitting->round.candidate_count;
    }
    counting->capacity = all < limit ? all : limit;
    counting->histograms = malloc(counting->capacity * sizeof *counting->histograms);
    counting->works = make_works(trainer);
    return counting->histograms != NULL && counting->works != NULL;
}

enum shw_result shw_splitting_cpu(struct shw_trainer *trainer)
{
    struct piece_counting counting = {.splitting = trainer->splitting};
    struct shw_batch_position position = {0};
    enum shw_result result = shw_batch_create(trainer, &counting.batch);

    if (result == SHW_OK && trainer->params.ferns)
        result = shw_fern_level_probe(trainer);
    else if (result == SHW_OK && trainer->division != NULL)
        result = shw_block_probe(trainer);
    if (result == SHW_OK && trainer->division != NULL)
        result = shw_division_share_values(trainer);
    if (result == SHW_OK && !allocate(&counting, trainer))
        result = shw_fail_memory(&trainer->params.log, "histograms");
    while (result == SHW_OK && (result = shw_batch_next(trainer, &position, &counting.batch)) == SHW_OK &&
           counting.batch.item_count > 0)
        result = count_batch(&counting);
    shw_batch_destroy(&counting.batch);
    free_works(counting.works, trainer);
    free(counting.histograms);
    free(counting.tasks);
    return result;
}
