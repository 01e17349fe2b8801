#include "train/histogram_cpu.h"

#include <stdlib.h>
#include <string.h>

bool shw_histogram_work_make(struct shw_histogram_work *work, const struct shw_trainer *trainer)
{
    work->columns = malloc(SHW_COLUMNS * SHW_LARGE_NODE * sizeof *work->columns);
    work->class_index = malloc(trainer->dataset->class_count * sizeof *work->class_index);
    return work->columns != NULL && work->class_index != NULL;
}

void shw_histogram_work_free(struct shw_histogram_work *work)
{
    free(work->columns);
    free(work->class_index);
}

void shw_histogram_begin(struct shw_histogram_work *work, const struct shw_trainer *trainer,
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
static void count_responses(struct shw_histogram_work *work, const struct shw_trainer *trainer,
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

static void count_bins(const struct shw_histogram_work *work, const struct shw_trainer *trainer,
                       const struct shw_open_node *open, const uint8_t *bins, uint32_t *histogram)
{
    const uint16_t *labels = trainer->builder.samples.label + open->first;

    for (uint32_t i = 0; i < open->count; i++)
        histogram[(uint32_t)bins[i] * work->class_count + work->class_index[labels[i]]]++;
}

void shw_histogram_columns(struct shw_histogram_work *work, const struct shw_trainer *trainer,
                           const struct shw_batch *batch, const struct shw_batch_item *item, uint32_t first,
                           uint32_t end)
{
    const struct shw_open_node *open = &trainer->builder.open[item->open];
    size_t pitch = shw_batch_pitch(item, open);
    const char *row = batch->bytes + item->begin + first * sizeof *work->columns;

    for (uint32_t s = 0; !item->binned && s < open->count; s++, row += pitch)
        for (uint32_t c = 0; c < end - first; c++)
            work->columns[c * open->count + s] = ((const int32_t *)(const void *)row)[c];
}

bool shw_histogram_fill(struct shw_histogram_work *work, const struct shw_trainer *trainer,
                        const struct shw_batch *batch, const struct shw_batch_item *item, uint32_t c, uint32_t column,
                        uint32_t *histogram)
{
    const struct shw_open_node *open = &trainer->builder.open[item->open];
    const int32_t *responses = work->columns + (size_t)column * open->count;
    int32_t values[256];

    if (item->binned) {
        work->thresholds = batch->thresholds[item->thresholds + c];
    } else {
        for (uint32_t i = 0; i < work->probe_count; i++)
            values[i] = responses[work->probes[i]];
        shw_thresholds_make(&trainer->params, values, work->probe_count, &work->thresholds);
    }
    if (work->thresholds.count == 0)
        return false;
    memset(histogram, 0,
           (size_t)(work->thresholds.count + 1 + work->thresholds.undefined_bins) * work->class_count *
               sizeof *histogram);
    if (item->binned)
        count_bins(work, trainer, open, (const uint8_t *)batch->bytes + item->begin + c * shw_batch_pitch(item, open),
                   histogram);
    else
        count_responses(work, trainer, open, responses, histogram);
    return true;
}
