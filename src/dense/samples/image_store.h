/* Compact copies of the training set in memory, for trainings that read it many times: the pixels that the channels
 * read, and labels as runs. Images beyond the limit are read from the data set again. */
#ifndef SHW_DENSE_SAMPLES_IMAGE_STORE_H
#define SHW_DENSE_SAMPLES_IMAGE_STORE_H

#include <shadewood/dataset.h>

#include "dense/channels/channels.h"

struct shw_image_store;

/* Copies the examples that are read, each once, as long as copies take no more than `bytes`. `channels` is borrowed.
 * Errors: MEMORY. */
enum shw_result shw_image_store_create(const struct shw_dataset *dataset, const struct shw_channel_list *channels,
                                       uint64_t bytes, const struct shw_log *log, struct shw_image_store **store);

/* Accepts a pointer to NULL. All examples must have been released. */
void shw_image_store_destroy(struct shw_image_store **store);

/* The data set with the copies. An example from it has the inputs that the channels read, not more. It may be read from
 * several threads if the data set may be or, after shw_image_store_end(), if there is a copy of every example. */
const struct shw_dataset *shw_image_store_dataset(const struct shw_image_store *store);

/* Makes no more copies, and drops some if they take more than `bytes`. Not while an example is read or in use. */
void shw_image_store_end(struct shw_image_store *store, uint64_t bytes);

/* Bytes that copies take. */
uint64_t shw_image_store_bytes(const struct shw_image_store *store);

/* How many examples have a copy. */
uint32_t shw_image_store_count(const struct shw_image_store *store);

#endif
