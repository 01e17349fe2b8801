/* The scalar response to one feature, for a file that defines SHW_FEATURE_IS_MEAN and RESPOND before. */
#include "train/trainer.h"

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

void RESPOND(const uint32_t *integrals, const struct shw_block *block, const struct shw_packed_feature *feature,
             int32_t *responses)
{
    const shw_uint4 rectangles = {feature->rectangles[0], feature->rectangles[1], feature->rectangles[2], feature->rectangles[3]};

    for (uint32_t i = 0; i < block->count; i++) {
        struct context context = {integrals + block->first[i], (size_t)block->stride[i], (size_t)block->pitch[i]};
        struct shw_rect image = {0, 0, block->width[i], block->height[i]};
        responses[i] = shw_response(&context, feature->channels, rectangles, block->x[i], block->y[i], image);
    }
}
