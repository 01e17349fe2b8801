/* The exchange between workers in each round (shw_trainer_params.exchange). */
#ifndef SHW_DENSE_TRAIN_WORKER_SYNC_H
#define SHW_DENSE_TRAIN_WORKER_SYNC_H

#include "dense/train/trainer.h"

/* The share of a node's candidates that this worker counts; all of them if it is the only worker. */
void shw_worker_sync_share(const struct shw_trainer_params *params, uint32_t *begin, uint32_t *count);

/* Replaces the best splits of this worker's candidates by those of all workers'. Does not fill in features. Errors:
 * MEMORY, ARGUMENT if workers do not train the same forest, those of the exchange. */
enum shw_result shw_worker_sync_splits(struct shw_trainer *trainer);

#endif
