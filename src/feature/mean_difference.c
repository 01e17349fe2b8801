/* The mean of a rectangle minus the mean of another. */
#include "feature/rectangle_difference.h"

extern const struct shw_feature_code shw_feature_code_mean_difference;

static const struct shw_feature_vectors vectors = {
#if SHW_SIMD_VECTORS
    .patch[SHW_SIMD_PORTABLE] = shw_mean_patch_vectors,
#endif
#if SHW_SIMD_X86
    .patch[SHW_SIMD_AVX2] = shw_mean_patch_avx2,
    .patch[SHW_SIMD_AVX512] = shw_mean_patch_avx512,
    .respond = &shw_mean_respond_avx2,
#endif
};

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
