/* Evaluation with vector instructions. Neighbouring pixels mostly take the same way through a tree. So up to 64 of a row descend together:
 * each node that any of them reaches is looked at once, with a mask of the pixels that are there. The corners of their rectangles then
 * lie side by side in the integral images, and eight pixels take one load a corner instead of eight. */
#include "evaluate/evaluate_cpu.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#include "shared/forest_texture.h"

#define AVX2    __attribute__((target("avx2"), always_inline)) static inline
#define LANES   8u
#define SEGMENT 64u /* bits of a mask */

#define NODE_WORDS (4u * SHW_NODE_TEXELS)

/* Makes up for the rounding of a reciprocal and of its product with a sum below 2^30: large enough that no quotient falls short
 * of a whole number that it reaches, small enough that none is lifted to the next. */
#define RECIPROCAL_LIFT (1.0 + 0x1p-40)

struct segment {
    const uint32_t *integrals;
    size_t stride, pitch;
    struct shw_rect image;
    int32_t x, y; /* of its first pixel */
    int is_mean;
};

/* A rectangle for the pixels of one row; shw_rect_place() for all of them. */
struct placed {
    const uint32_t *top, *bottom; /* rows of the integral image */
    int32_t x0, x1;               /* relative to the pixel */
    int32_t first, last;          /* where it lies within the image for eight pixels from here on */
    int32_t height;
    double reciprocal; /* of its area where it is not clipped */
};

AVX2 struct placed place(const struct segment *segment, uint32_t channel, uint32_t low, uint32_t high)
{
    const struct shw_rect image = segment->image;
    struct placed placed = {.x0 = shw_low16(low), .x1 = shw_low16(high)};
    int32_t y0 = shw_clamp(segment->y + shw_high16(low), image.y0, image.y1 - 1);
    int32_t y1 = shw_clamp(segment->y + shw_high16(high), y0 + 1, image.y1);
    const uint32_t *plane = segment->integrals + channel * segment->pitch;

    placed.top = plane + (size_t)y0 * segment->stride;
    placed.bottom = plane + (size_t)y1 * segment->stride;
    placed.first = image.x0 - placed.x0;
    placed.last = image.x1 - placed.x1 - (int32_t)(LANES - 1);
    placed.height = y1 - y0;
    if (segment->is_mean)
        placed.reciprocal = RECIPROCAL_LIFT / ((double)(placed.x1 - placed.x0) * placed.height);
    return placed;
}

AVX2 __m256i load8(const uint32_t *from)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

/* Sums over a rectangle that is clipped for none of the eight pixels from x on, or their means. */
AVX2 __m256i value_inside(const struct placed *placed, int32_t x, int is_mean)
{
    ptrdiff_t x0 = x + placed->x0, x1 = x + placed->x1;
    __m256i sum = _mm256_add_epi32(_mm256_sub_epi32(load8(placed->bottom + x1), load8(placed->bottom + x0)),
                                   _mm256_sub_epi32(load8(placed->top + x0), load8(placed->top + x1)));
    __m256d reciprocal, low, high;

    if (!is_mean)
        return sum;
    reciprocal = _mm256_set1_pd(placed->reciprocal);
    low = _mm256_mul_pd(_mm256_cvtepi32_pd(_mm256_castsi256_si128(sum)), reciprocal);
    high = _mm256_mul_pd(_mm256_cvtepi32_pd(_mm256_extracti128_si256(sum, 1)), reciprocal);
    return _mm256_set_m128i(_mm256_cvttpd_epi32(high), _mm256_cvttpd_epi32(low));
}

/* Doubles hold both exactly, and a quotient below 2^30 is never rounded up to a whole number that it does not reach. */
AVX2 __m128i divide4(__m128i sum, __m128i area)
{
    return _mm256_cvttpd_epi32(_mm256_div_pd(_mm256_cvtepi32_pd(sum), _mm256_cvtepi32_pd(area)));
}

/* Clamps the eight places from `start` on: the first of eight neighbouring places that hold all results, and where in them. */
AVX2 int32_t clamp_places(int32_t start, int32_t low, int32_t high, __m256i *index)
{
    int32_t base = shw_clamp(start, low, high - (int32_t)(LANES - 1));
    __m256i place = _mm256_add_epi32(_mm256_set1_epi32(start - base), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));

    *index = _mm256_min_epi32(_mm256_max_epi32(place, _mm256_setzero_si256()), _mm256_set1_epi32((int32_t)LANES - 1));
    return base;
}

/* The same where borders of the image are near. The image is at least eight pixels wide. */
AVX2 __m256i value_clipped(const struct placed *placed, struct shw_rect image, int32_t x, int is_mean)
{
    __m256i index0, index1, sum, area;
    ptrdiff_t base0 = clamp_places(x + placed->x0, image.x0, image.x1 - 1, &index0);
    ptrdiff_t base1 = clamp_places(x + placed->x1, image.x0 + 1, image.x1, &index1);

    sum = _mm256_add_epi32(
        _mm256_permutevar8x32_epi32(_mm256_sub_epi32(load8(placed->bottom + base1), load8(placed->top + base1)), index1),
        _mm256_permutevar8x32_epi32(_mm256_sub_epi32(load8(placed->top + base0), load8(placed->bottom + base0)), index0));
    if (!is_mean)
        return sum;
    area = _mm256_add_epi32(_mm256_set1_epi32((int32_t)(base1 - base0)), _mm256_sub_epi32(index1, index0));
    area = _mm256_mullo_epi32(area, _mm256_set1_epi32(placed->height));
    return _mm256_set_m128i(divide4(_mm256_extracti128_si256(sum, 1), _mm256_extracti128_si256(area, 1)),
                            divide4(_mm256_castsi256_si128(sum), _mm256_castsi256_si128(area)));
}

