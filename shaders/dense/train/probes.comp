#version 450
#extension GL_GOOGLE_include_directive : require
/* Responses of the samples from which thresholds are made: one invocation per row and probe. */
#define SHW_MAY_BRANCH     1
#define SHW_PIXELS_AT_HAND 1
#include "train.glsl"
#include "feature.h"
#include "random.h"

layout(local_size_x = SHW_SPLIT_WORKGROUP) in;
layout(std430, set = 0, binding = SHW_TRAIN_SAMPLES) readonly buffer Samples {
    uint samples[];
};
layout(std430, set = 0, binding = SHW_TRAIN_PROBES) writeonly buffer Probes {
    int probes[];
};

#include "respond.glsl"
#include "features.glsl"

void main()
{
    uint id = work_group() * SHW_SPLIT_WORKGROUP + gl_LocalInvocationID.x;
    uint row = id / constants.probe_count, probe = id % constants.probe_count;
    if (row >= push.open_count * push.candidate_count)
        return;
    uint open = push.open_begin + row / push.candidate_count, count = node_word(open, SHW_NODE_WHOLE_COUNT);
    uint from = node_word(open, SHW_NODE_FIRST), number = probe;
    if (constants.level_probe_count != 0u) {
        if (probe >= constants.level_probe_count)
            return;
        from = tables[constants.level_probe_table + probe];
        if (from == 0xffffffffu) { /* another worker's */
            probes[id] = SHW_UNDEFINED_RESPONSE;
            return;
        }
    } else {
        if (push.scheme != 0u || count > constants.probe_count)
            number = shw_random_below(shw_random(constants.threshold_key, node_word(open, SHW_NODE_NUMBER), probe), count);
        if (number >= count)
            return;
        number -= node_word(open, SHW_NODE_BEFORE);
        if (number >= node_word(open, SHW_NODE_COUNT)) { /* another worker's */
            probes[id] = SHW_UNDEFINED_RESPONSE;
            return;
        }
        from += number;
    }
    sample_place place;
    if (find_sample(samples[from], samples[push.sample_capacity + from], place))
        probes[id] = shw_stored(respond(place, feature_of(row)));
}
