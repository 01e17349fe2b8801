#include "evaluate/evaluate_cpu.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#include "shared/forest_texture.h"

#define AVX2 __attribute__((target("avx2"), always_inline)) static inline

/* Eight neighbouring pixels of a row, each in a node of its own; the arithmetic of shared/response.h. */
struct lanes {
    const int *integrals;
    __m256i x, y, image_x0, image_y0, image_x1, image_y1, stride, pitch;
};

AVX2 __m256i clamp8(__m256i value, __m256i low, __m256i high)
{
    return _mm256_min_epi32(_mm256_max_epi32(value, low), high);
}

AVX2 __m256i low16(__m256i word)
{
    return _mm256_srai_epi32(_mm256_slli_epi32(word, 16), 16);
}

/* Doubles hold both exactly, and a quotient below 2^30 is never rounded up to a whole number that it does not reach. */
AVX2 __m128i divide4(__m128i sum, __m128i area)
{
    return _mm256_cvttpd_epi32(_mm256_div_pd(_mm256_cvtepi32_pd(sum), _mm256_cvtepi32_pd(area)));
}

AVX2 __m256i rectangle8(const struct lanes *lanes, __m256i channel, __m256i low, __m256i high, int is_mean)
{
    const __m256i one = _mm256_set1_epi32(1);
    __m256i x0 = clamp8(_mm256_add_epi32(lanes->x, low16(low)), lanes->image_x0, _mm256_sub_epi32(lanes->image_x1, one));
    __m256i y0 =
        clamp8(_mm256_add_epi32(lanes->y, _mm256_srai_epi32(low, 16)), lanes->image_y0, _mm256_sub_epi32(lanes->image_y1, one));
    __m256i x1 = clamp8(_mm256_add_epi32(lanes->x, low16(high)), _mm256_add_epi32(x0, one), lanes->image_x1);
    __m256i y1 = clamp8(_mm256_add_epi32(lanes->y, _mm256_srai_epi32(high, 16)), _mm256_add_epi32(y0, one), lanes->image_y1);
    __m256i plane = _mm256_mullo_epi32(channel, lanes->pitch);
    __m256i top = _mm256_add_epi32(plane, _mm256_mullo_epi32(y0, lanes->stride));
    __m256i bottom = _mm256_add_epi32(plane, _mm256_mullo_epi32(y1, lanes->stride));
    __m256i sum = _mm256_sub_epi32(_mm256_i32gather_epi32(lanes->integrals, _mm256_add_epi32(bottom, x1), 4),
                                   _mm256_i32gather_epi32(lanes->integrals, _mm256_add_epi32(bottom, x0), 4));
    __m256i area;

    sum = _mm256_sub_epi32(sum, _mm256_i32gather_epi32(lanes->integrals, _mm256_add_epi32(top, x1), 4));
    sum = _mm256_add_epi32(sum, _mm256_i32gather_epi32(lanes->integrals, _mm256_add_epi32(top, x0), 4));
    if (!is_mean)
        return sum;
    area = _mm256_mullo_epi32(_mm256_sub_epi32(x1, x0), _mm256_sub_epi32(y1, y0));
    return _mm256_set_m128i(divide4(_mm256_extracti128_si256(sum, 1), _mm256_extracti128_si256(area, 1)),
                            divide4(_mm256_castsi256_si128(sum), _mm256_castsi256_si128(area)));
}

