/* HAAR on the host: weighted sums of upright and tilted rectangles (Viola and Jones 2001, Lienhart 2002), as OpenCV
 * tests them. */
#include "base/log.h"
#include "base/simd.h"
#include "detection/detect/rectangles.h"
#include "shared/detect_haar.h"

/* A feature in integrals of a known pitch. */
struct haar_feature {
    uint32_t count;
    bool is_tilted;
    int32_t weights[SHW_CASCADE_RECTANGLES_MAX];
    uint32_t corners[SHW_CASCADE_RECTANGLES_MAX][4]; /* from the window's first value on: added are 0 and 3 */
};

struct haar_walker {
    struct shw_rectangles_walker base;
    bool has_tilted;
    uint32_t inside[4], area; /* of the rectangle whose deviation counts */
};

static const struct haar_feature *feature_of(const struct haar_walker *walker, const struct shw_cascade_node *node)
{
    return (const struct haar_feature *)walker->base.features + node->feature;
}

#if SHW_SIMD_X86
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

/* In vectors, as the functions without. Values after the last window are overwritten. */
__attribute__((target("avx2"))) static void set_norms_avx2(const void *handle, struct shw_rectangles_windows *windows)
{
    const struct haar_walker *walker = handle;
    __m256i area = _mm256_set1_epi64x(walker->area);

    for (uint32_t w = 0; w < windows->count; w += LANES) {
        struct bases bases = load_bases(windows->base + w);
        bool near = bases_are_near(windows->base + w);
        __m256i sums = near ? sum_lanes(walker->base.rectangles.sums, walker->inside, bases, true)
                            : sum_lanes(walker->base.rectangles.sums, walker->inside, bases, false);
        __m256i squares = near ? sum_lanes(walker->base.rectangles.squares, walker->inside, bases, true)
                               : sum_lanes(walker->base.rectangles.squares, walker->inside, bases, false);
        __m256i even = find_norms(sums, squares, area);
        __m256i odd = find_norms(odd_lanes(sums), odd_lanes(squares), area);
        store_lanes(windows->norm + w, interleave(even, odd));
    }
}

