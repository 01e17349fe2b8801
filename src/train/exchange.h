/* What several workers exchange in a round (shw_trainer_params.exchange). */
#ifndef SHW_TRAIN_EXCHANGE_H
#define SHW_TRAIN_EXCHANGE_H

#include "train/trainer.h"

/* The candidates of a node that this worker counts: all of them where it is the only one. */
void shw_exchange_share(const struct shw_trainer_params *params, uint32_t *begin, uint32_t *count);

/* Makes the best splits of this worker's candidates those of all workers'. Features are not filled in. Errors: MEMORY,
 * ARGUMENT where workers do not train the same forest, those of the exchange. */
enum shw_result shw_exchange_splits(struct shw_trainer *trainer);

#endif