AVX2 __m256i traverse8(const struct lanes *lanes, const int *words, shw_uint first, shw_uint depth, int is_mean)
{
    const __m256i mask = _mm256_set1_epi32(SHW_NODE_CHANNEL_MASK), one = _mm256_set1_epi32(1);
    const __m256i split = _mm256_set1_epi32(1 << SHW_NODE_SPLIT_SHIFT), root = _mm256_set1_epi32((int)(4 * first));
    __m256i at = root; /* the word where the node begins */

    for (shw_uint level = 0; level < depth; level++) {
        __m256i packed = _mm256_i32gather_epi32(words + 1, at, 4);
        __m256i value0, value1, right;
        if (_mm256_testz_si256(packed, split)) /* all in leaves */
            break;
        value0 = rectangle8(lanes, _mm256_and_si256(packed, mask), _mm256_i32gather_epi32(words + 4, at, 4),
                            _mm256_i32gather_epi32(words + 5, at, 4), is_mean);
        value1 = rectangle8(lanes, _mm256_and_si256(_mm256_srli_epi32(packed, SHW_NODE_CHANNEL_BITS), mask),
                            _mm256_i32gather_epi32(words + 6, at, 4), _mm256_i32gather_epi32(words + 7, at, 4), is_mean);
        value1 = _mm256_and_si256(
            value1, _mm256_srai_epi32(_mm256_slli_epi32(packed, 31 - SHW_NODE_SECOND_SHIFT), 31)); /* the flag in every bit */
        value0 = _mm256_sub_epi32(value0, value1);
        right = _mm256_andnot_si256(_mm256_cmpgt_epi32(_mm256_i32gather_epi32(words + 2, at, 4), value0),
                                    _mm256_cmpgt_epi32(_mm256_i32gather_epi32(words + 3, at, 4), value0));
        right = _mm256_and_si256(_mm256_and_si256(_mm256_srli_epi32(packed, SHW_NODE_SPLIT_SHIFT), one), right);
        at = _mm256_add_epi32(_mm256_i32gather_epi32(words, at, 4), right);
        at = _mm256_add_epi32(root, _mm256_slli_epi32(at, 3)); /* 4 words a texel, SHW_NODE_TEXELS a node */
    }
    return _mm256_i32gather_epi32(words + 2, at, 4);
}

/* The vector units gather by signed 32-bit indices. */
static int is_small(const struct shw_evaluate_tile *tile)
{
    const struct shw_forest_texture texture = shw_forest_get_texture(tile->forest);
    uint64_t words = (uint64_t)4 * texture.width * texture.height * texture.layers;
    uint64_t sums = (uint64_t)SHW_CHANNELS_MAX * (tile->width + 1) * (tile->height + 1);

    return words <= INT32_MAX && sums <= INT32_MAX;
}

__attribute__((target("avx2"))) static uint32_t evaluate_row(const struct shw_evaluate_tile *tile, uint32_t tree, uint32_t x,
                                                             uint32_t y, uint32_t count, uint32_t *leaves, int is_mean)
{
    const uint32_t *texels = shw_forest_get_texture(tile->forest).texels;
    const uint32_t *entry = texels + 4 * (1 + (size_t)tree);
    struct lanes lanes = {.integrals = (const int *)tile->integrals,
                          .y = _mm256_set1_epi32((int)y),
                          .image_x0 = _mm256_set1_epi32(tile->image.x0),
                          .image_y0 = _mm256_set1_epi32(tile->image.y0),
                          .image_x1 = _mm256_set1_epi32(tile->image.x1),
                          .image_y1 = _mm256_set1_epi32(tile->image.y1),
                          .stride = _mm256_set1_epi32((int)(tile->width + 1)),
                          .pitch = _mm256_set1_epi32((int)((tile->width + 1) * (tile->height + 1)))};
    uint32_t done = 0;

    for (; done + 8 <= count; done += 8) {
        lanes.x = _mm256_add_epi32(_mm256_set1_epi32((int)(x + done)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
        _mm256_storeu_si256((__m256i *)(void *)(leaves + done),
                            is_mean ? traverse8(&lanes, (const int *)texels, entry[0], entry[2], 1)
                                    : traverse8(&lanes, (const int *)texels, entry[0], entry[2], 0));
    }
    return done;
}

uint32_t shw_evaluate_row_avx2(const struct shw_evaluate_tile *tile, uint32_t tree, uint32_t x, uint32_t y, uint32_t count,
                               uint32_t *leaves)
{
    int is_mean = shw_forest_get_info(tile->forest)->feature == SHW_FEATURE_MEAN_DIFFERENCE;

    if (count < 8 || !__builtin_cpu_supports("avx2") || !is_small(tile))
        return 0;
    return evaluate_row(tile, tree, x, y, count, leaves, is_mean);
}

#else

uint32_t shw_evaluate_row_avx2(const struct shw_evaluate_tile *tile, uint32_t tree, uint32_t x, uint32_t y, uint32_t count,
                               uint32_t *leaves)
{
    (void)tile, (void)tree, (void)x, (void)y, (void)count, (void)leaves;
    return 0;
}

#endif
