#include <stdio.h>

#include "dense/feature/feature_types.h"

static uint32_t pair(int16_t low, int16_t high)
{
    return (uint32_t)(uint16_t)low | (uint32_t)(uint16_t)high << 16;
}

struct shw_feature shw_rectangle_difference_pack(const struct shw_rectangle_difference *difference)
{
    if (difference == NULL)
        return (struct shw_feature){{0}};

    const struct shw_rectangle *rectangles = difference->rectangle;
    struct shw_feature feature = {{(uint32_t)difference->channel[0] |
                                   (uint32_t)difference->channel[1] << SHW_NODE_CHANNEL_BITS |
                                   (uint32_t)!difference->single << SHW_NODE_SECOND_SHIFT}};

    for (int i = 0; i < 2; i++) {
        feature.words[1 + 2 * i] = pair(rectangles[i].x0, rectangles[i].y0);
        feature.words[2 + 2 * i] = pair(rectangles[i].x1, rectangles[i].y1);
    }
    return feature;
}

struct shw_rectangle_difference shw_rectangle_difference_unpack(const struct shw_feature *feature)
{
    if (feature == NULL)
        return (struct shw_rectangle_difference){.single = true};

    const uint32_t *words = feature->words;
    struct shw_rectangle_difference difference = {.single = (words[0] >> SHW_NODE_SECOND_SHIFT & 1) == 0};

    for (uint32_t i = 0; i < 2; i++) {
        uint32_t low = words[1 + 2 * i], high = words[2 + 2 * i];
        difference.channel[i] = (uint16_t)shw_node_channel(words[0], i);
        difference.rectangle[i] = (struct shw_rectangle){(int16_t)shw_low16(low), (int16_t)shw_high16(low),
                                                         (int16_t)shw_low16(high), (int16_t)shw_high16(high)};
    }
    return difference;
}

bool shw_rectangle_difference_check(const struct shw_feature *feature, const struct shw_channel_list *channels,
                                    char why[SHW_WHY_SIZE])
{
    if (feature == NULL || channels == NULL || why == NULL)
        return false;

    struct shw_rectangle_difference difference = shw_rectangle_difference_unpack(feature);

    if (feature->words[0] >> (SHW_NODE_SECOND_SHIFT + 1) != 0) {
        snprintf(why, SHW_WHY_SIZE, "unknown flags in 0x%08x", feature->words[0]);
        return false;
    }
    for (int i = 0; i < 2; i++) {
        struct shw_rectangle rect = difference.rectangle[i];
        if (rect.x0 >= rect.x1 || rect.y0 >= rect.y1) {
            snprintf(why, SHW_WHY_SIZE, "rectangle %d is empty: x %d to %d, y %d to %d", i, rect.x0, rect.x1, rect.y0,
                     rect.y1);
            return false;
        }
        if (difference.channel[i] >= channels->channel_count) {
            snprintf(why, SHW_WHY_SIZE, "channel %u, but %.80s has only %u", difference.channel[i], channels->name,
                     channels->channel_count);
            return false;
        }
    }
    return true;
}

uint64_t shw_rectangle_difference_bound(const struct shw_feature *feature, const struct shw_channel_list *channels)
{
    if (feature == NULL || channels == NULL)
        return 0;

    struct shw_rectangle_difference difference = shw_rectangle_difference_unpack(feature);
    uint64_t bound = 0;

    for (int i = 0; i < (difference.single ? 1 : 2); i++) {
        struct shw_rectangle rect = difference.rectangle[i];
        uint64_t sum = (uint64_t)(rect.x1 - rect.x0) * (uint64_t)(rect.y1 - rect.y0) *
                       channels->channels[difference.channel[i]].max_abs;
        bound = sum > bound ? sum : bound;
    }
    return bound;
}

/* Responses of a single side read the second one, too, whose value they mask. */
struct shw_reach shw_rectangle_difference_reach(const struct shw_feature *feature)
{
    struct shw_rectangle_difference difference = shw_rectangle_difference_unpack(feature);
    struct shw_reach reach = {0};

