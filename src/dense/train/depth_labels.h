/* Training sets whose pixels without depth are void. */
#ifndef SHW_DENSE_TRAIN_DEPTH_LABELS_H
#define SHW_DENSE_TRAIN_DEPTH_LABELS_H

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

#endif
