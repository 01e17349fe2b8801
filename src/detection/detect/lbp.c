/* LBP on the host: local binary patterns of nine rectangles (Zhang 2007), as OpenCV tests them. */
#include "base/log.h"
#include "base/simd.h"
#include "detection/detect/rectangles.h"
#include "shared/detect_lbp.h"

/* A feature in integrals of a known pitch. */
struct lbp_feature {
    uint32_t corners[4][4]; /* [row][column] of the nine rectangles' corners, from the window's first value on */
};

static const struct lbp_feature *feature_of(const struct shw_rectangles_walker *walker,
                                            const struct shw_cascade_node *node)
{
    return (const struct lbp_feature *)walker->features + node->feature;
}

#if SHW_SIMD_X86
#include "detection/detect/lanes_avx2.h"

/* The nine sums of a feature, row by row. */
AVX2 void find_sums(const struct shw_rectangles_walker *walker, const struct lbp_feature *feature, struct bases bases,
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
    const struct shw_rectangles_walker *walker = handle;
    __m256i sums[9], patterns, words, last = _mm256_set1_epi32(31);

    (void)norms;
    find_sums(walker, feature_of(walker, node), bases, near, sums);
    patterns = find_patterns(sums);
    words = _mm256_permutevar8x32_epi32(load_lanes(node->subset), _mm256_srli_epi32(patterns, 5));
    /* The pattern's bit becomes the sign. */
    words = _mm256_sllv_epi32(words, _mm256_sub_epi32(last, _mm256_and_si256(patterns, last)));
    return _mm256_srai_epi32(words, 31);
}

__attribute__((target("avx2"))) static void add_tree_avx2(const void *handle, uint32_t tree,
                                                          struct shw_rectangles_windows *windows)
{
    const struct shw_rectangles_walker *walker = handle;

    add_tree_lanes(walker, walker->info, tree, false, find_left, windows);
}

#endif

static enum shw_result create(const struct shw_cascade *cascade, const struct shw_scan *scan, const struct shw_log *log,
                              void **out)
{
    return shw_rectangles_create_walker(sizeof(struct shw_rectangles_walker), sizeof(struct lbp_feature), cascade, scan,
                                        log, out);
}

static enum shw_result resize(void *handle, const struct shw_detect_plan *plan, const struct shw_log *log)
{
    struct shw_rectangles_walker *walker = handle;
    struct lbp_feature *features = walker->features;

    shw_rectangles_free(&walker->rectangles);
    for (uint32_t f = 0; f < walker->info->feature_count; f++) {
        const struct shw_cascade_rectangle *cell = &walker->info->features[f].rectangles[0];
        for (uint32_t i = 0; i < 16; i++)
            features[f].corners[i / 4][i % 4] =
                (cell->y + i / 4 * cell->height) * plan->mipmap_width + cell->x + i % 4 * cell->width;
    }
    return shw_rectangles_create(plan, false, false, log, &walker->rectangles);
}

static uint32_t find_pattern(const uint32_t *integral, const struct lbp_feature *feature)
{
    uint32_t values[4][4], sums[9];

    for (uint32_t i = 0; i < 16; i++)
        values[i / 4][i % 4] = integral[feature->corners[i / 4][i % 4]];
    for (uint32_t i = 0; i < 9; i++) {
        uint32_t y = i / 3, x = i % 3;
        sums[i] = values[y][x] - values[y][x + 1] - values[y + 1][x] + values[y + 1][x + 1];
    }
    return shw_lbp_pattern(sums);
}

static void add_tree(const void *handle, uint32_t tree, struct shw_rectangles_windows *windows)
{
    const struct shw_rectangles_walker *walker = handle;
    const struct shw_cascade_node *nodes = walker->info->nodes + walker->info->trees[tree].first_node;

    for (uint32_t w = 0; w < windows->count; w++) {
        const struct shw_cascade_node *node = nodes;
        while (node->is_split) {
            const uint32_t *integral = walker->rectangles.sums + windows->base[w];
            uint32_t pattern = find_pattern(integral, feature_of(walker, node));
            node = nodes + node->left + (~node->subset[pattern / 32] >> pattern % 32 & 1u);
        }
        windows->score[w] += node->value;
    }
}

static void walk(const void *handle, const struct shw_detect_band *band, struct shw_detect_tally *tally)
{
    const struct shw_rectangles_walker *walker = handle;
    struct shw_rectangles_walk walk = shw_rectangles_begin_walk(walker, band->level);

    walk.add_tree = add_tree;
#if SHW_SIMD_X86
    if (walker->has_avx2)
        walk.add_tree = add_tree_avx2;
#endif
    shw_rectangles_walk_band(&walk, band, tally);
}

const struct shw_detect_kind shw_detect_kind_lbp = SHW_RECTANGLES_KIND;
