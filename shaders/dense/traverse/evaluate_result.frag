#version 450
#extension GL_GOOGLE_include_directive : require
/* From leaf planes to the mean distribution of four classes, or to the most probable class. */
#include "evaluate_image.glsl"

layout(set = 0, binding = SHW_EVALUATE_LEAVES) uniform utexture2DArray leaves;

#define SUM_TREES push.trees
#define SUM_PIXEL ivec2
uint row_at(uint tree, ivec2 pixel)
{
    uint leaf = texelFetch(leaves, ivec3(pixel, tree), 0).x;
    return shw_forest_texel(1u + tree).w + leaf | 0u - uint(leaf == SHW_LEAF_NONE);
}
#define SUM_MAY_BE_VOID 1
#include "evaluate_sums.glsl"

layout(location = 0) out uint result0;
#if DISTRIBUTION
layout(location = 1) out uint result1;
layout(location = 2) out uint result2;
layout(location = 3) out uint result3;
#endif

void main()
{
    ivec2 pixel = ivec2(gl_FragCoord.xy);
#if DISTRIBUTION
    uint half_texel = push.first & 4u;
    uvec4 even, odd;
    sum_part(push.first >> 3, pixel, even, odd);
    result0 = mean_of(sum_of(even, odd, half_texel));
    result1 = mean_of(sum_of(even, odd, half_texel + 1u));
    result2 = mean_of(sum_of(even, odd, half_texel + 2u));
    result3 = mean_of(sum_of(even, odd, half_texel + 3u));
#else
    uint best = SHW_ARGMAX_VOID, best_sum = 0u;
    for (uint part = 0u; part < SHW_DISTRIBUTION_TEXELS(push.classes); ++part) {
        uvec4 even, odd;
        sum_part(part, pixel, even, odd);
        find_largest(even, odd, part, best, best_sum);
    }
    result0 = best;
#endif
}
