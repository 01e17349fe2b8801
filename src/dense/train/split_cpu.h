/* Histograms and splits of a round on the CPU. */
#ifndef SHW_DENSE_TRAIN_SPLIT_CPU_H
#define SHW_DENSE_TRAIN_SPLIT_CPU_H

#include "dense/train/trainer.h"

/* Finds the best split of every open node; none if no test has a gain. Errors: MEMORY. */
enum shw_result shw_split_cpu(struct shw_trainer *trainer, struct shw_split *splits);

#endif
