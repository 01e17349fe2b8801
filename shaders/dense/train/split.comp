#version 450
#extension GL_GOOGLE_include_directive : require
/* The best test of some candidates of one node, from their histograms: one work group for as many as keep it busy. */
#include "train.glsl"
#include "random.h"

layout(local_size_x = SHW_SPLIT_WORKGROUP) in;
layout(std430, set = 0, binding = SHW_TRAIN_THRESHOLDS) readonly buffer Thresholds {
    int thresholds[];
};
layout(std430, set = 0, binding = SHW_TRAIN_HISTOGRAM) buffer Histogram {
    uint histogram[];
};
layout(std430, set = 0, binding = SHW_TRAIN_BESTS) writeonly buffer Bests {
    uint written[];
};
layout(std430, set = 0, binding = SHW_TRAIN_TIMES_LOG2) readonly buffer TimesLog2 {
    uint times_log2[];
};

#define SHW_TIMES_LOG2(n) look_up_times_log2(n)
shw_uint2 look_up_times_log2(uint n);
#include "fraction.h"

shw_uint2 look_up_times_log2(uint n)
{
    if (n < SHW_TIMES_LOG2_COUNT)
        return shw_uint2(times_log2[2u * n], times_log2[2u * n + 1u]);
    return shw_times_log2(n);
}

#include "best.glsl"

shared uint lost;

/* Replaces the counts of each bin by those of this and all lower bins, and checks that all samples of the node have been
 * counted. */
void accumulate(uint begin, uint candidates, uint classes, uint row, uint list)
{
    if (gl_LocalInvocationID.x == 0u)
        lost = 0u;
    barrier();
    for (uint i = gl_LocalInvocationID.x; i < candidates * classes; i += SHW_SPLIT_WORKGROUP) {
        uint cell = begin + i / classes * classes * push.all_bins + i % classes, sum = 0u;
        for (uint bin = 0u; bin < push.bins; bin++, cell += classes) {
            sum += histogram[cell];
            histogram[cell] = sum;
        }
        if (push.all_bins > push.bins) /* undefined */
            sum += histogram[cell];
        if (sum != tables[list + 2u * (i % classes) + 1u] &&
            thresholds[(row + i / classes) * (SHW_THRESHOLD_WORDS + push.bins - 1u)] != 0)
            atomicOr(lost, 1u);
    }
    memoryBarrierBuffer();
    barrier();
}

/* Whether bins first..end-1 lie between equal thresholds, so that only undefined samples would go right. `row` is the
 * candidate's. */
bool holds_nothing(uint row, uint first, uint end)
{
    uint values = row * (SHW_THRESHOLD_WORDS + push.bins - 1u) + SHW_THRESHOLD_WORDS;
    return push.all_bins > push.bins && first > 0u && end < push.bins &&
           thresholds[values + first - 1u] == thresholds[values + end - 1u];
}

/* The score of a test; false if a side has too few samples. `begin` is that of the candidate's histogram. */
bool score_of(uint begin, uint node, uint list, uint classes, uint bounds, out shw_fraction score)
{
    uint first = bounds & 0xffffu, end = bounds >> 16u, low = begin + (max(first, 1u) - 1u) * classes;
    uint high = begin + (end - 1u) * classes, is_open = uint(first == 0u);
    shw_uint2 left = shw_uint2(0u, 0u), right = shw_uint2(0u, 0u);
    uint left_mass = 0u, right_mass = 0u, left_samples = 0u, right_samples = 0u;
    for (uint i = 0u; i < classes; i++) {
        uint weight = tables[list + 2u * i], all = tables[list + 2u * i + 1u];
        uint inside = histogram[high + i] - histogram[low + i] * (1u - is_open), outside;
        if (push.all_bins > push.bins) /* undefined */
            inside += histogram[begin + push.bins * classes + i];
        outside = all - inside;
        left_samples += outside;
        right_samples += inside;
        left_mass += outside * weight;
        right_mass += inside * weight;
        left = shw_measure_add(constants.score, left, outside * weight);
        right = shw_measure_add(constants.score, right, inside * weight);
    }
    shw_uint2 whole = shw_uint2(tables[node + SHW_NODE_ALL], tables[node + SHW_NODE_ALL + 1u]);
    shw_uint2 together = shw_uint2(tables[node + SHW_NODE_ALL + 2u], tables[node + SHW_NODE_ALL + 3u]);
    score = shw_fraction_of(constants.score, whole, together, left, left_mass, right, right_mass);
    return left_samples >= constants.samples_min && right_samples >= constants.samples_min;
}

void main()
{
    uint group = work_group(), open = push.open_begin + group / push.split_groups;
    if (group >= push.open_count * push.split_groups)
        return;
    uint first = group % push.split_groups * constants.split_candidates;
    uint candidates = min(constants.split_candidates, push.candidate_count - first);
    uint classes = node_word(open, SHW_NODE_CLASSES), list = node_word(open, SHW_NODE_CLASS_LIST);
    uint begin = node_word(open, SHW_NODE_HISTOGRAM) + first * push.all_bins * classes;
    uint row = (open - push.open_begin) * push.candidate_count + first;
    best_test best;
    best.order = SHW_NO_SPLIT;
    best.score = shw_fraction(node_word(open, SHW_NODE_SCORE), node_word(open, SHW_NODE_SCORE + 1u),
                              node_word(open, SHW_NODE_SCORE + 2u), node_word(open, SHW_NODE_SCORE + 3u),
                              node_word(open, SHW_NODE_SCORE + 4u));
    accumulate(begin, candidates, classes, row, list);
    for (uint i = gl_LocalInvocationID.x; i < candidates * constants.test_count; i += SHW_SPLIT_WORKGROUP) {
        uint candidate = i / constants.test_count, bounds = tables[constants.test_table + i % constants.test_count];
        shw_fraction score;
        if (thresholds[(row + candidate) * (SHW_THRESHOLD_WORDS + push.bins - 1u)] != 0 &&
            score_of(begin + candidate * push.all_bins * classes, open * SHW_TABLE_NODE_WORDS, list, classes, bounds,
                     score) &&
            !holds_nothing(row + candidate, bounds & 0xffffu, bounds >> 16u) &&
            shw_fraction_greater(score, best.score) != 0u) {
            best.order = i;
            best.score = score;
        }
    }
    best = share_best(best);
    if (gl_LocalInvocationID.x != 0u)
        return;
    uint to = group * SHW_BEST_WORDS;
    written[to] = best.order == SHW_NO_SPLIT ? SHW_NO_SPLIT : first + best.order / constants.test_count;
    written[to + 1u] = best.order % constants.test_count;
    written[to + 2u] = best.score.n0;
    written[to + 3u] = best.score.n1;
    written[to + 4u] = best.score.n2;
    written[to + 5u] = best.score.d0;
    written[to + 6u] = best.score.d1;
    written[to + 7u] = lost;
}