    for (int i = 0; i < 2; i++) {
        struct shw_rectangle rect = difference.rectangle[i];
        reach = (struct shw_reach){shw_min(reach.x0, rect.x0), shw_min(reach.y0, rect.y0), shw_max(reach.x1, rect.x1),
                                   shw_max(reach.y1, rect.y1)};
    }
    return reach;
}

uint32_t shw_rectangle_difference_regions(const struct shw_feature *feature,
                                          struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX])
{
    if (feature == NULL || regions == NULL)
        return 0;

    struct shw_rectangle_difference difference = shw_rectangle_difference_unpack(feature);
    uint32_t count = difference.single ? 1 : 2;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t low = feature->words[1 + 2 * i], high = feature->words[2 + 2 * i];
        regions[i] = (struct shw_feature_region){.channel = difference.channel[i],
                                                 .rectangle = difference.rectangle[i],
                                                 .subtracted = i == 1,
                                                 .alone = {{difference.channel[i], low, high, low, high}}};
    }
    return count;
}

/* Responses of training samples with AVX2. */

#if SHW_SIMD_X86
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2"), always_inline)) static inline

/* Eight samples at a time, with the arithmetic of shared/rectangle_difference.h. The quotient of a sum below 2^30 and
 * an area below 2^31, rounded to a double, is never rounded up to the next integer, so truncation is exact. */
struct lanes {
    __m256i x, y, width, height, stride, pitch;
    __m256i turned, negated; /* all bits set where channels are read so (shared/mirror.h); unused if not mirrored */
};

AVX2 __m256i clamp8(__m256i value, __m256i low, __m256i high)
{
    return _mm256_min_epi32(_mm256_max_epi32(value, low), high);
}

AVX2 __m256i divide8(__m256i sum, __m256i area)
{
    __m128i low = _mm256_cvttpd_epi32(_mm256_div_pd(_mm256_cvtepi32_pd(_mm256_castsi256_si128(sum)),
                                                    _mm256_cvtepi32_pd(_mm256_castsi256_si128(area))));
    __m128i high = _mm256_cvttpd_epi32(_mm256_div_pd(_mm256_cvtepi32_pd(_mm256_extracti128_si256(sum, 1)),
                                                     _mm256_cvtepi32_pd(_mm256_extracti128_si256(area, 1))));
    return _mm256_set_m128i(high, low);
}

/* The coordinates in the low and the high halves of a feature's words. */
AVX2 __m256i low8(__m256i words)
{
    return _mm256_srai_epi32(_mm256_slli_epi32(words, 16), 16);
}

AVX2 __m256i high8(__m256i words)
{
    return _mm256_srai_epi32(words, 16);
}

AVX2 const void *element_at(const void *planes, size_t element, enum shw_side_kind kind)
{
    return kind == SHW_SIDES_PIXELS ? (const void *)((const int16_t *)planes + element)
                                    : (const void *)((const uint32_t *)planes + element);
}

/* All bits set in the lanes of the channels whose bits are set. */
AVX2 __m256i bits8(const uint32_t bits[2], __m256i channel)
{
    __m256i is_high = _mm256_cmpgt_epi32(channel, _mm256_set1_epi32(31));
    __m256i word = _mm256_blendv_epi8(_mm256_set1_epi32((int)bits[0]), _mm256_set1_epi32((int)bits[1]), is_high);
    __m256i bit = _mm256_srlv_epi32(word, _mm256_and_si256(channel, _mm256_set1_epi32(31)));

    return _mm256_srai_epi32(_mm256_slli_epi32(bit, 31), 31);
}

AVX2 void mirror8(struct lanes *lanes, const struct shw_mirror *mirror, __m256i channel)
{
    lanes->turned = bits8(mirror->turned, channel);
    lanes->negated = bits8(mirror->negated, channel);
}

