/* Training sets of a level above another: the examples have, as inputs, what the level below says about them, by those
 * of its trees that have not seen them. */
#ifndef SHW_DENSE_TRAIN_LEVEL_SET_H
#define SHW_DENSE_TRAIN_LEVEL_SET_H

#include <stdatomic.h>

#include <shadewood/train.h>

#include "dense/samples/image_part.h"

struct shw_level_set;

/* `given` and `channels`, the trainer's, must outlive the set; of the parameters, the level below as well. `part`:
 * which of all examples are those given. Errors: MEMORY. */
enum shw_result shw_level_set_create(const struct shw_dataset *given, struct shw_image_part part,
                                     const struct shw_trainer_params *params, const struct shw_channel_list *channels,
                                     struct shw_level_set **set);

/* Labels all examples, and keeps what fits into so many bytes; the rest is labelled when it is read. Errors: CANCELLED
 * if *interrupted becomes true; those of reading and labelling. */
enum shw_result shw_level_set_fill(struct shw_level_set *set, uint64_t bytes, const atomic_bool *interrupted);

/* Bytes that are kept. */
uint64_t shw_level_set_bytes(const struct shw_level_set *set);

/* Lives as long as `set`. */
const struct shw_dataset *shw_level_set_dataset(const struct shw_level_set *set);

/* Accepts NULL and a pointer to NULL. All examples must have been released. */
void shw_level_set_destroy(struct shw_level_set **set);

#endif
