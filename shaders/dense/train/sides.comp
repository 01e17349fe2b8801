#version 450
#extension GL_GOOGLE_include_directive : require
/* The side of each sample, and the number of samples that go right by class and by segment: one work group per segment
 * of a node's samples. */
#define SHW_MAY_BRANCH     1
#define SHW_PIXELS_AT_HAND 1
#include "train.glsl"

layout(local_size_x = SHW_TRAIN_WORKGROUP) in;
layout(std430, set = 0, binding = SHW_TRAIN_SAMPLES) buffer Samples {
    uint samples[];
};
layout(std430, set = 0, binding = SHW_TRAIN_WINNERS) readonly buffer Winners {
    uint winners[];
};
layout(std430, set = 0, binding = SHW_TRAIN_CHILDREN) buffer Children {
    uint children[];
};

#include "respond.glsl"

#define SHARED_CLASSES 512u

shared uint counts[SHARED_CLASSES];
shared uint right_count;

void main()
{
    uint number = work_group(), segment = constants.segment_table + number * SHW_SEGMENT_WORDS;
    if (number >= push.segment_end)
        return;
    uint open = tables[segment], first = tables[segment + 1u], count = tables[segment + 2u];
    uint winner = open * SHW_WINNER_WORDS;
    if (winners[winner] == SHW_NO_SPLIT)
        return;
    /* A node's samples are sorted by image, and thus by chunk. */
    if (chunk_of(samples[push.sample_capacity + first]) > push.chunk ||
        chunk_of(samples[push.sample_capacity + first + count - 1u]) < push.chunk)
        return;
    bool in_shared = constants.class_count <= SHARED_CLASSES;
    int t0 = int(winners[winner + 1u]), t1 = int(winners[winner + 2u]);
    shw_feature_words feature = shw_feature_of(
        winners[winner + 8u],
        uvec4(winners[winner + 9u], winners[winner + 10u], winners[winner + 11u], winners[winner + 12u]));
    for (uint i = gl_LocalInvocationID.x; i < SHARED_CLASSES; i += SHW_TRAIN_WORKGROUP)
        counts[i] = 0u;
    if (gl_LocalInvocationID.x == 0u)
        right_count = 0u;
    barrier();
    for (uint i = gl_LocalInvocationID.x; i < count; i += SHW_TRAIN_WORKGROUP) {
        uint from = first + i, label = samples[2u * push.sample_capacity + from];
        sample_place place;
        if (!find_sample(samples[from], samples[push.sample_capacity + from], place))
            continue;
        uint side = shw_goes_right(respond(place, feature), t0, t1);
        samples[3u * push.sample_capacity + from] = side;
        if (side == 1u) {
            atomicAdd(right_count, 1u);
            if (in_shared)
                atomicAdd(counts[label], 1u);
            else
                atomicAdd(children[open * constants.class_count + label], 1u);
        }
    }
    barrier();
    for (uint i = gl_LocalInvocationID.x; in_shared && i < constants.class_count; i += SHW_TRAIN_WORKGROUP)
        if (counts[i] != 0u)
            atomicAdd(children[open * constants.class_count + i], counts[i]);
    if (gl_LocalInvocationID.x == 0u)
        atomicAdd(children[push.open_count * constants.class_count + number], right_count);
}