/* The channels whose planes are read. */
AVX2 __m256i partners8(const struct shw_mirror *mirror, __m256i channel)
{
    return mirror->exchanges ? _mm256_i32gather_epi32((const int *)(const void *)mirror->partners, channel, 4)
                             : channel;
}

/* The columns of a rectangle in the planes of the image; of pixels, only the first is used. */
AVX2 void turn8(const struct lanes *lanes, enum shw_side_kind kind, __m256i *x0, __m256i *x1)
{
    __m256i first =
        _mm256_sub_epi32(lanes->width, kind == SHW_SIDES_PIXELS ? _mm256_add_epi32(*x0, _mm256_set1_epi32(1)) : *x1);
    __m256i last = _mm256_sub_epi32(lanes->width, *x0);

    *x0 = _mm256_blendv_epi8(*x0, first, lanes->turned);
    *x1 = _mm256_blendv_epi8(*x1, last, lanes->turned);
}

AVX2 __m256i negate8(const struct lanes *lanes, __m256i value)
{
    return _mm256_sub_epi32(_mm256_xor_si256(value, lanes->negated), lanes->negated);
}

AVX2 __m256i rectangle8(const void *planes, const struct lanes *lanes, __m256i channel, __m256i begin, __m256i end,
                        enum shw_side_kind kind, bool mirrored)
{
    const int *base = planes;
    __m256i zero = _mm256_setzero_si256(), one = _mm256_set1_epi32(1);
    __m256i x0 = clamp8(_mm256_add_epi32(lanes->x, low8(begin)), zero, _mm256_sub_epi32(lanes->width, one));
    __m256i y0 = clamp8(_mm256_add_epi32(lanes->y, high8(begin)), zero, _mm256_sub_epi32(lanes->height, one));
    __m256i x1 = clamp8(_mm256_add_epi32(lanes->x, low8(end)), _mm256_add_epi32(x0, one), lanes->width);
    __m256i y1 = clamp8(_mm256_add_epi32(lanes->y, high8(end)), _mm256_add_epi32(y0, one), lanes->height);
    __m256i plane = _mm256_mullo_epi32(lanes->pitch, channel);
    __m256i row0 = _mm256_add_epi32(plane, _mm256_mullo_epi32(y0, lanes->stride));
    __m256i row1 = _mm256_add_epi32(plane, _mm256_mullo_epi32(y1, lanes->stride));
    __m256i sum, above;

    if (mirrored)
        turn8(lanes, kind, &x0, &x1);
    if (kind == SHW_SIDES_PIXELS) { /* 16 bits, and the 16 bits that follow */
        sum = low8(_mm256_i32gather_epi32(base, _mm256_add_epi32(row0, x0), 2));
        return mirrored ? negate8(lanes, sum) : sum;
    }
    sum = _mm256_sub_epi32(_mm256_i32gather_epi32(base, _mm256_add_epi32(row1, x1), 4),
                           _mm256_i32gather_epi32(base, _mm256_add_epi32(row1, x0), 4));
    above = _mm256_sub_epi32(_mm256_i32gather_epi32(base, _mm256_add_epi32(row0, x1), 4),
                             _mm256_i32gather_epi32(base, _mm256_add_epi32(row0, x0), 4));
    sum = _mm256_sub_epi32(sum, above);
    if (kind == SHW_SIDES_MEANS)
        sum = divide8(sum, _mm256_mullo_epi32(_mm256_sub_epi32(x1, x0), _mm256_sub_epi32(y1, y0)));
    return mirrored ? negate8(lanes, sum) : sum;
}

AVX2 struct lanes spread_image(const struct shw_image_block *block)
{
    __m256i zero = _mm256_setzero_si256();

    return (struct lanes){zero,
                          zero,
                          _mm256_set1_epi32(block->width),
                          _mm256_set1_epi32(block->height),
                          _mm256_set1_epi32(block->stride),
                          _mm256_set1_epi32(block->pitch),
                          zero,
                          zero};
}

