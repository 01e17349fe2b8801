#version 450
#extension GL_GOOGLE_include_directive : require
/* One render pass of the integral image: adds four sums of the previous pass, `step` apart. FROM_CHANNELS: the first
 * pass, which also adds the row and the column of zeros. */
#extension GL_EXT_samplerless_texture_functions : require

#ifdef FROM_CHANNELS
layout(set = 0, binding = 0) uniform itexture2DArray planes;
#else
layout(set = 0, binding = 0) uniform utexture2DArray planes;
#endif
layout(push_constant) uniform Push {
    ivec2 step;
    int first_plane;
} push;

layout(location = 0) out uint output0;
#if OUTPUTS > 1
layout(location = 1) out uint output1;
#endif
#if OUTPUTS > 2
layout(location = 2) out uint output2;
#endif
#if OUTPUTS > 3
layout(location = 3) out uint output3;
#endif

uint shw_summand(ivec2 at, int plane)
{
    return uint(texelFetch(planes, ivec3(at, push.first_plane + plane), 0).r);
}

#include "sum_of_four.glsl"

uint sum_of_four(int plane)
{
#ifdef FROM_CHANNELS
    ivec2 pixel = ivec2(gl_FragCoord.xy) - 1;
#else
    ivec2 pixel = ivec2(gl_FragCoord.xy);
#endif
    return shw_sum_of_four(pixel, push.step, plane);
}

void main()
{
    output0 = sum_of_four(0);
#if OUTPUTS > 1
    output1 = sum_of_four(1);
#endif
#if OUTPUTS > 2
    output2 = sum_of_four(2);
#endif
#if OUTPUTS > 3
    output3 = sum_of_four(3);
#endif
}
