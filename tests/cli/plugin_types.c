/* A shared object for --plugin: the feature type and the channel kind of examples/extend. Their code has other names,
 * since programs of tests have one folder of SPIR-V. */
#define shw_feature_code_sparse_sum shw_feature_code_plugged_sum
#define shw_channel_code_edge       shw_channel_code_plugged_edge
#include "sparse_sum.c"

#include "edge.c"

SHW_API const struct shw_feature_type *const *shadewood_feature_types(uint32_t *count);
SHW_API const struct shw_channel_kind *const *shadewood_channel_kinds(uint32_t *count);

const struct shw_feature_type *const *shadewood_feature_types(uint32_t *count)
{
    static const struct shw_feature_type *const types[] = {&sparse_sum};

    *count = 1;
    return types;
}

const struct shw_channel_kind *const *shadewood_channel_kinds(uint32_t *count)
{
    static const struct shw_channel_kind *const kinds[] = {&edge};

    *count = 1;
    return kinds;
}
