#version 450
#extension GL_GOOGLE_include_directive : require
/* The best test of a node among those of its groups of candidates and, after the node's first batch, of previous
 * batches: one work group per node. */
#include "train.glsl"
#include "fraction.h"

layout(local_size_x = SHW_SPLIT_WORKGROUP) in;
layout(std430, set = 0, binding = SHW_TRAIN_FEATURES) readonly buffer Features {
    uint features[];
};
layout(std430, set = 0, binding = SHW_TRAIN_THRESHOLDS) readonly buffer Thresholds {
    uint thresholds[];
};
layout(std430, set = 0, binding = SHW_TRAIN_BESTS) readonly buffer Bests {
    uint read[];
};
layout(std430, set = 0, binding = SHW_TRAIN_WINNERS) buffer Winners {
    uint winners[];
};

#include "best.glsl"

void write_winner(uint to, uint row, uint from)
{
    uint candidate = read[from], bounds = tables[constants.test_table + read[from + 1u]];
    uint first = bounds & 0xffffu, end = bounds >> 16u;
    uint values = (row + candidate) * (SHW_THRESHOLD_WORDS + push.bins - 1u) + SHW_THRESHOLD_WORDS;
    winners[to] = constants.candidate_first + push.candidate_begin + candidate;
    winners[to + 1u] = first > 0u ? thresholds[values + first - 1u] : 0x80000000u;
    winners[to + 2u] = end < push.bins ? thresholds[values + end - 1u] : 0x7fffffffu;
    for (uint i = 0u; i < 5u; i++) {
        winners[to + 3u + i] = read[from + 2u + i];
        winners[to + 8u + i] = features[(row + candidate) * SHW_FEATURE_WORDS + i];
    }
}

shared uint lost;

void main()
{
    uint node = work_group(), open = push.open_begin + node, to = open * SHW_WINNER_WORDS;
    if (node >= push.open_count)
        return;
    if (gl_LocalInvocationID.x == 0u)
        lost = 0u;
    barrier();
    best_test best;
    best.order = SHW_NO_SPLIT;
    for (uint group = gl_LocalInvocationID.x; group < push.split_groups; group += SHW_SPLIT_WORKGROUP) {
        uint from = (node * push.split_groups + group) * SHW_BEST_WORDS;
        best_test other;
        other.order = read[from] == SHW_NO_SPLIT ? SHW_NO_SPLIT : group;
        other.score = shw_fraction(read[from + 2u], read[from + 3u], read[from + 4u], read[from + 5u], read[from + 6u]);
        if (is_better(other, best))
            best = other;
        if (read[from + 7u] != 0u)
            atomicOr(lost, 1u);
    }
    barrier();
    best = share_best(best);
    if (gl_LocalInvocationID.x != 0u)
        return;
    if (push.candidate_begin == 0u) {
        winners[to] = SHW_NO_SPLIT;
        winners[to + 13u] = 0u;
    }
    winners[to + 13u] |= lost;
    if (best.order == SHW_NO_SPLIT)
        return;
    if (winners[to] != SHW_NO_SPLIT) {
        shw_fraction before =
            shw_fraction(winners[to + 3u], winners[to + 4u], winners[to + 5u], winners[to + 6u], winners[to + 7u]);
        if (shw_fraction_greater(best.score, before) == 0u)
            return;
    }
    write_winner(to, node * push.candidate_count, (node * push.split_groups + best.order) * SHW_BEST_WORDS);
}
