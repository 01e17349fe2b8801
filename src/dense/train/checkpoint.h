/* Checkpoints. */
#ifndef SHW_DENSE_TRAIN_CHECKPOINT_H
#define SHW_DENSE_TRAIN_CHECKPOINT_H

#include "dense/grow/trainer.h"

/* shw_trainer_load() for a forest that is a checkpoint; `name` is for messages. */
enum shw_result shw_checkpoint_take(struct shw_trainer *trainer, const struct shw_forest *forest, const char *name);

#endif
