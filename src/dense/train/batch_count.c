/* Adds the responses of a range of images to histograms. A task is some candidates of one node: no two write to the
 * same histogram. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "dense/train/histogram_cpu.h"

#define TASK_RESPONSES ((size_t)1 << 18)

struct task {
    uint32_t item, first, end; /* candidates */
};

struct counting {
    const struct shw_trainer *trainer;
    const struct shw_batch *batch;
    struct shw_histogram_work *works; /* one per thread */
    struct task *tasks;
    uint32_t task_count;
};

/* Counts `count` responses of consecutive samples with these labels. */
static void count_responses(const struct shw_trainer *trainer, struct shw_histogram_work *work, bool narrow,
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

static void run_task(void *user, uint32_t index, uint32_t thread)
{
    const struct counting *counting = user;
    const struct shw_trainer *trainer = counting->trainer;
    const struct task *task = &counting->tasks[index];
    const struct shw_batch_item *item = &counting->batch->items[task->item];
    const struct shw_open_node *open = &trainer->builder.open[item->open];
    struct shw_histogram_work *work = &counting->works[thread];
    size_t pitch = shw_batch_pitch(item, open), histogram = shw_batch_histogram(trainer, item->open);
    int32_t values[256];

    shw_histogram_begin(work, trainer, open);
    for (uint32_t first = task->first; first < task->end; first += SHW_COLUMNS) {
        uint32_t end = task->end - first < SHW_COLUMNS ? task->end : first + SHW_COLUMNS;
        for (uint32_t done = 0; done < item->range_count; done += SHW_LARGE_NODE) {
            uint32_t left = item->range_count - done, count = left < SHW_LARGE_NODE ? left : SHW_LARGE_NODE;
            const char *row = counting->batch->bytes + item->range_rows + done * pitch + first * sizeof(int32_t);
            shw_histogram_gather(work, row, pitch, end - first, count);
            for (uint32_t c = first; c < end; c++) {
                uint32_t value_count = shw_batch_get_values(trainer, counting->batch, item, c, values);
                if (!shw_thresholds_bound(&trainer->params, values, value_count, &work->thresholds))
                    continue;
                count_responses(trainer, work, shw_batch_is_narrow(open), work->columns + (size_t)(c - first) * count,
                                trainer->builder.samples.label + item->range_first + done, count,
                                counting->batch->bytes + item->begin + c * histogram);
            }
        }
    }
}

/* Candidates per task: whole groups of columns. */
static uint32_t task_size(const struct shw_batch_item *item)
{
    size_t size = TASK_RESPONSES / item->range_count / SHW_COLUMNS * SHW_COLUMNS;

    return size < SHW_COLUMNS ? SHW_COLUMNS : size < item->count ? (uint32_t)size : item->count;
}

static bool is_counted(const struct shw_batch_item *item)
{
    return item->kind == SHW_ITEM_COUNTS && item->range_count > 0;
}

static bool make_tasks(struct counting *counting)
{
    const struct shw_batch *batch = counting->batch;
    size_t count = 0;

    for (uint32_t i = 0; i < batch->item_count; i++)
        if (is_counted(&batch->items[i]))
            count += (batch->items[i].count + task_size(&batch->items[i]) - 1) / task_size(&batch->items[i]);
    counting->tasks = malloc((count + 1) * sizeof *counting->tasks);
    for (uint32_t i = 0; counting->tasks != NULL && i < batch->item_count; i++) {
        const struct shw_batch_item *item = &batch->items[i];
        uint32_t size = is_counted(item) ? task_size(item) : 1, all = is_counted(item) ? item->count : 0;
        for (uint32_t first = 0; first < all; first += size)
            counting->tasks[counting->task_count++] = (struct task){i, first, all - first < size ? all : first + size};
    }
    return counting->tasks != NULL;
}

enum shw_result shw_batch_count(struct shw_trainer *trainer, struct shw_batch *batch)
{
    uint32_t threads = shw_thread_pool_size(trainer->pool);
    struct counting counting = {.trainer = trainer, .batch = batch, .works = calloc(threads, sizeof *counting.works)};
    bool good = counting.works != NULL && make_tasks(&counting);

    for (uint32_t t = 0; good && t < threads; t++)
        good = shw_histogram_work_make(&counting.works[t], trainer);
    if (good)
        shw_thread_pool_run(trainer->pool, counting.task_count, run_task, &counting);
    for (uint32_t t = 0; counting.works != NULL && t < threads; t++)
        shw_histogram_work_free(&counting.works[t]);
    free(counting.works);
    free(counting.tasks);
    return good ? SHW_OK : shw_fail_memory(&trainer->params.log, "histograms");
}
