/* The evaluator and its techniques. A technique is a file, an enumerator in records.h, and a line here and in
 * evaluator.c (docs/extending.md). */
#ifndef SHW_RECORDS_EVALUATE_EVALUATOR_H
#define SHW_RECORDS_EVALUATE_EVALUATOR_H

#include <stdatomic.h>

#include <shadewood/records.h>

#include "base/thread_pool.h"

/* How one or several techniques evaluate. */
struct shw_record_variant {
    /* Allocates all that running and recording need. `params` is resolved and outlives the state. Errors as of
     * shw_record_evaluator_create(). */
    enum shw_result (*create)(const struct shw_record_evaluator_params *params, void **state);
    void (*destroy)(void *state); /* accepts NULL */

    /* Arguments that all techniques have in common are checked; there are records; strides are resolved. Of `results`
     * the techniques fill in classes, sums and leaves; predictions are made from sums by the evaluator, which asks for
     * sums then. */
    enum shw_result (*run)(void *state, const struct shw_records *records, const struct shw_record_results *results,
                           double *inner_seconds);
    /* NULL: on the host only, without a device. Arguments are checked, as far as techniques have them in common, and
     * there are records.
     */
    enum shw_result (*record)(void *state, VkCommandBuffer commands, uint32_t slot,
                              const struct shw_record_source *source, const struct shw_record_target *target);
};

extern const struct shw_record_variant shw_record_variant_serial, shw_record_variant_cpu, shw_record_variant_compute,
    shw_record_variant_lanes, shw_record_variant_fragment;

struct shw_record_evaluator {
    struct shw_record_evaluator_params params; /* resolved */
    const struct shw_record_variant *variant;
    void *state;
    struct shw_thread_pool *pool; /* of predictions; NULL until many are made at once */
    struct shw_record_seconds seconds;
    atomic_bool interrupted;
};

/* The class of a record from its sums, which include the base. */
uint32_t shw_record_class(const struct shw_record_forest_info *info, const int64_t *sums);

#endif
