/* Moves samples to the children of their nodes, on the CPU. */
#ifndef SHW_DENSE_TRAIN_PARTITION_CPU_H
#define SHW_DENSE_TRAIN_PARTITION_CPU_H

#include "dense/train/trainer.h"

/* Reorders the samples of every node that is split: those that go left, then those that go right, each in their
 * previous order. Adds class counts to child_counts, which must be zero: per open node, those of the left child, then
 * of the right one. Errors: MEMORY. */
enum shw_result shw_partition_cpu(struct shw_trainer *trainer, const struct shw_split *splits, uint32_t *child_counts);

#endif
