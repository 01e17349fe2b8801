#version 450
#extension GL_GOOGLE_include_directive : require
/* The leaf that a pixel reaches in one tree; trees along z. */
#include "evaluate_buffer.glsl"

layout(std430, set = 0, binding = SHW_EVALUATE_INTEGRALS) readonly buffer Integrals {
    uint integrals[];
};
layout(std430, set = 0, binding = SHW_EVALUATE_LEAVES) writeonly buffer Leaves {
    uint leaves[];
};

uint shw_integral(uint channel, int x, int y)
{
    return integrals[channel * push.integral_pitch + uint(y) * push.integral_stride + uint(x)];
}

#include "traverse.h"

void main()
{
    uvec2 pixel = gl_GlobalInvocationID.xy;
    uint tree = gl_WorkGroupID.z;
    if (pixel.x >= push.tile_width || pixel.y >= push.tile_height)
        return;
    uvec4 entry = shw_forest_texel(1u + tree);
    shw_rect image = shw_rect(push.image_x0, push.image_y0, push.image_x1, push.image_y1);
    uint texel = shw_traverse(entry.x, entry.z, int(pixel.x) + push.tile_x, int(pixel.y) + push.tile_y, image);
    leaves[tree * push.leaf_pitch + pixel.y * push.leaf_stride + pixel.x] = shw_forest_texel(texel).z;
}
