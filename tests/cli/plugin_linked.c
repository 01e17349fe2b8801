/* A shared object for --plugin whose type has the library's functions for rectangles, with which it is linked. */
#include <shadewood/feature.h>

extern const struct shw_feature_code shw_feature_code_linked_difference;

SHW_API const struct shw_feature_type *const *shadewood_feature_types(uint32_t *count);

const struct shw_feature_type *const *shadewood_feature_types(uint32_t *count)
{
    static const struct shw_feature_type linked = {.version = SHW_FEATURE_TYPE_VERSION,
                                                   .name = "linked-difference",
                                                   .label = "linked difference",
                                                   .reads = SHW_FEATURE_READS_INTEGRALS,
                                                   .check = shw_rectangle_difference_check,
                                                   .get_bound = shw_rectangle_difference_bound,
                                                   .get_reach = shw_rectangle_difference_reach,
                                                   .get_regions = shw_rectangle_difference_regions,
                                                   .code = &shw_feature_code_linked_difference};
    static const struct shw_feature_type *const types[] = {&linked};

    *count = 1;
    return types;
}