AVX2 __m256i value8(const struct placed *placed, struct shw_rect image, int32_t x, int is_mean)
{
    if (x >= placed->first && x <= placed->last)
        return value_inside(placed, x, is_mean);
    return value_clipped(placed, image, x, is_mean);
}

/* Which of the pixels `mask` go right from this node. */
AVX2 uint64_t go_right(const struct segment *segment, const uint32_t *node, uint64_t mask, int is_mean)
{
    struct placed rect0 = place(segment, node[1] & SHW_NODE_CHANNEL_MASK, node[4], node[5]);
    struct placed rect1 = place(segment, (node[1] >> SHW_NODE_CHANNEL_BITS) & SHW_NODE_CHANNEL_MASK, node[6], node[7]);
    const __m256i t0 = _mm256_set1_epi32((int32_t)node[2]), t1 = _mm256_set1_epi32((int32_t)node[3]);
    int has_second = (int)(node[1] >> SHW_NODE_SECOND_SHIFT) & 1;
    uint64_t right = 0;

    for (uint64_t rest = mask; rest != 0;) {
        uint32_t first = (uint32_t)__builtin_ctzll(rest) & ~(LANES - 1);
        int32_t x = segment->x + (int32_t)first;
        __m256i response = value8(&rect0, segment->image, x, is_mean);
        if (has_second)
            response = _mm256_sub_epi32(response, value8(&rect1, segment->image, x, is_mean));
        response = _mm256_andnot_si256(_mm256_cmpgt_epi32(t0, response), _mm256_cmpgt_epi32(t1, response));
        right |= (uint64_t)(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(response)) << first;
        rest &= ~((uint64_t)0xff << first);
    }
    return right & mask;
}

AVX2 void store_leaf(uint32_t *leaves, uint64_t mask, uint32_t leaf)
{
    const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128), value = _mm256_set1_epi32((int32_t)leaf);

    for (uint64_t rest = mask; rest != 0;) {
        uint32_t first = (uint32_t)__builtin_ctzll(rest) & ~(LANES - 1);
        __m256i here = _mm256_and_si256(_mm256_set1_epi32((int32_t)(rest >> first & 0xff)), bits);
        __m256i chosen = _mm256_cmpeq_epi32(here, bits);
        _mm256_storeu_si256((__m256i *)(void *)(leaves + first), _mm256_blendv_epi8(load8(leaves + first), value, chosen));
        rest &= ~((uint64_t)0xff << first);
    }
}

AVX2 void descend(const struct segment *segment, const uint32_t *root, uint64_t mask, uint32_t *leaves, int is_mean)
{
    struct {
        const uint32_t *node;
        uint64_t mask;
    } waiting[SHW_DEPTH_MAX];
    uint32_t count = 0;
    const uint32_t *node = root;

    for (;;) {
        uint64_t right;
        if ((node[1] >> SHW_NODE_SPLIT_SHIFT & 1) == 0) {
            store_leaf(leaves, mask, node[2]);
            if (count == 0)
                break;
            node = waiting[--count].node;
            mask = waiting[count].mask;
            continue;
        }
        right = go_right(segment, node, mask, is_mean);
        node = root + (size_t)NODE_WORDS * node[0];
        if (right == mask) {
            node += NODE_WORDS;
        } else if (right != 0) {
            waiting[count].node = node + NODE_WORDS;
            waiting[count++].mask = right;
            mask ^= right;
        }
    }
}

__attribute__((target("avx2"))) static void evaluate_row(struct segment segment, const uint32_t *root, uint32_t count,
                                                         uint32_t *leaves)
{
    for (uint32_t done = 0; done < count;) {
        uint32_t rest = count - done < SEGMENT ? count - done : SEGMENT;
        uint32_t whole = (rest + LANES - 1) & ~(LANES - 1), begin; /* the last lanes overlap those before */
        struct segment here = segment;

        if (whole > count)
            rest = whole = whole - LANES;
        begin = done + rest - whole;
        here.x += (int32_t)begin;
        if (segment.is_mean)
            descend(&here, root, ~(uint64_t)0 >> (SEGMENT - whole), leaves + begin, 1);
        else
            descend(&here, root, ~(uint64_t)0 >> (SEGMENT - whole), leaves + begin, 0);
        done += rest;
    }
}

uint32_t shw_evaluate_row_avx2(const struct shw_evaluate_tile *tile, uint32_t tree, uint32_t x, uint32_t y, uint32_t count,
                               uint32_t *leaves)
{
    const uint32_t *texels = shw_forest_get_texture(tile->forest).texels;
    struct segment segment = {.integrals = tile->integrals,
                              .stride = tile->width + 1,
                              .pitch = (size_t)(tile->width + 1) * (tile->height + 1),
                              .image = tile->image,
                              .x = (int32_t)x,
                              .y = (int32_t)y,
                              .is_mean = shw_forest_get_info(tile->forest)->feature == SHW_FEATURE_MEAN_DIFFERENCE};

    if (count < LANES || !__builtin_cpu_supports("avx2"))
        return 0;
    evaluate_row(segment, texels + 4 * (size_t)texels[4 * (1 + (size_t)tree)], count, leaves);
    return count;
}

#else

uint32_t shw_evaluate_row_avx2(const struct shw_evaluate_tile *tile, uint32_t tree, uint32_t x, uint32_t y, uint32_t count,
                               uint32_t *leaves)
{
    (void)tile, (void)tree, (void)x, (void)y, (void)count, (void)leaves;
    return 0;
}

#endif
