/* An unfinished tree grows again from its tests alone. */
#ifndef SHW_TRAIN_REPLAY_H
#define SHW_TRAIN_REPLAY_H

#include "train/trainer.h"

/* Begins the next tree and grows it, without candidates, to what it was after `depth` rounds. *same tells whether this
 * training could have made it: otherwise the tree builder is not to be used. Errors: those of shw_tree_builder_begin()
 * and of labelling. */
enum shw_result shw_tree_builder_replay(struct shw_trainer *trainer, const struct shw_tree *tree, uint32_t depth,
                                        bool *same);

#endif
