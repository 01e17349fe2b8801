#include "dense/traverse/combine_cpu.h"

#include <string.h>

#include <shadewood/dataset.h>

#include "dense/forest/forest.h"

static void add_distribution(uint32_t *sums, const uint16_t *distribution, uint32_t classes)
{
    for (uint32_t c = 0; c < classes; c++)
        sums[c] += distribution[c];
}

static uint32_t largest(const uint32_t *sums, uint32_t classes)
{
    uint32_t best = SHW_LABEL_VOID, most = 0;

    for (uint32_t c = 0; c < classes; c++)
        if (sums[c] > most) {
            most = sums[c];
            best = c;
        }
    return best;
}

static void combine_portable(const struct shw_combining *combining, uint32_t *sums)
{
    const struct shw_forest_info *info = shw_forest_get_info(combining->forest);
    uint32_t classes = info->class_count, trees = info->tree_count;

    for (uint32_t i = 0; i < combining->count; i++) {
        memset(sums, 0, classes * sizeof *sums);
        for (uint32_t t = 0; t < trees && combining->leaves[i] != SHW_LEAF_NONE; t++)
            add_distribution(
                sums, shw_forest_get_values(combining->forest, t, combining->leaves[t * combining->leaf_pitch + i]),
                classes);
        if (combining->argmax != NULL)
            combining->argmax[i] = (uint16_t)largest(sums, classes);
        if (combining->distribution != NULL)
            for (uint32_t c = 0; c < classes; c++)
                combining->distribution[c * combining->plane + i] = (uint16_t)((2 * sums[c] + trees) / (2 * trees));
    }
}

void shw_combine(const struct shw_combining *combining, uint32_t *memory, enum shw_simd simd)
{
    if (simd >= SHW_SIMD_AVX2)
        shw_combine_avx2(combining, memory);
    else
        combine_portable(combining, memory);
}
