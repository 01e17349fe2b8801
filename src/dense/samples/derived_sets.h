/* Training sets that are made from others as their examples are read: pixels without depth are void, or missing depth
 * is filled. */
#ifndef SHW_DENSE_SAMPLES_DERIVED_SETS_H
#define SHW_DENSE_SAMPLES_DERIVED_SETS_H

#include <shadewood/dataset.h>
#include <shadewood/log.h>

struct shw_depth_labels;

/* A data set with the examples of `given`, whose labels are void where the input SHW_DEPTH is 0. Both, and the log,
 * must outlive it. Errors: MEMORY. */
enum shw_result shw_depth_labels_create(const struct shw_dataset *given, const struct shw_log *log,
                                        struct shw_depth_labels **labels);

/* Lives as long as `labels`. */
const struct shw_dataset *shw_depth_labels_dataset(const struct shw_depth_labels *labels);

/* Destroys *labels and sets it to NULL; accepts NULL and a pointer to NULL. All examples must have been released. */
void shw_depth_labels_destroy(struct shw_depth_labels **labels);

struct shw_filled_examples;

/* A data set with the examples of `given`, in which the input SHW_DEPTH is filled (dense/channels/fill_simple.h). Both,
 * and the log, must outlive it. Errors: MEMORY; of reading also FORMAT (an example is part of a picture). */
enum shw_result shw_filled_examples_create(const struct shw_dataset *given, const struct shw_log *log,
                                           struct shw_filled_examples **filled);

/* Lives as long as `filled`. */
const struct shw_dataset *shw_filled_examples_dataset(const struct shw_filled_examples *filled);

/* Destroys *filled and sets it to NULL; accepts NULL and a pointer to NULL. All examples must have been released. */
void shw_filled_examples_destroy(struct shw_filled_examples **filled);

#endif
