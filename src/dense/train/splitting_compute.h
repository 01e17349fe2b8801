/* Histograms for the caller's splitter, counted on the device and read back. */
#ifndef SHW_DENSE_TRAIN_SPLITTING_COMPUTE_H
#define SHW_DENSE_TRAIN_SPLITTING_COMPUTE_H

#include "dense/train/backend_compute.h"

/* Passes the histograms of the batch, which were read back, to the splitter. Errors: MEMORY, those of the splitter. */
enum shw_result shw_splitting_compute(struct shw_train_compute *training, const struct shw_trainer *trainer,
                                      const struct shw_compute_batch *batch);

#endif
