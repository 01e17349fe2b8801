#version 450
#extension GL_GOOGLE_include_directive : require
/* Moves the samples of a node to its children: those that go left first, each in their previous order. One work group
 * per segment. */
#include "train.glsl"

layout(local_size_x = SHW_TRAIN_WORKGROUP) in;
layout(std430, set = 0, binding = SHW_TRAIN_SAMPLES) readonly buffer Samples {
    uint samples[];
};
layout(std430, set = 0, binding = SHW_TRAIN_MOVED) writeonly buffer Moved {
    uint moved[];
};
layout(std430, set = 0, binding = SHW_TRAIN_WINNERS) readonly buffer Winners {
    uint winners[];
};
layout(std430, set = 0, binding = SHW_TRAIN_CHILDREN) readonly buffer Children {
    uint children[];
};

shared uint sums[2][SHW_TRAIN_WORKGROUP];

/* The sum of the values of the invocations up to this one; `all`: of all invocations. */
uint scan(uint value, out uint all)
{
    uint me = gl_LocalInvocationID.x, from = 0u;
    sums[0][me] = value;
    barrier();
    for (uint step = 1u; step < SHW_TRAIN_WORKGROUP; step *= 2u, from = 1u - from) {
        sums[1u - from][me] = sums[from][me] + (me >= step ? sums[from][max(me, step) - step] : 0u);
        barrier();
    }
    all = sums[from][SHW_TRAIN_WORKGROUP - 1u];
    return sums[from][me];
}

void main()
{
    uint number = work_group(), segment = constants.segment_table + number * SHW_SEGMENT_WORDS;
    if (number >= push.segment_end)
        return;
    uint open = tables[segment], first = tables[segment + 1u], count = tables[segment + 2u];
    if (winners[open * SHW_WINNER_WORDS] == SHW_NO_SPLIT)
        return;
    uint ranks = push.open_count * constants.class_count, node_first = node_word(open, SHW_NODE_FIRST);
    uint node_begin = children[ranks + node_word(open, SHW_NODE_SEGMENT)];
    uint node_end = children[ranks + node_word(open + 1u, SHW_NODE_SEGMENT)];
    uint lefts = node_word(open, SHW_NODE_COUNT) - (node_end - node_begin);
    uint rights = children[ranks + number] - node_begin;
    for (uint begin = 0u; begin < count; begin += SHW_TRAIN_WORKGROUP) {
        uint i = begin + gl_LocalInvocationID.x, from = first + min(i, count - 1u);
        uint side = i < count ? samples[3u * push.sample_capacity + from] : 0u;
        uint all, up_to_here = scan(side, all), before = rights + up_to_here - side;
        uint to = node_first + (side == 1u ? lefts + before : from - node_first - before);
        if (i < count)
            for (uint plane = 0u; plane < 3u; plane++)
                moved[plane * push.sample_capacity + to] = samples[plane * push.sample_capacity + from];
        rights += all;
        barrier();
    }
}
