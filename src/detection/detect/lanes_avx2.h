/* Sums over rectangles, and trees that test them, for eight windows at once. Include only where SHW_SIMD_X86 is set. */
#ifndef SHW_DETECTION_DETECT_LANES_AVX2_H
#define SHW_DETECTION_DETECT_LANES_AVX2_H

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

#include "detection/detect/rectangles.h"

#define AVX2 __attribute__((target("avx2"), always_inline)) static inline

enum { LANES = 8 };

AVX2 __m256i load_lanes(const void *values)
{
    return _mm256_loadu_si256(values);
}

AVX2 void store_lanes(void *values, __m256i lanes)
{
    _mm256_storeu_si256(values, lanes);
}

/* Where eight windows begin. */
struct bases {
    __m256i all;
    __m256i offsets, is_far; /* from the first one, and which are 8 or more */
    uint32_t first;
};

/* Windows are in the order of their bases. */
AVX2 struct bases load_bases(const int32_t *values)
{
    struct bases bases = {.all = load_lanes(values), .first = (uint32_t)values[0]};

    bases.offsets = _mm256_sub_epi32(bases.all, _mm256_set1_epi32(values[0]));
    bases.is_far = _mm256_cmpgt_epi32(bases.offsets, _mm256_set1_epi32(LANES - 1));
    return bases;
}

/* Whether two vectors hold the values of all of them. */
AVX2 bool bases_are_near(const int32_t *values)
{
    return values[LANES - 1] - values[0] < 2 * LANES;
}

/* `near` is a constant: then loads and permutations take the place of a gather, which is slow on some processors. */
AVX2 __m256i load_corner(const uint32_t *integral, uint32_t corner, struct bases bases, bool near)
{
    __m256i lower, upper;

    if (!near)
        return _mm256_i32gather_epi32((const int *)(integral + corner), bases.all, 4);
    lower = _mm256_permutevar8x32_epi32(load_lanes(integral + corner + bases.first), bases.offsets);
    upper = _mm256_permutevar8x32_epi32(load_lanes(integral + corner + bases.first + LANES), bases.offsets);
    return _mm256_blendv_epi8(lower, upper, bases.is_far);
}

AVX2 __m256i sum_lanes(const uint32_t *integral, const uint32_t corners[4], struct bases bases, bool near)
{
    __m256i upper = _mm256_sub_epi32(load_corner(integral, corners[0], bases, near),
                                     load_corner(integral, corners[1], bases, near));
    __m256i lower = _mm256_sub_epi32(load_corner(integral, corners[3], bases, near),
                                     load_corner(integral, corners[2], bases, near));

    return _mm256_add_epi32(upper, lower);
}

/* All bits where the test of a node goes left; `norms` are zero for kinds that have none. */
typedef __m256i find_left_function(const void *walker, const struct shw_cascade_node *node, struct bases bases,
                                   __m256i norms, bool near);

/* The value of the leaf that each window reaches. Children come after their parents. */
AVX2 __m256i find_values(const void *walker, const struct shw_cascade_node *nodes, uint32_t count, struct bases bases,
                         __m256i norms, bool near, find_left_function *find_left)
{
    __m256i at = _mm256_setzero_si256(), values = _mm256_setzero_si256();

    for (uint32_t n = 0; n < count; n++) {
        __m256i is_here = _mm256_cmpeq_epi32(at, _mm256_set1_epi32((int32_t)n)), next;
        if (!nodes[n].is_split) {
            values = _mm256_or_si256(values, _mm256_and_si256(is_here, _mm256_set1_epi32(nodes[n].value)));
            continue;
        }
        if (_mm256_testz_si256(is_here, is_here))
            continue;
        next = _mm256_add_epi32(_mm256_set1_epi32((int32_t)nodes[n].left + 1),
                                find_left(walker, &nodes[n], bases, norms, near));
        at = _mm256_blendv_epi8(at, next, is_here);
    }
    return values;
}

/* struct shw_rectangles_walk.add_tree. `has_norms` and `find_left` are constants. */
AVX2 void add_tree_lanes(const void *walker, const struct shw_cascade_info *info, uint32_t tree, bool has_norms,
                         find_left_function *find_left, struct shw_rectangles_windows *windows)
{
    const struct shw_cascade_node *nodes = info->nodes + info->trees[tree].first_node;
    uint32_t count = info->trees[tree].node_count;

    for (uint32_t w = 0; w < windows->count; w += LANES) {
        struct bases bases = load_bases(windows->base + w);
        __m256i norms = has_norms ? load_lanes(windows->norm + w) : _mm256_setzero_si256();
        __m256i values = bases_are_near(windows->base + w)
                             ? find_values(walker, nodes, count, bases, norms, true, find_left)
                             : find_values(walker, nodes, count, bases, norms, false, find_left);
        store_lanes(windows->score + w, _mm256_add_epi32(load_lanes(windows->score + w), values));
    }
}

#endif
