#version 450
#extension GL_GOOGLE_include_directive : require
/* Copies patches to their places in a slice: one invocation for two points of a patch. */
#define PATCHES_ACCESS
#include "boost.glsl"

layout(local_size_x = SHW_BOOST_PUT_X, local_size_y = SHW_BOOST_PUT_Y) in;
layout(std430, set = 0, binding = SHW_BOOST_WORK) readonly buffer Work {
    uint work[];
};

/* The other half of the word may be written at the same time. */
void put(uint point, uint place, uint value)
{
    uint word = point * push.stride + place / 2u, shift = 16u * (place & 1u);
    atomicAnd(patches[word], ~(0xffffu << shift));
    atomicOr(patches[word], value << shift);
}

void main()
{
    uint number = gl_GlobalInvocationID.x, word = gl_GlobalInvocationID.y;
    if (number >= push.count || word >= push.patch_words)
        return;
    uint place = work[number] - push.first, point = 2u * word;
    if (place >= 2u * push.stride)
        return;
    uint values = work[push.count + number * push.patch_words + word];
    put(point, place, values & 0xffffu);
    if (point + 1u < push.points)
        put(point + 1u, place, values >> 16u);
}
