/* Histograms for the caller's splitter, counted on the CPU batch by batch. */
#include <stdlib.h>

#include "base/array.h"
#include "base/log.h"
#include "dense/train/fern.h"
#include "dense/train/histogram_cpu.h"
#include "dense/train/splitting.h"

/* A range of candidates of a piece. */
struct task {
    uint32_t item, first, end; /* candidates first..end-1 of the item */
    uint32_t piece, offset;    /* in the piece, the item's candidate `first` has number `offset` */
};

struct counting {
    struct shw_splitting *splitting;
    struct shw_batch batch;
    struct shw_histogram_work *works; /* one per thread */
    uint32_t *histograms;             /* of one call */
    size_t capacity, used;
    struct task *tasks;
    uint32_t task_count, task_capacity;
};

static void run_task(void *user, uint32_t index, uint32_t thread)
{
    struct counting *counting = user;
    struct shw_splitting *splitting = counting->splitting;
    const struct shw_trainer *trainer = splitting->trainer;
    const struct task *task = &counting->tasks[index];
    const struct shw_batch_item *item = &counting->batch.items[task->item];
    struct shw_histogram_work *work = &counting->works[thread];

    shw_histogram_begin(work, trainer, &trainer->builder.open[item->open]);
    shw_histogram_columns(work, trainer, &counting->batch, item, task->first, task->end);
    for (uint32_t c = task->first; c < task->end; c++) {
        uint32_t candidate = task->offset + c - task->first;
        shw_histogram_fill(work, trainer, &counting->batch, item, c, c - task->first,
                           shw_splitting_histogram(splitting, task->piece, candidate));
        shw_splitting_set_thresholds(splitting, task->piece, candidate, &work->thresholds);
    }
}

/* Counts what has been added, and calls the splitter. */
static enum shw_result hand_over(struct counting *counting)
{
    shw_thread_pool_run(counting->splitting->trainer->pool, counting->task_count, run_task, counting);
    counting->task_count = 0;
    counting->used = 0;
    return shw_splitting_call(counting->splitting);
}

/* Adds candidates first..first+count-1 of an item as a piece. */
static enum shw_result add_piece(struct counting *counting, uint32_t index, uint32_t first, uint32_t count)
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
        counting->tasks[counting->task_count++] = (struct task){index, first + done, first + end, piece, done};
    }
    return SHW_OK;
}

static enum shw_result count_batch(struct counting *counting)
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

static bool allocate(struct counting *counting, struct shw_trainer *trainer)
{
    const struct shw_splitting *splitting = counting->splitting;
    uint32_t threads = shw_thread_pool_size(trainer->pool);
    size_t all = 0, limit = (trainer->params.ferns ? SHW_FERN_BYTES : SHW_SPLITTER_BYTES) / sizeof(uint32_t);
    bool good;

    for (uint32_t o = 0; o < splitting->round.node_count; o++) {
        size_t words = shw_splitting_words(splitting, o);
        limit = words > limit ? words : limit;
        all += words * splitting->round.candidate_count;
    }
    counting->capacity = all < limit ? all : limit;
    counting->histograms = malloc(counting->capacity * sizeof *counting->histograms);
    counting->works = calloc(threads, sizeof *counting->works);
    good = counting->histograms != NULL && counting->works != NULL;
    for (uint32_t t = 0; good && t < threads; t++)
        good = shw_histogram_work_make(&counting->works[t], trainer);
    return good;
}

enum shw_result shw_splitting_cpu(struct shw_trainer *trainer)
{
    struct counting counting = {.splitting = trainer->splitting};
    struct shw_batch_position position = {0};
    enum shw_result result = shw_batch_create(trainer, &counting.batch);

    if (result == SHW_OK && trainer->params.ferns)
        result = shw_fern_level_probe(trainer);
    if (result == SHW_OK && !allocate(&counting, trainer))
        result = shw_fail_memory(&trainer->params.log, "histograms");
    while (result == SHW_OK && (result = shw_batch_next(trainer, &position, &counting.batch)) == SHW_OK &&
           counting.batch.item_count > 0)
        result = count_batch(&counting);
    shw_batch_destroy(&counting.batch);
    for (uint32_t t = 0; counting.works != NULL && t < shw_thread_pool_size(trainer->pool); t++)
        shw_histogram_work_free(&counting.works[t]);
    free(counting.works);
    free(counting.histograms);
    free(counting.tasks);
    return result;
}
