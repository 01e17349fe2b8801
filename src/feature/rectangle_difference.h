/* Shared by the types whose response is a difference of rectangles. */
#ifndef SHW_FEATURE_RECTANGLE_DIFFERENCE_H
#define SHW_FEATURE_RECTANGLE_DIFFERENCE_H

#include "feature/feature_code.h"

bool shw_rectangle_difference_check(const struct shw_feature *feature, const struct shw_channel_list *channels,
                                    char why[SHW_WHY_SIZE]);
uint64_t shw_rectangle_difference_bound(const struct shw_feature *feature, const struct shw_channel_list *channels);
struct shw_reach shw_rectangle_difference_reach(const struct shw_feature *feature);
uint32_t shw_rectangle_difference_regions(const struct shw_feature *feature,
                                          struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX]);

/* Kinds of sides for vector code; rectangle_patch.h and rectangle_respond.c compute them. */
enum shw_side_kind { SHW_SIDES_SUMS, SHW_SIDES_MEANS, SHW_SIDES_PIXELS };

#define SHW_PATCH_DECLARE(name)                                                                                        \
    void name(const struct shw_evaluate_patch *patch, uint32_t tree, uint64_t *blocks, uint32_t *leaves);
#define SHW_VECTORS_DECLARE(kind)                                                                                      \
    SHW_PATCH_DECLARE(shw_##kind##_patch_vectors)                                                                      \
    SHW_PATCH_DECLARE(shw_##kind##_patch_avx2)                                                                         \
    SHW_PATCH_DECLARE(shw_##kind##_patch_avx512)                                                                       \
    extern const struct shw_respond shw_##kind##_respond_avx2;
SHW_VECTORS_DECLARE(sum)
SHW_VECTORS_DECLARE(mean)
SHW_VECTORS_DECLARE(pixel)

/* All that a type of that kind has of struct shw_feature_vectors. */
#if SHW_SIMD_X86
#define SHW_RECTANGLE_VECTORS(kind)                                                                                    \
    .patch[SHW_SIMD_PORTABLE] = shw_##kind##_patch_vectors, .patch[SHW_SIMD_AVX2] = shw_##kind##_patch_avx2,           \
    .patch[SHW_SIMD_AVX512] = shw_##kind##_patch_avx512, .respond = &shw_##kind##_respond_avx2
#elif SHW_SIMD_VECTORS
#define SHW_RECTANGLE_VECTORS(kind) .patch[SHW_SIMD_PORTABLE] = shw_##kind##_patch_vectors
#else
#define SHW_RECTANGLE_VECTORS(kind) .respond = NULL
#endif

#endif
