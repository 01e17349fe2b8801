#version 450
#extension GL_GOOGLE_include_directive : require
/* Writes the positions that blend_scatter.vert computes, for point_positions.vert to draw: one invocation per sample,
 * one row of work groups per candidate. */
#include "../dense/train/blend.glsl"
#include "../dense/train/blend_cell.glsl"
#include "../dense/train/blend_point.glsl"

layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) writeonly buffer Positions {
    vec2 positions[];
};

void main()
{
    uint number = gl_GlobalInvocationID.x, layer = gl_GlobalInvocationID.y;
    if (number >= push.count)
        return;
    vec4 position = point_of(cell_of(number, layer));
    positions[layer * push.count + number] = position.z > 1.0 ? vec2(2.0) : position.xy;
}
