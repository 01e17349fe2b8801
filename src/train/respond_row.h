/* Portable responses, for a file that defines SHW_FEATURE_IS_MEAN and RESPOND before. */
#include "train/respond.h"

struct context {
    const uint32_t *integrals; /* of the sample's image */
    size_t stride, pitch;
};

#define SHW_CONTEXT_PARAMETER const struct context *context,
#define SHW_CONTEXT           context,

#include "shared/types.h"

static inline shw_uint shw_integral(const struct context *context, shw_uint channel, shw_int x, shw_int y)
{
    return context->integrals[channel * context->pitch + (size_t)y * context->stride + (size_t)x];
}

#include "shared/response.h"

static void respond_samples(const uint32_t *integrals, const struct shw_block *block,
                            const struct shw_packed_feature *feature, int32_t *responses)
{
    const shw_uint4 rectangles = {feature->rectangles[0], feature->rectangles[1], feature->rectangles[2],
                                  feature->rectangles[3]};

    for (uint32_t i = 0; i < block->count; i++) {
        struct context context = {integrals + block->first[i], (size_t)block->stride[i], (size_t)block->pitch[i]};
        struct shw_rect image = {0, 0, block->width[i], block->height[i]};
        responses[i] = shw_response(&context, feature->channels, rectangles, block->x[i], block->y[i], image);
    }
}

static struct context image_context(const uint32_t *integrals, const struct shw_image_block *block)
{
    return (struct context){integrals + block->first, (size_t)block->stride, (size_t)block->pitch};
}

static void respond_side(const uint32_t *integrals, const struct shw_image_block *block, uint32_t place, uint32_t count,
                         const struct shw_feature_side *side, int32_t *responses)
{
    const shw_uint4 rectangles = {side->begin, side->end, side->begin, side->end};
    struct context context = image_context(integrals, block);
    struct shw_rect image = {0, 0, block->width, block->height};

    for (uint32_t i = 0; i < count; i++) {
        int32_t value =
            shw_response(&context, side->channel, rectangles, block->x[place + i], block->y[place + i], image);
        responses[i] += side->is_second ? -value : value;
    }
}

static void respond_features(const uint32_t *integrals, const struct shw_image_block *block, uint32_t sample,
                             const struct shw_feature_lanes *features, uint32_t count, int32_t *responses)
{
    const uint32_t *const *words = features->words;
    struct context context = image_context(integrals, block);
    struct shw_rect image = {0, 0, block->width, block->height};

    for (uint32_t i = 0; i < count; i++) {
        const shw_uint4 rectangles = {words[1][i], words[2][i], words[3][i], words[4][i]};
        responses[i] = shw_response(&context, words[0][i], rectangles, block->x[sample], block->y[sample], image);
    }
}

const struct shw_respond RESPOND = {respond_samples, respond_side, respond_features};
