/* Histograms on the CPU, one at a time, from the responses of a batch. */
#ifndef SHW_DENSE_TRAIN_HISTOGRAM_CPU_H
#define SHW_DENSE_TRAIN_HISTOGRAM_CPU_H

#include "dense/train/batch.h"

#define SHW_COLUMNS       16u /* candidates whose responses are gathered from the batch at a time: a cache line */
#define SHW_COLUMNS_BYTES (SHW_COLUMNS * (size_t)SHW_LARGE_NODE * sizeof(int32_t))

/* Working memory of a thread. */
struct shw_histogram_work {
    struct shw_thresholds thresholds;
    int32_t bins[SHW_BLOCK];
    int32_t *columns;      /* responses of SHW_COLUMNS candidates, one candidate after the other */
    uint16_t *class_index; /* [class]: index among the classes present in the node */
    uint32_t class_count;  /* present in the node */
    uint32_t probes[256], probe_count;
};

/* False if out of memory. shw_histogram_work_free() must be called in any case; it accepts a zero one. */
bool shw_histogram_work_make(struct shw_histogram_work *work, const struct shw_trainer *trainer);
void shw_histogram_work_free(struct shw_histogram_work *work);

/* Switches to another open node. */
void shw_histogram_begin(struct shw_histogram_work *work, const struct shw_trainer *trainer,
                         const struct shw_open_node *open);

/* Copies the responses of `samples` samples, at most SHW_LARGE_NODE, to `count` candidates, at most SHW_COLUMNS, from
 * rows of `pitch` bytes to work->columns. */
void shw_histogram_gather(struct shw_histogram_work *work, const char *rows, size_t pitch, uint32_t count,
                          uint32_t samples);

/* Prepares the histograms of candidates first..end-1 of an item, at most SHW_COLUMNS. */
void shw_histogram_columns(struct shw_histogram_work *work, const struct shw_trainer *trainer,
                           const struct shw_batch *batch, const struct shw_batch_item *item, uint32_t first,
                           uint32_t end);

/* Computes the thresholds (in work->thresholds) and the bins * class_count counts of candidate `c` of an item, which is
 * at `column` of those prepared. False if there is no threshold; `histogram` is then unchanged. */
bool shw_histogram_fill(struct shw_histogram_work *work, const struct shw_trainer *trainer,
                        const struct shw_batch *batch, const struct shw_batch_item *item, uint32_t c, uint32_t column,
                        uint32_t *histogram);

#endif
