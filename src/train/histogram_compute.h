/* How the histograms of a batch are counted on the device: the one thing in which the back ends `compute` and `blend`
 * differ. */
#ifndef SHW_TRAIN_HISTOGRAM_COMPUTE_H
#define SHW_TRAIN_HISTOGRAM_COMPUTE_H

#include "train/passes_compute.h"

/* What may be NULL has nothing to do. */
struct shw_histogram_counter {
    /* Bytes of device memory that it takes for that many samples. May be NULL. */
    VkDeviceSize (*get_memory)(const struct shw_train_compute *training, uint64_t samples);

    /* Makes what does not depend on a tree, which is then not kept for another training; takes the samples of a new
     * tree; prepares a round, when its tables and buffers are ready. May be NULL. Errors: MEMORY, DEVICE_MEMORY, LIMIT,
     * UNSUPPORTED. */
    enum shw_result (*create)(struct shw_train_compute *training, const struct shw_trainer *trainer);
    enum shw_result (*begin_tree)(struct shw_train_compute *training, const struct shw_samples *samples);
    enum shw_result (*begin)(struct shw_train_compute *training, const struct shw_trainer *trainer);

    /* Records the addition of samples in the chunk push->chunk to the batch's histogram, from the piece *piece on, as
     * much as counts for about *work responses, and at least one piece even if *work is 0; writes there what was
     * recorded. Returns true if that was the last piece, else false, and writes the next one to *piece. */
    bool (*record)(struct shw_train_compute *training, VkCommandBuffer commands, struct shw_train_push *push,
                   const struct shw_compute_batch *batch, uint32_t *piece, uint64_t *work);

    /* May be NULL. Accepts what create() has not made, or in part. */
    void (*destroy)(struct shw_train_compute *training);
};

/* By compute shaders. */
extern const struct shw_histogram_counter shw_counter_compute;

#endif
