/* From the leaves of pixels to their distributions and classes, on the CPU. */
#ifndef SHW_EVALUATE_COMBINE_CPU_H
#define SHW_EVALUATE_COMBINE_CPU_H

#include <shadewood/forest.h>

#include "base/simd.h"

/* Neighbouring pixels of a row. */
struct shw_combining {
    const struct shw_forest *forest;
    const uint32_t *leaves; /* one a pixel, and those of the next tree */
    size_t leaf_pitch;      /* so much farther */
    uint32_t count;
    uint16_t *argmax;       /* or NULL */
    uint16_t *distribution; /* or NULL; one a pixel, and those of the next class */
    size_t plane;           /* so much farther */
};

/* Elements of memory that shw_combine() needs. */
static inline size_t shw_combine_memory(uint32_t classes)
{
    return classes + 32u;
}

void shw_combine(const struct shw_combining *combining, uint32_t *memory, enum shw_simd simd);

/* The same by vector instructions, for processors that have them. */
void shw_combine_avx2(const struct shw_combining *combining, uint32_t *memory);

#endif
