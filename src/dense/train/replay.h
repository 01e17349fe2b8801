/* Rebuilds an unfinished tree from its tests. */
#ifndef SHW_DENSE_TRAIN_REPLAY_H
#define SHW_DENSE_TRAIN_REPLAY_H

#include "dense/train/trainer.h"

/* Begins the next tree and builds it, without candidates, as it was after `depth` rounds. *same: whether this training
 * could have made it; if not, the tree builder must not be used. Errors: those of shw_tree_builder_begin() and of
 * labelling. */
enum shw_result shw_tree_builder_replay(struct shw_trainer *trainer, const struct shw_tree *tree, uint32_t depth,
                                        bool *same);

#endif
