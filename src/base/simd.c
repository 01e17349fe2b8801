#include "base/simd.h"

#include <stdlib.h>
#include <string.h>

static enum shw_simd level_of_processor(void)
{
#if SHW_SIMD_X86
    if (__builtin_cpu_supports("avx512f"))
        return SHW_SIMD_AVX512;
    if (__builtin_cpu_supports("avx2"))
        return SHW_SIMD_AVX2;
#endif
    return SHW_SIMD_VECTORS ? SHW_SIMD_PORTABLE : SHW_SIMD_NONE;
}

enum shw_simd shw_simd_level(void)
{
    static const char *const names[] = {"none", "portable", "avx2", "avx512"};
    enum shw_simd level = level_of_processor();
    const char *allowed = getenv("SHADEWOOD_SIMD");

    for (int i = SHW_SIMD_NONE; allowed != NULL && i < (int)level; i++)
        if (strcmp(allowed, names[i]) == 0)
            return (enum shw_simd)i;
    return level;
}
