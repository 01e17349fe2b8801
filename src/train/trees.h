/* Finished trees, and the forest of them. */
#ifndef SHW_TRAIN_TREES_H
#define SHW_TRAIN_TREES_H

#include "train/trainer.h"

/* Frees a tree that is the trainer's; all of them, the one in progress included. */
void shw_tree_free(struct shw_tree *tree);
void shw_trainer_clear(struct shw_trainer *trainer);

/* Class `index` as forests name it: by number where the data set has no names, which `name` then holds. */
#define SHW_CLASS_NAME_SIZE 24
struct shw_class shw_dataset_class(const struct shw_dataset *dataset, uint32_t index, char name[SHW_CLASS_NAME_SIZE]);

/* Makes a forest of the first trees, with this training record. Errors: MEMORY, LIMIT. */
enum shw_result shw_trainer_make_forest(const struct shw_trainer *trainer, uint32_t tree_count, const char *record,
                                        struct shw_forest **forest);

/* Makes the forest of all trees. Errors: MEMORY, LIMIT. */
enum shw_result shw_trainer_finish(struct shw_trainer *trainer);

#endif
