/* Histograms on the CPU, and the splits found in them. */
#ifndef SHW_DENSE_GROW_CPU_HISTOGRAMS_H
#define SHW_DENSE_GROW_CPU_HISTOGRAMS_H

#include "dense/grow/trainer.h"
#include "dense/grow_cpu/batch.h"

#define SHW_COLUMNS       16u /* candidates whose responses are gathered from the batch at a time: a cache line */
#define SHW_COLUMN_VALUES (SHW_COLUMNS * (size_t)SHW_LARGE_NODE)

/* Finds the best split of every open node; none if no test has a gain. Errors: MEMORY. */
enum shw_result shw_split_cpu(struct shw_trainer *trainer, struct shw_split *splits);

/* Counts a round on the CPU and passes all histograms to the splitter. Errors: MEMORY, those of the splitter. */
enum shw_result shw_splitting_cpu(struct shw_trainer *trainer);

#endif
