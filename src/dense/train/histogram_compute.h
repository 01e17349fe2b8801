/* How the histograms of a batch are counted on the device: the only difference between the back ends `compute` and
 * `blend`. */
#ifndef SHW_DENSE_TRAIN_HISTOGRAM_COMPUTE_H
#define SHW_DENSE_TRAIN_HISTOGRAM_COMPUTE_H

#include "dense/train/passes_compute.h"

/* Functions that may be NULL are marked. */
struct shw_histogram_counter {
    /* Bytes of device memory needed for that many samples. May be NULL. */
    VkDeviceSize (*get_memory)(const struct shw_train_compute *training, uint64_t samples);

    /* create() makes what does not depend on a tree, and is not kept for another training; begin_tree() takes the
     * samples of a new tree; begin() prepares a round, after its tables and buffers. May be NULL. Errors: MEMORY,
     * DEVICE_MEMORY, LIMIT, UNSUPPORTED. */
    enum shw_result (*create)(struct shw_train_compute *training, const struct shw_trainer *trainer);
    enum shw_result (*begin_tree)(struct shw_train_compute *training, const struct shw_samples *samples);
    enum shw_result (*begin)(struct shw_train_compute *training, const struct shw_trainer *trainer);

    /* Adds the samples in the chunk push->chunk to the batch's histogram, from piece *piece on: about *work responses,
     * but at least one piece even if *work is 0. Sets *work to the work recorded. Returns true if that was the last
     * piece; otherwise sets *piece to the next one. */
    bool (*record)(struct shw_train_compute *training, VkCommandBuffer commands, struct shw_train_push *push,
                   const struct shw_compute_batch *batch, uint32_t *piece, uint64_t *work);

    /* May be NULL. Accepts what create() has not made, or made in part. */
    void (*destroy)(struct shw_train_compute *training);
};

/* Counts by compute shaders. */
extern const struct shw_histogram_counter shw_counter_compute;

#endif
