/* Data-parallel evaluation (Spencer 2021, Procedure 3): a record a lane. */
#ifndef SHW_RECORDS_EVALUATE_RECORDS_COMPUTE_H
#define SHW_RECORDS_EVALUATE_RECORDS_COMPUTE_H

#include "records/evaluate/device.h"

/* What is chosen from the forest and the device. */
struct shw_record_compute_plan {
    bool complete;        /* trees are padded to the depth of the deepest one, and nodes have no links */
    bool wide;            /* links take an element of their own */
    bool codes_shared;    /* the records' codes are in shared memory */
    bool nodes_shared;    /* all nodes are, too */
    uint32_t lanes;       /* of a work group */
    uint32_t rounds;      /* records a lane, one after the other */
    uint32_t at_once;     /* trees a lane walks */
    uint32_t column_bits; /* of a node */
};

/* Chooses. */
struct shw_record_compute_plan shw_record_compute_plan_of(const struct shw_record_device *device);

/* Shared memory that a work group takes; plans whose work groups take more than the device has are not possible. */
uint64_t shw_record_compute_shared_bytes(const struct shw_record_device *device,
                                         const struct shw_record_compute_plan *plan);

/* The technique as by shw_record_variant_compute, but with a plan of the caller's, which must be possible: for tests,
 * and to find which plan is fastest. NULL: its own. */
enum shw_result shw_record_compute_create(const struct shw_record_evaluator_params *params,
                                          const struct shw_record_compute_plan *plan, void **state);

/* Whether trees can be padded, and whether links need elements of their own. */
bool shw_record_compute_is_wide(const struct shw_record_device *device, uint32_t column_bits);

#endif
