/* What the library's own feature types share. */
#ifndef SHW_DENSE_FEATURE_FEATURE_TYPES_H
#define SHW_DENSE_FEATURE_FEATURE_TYPES_H

#include "dense/feature/feature_code.h"

/* What feature types with vector code define: `KIND_patch_` and `KIND_respond_`, with the name of the instructions. */

#define SHW_PATCH_DECLARE(name)                                                                                        \
    void name(const struct shw_evaluate_patch *patch, uint32_t tree, uint64_t *blocks, uint32_t *leaves);
#define SHW_VECTORS_DECLARE(kind)                                                                                      \
    SHW_PATCH_DECLARE(shw_##kind##_patch_vectors)                                                                      \
    SHW_PATCH_DECLARE(shw_##kind##_patch_avx2)                                                                         \
    SHW_PATCH_DECLARE(shw_##kind##_patch_avx512)                                                                       \
    extern const struct shw_respond shw_##kind##_respond_avx2;

/* All that a type of that kind has of struct shw_feature_vectors. */
#if SHW_SIMD_X86
#define SHW_VECTORS(kind)                                                                                              \
    .patch[SHW_SIMD_PORTABLE] = shw_##kind##_patch_vectors, .patch[SHW_SIMD_AVX2] = shw_##kind##_patch_avx2,           \
    .patch[SHW_SIMD_AVX512] = shw_##kind##_patch_avx512, .respond = &shw_##kind##_respond_avx2
#elif SHW_SIMD_VECTORS
#define SHW_VECTORS(kind) .patch[SHW_SIMD_PORTABLE] = shw_##kind##_patch_vectors
#else
#define SHW_VECTORS(kind) .respond = NULL
#endif

/* Shared by the types whose response is a difference of rectangles. */

/* Kinds of sides for vector code; rectangle_patch.h and rectangle_difference.c compute them. */
enum shw_side_kind { SHW_SIDES_SUMS, SHW_SIDES_MEANS, SHW_SIDES_PIXELS };

SHW_VECTORS_DECLARE(sum)
SHW_VECTORS_DECLARE(mean)
SHW_VECTORS_DECLARE(pixel)

/* Shared by the feature types that divide by the depth at the pixel. */

/* Whether the list begins with a depth or a constant distance; if not, writes the reason. */
bool shw_depth_type_check_list(const struct shw_channel_list *channels, char why[SHW_WHY_SIZE]);

/* Regions or positions that count: 1 or 2. */
static inline uint32_t shw_depth_type_sides(const struct shw_feature *feature)
{
    return 1 + (feature->words[0] >> SHW_NODE_SECOND_SHIFT & 1);
}

/* For vector code. */
enum shw_depth_feature {
    SHW_DEPTH_FEATURE_MEANS,
    SHW_DEPTH_FEATURE_CURFIL,
    SHW_DEPTH_FEATURE_PIXELS,
    SHW_DEPTH_FEATURE_KINECT
};

SHW_VECTORS_DECLARE(depth_mean)
SHW_VECTORS_DECLARE(curfil)
SHW_VECTORS_DECLARE(depth_pixel)
SHW_VECTORS_DECLARE(kinect)

#endif
