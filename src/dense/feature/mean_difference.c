/* The mean of a rectangle minus the mean of another. */
#include "dense/feature/rectangle_difference.h"

extern const struct shw_feature_code shw_feature_code_mean_difference;

static const struct shw_feature_vectors vectors = {SHW_VECTORS(mean)};

const struct shw_feature_type shw_feature_mean_difference = {.version = SHW_FEATURE_TYPE_VERSION,
                                                             .name = "mean-difference",
                                                             .label = "mean difference",
                                                             .reads = SHW_FEATURE_READS_INTEGRALS,
                                                             .check = shw_rectangle_difference_check,
                                                             .get_bound = shw_rectangle_difference_bound,
                                                             .get_reach = shw_rectangle_difference_reach,
                                                             .get_regions = shw_rectangle_difference_regions,
                                                             .code = &shw_feature_code_mean_difference,
                                                             .fast = &vectors};
