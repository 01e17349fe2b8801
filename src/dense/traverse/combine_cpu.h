/* Combines the leaves of each pixel into its distribution and its class, on the CPU. */
#ifndef SHW_DENSE_TRAVERSE_COMBINE_CPU_H
#define SHW_DENSE_TRAVERSE_COMBINE_CPU_H

#include <shadewood/forest.h>

#include "base/simd.h"

/* Adjacent pixels of one row. */
struct shw_combining {
    const struct shw_forest *forest;
    const uint32_t *leaves; /* [tree * leaf_pitch + pixel] */
    size_t leaf_pitch;
    uint32_t count;
    uint16_t *argmax;       /* or NULL */
    uint16_t *distribution; /* or NULL; [class * plane + pixel] */
    size_t plane;
};

/* Elements of scratch memory that shw_combine() needs. */
static inline size_t shw_combine_memory(uint32_t classes)
{
    return classes + 32u;
}

void shw_combine(const struct shw_combining *combining, uint32_t *memory, enum shw_simd simd);

/* shw_combine() with AVX2, for processors that have it. */
void shw_combine_avx2(const struct shw_combining *combining, uint32_t *memory);

#endif
