/* Trees as groups of lanes evaluate them: the entries of shaders/shared/record_lanes.h. */
#ifndef SHW_RECORDS_EVALUATE_LANES_H
#define SHW_RECORDS_EVALUATE_LANES_H

#include <shadewood/record_forest.h>
#include <shadewood/records.h>

#include "shared/record_lanes.h"
#include "vulkan/device.h"

/* What has an entry, and in which order. */
enum shw_lane_order {
    SHW_LANES_OF_NODES,  /* all nodes, breadth-first (Spencer 2021, Procedure 4); a leaf leads to itself */
    SHW_LANES_OF_SPLITS, /* only splits, breadth-first (Procedure 5) */
    SHW_LANES_OF_WINDOWS /* splits by windows of a few levels (section 6); a window's root is its first entry */
};

/* How many entries a tree has. */
uint32_t shw_lane_entries(const struct shw_record_tree *tree, enum shw_lane_order order);

/* Fills in the entries of a tree, whose nodes are `nodes`. `levels` is of windows. Errors: MEMORY. */
enum shw_result shw_lane_fill(const struct shw_record_tree *tree, const struct shw_record_node *nodes,
                              enum shw_lane_order order, uint32_t levels, const struct shw_log *log,
                              shw_uint4 *entries);

/* The same for ballots: `width` entries, and as many for further sides if `width` is above 32, up to 64; a tree has at
 * most `width` splits. */
void shw_lane_fill_ballot(const struct shw_record_tree *tree, const struct shw_record_node *nodes, uint32_t width,
                          shw_uint4 *entries);

/* How groups of lanes evaluate a forest: by which shader, and how many lanes, entries and records a group has. */

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

/* Resolves `tuning` for one of the techniques SPECULATIVE, SPECULATIVE_MAPPED and WINDOWED. What exceeds the limits of
 * a device is reduced to them. */
struct shw_lane_plan shw_lane_plan_make(enum shw_record_technique technique, const struct shw_record_tuning *tuning,
                                        struct shw_lane_sizes sizes, const struct shw_subgroup *subgroup,
                                        const VkPhysicalDeviceLimits *limits);

/* How many successive records a record group evaluates in `trees` trees, if there are `count` in one dispatch. */
uint32_t shw_lane_plan_records(const struct shw_lane_plan *plan, const struct shw_record_tuning *tuning, uint32_t count,
                               uint32_t trees, uint32_t work_groups_most);

#endif