/* Eight samples, one rectangle. */
AVX2 void side8(const void *planes, const struct shw_image_block *block, uint32_t place, uint32_t count,
                const struct shw_feature_side *side, enum shw_side_kind kind, bool mirrored, int32_t *responses)
{
    struct lanes lanes = spread_image(block);
    const size_t channel = mirrored ? block->mirror->partners[side->channel] : side->channel;
    const void *plane = element_at(planes, channel * (size_t)block->pitch, kind);
    __m256i zero = _mm256_setzero_si256(), begin = _mm256_set1_epi32((int)side->words[0]),
            end = _mm256_set1_epi32((int)side->words[1]);
    __m256i sign = _mm256_set1_epi32(-(int)side->is_second);

    if (mirrored)
        mirror8(&lanes, block->mirror, _mm256_set1_epi32((int)side->channel));
    for (uint32_t i = 0; i < count; i += 8) {
        __m256i *out = (__m256i *)(void *)&responses[i], value;
        lanes.x = _mm256_loadu_si256((const __m256i *)(const void *)&block->x[place + i]);
        lanes.y = _mm256_loadu_si256((const __m256i *)(const void *)&block->y[place + i]);
        value = rectangle8(plane, &lanes, zero, begin, end, kind, mirrored);
        value = _mm256_sub_epi32(_mm256_xor_si256(value, sign), sign);
        _mm256_storeu_si256(out, _mm256_add_epi32(_mm256_loadu_si256(out), value));
    }
}

/* One sample, eight features. */
AVX2 void features8(const void *planes, const struct shw_image_block *block, uint32_t sample,
                    const struct shw_feature_lanes *features, uint32_t count, enum shw_side_kind kind, bool mirrored,
                    int32_t *responses)
{
    const __m256i mask = _mm256_set1_epi32((int)SHW_NODE_CHANNEL_MASK);
    struct lanes lanes = spread_image(block);

    lanes.x = _mm256_set1_epi32(block->x[sample]);
    lanes.y = _mm256_set1_epi32(block->y[sample]);
    for (uint32_t i = 0; i < count; i += 8) {
        __m256i words[5], channels[2], value, second, is_second;
        for (int w = 0; w < 5; w++)
            words[w] = _mm256_loadu_si256((const __m256i *)(const void *)&features->words[w][i]);
        channels[0] = _mm256_and_si256(words[0], mask);
        channels[1] = _mm256_and_si256(_mm256_srli_epi32(words[0], SHW_NODE_CHANNEL_BITS), mask);
        if (mirrored) {
            mirror8(&lanes, block->mirror, channels[0]);
            channels[0] = partners8(block->mirror, channels[0]);
        }
        value = rectangle8(planes, &lanes, channels[0], words[1], words[2], kind, mirrored);
        if (mirrored) {
            mirror8(&lanes, block->mirror, channels[1]);
            channels[1] = partners8(block->mirror, channels[1]);
        }
        second = rectangle8(planes, &lanes, channels[1], words[3], words[4], kind, mirrored);
        is_second = _mm256_srai_epi32(_mm256_slli_epi32(words[0], 31 - (int)SHW_NODE_SECOND_SHIFT), 31);
        value = _mm256_sub_epi32(value, _mm256_and_si256(second, is_second));
        _mm256_storeu_si256((__m256i *)(void *)&responses[i], value);
    }
}

#define DEFINE(name, kind)                                                                                             \
    __attribute__((target("avx2"))) static void side_##name(const void *planes, const struct shw_image_block *block,   \
                                                            uint32_t place, uint32_t count,                            \
                                                            const struct shw_feature_side *side, int32_t *responses)   \
    {                                                                                                                  \
        if (block->mirror == NULL)                                                                                     \
            side8(planes, block, place, count, side, kind, false, responses);                                          \
        else                                                                                                           \
            side8(planes, block, place, count, side, kind, true, responses);                                           \
    }                                                                                                                  \
    __attribute__((target("avx2"))) static void features_##name(                                                       \
        const void *planes, const struct shw_image_block *block, uint32_t sample,                                      \
        const struct shw_feature_lanes *features, uint32_t count, int32_t *responses)                                  \
    {                                                                                                                  \
        if (block->mirror == NULL)                                                                                     \
            features8(planes, block, sample, features, count, kind, false, responses);                                 \
        else                                                                                                           \
            features8(planes, block, sample, features, count, kind, true, responses);                                  \
    }                                                                                                                  \
    const struct shw_respond shw_##name##_respond_avx2 = {                                                             \
        .features = features_##name, .sides = shw_feature_list_sides, .side = side_##name, .mirrors = true};

