#include "dense/train/histogram_cpu.h"

#include <stdlib.h>
#include <string.h>

bool shw_histogram_work_make(struct shw_histogram_work *work, const struct shw_trainer *trainer)
{
    work->columns = malloc(SHW_COLUMNS_BYTES);
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

void shw_histogram_gather(struct shw_histogram_work *work, const char *rows, size_t pitch, uint32_t count,
                          uint32_t samples)
{
    for (uint32_t s = 0; s < samples; s++, rows += pitch)
        for (uint32_t c = 0; c < count; c++)
            work->columns[(size_t)c * samples + s] = ((const int32_t *)(const void *)rows)[c];
}

void shw_histogram_columns(struct shw_histogram_work *work, const struct shw_trainer *trainer,
                           const struct shw_batch *batch, const struct shw_batch_item *item, uint32_t first,
                           uint32_t end)
{
    const struct shw_open_node *open = &trainer->builder.open[item->open];

    if (item->kind == SHW_ITEM_RESPONSES)
        shw_histogram_gather(work, batch->bytes + item->begin + first * sizeof *work->columns,
                             shw_batch_pitch(item, open), end - first, open->count);
}

/* Makes the thresholds of a candidate; `responses`: of the node's samples, if they are there. */
static void make_thresholds(struct shw_histogram_work *work, const struct shw_trainer *trainer,
                            const struct shw_batch *batch, const struct shw_batch_item *item, uint32_t c,
                            const int32_t *responses)
{
    uint32_t count = work->probe_count;
    int32_t values[256];

    if (item->kind == SHW_ITEM_BINS) {
        work->thresholds = batch->thresholds[item->thresholds + c];
        return;
    }
    if (item->kind == SHW_ITEM_COUNTS || trainer->params.ferns)
        count = shw_batch_get_values(trainer, batch, item, c, values);
    else
        for (uint32_t i = 0; i < count; i++)
            values[i] = responses[work->probes[i]];
    shw_thresholds_make(&trainer->params, values, count, &work->thresholds);
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

bool shw_histogram_fill(struct shw_histogram_work *work, const struct shw_trainer *trainer,
                        const struct shw_batch *batch, const struct shw_batch_item *item, uint32_t c, uint32_t column,
                        uint32_t *histogram)
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
