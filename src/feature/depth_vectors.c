#include "base/simd.h"

#if SHW_SIMD_VECTORS
#include "feature/lanes_vectors.h"

#define PATCH(kind) shw_##kind##_patch_vectors

#include "feature/depth_patch.h"

#endif
