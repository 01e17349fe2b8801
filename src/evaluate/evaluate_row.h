/* The body of one row's evaluation, for a file that defines SHW_FEATURE_IS_MEAN and EVALUATE_ROW before. */
#include "evaluate/evaluate_cpu.h"

struct context {
    const shw_uint4 *texels;
    const uint32_t *integrals;
    size_t stride, pitch;
};

#define SHW_CONTEXT_PARAMETER const struct context *context,
#define SHW_CONTEXT           context,

static inline shw_uint4 shw_forest_texel(const struct context *context, shw_uint index)
{
    return context->texels[index];
}

static inline shw_uint shw_integral(const struct context *context, shw_uint channel, shw_int x, shw_int y)
{
    return context->integrals[channel * context->pitch + (size_t)y * context->stride + (size_t)x];
}

#include "shared/traverse.h"

void EVALUATE_ROW(const struct shw_evaluate_tile *tile, uint32_t tree, uint32_t x, uint32_t y, uint32_t count,
                  uint32_t *leaves)
{
    struct context context = {.texels = (const shw_uint4 *)(const void *)shw_forest_get_texture(tile->forest).texels,
                              .integrals = tile->integrals,
                              .stride = tile->width + 1,
                              .pitch = (size_t)(tile->width + 1) * (tile->height + 1)};
    shw_uint4 entry = shw_forest_texel(&context, 1 + tree);

    for (uint32_t i = 0; i < count; i++) {
        uint32_t texel = shw_traverse(&context, entry.x, entry.z, (int32_t)(x + i), (int32_t)y, tile->image);
        leaves[i] = shw_forest_texel(&context, texel).z;
    }
}
