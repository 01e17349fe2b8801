/* Finished trees, and the forest made of them. */
#ifndef SHW_DENSE_TRAIN_FOREST_H
#define SHW_DENSE_TRAIN_FOREST_H

#include "dense/grow/trainer.h"

/* Frees all trees, including the one in progress. */
void shw_trainer_clear(struct shw_trainer *trainer);

/* Class `index` as forests name it. If the data set has no names, the name is the number, written to `name`. */
#define SHW_CLASS_NAME_SIZE 24
struct shw_class shw_dataset_class(const struct shw_dataset *dataset, uint32_t index, char name[SHW_CLASS_NAME_SIZE]);

/* Makes a forest of the first `tree_count` trees, with this provenance. Errors: MEMORY, LIMIT. */
enum shw_result shw_trainer_make_forest(const struct shw_trainer *trainer, uint32_t tree_count, const char *provenance,
                                        struct shw_forest **forest);

/* Makes the forest of all trees. Errors: MEMORY, LIMIT. */
enum shw_result shw_trainer_finish(struct shw_trainer *trainer);

/* A hash of everything that the forest depends on: parameters, training set, channels and feature type by their names.
 * The training set must be loaded. False if out of memory. */
bool shw_trainer_hash_task(const struct shw_trainer *trainer, uint64_t *hash);

#endif
