#version 450
#extension GL_GOOGLE_include_directive : require
/* Draws the features of a batch: one invocation per row. */
#include "train.glsl"

layout(local_size_x = SHW_SPLIT_WORKGROUP) in;
layout(std430, set = 0, binding = SHW_TRAIN_FEATURES) writeonly buffer Features {
    uint features[];
};

uint shw_channel_max(uint channel)
{
    return tables[constants.channel_table + channel] & 0xffffu;
}

uint shw_channel_content(uint channel)
{
    return tables[constants.channel_table + channel] >> 16u;
}

#include "feature_type.h"

void main()
{
    uint row = work_group() * SHW_SPLIT_WORKGROUP + gl_LocalInvocationID.x;
    if (row >= push.open_count * push.candidate_count)
        return;
    uint open = push.open_begin + row / push.candidate_count;
    uint candidate = constants.candidate_first + push.candidate_begin + row % push.candidate_count;
    uint place = constants.pool_round == 1u ? constants.depth : node_word(open, SHW_NODE_NUMBER);
    shw_candidate_space space =
        shw_candidate_space(constants.candidate_key, constants.channel_count, constants.size_max, constants.offset_max,
                            constants.single_percent, constants.offset_min, constants.candidates, constants.shapes);
    shw_feature_words feature = shw_feature_draw(space, place, candidate);
    uint to = row * SHW_FEATURE_WORDS;
    features[to] = feature.head;
    for (uint i = 0u; i < 4u; i++)
        features[to + 1u + i] = feature.words[i];
}
