#include "base/simd.h"

#include <stdlib.h>
#include <string.h>

enum shw_simd shw_simd_level(void)
{
#if SHW_SIMD_X86
    const char *allowed = getenv("SHADEWOOD_SIMD");

    if ((allowed != NULL && strcmp(allowed, "none") == 0) || !__builtin_cpu_supports("avx2"))
        return SHW_SIMD_NONE;
    if ((allowed != NULL && strcmp(allowed, "avx2") == 0) || !__builtin_cpu_supports("avx512f"))
        return SHW_SIMD_AVX2;
    return SHW_SIMD_AVX512;
#else
    return SHW_SIMD_NONE;
#endif
}
