#include <stddef.h>

#include "shared/forest_texture.h"
#include "shared/types.h"
#include "train/trainer.h"

void shw_block_fill(struct shw_block *block, const struct shw_train_images *images, const struct shw_samples *samples,
                    uint32_t first, const uint32_t *indices, uint32_t count)
{
    block->count = count;
    for (uint32_t i = 0; i < ((count + 7) & ~7u); i++) { /* vector lanes past the end repeat the last sample */
        uint32_t last = i < count ? i : count - 1;
        uint32_t s = indices != NULL ? indices[last] : first + last;
        const struct shw_train_image *image = &images->images[samples->image[s]];
        block->x[i] = samples->x[s];
        block->y[i] = samples->y[s];
        block->width[i] = (int32_t)image->width;
        block->height[i] = (int32_t)image->height;
        block->stride[i] = (int32_t)image->width + 1;
        block->pitch[i] = (int32_t)((image->width + 1) * (image->height + 1));
        block->first[i] = image->integrals;
        block->first32[i] = (int32_t)(image->integrals & 0x7fffffff);
        block->label[i] = samples->label[s];
    }
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2"))) static inline

/* Eight samples at a time, as in shared/response.h; the quotient of a sum below 2^30 and an area below 2^31, rounded to a double, is never
 * rounded up to a whole number that it does not reach, so cutting it off is exact. */
struct lanes {
    __m256i x, y, width, height, stride, pitch, first;
};

AVX2 struct lanes load_lanes(const struct shw_block *block, uint32_t i)
{
#define LOAD(field) _mm256_loadu_si256((const __m256i *)(const void *)&block->field[i])
    return (struct lanes){LOAD(x), LOAD(y), LOAD(width), LOAD(height), LOAD(stride), LOAD(pitch), LOAD(first32)};
#undef LOAD
}

AVX2 __m256i clamp8(__m256i value, __m256i low, __m256i high)
{
    return _mm256_min_epi32(_mm256_max_epi32(value, low), high);
}

AVX2 __m256i divide8(__m256i sum, __m256i area)
{
    __m128i low = _mm256_cvttpd_epi32(
        _mm256_div_pd(_mm256_cvtepi32_pd(_mm256_castsi256_si128(sum)), _mm256_cvtepi32_pd(_mm256_castsi256_si128(area))));
    __m128i high = _mm256_cvttpd_epi32(_mm256_div_pd(_mm256_cvtepi32_pd(_mm256_extracti128_si256(sum, 1)),
                                                     _mm256_cvtepi32_pd(_mm256_extracti128_si256(area, 1))));
    return _mm256_set_m128i(high, low);
}

AVX2 __m256i rectangle8(const uint32_t *integrals, const struct lanes *lanes, uint32_t channel, uint32_t begin, uint32_t end,
                        int is_mean)
{
    const int *base = (const int *)(const void *)integrals;
    __m256i zero = _mm256_setzero_si256(), one = _mm256_set1_epi32(1);
    __m256i x0 =
        clamp8(_mm256_add_epi32(lanes->x, _mm256_set1_epi32(shw_low16(begin))), zero, _mm256_sub_epi32(lanes->width, one));
    __m256i y0 =
        clamp8(_mm256_add_epi32(lanes->y, _mm256_set1_epi32(shw_high16(begin))), zero, _mm256_sub_epi32(lanes->height, one));
    __m256i x1 = clamp8(_mm256_add_epi32(lanes->x, _mm256_set1_epi32(shw_low16(end))), _mm256_add_epi32(x0, one), lanes->width);
    __m256i y1 = clamp8(_mm256_add_epi32(lanes->y, _mm256_set1_epi32(shw_high16(end))), _mm256_add_epi32(y0, one), lanes->height);
    __m256i plane = _mm256_add_epi32(lanes->first, _mm256_mullo_epi32(lanes->pitch, _mm256_set1_epi32((int)channel)));
    __m256i row0 = _mm256_add_epi32(plane, _mm256_mullo_epi32(y0, lanes->stride));
    __m256i row1 = _mm256_add_epi32(plane, _mm256_mullo_epi32(y1, lanes->stride));
    __m256i sum = _mm256_sub_epi32(_mm256_i32gather_epi32(base, _mm256_add_epi32(row1, x1), 4),
                                   _mm256_i32gather_epi32(base, _mm256_add_epi32(row1, x0), 4));
    __m256i above = _mm256_sub_epi32(_mm256_i32gather_epi32(base, _mm256_add_epi32(row0, x1), 4),
                                     _mm256_i32gather_epi32(base, _mm256_add_epi32(row0, x0), 4));
    sum = _mm256_sub_epi32(sum, above);
    if (is_mean)
        sum = divide8(sum, _mm256_mullo_epi32(_mm256_sub_epi32(x1, x0), _mm256_sub_epi32(y1, y0)));
    return sum;
}

AVX2 void respond8(const uint32_t *integrals, const struct shw_block *block, const struct shw_packed_feature *feature,
                   int is_mean, int32_t *responses)
{
    uint32_t channel0 = feature->channels & SHW_NODE_CHANNEL_MASK;
    uint32_t channel1 = feature->channels >> SHW_NODE_CHANNEL_BITS & SHW_NODE_CHANNEL_MASK;
    int second = (feature->channels >> SHW_NODE_SECOND_SHIFT & 1) != 0;
    const uint32_t *words = feature->rectangles;

    for (uint32_t i = 0; i < block->count; i += 8) {
        struct lanes lanes = load_lanes(block, i);
        __m256i value = rectangle8(integrals, &lanes, channel0, words[0], words[1], is_mean);
        if (second)
            value = _mm256_sub_epi32(value, rectangle8(integrals, &lanes, channel1, words[2], words[3], is_mean));
        _mm256_storeu_si256((__m256i *)(void *)&responses[i], value);
    }
}

__attribute__((target("avx2"))) static void respond_sum_avx2(const uint32_t *integrals, const struct shw_block *block,
                                                             const struct shw_packed_feature *feature, int32_t *responses)
{
    respond8(integrals, block, feature, 0, responses);
}

__attribute__((target("avx2"))) static void respond_mean_avx2(const uint32_t *integrals, const struct shw_block *block,
                                                              const struct shw_packed_feature *feature, int32_t *responses)
{
    respond8(integrals, block, feature, 1, responses);
}
#endif

shw_respond_function shw_respond_choose(enum shw_feature_type feature, size_t integral_count)
{
    bool mean = feature == SHW_FEATURE_MEAN_DIFFERENCE;

#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2") && integral_count < (size_t)1 << 31)
        return mean ? respond_mean_avx2 : respond_sum_avx2;
#endif
    (void)integral_count;
    return mean ? shw_respond_mean_scalar : shw_respond_sum_scalar;
}
