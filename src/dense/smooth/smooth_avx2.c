#include "base/simd.h"

#if SHW_SIMD_X86
#define LOOPS  shw_smooth_loops_avx2
#define TARGET __attribute__((target("avx2")))

#include "dense/smooth/smooth_loops.h"

#endif
