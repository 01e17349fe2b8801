#version 450
#extension GL_GOOGLE_include_directive : require
#include "roofline_fetches.glsl"

layout(local_size_x = 8, local_size_y = 8) in;
layout(std430, set = 0, binding = SHW_ROOFLINE_RESULT) writeonly buffer Result {
    uint result[];
};

void main()
{
    uvec2 pixel = gl_GlobalInvocationID.xy;
    result[pixel.y * SHW_ROOFLINE_WIDTH + pixel.x] = fetches(ivec2(pixel));
}
