/* For any processor, with the compiler's own vectors. */
#include "base/simd.h"

#if SHW_SIMD_VECTORS
#include "dense/feature/lanes_vectors.h"

#define PATCH(kind) shw_##kind##_patch_vectors

#include "dense/feature/rectangle_patch.h"

#endif
