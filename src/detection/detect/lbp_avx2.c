#include "base/simd.h"

#if SHW_SIMD_X86

#include "detection/detect/lanes_avx2.h"
#include "detection/detect/lbp.h"

/* The nine sums of a feature, row by row. */
AVX2 void find_sums(const struct shw_lbp_walker *walker, const struct shw_lbp_feature *feature, struct bases bases,
                    bool near, __m256i sums[9])
{
    __m256i across[4][3]; /* differences of corners in a row */

    for (int y = 0; y < 4; y++) {
        __m256i left = load_corner(walker->rectangles.sums, feature->corners[y][0], bases, near);
        for (int x = 0; x < 3; x++) {
            __m256i right = load_corner(walker->rectangles.sums, feature->corners[y][x + 1], bases, near);
            across[y][x] = _mm256_sub_epi32(right, left);
            left = right;
        }
    }
    for (int i = 0; i < 9; i++)
        sums[i] = _mm256_sub_epi32(across[i / 3 + 1][i % 3], across[i / 3][i % 3]);
}

/* shw_lbp_pattern(); sums are below 2^31. */
AVX2 __m256i find_patterns(const __m256i sums[9])
{
    static const int order[8] = {0, 1, 2, 5, 8, 7, 6, 3}; /* from the highest bit on */
    __m256i pattern = _mm256_setzero_si256();

    for (int i = 0; i < 8; i++) {
        __m256i is_less = _mm256_cmpgt_epi32(sums[4], sums[order[i]]);
        pattern = _mm256_or_si256(pattern, _mm256_andnot_si256(is_less, _mm256_set1_epi32(128 >> i)));
    }
    return pattern;
}

/* All bits where the pattern is in the node's subset. */
AVX2 __m256i find_left(const void *handle, const struct shw_cascade_node *node, struct bases bases, __m256i norms,
                       bool near)
{
    const struct shw_lbp_walker *walker = handle;
    __m256i sums[9], patterns, words, last = _mm256_set1_epi32(31);

    (void)norms;
    find_sums(walker, &walker->features[node->feature], bases, near, sums);
    patterns = find_patterns(sums);
    words = _mm256_permutevar8x32_epi32(load_lanes(node->subset), _mm256_srli_epi32(patterns, 5));
    /* The pattern's bit becomes the sign. */
    words = _mm256_sllv_epi32(words, _mm256_sub_epi32(last, _mm256_and_si256(patterns, last)));
    return _mm256_srai_epi32(words, 31);
}

__attribute__((target("avx2"))) void shw_lbp_add_tree_avx2(const void *handle, uint32_t tree,
                                                           struct shw_rectangles_windows *windows)
{
    const struct shw_lbp_walker *walker = handle;

    add_tree_lanes(walker, walker->info, tree, false, find_left, windows);
}

#else
typedef int shw_lbp_avx2_is_empty;
#endif
