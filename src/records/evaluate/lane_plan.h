/* How groups of lanes evaluate a forest: by which shader, and how many lanes, entries and records a group has. */
#ifndef SHW_RECORDS_EVALUATE_LANE_PLAN_H
#define SHW_RECORDS_EVALUATE_LANE_PLAN_H

#include <shadewood/records.h>

#include "records/evaluate/lane_table.h"
#include "vulkan/device.h"

enum shw_lane_form {
    SHW_LANES_BALLOT,      /* a record group is a part of a subgroup; sides are bits of a ballot, without a path */
    SHW_LANES_SUBGROUP,    /* the same; paths are in registers and are reduced by shuffles */
    SHW_LANES_SHARED,      /* paths are in shared memory */
    SHW_LANES_SHARED_HALF, /* in half words there: for large trees */
    SHW_LANES_FORM_COUNT
};

/* What a forest has at most in one tree. */
struct shw_lane_sizes {
    uint32_t nodes, depth;
};

struct shw_lane_plan {
    enum shw_lane_order order;
    uint32_t levels; /* of a window */
    enum shw_lane_form form;
    uint32_t lanes;      /* of a record group: a power of two */
    uint32_t groups;     /* of a work group */
    uint32_t entries;    /* that a record group evaluates at once; BALLOT: that each of its lanes does */
    uint32_t reductions; /* before each test whether the path has ended */
    bool whole;          /* all entries of each tree are evaluated at once */
    uint64_t iterations; /* of loops that a lane has for one record and tree, at most */
};

/* Iterations of all loops together that an invocation may have: llvmpipe ends them after 65,535, without a word. */
#define SHW_LANE_ITERATIONS_MOST 32768u

/* Resolves `tuning` for one of the techniques SPECULATIVE, SPECULATIVE_MAPPED and WINDOWED. What exceeds the limits of
 * a device is reduced to them. */
struct shw_lane_plan shw_lane_plan_make(enum shw_record_technique technique, const struct shw_record_tuning *tuning,
                                        struct shw_lane_sizes sizes, const struct shw_subgroup *subgroup,
                                        const VkPhysicalDeviceLimits *limits);

/* How many successive records a record group evaluates in `trees` trees, if there are `count` in one dispatch. */
uint32_t shw_lane_plan_records(const struct shw_lane_plan *plan, const struct shw_record_tuning *tuning, uint32_t count,
                               uint32_t trees, uint32_t work_groups_most);

#endif