DEFINE(sum, SHW_SIDES_SUMS)
DEFINE(mean, SHW_SIDES_MEANS)
DEFINE(pixel, SHW_SIDES_PIXELS)
#endif

/* The sum over a rectangle minus the sum over another. */

extern const struct shw_feature_code shw_feature_code_sum_difference;

static const struct shw_feature_vectors sum_vectors = {SHW_VECTORS(sum)};

const struct shw_feature_type shw_feature_sum_difference = {.version = SHW_FEATURE_TYPE_VERSION,
                                                            .name = "sum-difference",
                                                            .label = "sum difference",
                                                            .reads = SHW_FEATURE_READS_INTEGRALS,
                                                            .check = shw_rectangle_difference_check,
                                                            .get_bound = shw_rectangle_difference_bound,
                                                            .get_reach = shw_rectangle_difference_reach,
                                                            .get_regions = shw_rectangle_difference_regions,
                                                            .code = &shw_feature_code_sum_difference,
                                                            .fast = &sum_vectors};

/* The mean of a rectangle minus the mean of another. */

extern const struct shw_feature_code shw_feature_code_mean_difference;

static const struct shw_feature_vectors mean_vectors = {SHW_VECTORS(mean)};

const struct shw_feature_type shw_feature_mean_difference = {.version = SHW_FEATURE_TYPE_VERSION,
                                                             .name = "mean-difference",
                                                             .label = "mean difference",
                                                             .reads = SHW_FEATURE_READS_INTEGRALS,
                                                             .check = shw_rectangle_difference_check,
                                                             .get_bound = shw_rectangle_difference_bound,
                                                             .get_reach = shw_rectangle_difference_reach,
                                                             .get_regions = shw_rectangle_difference_regions,
                                                             .code = &shw_feature_code_mean_difference,
                                                             .fast = &mean_vectors};

/* A channel at one pixel minus a channel at another. */

extern const struct shw_feature_code shw_feature_code_pixel_difference;

static const struct shw_feature_vectors pixel_vectors = {SHW_VECTORS(pixel)};

static bool check_pixels(const struct shw_feature *feature, const struct shw_channel_list *channels,
                         char why[SHW_WHY_SIZE])
{
    struct shw_rectangle_difference difference = shw_rectangle_difference_unpack(feature);

    if (!shw_rectangle_difference_check(feature, channels, why))
        return false;
    for (int i = 0; i < 2; i++) {
        struct shw_rectangle rect = difference.rectangle[i];
        if (rect.x1 - rect.x0 != 1 || rect.y1 - rect.y0 != 1) {
            snprintf(why, SHW_WHY_SIZE, "rectangle %d has %d x %d pixels; of this feature type it must be one", i,
                     rect.x1 - rect.x0, rect.y1 - rect.y0);
            return false;
        }
    }
    return true;
}

const struct shw_feature_type shw_feature_pixel_difference = {.version = SHW_FEATURE_TYPE_VERSION,
                                                              .name = "pixel-difference",
                                                              .label = "pixel difference",
                                                              .reads = SHW_FEATURE_READS_CHANNELS,
                                                              .check = check_pixels,
                                                              .get_bound = shw_rectangle_difference_bound,
                                                              .get_reach = shw_rectangle_difference_reach,
                                                              .get_regions = shw_rectangle_difference_regions,
                                                              .code = &shw_feature_code_pixel_difference,
                                                              .fast = &pixel_vectors};
