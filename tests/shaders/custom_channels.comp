#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
/* The channel set rgb from 8-bit colour; two pixels, one word, an invocation. */
#include "base_planes.h"
layout(local_size_x = 8, local_size_y = 8) in;
layout(push_constant) uniform Push {
    uint width, height, stride, pitch;
};
layout(set = 0, binding = 0) uniform texture2D source;
layout(std430, set = 0, binding = 1) writeonly buffer Channels {
    uint channels[];
};

uint channel(ivec2 pixel, uint c)
{
    return uint(shw_base_from_8(uint(texelFetch(source, pixel, 0)[c] * 255.0 + 0.5))) & 0xffffu;
}

void main()
{
    ivec2 pixel = ivec2(2u * gl_GlobalInvocationID.x, gl_GlobalInvocationID.y);
    if (pixel.x >= int(width) || pixel.y >= int(height))
        return;
    ivec2 next = ivec2(min(pixel.x + 1, int(width) - 1), pixel.y);
    for (uint c = 0u; c < 3u; ++c)
        channels[(c * pitch + uint(pixel.y) * stride + uint(pixel.x)) >> 1] = channel(pixel, c) |
            channel(next, c) << 16;
}
