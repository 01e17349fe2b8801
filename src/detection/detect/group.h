/* Orders of detections, and the grouping methods: their names, and the parameters that each has. */
#ifndef SHW_DETECTION_DETECT_GROUP_H
#define SHW_DETECTION_DETECT_GROUP_H

#include <shadewood/detect.h>

#include "shared/detect_group.h"

/* By angle, level, y and x. Windows on one level can have the same rectangle after rounding; their order is that of
 * their scores. */
void shw_detections_sort_windows(struct shw_detection *items, uint32_t count);

extern const char *const shw_group_names[SHW_GROUP_METHOD_COUNT + 1]; /* by enum shw_group_method; NULL ends them */

struct shw_group_traits {
    bool has_min_neighbours, has_overlap, has_epsilon;
};
struct shw_group_traits shw_group_get_traits(enum shw_group_method method);

/* What the parameters stand for; min_neighbours is at least 1. Errors: ARGUMENT. */
enum shw_result shw_group_rule_make(const struct shw_group_params *params, enum shw_cascade_kind kind,
                                    const struct shw_log *log, struct shw_group_rule *rule);

#endif
