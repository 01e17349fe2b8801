#version 450
#extension GL_GOOGLE_include_directive : require
#include "source.glsl"

/* An invocation makes two neighbouring pixels, which share a word. */
layout(local_size_x = 32, local_size_y = 4) in;
#ifdef MAKES_LAB
layout(set = 0, binding = 2) writeonly buffer Planes {
#else
layout(set = 0, binding = 1) writeonly buffer Planes {
#endif
    uint planes[];
};

#ifdef MAKES_BASE
const int plane_count = 4;
#else
const int plane_count = 3;
#endif

void main()
{
    ivec2 pixel = ivec2(gl_GlobalInvocationID.x * 2u, gl_GlobalInvocationID.y);

    if (pixel.x >= push.size.x || pixel.y >= push.size.y)
        return;
    ivec4 left = source_planes(pixel);
    ivec4 right = source_planes(ivec2(min(pixel.x + 1, push.size.x - 1), pixel.y));
    uint word = uint(pixel.y) * push.row_words + gl_GlobalInvocationID.x;
    for (int plane = 0; plane < plane_count; plane++, word += push.plane_words)
        planes[word] = (uint(left[plane]) & 0xffffu) | uint(right[plane]) << 16u;
}
