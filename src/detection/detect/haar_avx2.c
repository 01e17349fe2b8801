#include "base/simd.h"

#if SHW_SIMD_X86

#include "detection/detect/haar.h"
#include "detection/detect/lanes_avx2.h"

/* The lower halves of the even 64-bit lanes, and those of the odd ones above them. */
AVX2 __m256i interleave(__m256i even, __m256i odd)
{
    return _mm256_blend_epi32(even, _mm256_shuffle_epi32(odd, 0xa0), 0xaa);
}

AVX2 __m256i odd_lanes(__m256i lanes)
{
    return _mm256_srli_epi64(lanes, 32);
}

/* shw_haar_norm() of the four even lanes, in 64-bit lanes. Everything but the square of the root is exact in double
 * precision. */
AVX2 __m256i find_norms(__m256i sums, __m256i squares, __m256i area)
{
    const __m256d shift = _mm256_set1_pd(0x1p52), scale = _mm256_set1_pd(256);
    __m256i variance = _mm256_sub_epi64(_mm256_mul_epu32(area, squares), _mm256_mul_epu32(sums, sums));
    __m256i least = _mm256_mul_epu32(_mm256_mul_epu32(area, _mm256_set1_epi64x(100)), area);
    __m256d exact = _mm256_sub_pd(_mm256_castsi256_pd(_mm256_or_si256(variance, _mm256_castpd_si256(shift))), shift);
    __m256d root = _mm256_floor_pd(_mm256_mul_pd(_mm256_sqrt_pd(exact), scale));
    __m256i roots = _mm256_xor_si256(_mm256_castpd_si256(_mm256_add_pd(root, shift)), _mm256_castpd_si256(shift));
    __m256i value = _mm256_slli_epi64(variance, 16), one = _mm256_set1_epi64x(1), next;

    roots = _mm256_add_epi64(roots, _mm256_cmpgt_epi64(_mm256_mul_epu32(roots, roots), value));
    next = _mm256_add_epi64(roots, one);
    roots = _mm256_blendv_epi8(next, roots, _mm256_cmpgt_epi64(_mm256_mul_epu32(next, next), value));
    return _mm256_and_si256(roots, _mm256_cmpgt_epi64(variance, least));
}

__attribute__((target("avx2"))) void shw_haar_set_norms_avx2(const void *handle, struct shw_rectangles_windows *windows)
{
    const struct shw_haar_walker *walker = handle;
    __m256i area = _mm256_set1_epi64x(walker->area);

    for (uint32_t w = 0; w < windows->count; w += LANES) {
        struct bases bases = load_bases(windows->base + w);
        bool near = bases_are_near(windows->base + w);
        __m256i sums = near ? sum_lanes(walker->rectangles.sums, walker->inside, bases, true)
                            : sum_lanes(walker->rectangles.sums, walker->inside, bases, false);
        __m256i squares = near ? sum_lanes(walker->rectangles.squares, walker->inside, bases, true)
                               : sum_lanes(walker->rectangles.squares, walker->inside, bases, false);
        __m256i even = find_norms(sums, squares, area);
        __m256i odd = find_norms(odd_lanes(sums), odd_lanes(squares), area);
        store_lanes(windows->norm + w, interleave(even, odd));
    }
}

/* All bits where shw_haar_is_right() is false. */
AVX2 __m256i find_left(const void *handle, const struct shw_cascade_node *node, struct bases bases, __m256i norms,
                       bool near)
{
    const struct shw_haar_walker *walker = handle;
    const struct shw_haar_feature *feature = &walker->features[node->feature];
    const uint32_t *integral = feature->is_tilted ? walker->rectangles.tilted : walker->rectangles.sums;
    __m256i threshold = _mm256_set1_epi32(node->threshold), unit = _mm256_set1_epi32(1 << 24);
    __m256i response = _mm256_setzero_si256(), even, odd;

    for (uint32_t r = 0; r < feature->count; r++)
        response =
            _mm256_add_epi32(response, _mm256_mullo_epi32(_mm256_set1_epi32(feature->weights[r]),
                                                          sum_lanes(integral, feature->corners[r], bases, near)));
    even = _mm256_cmpgt_epi64(_mm256_mul_epi32(threshold, norms), _mm256_mul_epi32(response, unit));
    odd =
        _mm256_cmpgt_epi64(_mm256_mul_epi32(threshold, odd_lanes(norms)), _mm256_mul_epi32(odd_lanes(response), unit));
    return interleave(even, odd);
}

__attribute__((target("avx2"))) void shw_haar_add_tree_avx2(const void *handle, uint32_t tree,
                                                            struct shw_rectangles_windows *windows)
{
    const struct shw_haar_walker *walker = handle;

    add_tree_lanes(walker, walker->info, tree, true, find_left, windows);
}

#else
typedef int shw_haar_avx2_is_empty;
#endif
