#version 450
#extension GL_GOOGLE_include_directive : require
/* From leaf planes to the mean distribution of four classes, or to the most probable class. */
#include "evaluate_image.glsl"

layout(set = 0, binding = SHW_EVALUATE_LEAVES) uniform utexture2DArray leaves;

uint leaf_at(uint tree, ivec2 pixel)
{
    return texelFetch(leaves, ivec3(pixel, tree), 0).x;
}

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
    uint sums[8];
    uint half_texel = push.first & 4u;
    sum_part(push.first >> 3, pixel, sums);
    result0 = mean_of(sums[half_texel]);
    result1 = mean_of(sums[half_texel + 1u]);
    result2 = mean_of(sums[half_texel + 2u]);
    result3 = mean_of(sums[half_texel + 3u]);
#else
    result0 = largest(pixel);
#endif
}
