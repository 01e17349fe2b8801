#include "base/simd.h"

#if SHW_SIMD_X86
#include "feature/lanes_avx512.h"

#define PATCH(kind) shw_##kind##_patch_avx512

#include "feature/depth_patch.h"

#endif
