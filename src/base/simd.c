#include "base/simd.h"

#include <stdlib.h>
#include <string.h>

enum shw_simd shw_simd_level(void)
{
#if SHW_SIMD_X86
    const char *allowed = getenv("SHADEWOOD_SIMD");

    if ((allowed == NULL || strcmp(allowed, "none") != 0) && __builtin_cpu_supports("avx2"))
        return SHW_SIMD_AVX2;
#endif
    return SHW_SIMD_NONE;
}
