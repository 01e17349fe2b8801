#version 450
#extension GL_GOOGLE_include_directive : require
/* Adds the counts of a texture to the histogram: one invocation per cell, one row of work groups per row of cells. */
#include "blend.glsl"

layout(local_size_x = SHW_BLEND_FLUSH_SIZE) in;
layout(std430, set = 0, binding = SHW_TRAIN_HISTOGRAM) buffer Histogram {
    uint histogram[];
};
layout(set = 0, binding = SHW_BLEND_COUNTS) uniform texture2DArray counts;

void main()
{
    uvec2 texel = gl_GlobalInvocationID.xy;
    uint cell = (texel.y << push.width_shift) + texel.x;
    if (cell >= push.cell_count)
        return;
    float count = texelFetch(counts, ivec3(texel, push.layer), 0).x;
    if (count > 0.0)
        histogram[push.cell_begin + cell] += uint(count);
}
