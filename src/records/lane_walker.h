/* Evaluation by groups of lanes: what the techniques `speculative`, `speculative-mapped` and `windowed` have in common.
 * They differ in their plan (records/lane_plan.h). */
#ifndef SHW_RECORDS_LANE_WALKER_H
#define SHW_RECORDS_LANE_WALKER_H

#include "records/device.h"

/* Member of struct shw_record_way. */
enum shw_result shw_lane_walker_create(const struct shw_record_evaluator_params *params, void **state);

#define SHW_LANE_WAY(technique)                                                                                        \
    {                                                                                                                  \
        .id = (technique), .create = shw_lane_walker_create, .destroy = shw_record_device_destroy,                     \
        .run = shw_record_device_run, .record = shw_record_device_record                                               \
    }

#endif
