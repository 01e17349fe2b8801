/* Training sets that are made from others as their examples are read, so that every back end sees the same. */
#ifndef SHW_DENSE_SAMPLES_DERIVED_SETS_H
#define SHW_DENSE_SAMPLES_DERIVED_SETS_H

#include <shadewood/dataset.h>
#include <shadewood/log.h>

struct shw_derived_set;

/* Labels are void where the input SHW_DEPTH is 0. `given` and the log must outlive the set. Errors: MEMORY. */
enum shw_result shw_derived_set_void(const struct shw_dataset *given, const struct shw_log *log,
                                     struct shw_derived_set **set);

/* The input SHW_DEPTH is filled (dense/channels/fill.h). The same holds; reading may also fail with FORMAT: an
 * example is part of a picture. */
enum shw_result shw_derived_set_fill(const struct shw_dataset *given, enum shw_fill fill, const struct shw_log *log,
                                     struct shw_derived_set **set);

/* Lives as long as `set`. */
const struct shw_dataset *shw_derived_set_dataset(const struct shw_derived_set *set);

/* Destroys *set and sets it to NULL; accepts NULL and a pointer to NULL. All examples must have been released. */
void shw_derived_set_destroy(struct shw_derived_set **set);

#endif