/* All bits where shw_haar_is_right() is false. */
AVX2 __m256i find_left(const void *handle, const struct shw_cascade_node *node, struct bases bases, __m256i norms,
                       bool near)
{
    const struct haar_walker *walker = handle;
    const struct haar_feature *feature = feature_of(walker, node);
    const uint32_t *integral = feature->is_tilted ? walker->base.rectangles.tilted : walker->base.rectangles.sums;
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

__attribute__((target("avx2"))) static void add_tree_avx2(const void *handle, uint32_t tree,
                                                          struct shw_rectangles_windows *windows)
{
    const struct haar_walker *walker = handle;

    add_tree_lanes(walker, walker->base.info, tree, true, find_left, windows);
}

#endif

#define INSET 1u /* from the window's border to the rectangle whose deviation counts */

static enum shw_result create(const struct shw_cascade *cascade, const struct shw_scan *scan, const struct shw_log *log,
                              void **out)
{
    struct haar_walker *walker;

    SHW_PROPAGATE(shw_rectangles_create_walker(sizeof *walker, sizeof(struct haar_feature), cascade, scan, log, out));
    walker = *out;
    for (uint32_t f = 0; f < walker->base.info->feature_count; f++)
        walker->has_tilted |= walker->base.info->features[f].tilted;
    return SHW_OK;
}

static void place_upright(uint32_t x, uint32_t y, uint32_t width, uint32_t height, uint32_t pitch, uint32_t corners[4])
{
    corners[0] = y * pitch + x;
    corners[1] = corners[0] + width;
    corners[2] = corners[0] + height * pitch;
    corners[3] = corners[2] + width;
}

static void place_tilted(const struct shw_cascade_rectangle *rectangle, uint32_t pitch, uint32_t corners[4])
{
    uint32_t width = rectangle->width, height = rectangle->height;

    corners[0] = rectangle->y * pitch + rectangle->x;
    corners[1] = corners[0] + width * pitch + width;
    corners[2] = corners[0] + height * pitch - height;
    corners[3] = corners[1] + height * pitch - height;
}

static void place_feature(const struct shw_cascade_feature *from, uint32_t pitch, struct haar_feature *feature)
{
    feature->count = from->rectangle_count;
    feature->is_tilted = from->tilted;
    for (uint32_t r = 0; r < from->rectangle_count; r++) {
        const struct shw_cascade_rectangle *rectangle = &from->rectangles[r];
        feature->weights[r] = rectangle->weight;
        if (from->tilted)
            place_tilted(rectangle, pitch, feature->corners[r]);
        else
            place_upright(rectangle->x, rectangle->y, rectangle->width, rectangle->height, pitch, feature->corners[r]);
    }
}

static enum shw_result resize(void *handle, const struct shw_detect_plan *plan, const struct shw_log *log)
{
    struct haar_walker *walker = handle;
    struct haar_feature *features = walker->base.features;
    uint32_t width = walker->base.info->window_width - 2 * INSET, height = walker->base.info->window_height - 2 * INSET;

    shw_rectangles_free(&walker->base.rectangles);
    for (uint32_t f = 0; f < walker->base.info->feature_count; f++)
        place_feature(&walker->base.info->features[f], plan->mipmap_width, &features[f]);
    place_upright(INSET, INSET, width, height, plan->mipmap_width, walker->inside);
    walker->area = width * height;
    return shw_rectangles_create(plan, true, walker->has_tilted, log, &walker->base.rectangles);
}

static uint32_t sum_over(const uint32_t *integral, const uint32_t corners[4])
{
    return integral[corners[0]] - integral[corners[1]] - integral[corners[2]] + integral[corners[3]];
}

static void set_norms(const void *handle, struct shw_rectangles_windows *windows)
{
    const struct haar_walker *walker = handle;

    for (uint32_t w = 0; w < windows->count; w++) {
        uint32_t sum = sum_over(walker->base.rectangles.sums + windows->base[w], walker->inside);
        uint32_t squares = sum_over(walker->base.rectangles.squares + windows->base[w], walker->inside);
        windows->norm[w] = shw_haar_norm(walker->area, sum, squares);
    }
}

static int32_t respond(const struct haar_walker *walker, const struct haar_feature *feature, int32_t base)
{
    const uint32_t *integral =
        (feature->is_tilted ? walker->base.rectangles.tilted : walker->base.rectangles.sums) + base;
    int32_t response = 0;

    for (uint32_t r = 0; r < feature->count; r++)
        response += feature->weights[r] * (int32_t)sum_over(integral, feature->corners[r]);
    return response;
}

static void add_tree(const void *handle, uint32_t tree, struct shw_rectangles_windows *windows)
{
    const struct haar_walker *walker = handle;
    const struct shw_cascade_node *nodes = walker->base.info->nodes + walker->base.info->trees[tree].first_node;

    for (uint32_t w = 0; w < windows->count; w++) {
        const struct shw_cascade_node *node = nodes;
        while (node->is_split) {
            int32_t response = respond(walker, feature_of(walker, node), windows->base[w]);
            node = nodes + node->left + shw_haar_is_right(response, node->threshold, windows->norm[w]);
        }
        windows->score[w] += node->value;
    }
}

static void walk(const void *handle, const struct shw_detect_band *band, struct shw_detect_tally *tally)
{
    const struct haar_walker *walker = handle;
    struct shw_rectangles_walk walk = shw_rectangles_begin_walk(&walker->base, band->level);

    walk.set_norms = set_norms;
    walk.add_tree = add_tree;
#if SHW_SIMD_X86
    if (walker->base.has_avx2) {
        walk.set_norms = set_norms_avx2;
        walk.add_tree = add_tree_avx2;
    }
#endif
    shw_rectangles_walk_band(&walk, band, tally);
}

const struct shw_detect_kind shw_detect_kind_haar = SHW_RECTANGLES_KIND;
