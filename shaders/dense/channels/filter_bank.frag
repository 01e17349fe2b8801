#version 450
/* One direction of up to four separable filters: every output is the sum of one or two filtered planes, rounded, or its
 * magnitude. */
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_GOOGLE_include_directive : require
#include "types.h"

layout(set = 0, binding = 0) uniform itexture2DArray planes;
layout(set = 0, binding = 1) readonly buffer Weights {
    int weights[];
};
layout(push_constant) uniform Push {
    ivec2 last;      /* last pixel of the region, to which coordinates are clamped */
    ivec2 direction; /* (1, 0): along rows, (0, 1): along columns */
    int radius;
    uint shift;
    uint term_count;
    uint outputs[4]; /* the sum to write, plus 4 for its magnitude */
    uint terms[8];   /* plane, index of the sum << 8, index of the kernel's first weight << 16 */
} push;

layout(location = 0) out int output0;
#if OUTPUTS > 1
layout(location = 1) out int output1;
#endif
#if OUTPUTS > 2
layout(location = 2) out int output2;
#endif
#if OUTPUTS > 3
layout(location = 3) out int output3;
#endif

int shw_weight(int index)
{
    return weights[index];
}

int shw_plane_at(ivec2 at, int plane)
{
    return texelFetch(planes, ivec3(at, plane), 0).r;
}

#include "filter_sum.glsl"

int show(ivec4 sums, uint which)
{
    int value = shw_round_shift(sums[which & 3u], push.shift);
    return (which & 4u) != 0u ? abs(value) : value;
}

void main()
{
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    ivec4 sums = ivec4(0);

    for (uint t = 0u; t < push.term_count; t++) {
        int plane = int(push.terms[t] & 0xffu);
        int weight = int(push.terms[t] >> 16u);
        int sum = shw_filter_sum(pixel, push.direction, push.last, plane, push.radius, weight);
        sums[push.terms[t] >> 8u & 3u] += sum;
    }
    output0 = show(sums, push.outputs[0]);
#if OUTPUTS > 1
    output1 = show(sums, push.outputs[1]);
#endif
#if OUTPUTS > 2
    output2 = show(sums, push.outputs[2]);
#endif
#if OUTPUTS > 3
    output3 = show(sums, push.outputs[3]);
#endif
}
