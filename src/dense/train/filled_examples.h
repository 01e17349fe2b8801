/* Training sets whose missing depth is filled as examples are read, so that every back end sees the same. */
#ifndef SHW_DENSE_TRAIN_FILLED_EXAMPLES_H
#define SHW_DENSE_TRAIN_FILLED_EXAMPLES_H

#include <shadewood/dataset.h>
#include <shadewood/input.h>
#include <shadewood/log.h>

struct shw_filled_examples;

/* A data set with the examples of `given`, in which the input SHW_DEPTH is filled (dense/channels/fill.h). Both,
 * and the log, must outlive it. Errors: MEMORY; of reading also FORMAT (an example is part of a picture). */
enum shw_result shw_filled_examples_create(const struct shw_dataset *given, enum shw_fill fill,
                                           const struct shw_log *log, struct shw_filled_examples **filled);

/* Lives as long as `filled`. */
const struct shw_dataset *shw_filled_examples_dataset(const struct shw_filled_examples *filled);

/* Destroys *filled and sets it to NULL; accepts NULL and a pointer to NULL. All examples must have been released. */
void shw_filled_examples_destroy(struct shw_filled_examples **filled);

#endif
