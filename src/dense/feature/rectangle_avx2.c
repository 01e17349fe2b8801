#include "base/simd.h"

#if SHW_SIMD_X86
#include "dense/feature/lanes_avx2.h"

#define PATCH(kind) shw_##kind##_patch_avx2

#include "dense/feature/rectangle_patch.h"

#endif
