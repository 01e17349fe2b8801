#include "dense/traverse/combine_cpu.h"

#if SHW_SIMD_X86
#include <immintrin.h>

#include <shadewood/dataset.h>

#include "dense/forest/forest.h"

#define AVX2   __attribute__((target("avx2"), always_inline)) static inline
#define GROUP  SHW_CLASSES_PER_TEXEL /* classes per vector */
#define GROUPS 4u                    /* vectors summed at a time */

/* Compensates for the rounding of the reciprocal, as rectangle_patch.h does. */
#define RECIPROCAL_LIFT (1.0 + 0x1p-40)

/* Shared by all pixels. */
struct tables {
    const uint16_t *distributions; /* of the first leaf of the first tree; all trees follow it */
    const uint32_t *texels;
    size_t stride; /* from one leaf to the next */
    uint32_t trees, classes;
    __m256i last; /* the last group: all bits set in the lanes that hold classes */
};

AVX2 uint32_t first_leaf(const struct tables *tables, uint32_t tree)
{
    return tables->texels[4 * (1 + (size_t)tree) + 3];
}

/* Sums `groups` groups of classes over the trees. */
AVX2 void sum_groups(const struct shw_combining *combining, const struct tables *tables, uint32_t pixel, uint32_t group,
                     uint32_t groups, __m256i *sums)
{
    for (uint32_t g = 0; g < groups; g++)
        sums[g] = _mm256_setzero_si256();
    for (uint32_t t = 0; t < tables->trees && combining->leaves[pixel] != SHW_LEAF_NONE; t++) {
        size_t leaf = (size_t)first_leaf(tables, t) + combining->leaves[t * combining->leaf_pitch + pixel];
        const uint16_t *values = tables->distributions + leaf * tables->stride + (size_t)group * GROUP;
        for (uint32_t g = 0; g < groups; g++) {
            __m128i eight = _mm_loadu_si128((const __m128i *)(const void *)(values + (size_t)g * GROUP));
            sums[g] = _mm256_add_epi32(sums[g], _mm256_cvtepu16_epi32(eight));
        }
    }
    if ((group + groups) * GROUP >= tables->classes)
        sums[groups - 1] = _mm256_and_si256(sums[groups - 1], tables->last);
}

AVX2 __m256i largest_lane(__m256i values)
{
    values = _mm256_max_epu32(values, _mm256_permute2x128_si256(values, values, 1));
    values = _mm256_max_epu32(values, _mm256_shuffle_epi32(values, 0x4e));
    return _mm256_max_epu32(values, _mm256_shuffle_epi32(values, 0xb1));
}

/* Returns the index of the first largest sum, and that sum in every lane. */
AVX2 uint32_t find_largest(const __m256i *sums, uint32_t groups, __m256i *largest)
{
    uint32_t places = 0;

    *largest = sums[0];
    for (uint32_t g = 1; g < groups; g++)
        *largest = _mm256_max_epu32(*largest, sums[g]);
    *largest = largest_lane(*largest);
    for (uint32_t g = 0; g < groups; g++) {
        __m256i equal = _mm256_cmpeq_epi32(sums[g], *largest);
        places |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(equal)) << (g * GROUP);
    }
    return (uint32_t)__builtin_ctz(places);
}

/* Means of eight sums, rounded to nearest: (2 sum + trees) / (2 trees). */
AVX2 __m256i mean_of(__m256i sums, uint32_t trees)
{
    __m256i doubled = _mm256_add_epi32(_mm256_add_epi32(sums, sums), _mm256_set1_epi32((int32_t)trees));
    __m256d reciprocal = _mm256_set1_pd(RECIPROCAL_LIFT / (2.0 * trees));
    __m256d low = _mm256_cvtepi32_pd(_mm256_castsi256_si128(doubled));
    __m256d high = _mm256_cvtepi32_pd(_mm256_extracti128_si256(doubled, 1));

    return _mm256_set_m128i(_mm256_cvttpd_epi32(_mm256_mul_pd(high, reciprocal)),
                            _mm256_cvttpd_epi32(_mm256_mul_pd(low, reciprocal)));
}

struct pixel {
    uint32_t number, largest, argmax;
    uint32_t *means;
};

AVX2 void combine_groups(const struct shw_combining *combining, const struct tables *tables, struct pixel *pixel,
                         uint32_t group, uint32_t groups)
{
    __m256i sums[GROUPS], largest;
    uint32_t place, value;

    sum_groups(combining, tables, pixel->number, group, groups, sums);
    if (combining->distribution != NULL)
        for (uint32_t g = 0; g < groups; g++)
            _mm256_storeu_si256((__m256i *)(void *)(pixel->means + (size_t)(group + g) * GROUP),
                                mean_of(sums[g], tables->trees));
    place = find_largest(sums, groups, &largest);
    value = (uint32_t)_mm256_cvtsi256_si32(largest);
    if (value > pixel->largest) {
        pixel->largest = value;
        pixel->argmax = group * GROUP + place;
    }
}

AVX2 void combine_pixel(const struct shw_combining *combining, const struct tables *tables, struct pixel *pixel)
{
    uint32_t group = 0, count = (tables->classes + GROUP - 1) / GROUP;

    for (; count - group > GROUPS; group += GROUPS)
        combine_groups(combining, tables, pixel, group, GROUPS);
    switch (count - group) {
    case 1: combine_groups(combining, tables, pixel, group, 1); break;
    case 2: combine_groups(combining, tables, pixel, group, 2); break;
    case 3: combine_groups(combining, tables, pixel, group, 3); break;
    default: combine_groups(combining, tables, pixel, group, GROUPS); break;
    }
    if (combining->argmax != NULL)
        combining->argmax[pixel->number] = (uint16_t)pixel->argmax;
    if (combining->distribution != NULL)
        for (uint32_t c = 0; c < tables->classes; c++)
            combining->distribution[c * combining->plane + pixel->number] = (uint16_t)pixel->means[c];
}

__attribute__((target("avx2"))) void shw_combine_avx2(const struct shw_combining *combining, uint32_t *memory)
{
    const struct shw_forest_info *info = shw_forest_get_info(combining->forest);
    uint32_t classes_in_last = (info->class_count - 1) % GROUP + 1;
    struct tables tables = {.distributions = shw_forest_get_values(combining->forest, 0, 0),
                            .texels = shw_forest_get_texture(combining->forest).texels,
                            .stride = (size_t)GROUP * SHW_DISTRIBUTION_TEXELS(info->class_count),
                            .trees = info->tree_count,
                            .classes = info->class_count};

    tables.last =
        _mm256_cmpgt_epi32(_mm256_set1_epi32((int32_t)classes_in_last), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    for (uint32_t i = 0; i < combining->count; i++) {
        struct pixel pixel = {.number = i, .argmax = SHW_LABEL_VOID, .means = memory};
        combine_pixel(combining, &tables, &pixel);
    }
}

#else

void shw_combine_avx2(const struct shw_combining *combining, uint32_t *memory)
{
    (void)combining, (void)memory;
}

#endif
