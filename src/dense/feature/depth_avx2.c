/* The feature types that divide by the depth at the pixel, with AVX2: evaluation, and responses of training samples. */
#include "base/simd.h"

#if SHW_SIMD_X86
#include "dense/feature/lanes_avx2.h"

#define PATCH(kind) shw_##kind##_patch_avx2

#include "dense/feature/depth_patch.h"

extern const struct shw_feature_code shw_feature_code_curfil_difference;

VECTOR struct depth_source block_source(const void *planes, const struct shw_image_block *block)
{
    return (struct depth_source){planes,    spread(block->stride), spread(block->pitch),  spread(0),
                                 spread(0), spread(block->width),  spread(block->height), (int)block->is_complete};
}

VECTOR lanes load_signed(const int32_t *from)
{
    return load((const uint32_t *)(const void *)from);
}

/* Samples place..place + LANES - 1. */
VECTOR struct centres centres_from(const struct shw_image_block *block, uint32_t place)
{
    return (struct centres){load_signed(block->x + place), load_signed(block->y + place), load(block->depth + place),
                            load(block->factor + place), load(block->shift + place)};
}

VECTOR struct centres spread_centre(const struct shw_image_block *block, uint32_t sample)
{
    return (struct centres){spread(block->x[sample]), spread(block->y[sample]), spread((int32_t)block->depth[sample]),
                            spread((int32_t)block->factor[sample]), spread((int32_t)block->shift[sample])};
}

VECTOR lanes stored(struct responses responses)
{
    return choose(responses.undefined, spread(SHW_UNDEFINED_RESPONSE), responses.value);
}

/* A depth that is not the one at the pixel is left to the portable code: training draws no such features. */
static bool is_ahead(const struct shw_feature_lanes *features, uint32_t count)
{
    uint32_t any = 0;

    for (uint32_t i = 0; i < count; i++)
        any |= features->words[0][i];
    return shw_curfil_is_ahead(any) != 0;
}

VECTOR struct responses respond8(const struct depth_source *source, const struct centres *centres, const lanes words[5],
                                 enum shw_depth_feature kind)
{
    const struct depth_side first = side_of(source, 0, words[0], words[1], words[2]),
                            second = side_of(source, 1, words[0], words[3], words[4]);
    struct responses responses =
        difference_of(source, centres, &first, &second, mask_of_bit(words[0], SHW_NODE_SECOND_SHIFT), kind);

    if (kind == SHW_DEPTH_FEATURE_CURFIL)
        responses.undefined = bits_or(responses.undefined, curfil_void(centres, words[0]));
    return responses;
}

/* One sample, eight features. */
VECTOR void features8(const void *planes, const struct shw_image_block *block, uint32_t sample,
                      const struct shw_feature_lanes *features, uint32_t count, int32_t *responses,
                      enum shw_depth_feature kind)
{
    struct depth_source source = block_source(planes, block);
    struct centres centres = spread_centre(block, sample);

    if (kind == SHW_DEPTH_FEATURE_CURFIL && is_ahead(features, count)) {
        shw_feature_code_curfil_difference.respond.features(planes, block, sample, features, count, responses);
        return;
    }
    for (uint32_t i = 0; i < count; i += LANES) {
        lanes words[5];
        for (int w = 0; w < 5; w++)
            words[w] = load(&features->words[w][i]);
        store((uint32_t *)(void *)&responses[i], stored(respond8(&source, &centres, words, kind)));
    }
}

/* Eight samples, one feature. */
VECTOR void run8(const void *planes, const struct shw_image_block *block, uint32_t place, uint32_t count,
                 const struct shw_feature *feature, int32_t *responses, enum shw_depth_feature kind)
{
    struct depth_source source = block_source(planes, block);
    lanes words[5];

    if (kind == SHW_DEPTH_FEATURE_CURFIL && shw_curfil_is_ahead(feature->words[0]) != 0) {
        shw_feature_code_curfil_difference.respond.run(planes, block, place, count, feature, responses);
        return;
    }
    for (int w = 0; w < 5; w++)
        words[w] = spread((int32_t)feature->words[w]);
    for (uint32_t i = 0; i < count; i += LANES) {
        struct centres centres = centres_from(block, place + i);
        store((uint32_t *)(void *)&responses[i], stored(respond8(&source, &centres, words, kind)));
    }
}

/* What a block keeps of the depths of its samples. */
VECTOR void prepare8(const void *planes, struct shw_image_block *block, uint32_t place, uint32_t count,
                     enum shw_depth_feature kind)
{
    struct depth_source source;

    block->is_complete = 0;
    if (kind == SHW_DEPTH_FEATURE_MEANS) { /* the last element of the count's integral image */
        uint32_t counted = ((const uint32_t *)planes)[2 * (size_t)block->pitch - 1];
        block->is_complete = counted == (uint32_t)block->width * (uint32_t)block->height;
    }
    source = block_source(planes, block);
    for (uint32_t i = place; i < place + count; i += LANES) {
        lanes x = load_signed(block->x + i), y = load_signed(block->y + i);
        struct centres centres = centres_of(x, y, depth_at(&source, x, y, 0, kind), kind);
        store(block->depth + i, centres.depth);
        store(block->factor + i, centres.factor);
        store(block->shift + i, centres.shift);
    }
}

#define DEFINE(name, kind)                                                                                             \
    TARGET static void prepare_##name(const void *planes, struct shw_image_block *block, uint32_t place,               \
                                      uint32_t count)                                                                  \
    {                                                                                                                  \
        prepare8(planes, block, place, count, kind);                                                                   \
    }                                                                                                                  \
    TARGET static void features_##name(const void *planes, const struct shw_image_block *block, uint32_t sample,       \
                                       const struct shw_feature_lanes *features, uint32_t count, int32_t *responses)   \
    {                                                                                                                  \
        features8(planes, block, sample, features, count, responses, kind);                                            \
    }                                                                                                                  \
    TARGET static void run_##name(const void *planes, const struct shw_image_block *block, uint32_t place,             \
                                  uint32_t count, const struct shw_feature *feature, int32_t *responses)               \
    {                                                                                                                  \
        run8(planes, block, place, count, feature, responses, kind);                                                   \
    }                                                                                                                  \
    const struct shw_respond shw_##name##_respond_avx2 = {                                                             \
        .prepare = prepare_##name, .features = features_##name, .run = run_##name};

DEFINE(depth_mean, SHW_DEPTH_FEATURE_MEANS)
DEFINE(curfil, SHW_DEPTH_FEATURE_CURFIL)
DEFINE(depth_pixel, SHW_DEPTH_FEATURE_PIXELS)
DEFINE(kinect, SHW_DEPTH_FEATURE_KINECT)
#endif
