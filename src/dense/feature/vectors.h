/* What feature types with vector code define: `KIND_patch_` and `KIND_respond_`, with the name of the instructions. */
#ifndef SHW_DENSE_FEATURE_VECTORS_H
#define SHW_DENSE_FEATURE_VECTORS_H

#include "dense/feature/feature_code.h"

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

#endif
