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

AVX2 __m256i rectangle8(const uint32_t *integrals, const struct lanes *lanes, __m256i channel, __m256i x0, __m256i y0, __m256i x1,
                        __m256i y1, int is_mean)
{
    const int *base = (const int *)(const void *)integrals;
    __m256i zero = _mm256_setzero_si256(), one = _mm256_set1_epi32(1), plane, row0, row1, sum, above;

    x0 = clamp8(_mm256_add_epi32(lanes->x, x0), zero, _mm256_sub_epi32(lanes->width, one));
    y0 = clamp8(_mm256_add_epi32(lanes->y, y0), zero, _mm256_sub_epi32(lanes->height, one));
    x1 = clamp8(_mm256_add_epi32(lanes->x, x1), _mm256_add_epi32(x0, one), lanes->width);
    y1 = clamp8(_mm256_add_epi32(lanes->y, y1), _mm256_add_epi32(y0, one), lanes->height);
    plane = _mm256_add_epi32(lanes->first, _mm256_mullo_epi32(lanes->pitch, channel));
    row0 = _mm256_add_epi32(plane, _mm256_mullo_epi32(y0, lanes->stride));
    row1 = _mm256_add_epi32(plane, _mm256_mullo_epi32(y1, lanes->stride));
    sum = _mm256_sub_epi32(_mm256_i32gather_epi32(base, _mm256_add_epi32(row1, x1), 4),
                           _mm256_i32gather_epi32(base, _mm256_add_epi32(row1, x0), 4));
    above = _mm256_sub_epi32(_mm256_i32gather_epi32(base, _mm256_add_epi32(row0, x1), 4),
                             _mm256_i32gather_epi32(base, _mm256_add_epi32(row0, x0), 4));
    sum = _mm256_sub_epi32(sum, above);
    if (is_mean)
        sum = divide8(sum, _mm256_mullo_epi32(_mm256_sub_epi32(x1, x0), _mm256_sub_epi32(y1, y0)));
    return sum;
}

/* The same rectangle, in the two words of a node, for all lanes. */
AVX2 __m256i rectangle_for_all(const uint32_t *integrals, const struct lanes *lanes, uint32_t channel, uint32_t begin,
                               uint32_t end, int is_mean)
{
    return rectangle8(integrals, lanes, _mm256_set1_epi32((int)channel), _mm256_set1_epi32(shw_low16(begin)),
                      _mm256_set1_epi32(shw_high16(begin)), _mm256_set1_epi32(shw_low16(end)), _mm256_set1_epi32(shw_high16(end)),
                      is_mean);
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
        __m256i value = rectangle_for_all(integrals, &lanes, channel0, words[0], words[1], is_mean);
        if (second)
            value = _mm256_sub_epi32(value, rectangle_for_all(integrals, &lanes, channel1, words[2], words[3], is_mean));
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
/* Eight candidates at a time for one sample: what `lanes` holds is the same in every lane, and rectangles and channels differ. */
struct features {
    __m256i channels, words[4];
};

AVX2 struct features load_features(const struct shw_packed_feature *features, const uint32_t *order)
{
    const int *base = (const int *)(const void *)features;
    __m256i index = _mm256_mullo_epi32(_mm256_loadu_si256((const __m256i *)(const void *)order),
                                       _mm256_set1_epi32((int)(sizeof *features / sizeof(int))));
    struct features loaded = {.channels = _mm256_i32gather_epi32(base, index, 4)};

    for (int i = 0; i < 4; i++)
        loaded.words[i] = _mm256_i32gather_epi32(base + 1 + i, index, 4);
    return loaded;
}

AVX2 __m256i low16(__m256i words)
{
    return _mm256_srai_epi32(_mm256_slli_epi32(words, 16), 16);
}

AVX2 __m256i high16(__m256i words)
{
    return _mm256_srai_epi32(words, 16);
}

AVX2 void sample8(const uint32_t *integrals, const struct shw_block *block, uint32_t sample,
                  const struct shw_packed_feature *features, const uint32_t *order, uint32_t count, int is_mean,
                  int32_t *responses)
{
    struct lanes lanes = {_mm256_set1_epi32(block->x[sample]),      _mm256_set1_epi32(block->y[sample]),
                          _mm256_set1_epi32(block->width[sample]),  _mm256_set1_epi32(block->height[sample]),
                          _mm256_set1_epi32(block->stride[sample]), _mm256_set1_epi32(block->pitch[sample]),
                          _mm256_set1_epi32(block->first32[sample])};
    __m256i mask = _mm256_set1_epi32((int)SHW_NODE_CHANNEL_MASK);

    for (uint32_t i = 0; i < count; i += 8) {
        struct features f = load_features(features, order + i);
        __m256i second = _mm256_srai_epi32(_mm256_slli_epi32(f.channels, 31 - (int)SHW_NODE_SECOND_SHIFT), 31);
        __m256i value = rectangle8(integrals, &lanes, _mm256_and_si256(f.channels, mask), low16(f.words[0]), high16(f.words[0]),
                                   low16(f.words[1]), high16(f.words[1]), is_mean);
        __m256i other =
            rectangle8(integrals, &lanes, _mm256_and_si256(_mm256_srli_epi32(f.channels, (int)SHW_NODE_CHANNEL_BITS), mask),
                       low16(f.words[2]), high16(f.words[2]), low16(f.words[3]), high16(f.words[3]), is_mean);
        value = _mm256_sub_epi32(value, _mm256_and_si256(other, second));
        _mm256_storeu_si256((__m256i *)(void *)&responses[i], value);
    }
}

__attribute__((target("avx2"))) static void sample_sum_avx2(const uint32_t *integrals, const struct shw_block *block,
                                                            uint32_t sample, const struct shw_packed_feature *features,
                                                            const uint32_t *order, uint32_t count, int32_t *responses)
{
    sample8(integrals, block, sample, features, order, count, 0, responses);
}

__attribute__((target("avx2"))) static void sample_mean_avx2(const uint32_t *integrals, const struct shw_block *block,
                                                             uint32_t sample, const struct shw_packed_feature *features,
                                                             const uint32_t *order, uint32_t count, int32_t *responses)
{
    sample8(integrals, block, sample, features, order, count, 1, responses);
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

shw_respond_sample_function shw_respond_sample_choose(enum shw_feature_type feature, size_t integral_count)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2") && integral_count < (size_t)1 << 31)
        return feature == SHW_FEATURE_MEAN_DIFFERENCE ? sample_mean_avx2 : sample_sum_avx2;
#endif
    (void)feature, (void)integral_count;
    return NULL;
}
