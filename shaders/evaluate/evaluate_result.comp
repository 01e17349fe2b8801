#version 450
#extension GL_GOOGLE_include_directive : require
/* From leaf planes to the mean distribution (eight classes along z) or to the most probable class; two pixels, one word, a thread. */
#include "evaluate_buffer.glsl"

layout(std430, set = 0, binding = SHW_EVALUATE_LEAVES) readonly buffer Leaves {
    uint leaves[];
};
layout(std430, set = 0, binding = SHW_EVALUATE_RESULT) writeonly buffer Result {
    uint result[]; /* pairs of half-words */
};

uint leaf_at(uint tree, ivec2 pixel)
{
    return leaves[tree * push.leaf_pitch + uint(pixel.y) * push.leaf_stride + uint(pixel.x)];
}

#include "evaluate_sums.glsl"

void main()
{
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy) * ivec2(2, 1);
    if (pixel.x >= int(push.tile_width) || pixel.y >= int(push.tile_height))
        return;
    ivec2 next = ivec2(min(pixel.x + 1, int(push.tile_width) - 1), pixel.y);
    #if DISTRIBUTION
    uint word = (uint(pixel.y) * push.distribution_stride + uint(pixel.x)) >> 1;
    uint part = gl_WorkGroupID.z;
    uint left[8], right[8];
    sum_part(part, pixel, left);
    sum_part(part, next, right);
    for (uint i = 0u; i < min(8u, push.classes - 8u * part); ++i)
        result[((8u * part + i) * push.distribution_pitch >> 1) + word] = mean_of(left[i]) | mean_of(right[i]) << 16;
#else
    result[(uint(pixel.y) * push.argmax_stride + uint(pixel.x)) >> 1] = largest(pixel) | largest(next) << 16;
#endif
}
