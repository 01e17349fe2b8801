/* Records the passes of a training round. */
#ifndef SHW_DENSE_TRAIN_PASSES_COMPUTE_H
#define SHW_DENSE_TRAIN_PASSES_COMPUTE_H

#include "dense/train/programs_compute.h"
#include "dense/train/tables_compute.h"
#include "shared/train_push.h"

/* Constants of a round, known when its tables are made. */
struct shw_train_constants shw_compute_constants(const struct shw_trainer *trainer,
                                                 const struct shw_compute_tables *tables);

/* The push constants of a batch or, if `batch` is NULL, of the whole round. */
struct shw_train_push shw_compute_push(const struct shw_train_compute *training, const struct shw_compute_batch *batch);

/* Records work groups of a program with the integral images of one chunk, or of any chunk if the program reads none. */
void shw_compute_dispatch(struct shw_train_compute *training, VkCommandBuffer commands,
                          enum shw_training_program program, struct shw_train_push *push, size_t groups);

/* Makes what a program has written visible to the next. */
void shw_compute_complete(struct shw_train_compute *training, VkCommandBuffer commands,
                          enum shw_training_program program);

#endif
