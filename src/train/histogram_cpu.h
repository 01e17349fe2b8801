/* Histograms on the CPU, one after the other, from the responses of a batch. */
#ifndef SHW_TRAIN_HISTOGRAM_CPU_H
#define SHW_TRAIN_HISTOGRAM_CPU_H

#include "train/batch.h"

#define SHW_COLUMNS 16u /* candidates of which responses are taken out of the batch at a time: a cache line */

/* What a thread works with. */
struct shw_histogram_work {
    struct shw_thresholds thresholds;
    int32_t bins[SHW_BLOCK];
    int32_t *columns;      /* responses of SHW_COLUMNS candidates, one after the other */
    uint16_t *class_index; /* a class: its place among those of the node */
    uint32_t class_count;  /* of the node */
    uint32_t probes[256], probe_count;
};

/* False when memory is short. shw_histogram_work_free() is due in any case, and accepts a zero one. */
bool shw_histogram_work_make(struct shw_histogram_work *work, const struct shw_trainer *trainer);
void shw_histogram_work_free(struct shw_histogram_work *work);

/* Turns to another open node. */
void shw_histogram_begin(struct shw_histogram_work *work, const struct shw_trainer *trainer,
                         const struct shw_open_node *open);

/* Makes the histograms of candidates first..end-1 of an item ready, at most SHW_COLUMNS. */
void shw_histogram_columns(struct shw_histogram_work *work, const struct shw_trainer *trainer,
                           const struct shw_batch *batch, const struct shw_batch_item *item, uint32_t first,
                           uint32_t end);

/* Thresholds (into work->thresholds) and counts of candidate `c` of an item, which is the one at `column` of those made
 * ready. False where there is no threshold; `histogram` is then left as it was. Else it gets bins * class_count
 * counts. */
bool shw_histogram_fill(struct shw_histogram_work *work, const struct shw_trainer *trainer,
                        const struct shw_batch *batch, const struct shw_batch_item *item, uint32_t c, uint32_t column,
                        uint32_t *histogram);

#endif
