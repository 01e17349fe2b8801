#version 450
#extension GL_GOOGLE_include_directive : require
/* From leaf planes to the mean distribution (eight classes along z) or to the most probable class; a thread computes
 * two pixels, which share a word. */
#include "evaluate_buffer.glsl"

layout(std430, set = 0, binding = SHW_EVALUATE_LEAVES) readonly buffer Leaves {
    uint leaves[];
};
layout(std430, set = 0, binding = SHW_EVALUATE_RESULT) writeonly buffer Result {
    uint result[]; /* pairs of half-words */
};

#define SUM_TREES push.trees
#define SUM_PIXEL ivec2
uint row_at(uint tree, ivec2 pixel)
{
    uint leaf = leaves[tree * push.leaf_pitch + uint(pixel.y) * push.leaf_stride + uint(pixel.x)];
    return shw_forest_texel(1u + tree).w + leaf | 0u - uint(leaf == SHW_LEAF_NONE);
}
#define SUM_MAY_BE_VOID 1
#include "evaluate_sums.glsl"

#if !DISTRIBUTION
uint largest(ivec2 pixel)
{
    uint best = SHW_ARGMAX_VOID, best_sum = 0u;
    for (uint part = 0u; part < SHW_DISTRIBUTION_TEXELS(push.classes); ++part) {
        uvec4 even, odd;
        sum_part(part, pixel, even, odd);
        find_largest(even, odd, part, best, best_sum);
    }
    return best;
}
#endif

void main()
{
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy) * ivec2(2, 1);
    if (pixel.x >= int(push.tile_width) || pixel.y >= int(push.tile_height))
        return;
    ivec2 next = ivec2(min(pixel.x + 1, int(push.tile_width) - 1), pixel.y);
#if DISTRIBUTION
    uint word = (uint(pixel.y) * push.distribution_stride + uint(pixel.x)) >> 1;
    uint part = gl_WorkGroupID.z;
    uvec4 left[2], right[2];
    sum_part(part, pixel, left[0], left[1]);
    sum_part(part, next, right[0], right[1]);
    for (uint i = 0u; i < min(8u, push.classes - 8u * part); ++i)
        result[((8u * part + i) * push.distribution_pitch >> 1) + word] =
            mean_of(sum_of(left[0], left[1], i)) | mean_of(sum_of(right[0], right[1], i)) << 16;
#else
    result[(uint(pixel.y) * push.argmax_stride + uint(pixel.x)) >> 1] = largest(pixel) | largest(next) << 16;
#endif
}
