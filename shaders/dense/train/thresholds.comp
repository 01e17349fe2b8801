#version 450
#extension GL_GOOGLE_include_directive : require
/* Thresholds from the responses of probes: one work group per row. */
#include "train.glsl"
#include "feature.h"

layout(local_size_x = SHW_SPLIT_WORKGROUP) in;
layout(std430, set = 0, binding = SHW_TRAIN_FEATURES) readonly buffer Features {
    uint features[];
};
layout(std430, set = 0, binding = SHW_TRAIN_PROBES) readonly buffer Probes {
    int probes[];
};
layout(std430, set = 0, binding = SHW_TRAIN_THRESHOLDS) writeonly buffer Thresholds {
    int thresholds[];
};

shared int values[256];
shared int least, greatest;

/* Of the defined responses. */
void find_extremes(uint row, uint count)
{
    if (gl_LocalInvocationID.x == 0u) {
        least = 0x7fffffff;
        greatest = SHW_UNDEFINED_RESPONSE;
    }
    barrier();
    for (uint i = gl_LocalInvocationID.x; i < count; i += SHW_SPLIT_WORKGROUP) {
        int value = probes[row * constants.probe_count + i];
        if (value == SHW_UNDEFINED_RESPONSE)
            continue;
        atomicMin(least, value);
        atomicMax(greatest, value);
    }
    barrier();
}

/* The interval that the caller gives a row; without one, low == high. */
ivec2 interval_of(uint row)
{
    uint from = push.open_count * push.candidate_count * SHW_FEATURE_WORDS + row * SHW_INTERVAL_WORDS;
    return constants.proposed != 0u ? ivec2(features[from], features[from + 1u]) : ivec2(0);
}

/* Thresholds at equal distances in the interval: low + ceil(range * k / bins). */
void space_evenly(ivec2 interval, uint to)
{
    uint range = uint(interval.y) - uint(interval.x), whole = range / push.bins, rest = range % push.bins;
    if (gl_LocalInvocationID.x == 0u) {
        thresholds[to] = int(interval.x < interval.y);
        thresholds[to + 1u] = interval.x;
        thresholds[to + 2u] = int(range);
    }
    for (uint k = 1u + gl_LocalInvocationID.x; k < push.bins; k += SHW_SPLIT_WORKGROUP)
        thresholds[to + SHW_THRESHOLD_WORDS + k - 1u] =
            int(uint(interval.x) + whole * k + (rest * k + push.bins - 1u) / push.bins);
}

/* Sorts the responses; undefined ones are replaced by the greatest. */
void sort_values(uint row, uint count, uint to)
{
    find_extremes(row, count);
    for (uint i = gl_LocalInvocationID.x; i < count; i += SHW_SPLIT_WORKGROUP) {
        int value = probes[row * constants.probe_count + i];
        values[i] = value == SHW_UNDEFINED_RESPONSE ? greatest : value;
    }
    barrier();
    for (uint i = gl_LocalInvocationID.x; i < count; i += SHW_SPLIT_WORKGROUP) {
        uint rank = 0u;
        for (uint j = 0u; j < count; j++)
            rank += uint(values[j] < values[i]) + uint(values[j] == values[i] && j < i);
        thresholds[to + SHW_THRESHOLD_WORDS + rank] = values[i];
    }
    if (gl_LocalInvocationID.x == 0u)
        thresholds[to] = int(greatest != SHW_UNDEFINED_RESPONSE);
}

void main()
{
    uint row = work_group();
    if (row >= push.open_count * push.candidate_count)
        return;
    uint open = push.open_begin + row / push.candidate_count, to = row * (SHW_THRESHOLD_WORDS + push.bins - 1u);
    uint count = constants.level_probe_count != 0u ? constants.level_probe_count
                                                   : min(constants.probe_count, node_word(open, SHW_NODE_WHOLE_COUNT));
    ivec2 interval = interval_of(row);
    if (interval.x < interval.y) {
        space_evenly(interval, to);
    } else if (push.scheme == 0u) {
        find_extremes(row, count);
        space_evenly(ivec2(least, greatest), to);
    } else {
        sort_values(row, constants.probe_count, to);
    }
}
