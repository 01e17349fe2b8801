#version 450
#extension GL_GOOGLE_include_directive : require
/* For each segment, how many samples of the previous segments go right; after the last segment, the total. One work
 * group. */
#include "train.glsl"

layout(local_size_x = SHW_SCAN_WORKGROUP) in;
layout(std430, set = 0, binding = SHW_TRAIN_CHILDREN) buffer Children {
    uint children[];
};

shared uint sums[SHW_SCAN_WORKGROUP];

void main()
{
    uint me = gl_LocalInvocationID.x, length = (push.segment_end + SHW_SCAN_WORKGROUP - 1u) / SHW_SCAN_WORKGROUP;
    uint base = push.open_count * constants.class_count, begin = base + min(me * length, push.segment_end);
    uint end = base + min((me + 1u) * length, push.segment_end), sum = 0u;
    for (uint i = begin; i < end; i++)
        sum += children[i];
    sums[me] = sum;
    barrier();
    sum = 0u;
    for (uint i = 0u; i < me; i++)
        sum += sums[i];
    for (uint i = begin; i < end; i++) {
        uint next = sum + children[i];
        children[i] = sum;
        sum = next;
    }
    if (me == SHW_SCAN_WORKGROUP - 1u)
        children[base + push.segment_end] = sum;
}
