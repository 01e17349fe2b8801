/* The sum over a rectangle minus the sum over another. */
#include "dense/feature/rectangle_difference.h"

extern const struct shw_feature_code shw_feature_code_sum_difference;

static const struct shw_feature_vectors vectors = {SHW_VECTORS(sum)};

const struct shw_feature_type shw_feature_sum_difference = {.version = SHW_FEATURE_TYPE_VERSION,
                                                            .name = "sum-difference",
                                                            .label = "sum difference",
                                                            .reads = SHW_FEATURE_READS_INTEGRALS,
                                                            .check = shw_rectangle_difference_check,
                                                            .get_bound = shw_rectangle_difference_bound,
                                                            .get_reach = shw_rectangle_difference_reach,
                                                            .get_regions = shw_rectangle_difference_regions,
                                                            .code = &shw_feature_code_sum_difference,
                                                            .fast = &vectors};
