#include "base/simd.h"

#if SHW_SIMD_X86
#include "dense/feature/lanes_avx512.h"

#define PATCH(kind) shw_##kind##_patch_avx512

#include "dense/feature/depth_patch.h"

#endif
