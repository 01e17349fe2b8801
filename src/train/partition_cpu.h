/* Samples move to the children of their nodes, on the CPU. */
#ifndef SHW_TRAIN_PARTITION_CPU_H
#define SHW_TRAIN_PARTITION_CPU_H

#include "train/trainer.h"

/* Reorders the samples of every node that is split, on the CPU: those that go left, then those that go right, both in
 * the order that they had. Adds their counts by class to child_counts, which begins as zeros: by open node, of the left
 * child, then of the right one. Errors: MEMORY. */
enum shw_result shw_partition_cpu(struct shw_trainer *trainer, const struct shw_split *splits, uint32_t *child_counts);

#endif
