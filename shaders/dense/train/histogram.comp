#version 450
#extension GL_GOOGLE_include_directive : require
/* Counts samples by candidate, bin and class: one work group per item, which is some samples of one node and some
 * candidates. Counts are made in shared memory as far as they fit, then added to the node's histogram. */
#define SHW_MAY_BRANCH     1
#define SHW_PIXELS_AT_HAND 1
#include "train.glsl"

layout(local_size_x = SHW_TRAIN_WORKGROUP) in;
layout(constant_id = 0) const uint SHARED_WORDS = 4096u;
layout(std430, set = 0, binding = SHW_TRAIN_SAMPLES) readonly buffer Samples {
    uint samples[];
};
layout(std430, set = 0, binding = SHW_TRAIN_HISTOGRAM) buffer Histogram {
    uint histogram[];
};

#include "bin.glsl"
#include "respond.glsl"
#include "features.glsl"

shared uint counts[SHARED_WORDS];

/* A candidate; uniform in the work group. */
struct candidate_view {
    shw_feature_words feature;
    uint cells; /* where its counts begin */
    threshold_view thresholds;
};

struct node_view {
    uint classes, index, row, words, histogram; /* row: of the item's first candidate */
    bool in_shared;
};

candidate_view candidate_of(node_view node, uint number)
{
    uint row = node.row + number;
    return candidate_view(feature_of(row), number * node.words, thresholds_of(row));
}

uint cell_of(node_view node, candidate_view candidate, sample_place place, uint class_index)
{
    shw_response response = respond(place, candidate.feature);
    uint bin = bin_of(candidate.thresholds, response.value);
#if SHW_FEATURE_MAY_BE_UNDEFINED
    bin = response.undefined != 0u ? push.bins : bin;
#endif
    return candidate.cells + bin * node.classes + class_index;
}

void count_cell(node_view node, uint cell)
{
    if (node.in_shared)
        atomicAdd(counts[cell], 1u);
    else
        atomicAdd(histogram[node.histogram + cell], 1u);
}

/* Candidate by candidate, so that neighbouring invocations read neighbouring pixels. One sample per invocation: with
 * more samples in flight, the caches hold less of the data that candidates share. */
void count_many(node_view node, uint first, uint count, uint candidates)
{
    for (uint s = gl_LocalInvocationID.x; s < count; s += SHW_TRAIN_WORKGROUP) {
        uint from = first + s, class_index = tables[node.index + samples[2u * push.sample_capacity + from]];
        sample_place place;
        if (!find_sample(samples[from], samples[push.sample_capacity + from], place))
            continue;
        for (uint number = 0u; number < candidates; number++)
            if (has_thresholds(node.row + number))
                count_cell(node, cell_of(node, candidate_of(node, number), place, class_index));
    }
}

/* All pairs of samples and candidates in parallel. */
void count_few(node_view node, uint first, uint count, uint candidates)
{
    for (uint pair = gl_LocalInvocationID.x; pair < count * candidates; pair += SHW_TRAIN_WORKGROUP) {
        uint number = pair / count, from = first + pair % count;
        sample_place place;
        if (find_sample(samples[from], samples[push.sample_capacity + from], place) &&
            has_thresholds(node.row + number))
            count_cell(node, cell_of(node, candidate_of(node, number), place,
                                     tables[node.index + samples[2u * push.sample_capacity + from]]));
    }
}

void main()
{
    uint number = push.item_begin + work_group();
    if (number >= push.item_end)
        return;
    uint item = constants.item_table + number * SHW_ITEM_WORDS;
    uint open = tables[item], first = tables[item + 1u], count = tables[item + 2u], begin = tables[item + 3u];
    uint candidates = tables[item + 4u];
    /* A node's samples are sorted by image, and thus by chunk. */
    if (chunk_of(samples[push.sample_capacity + first]) > push.chunk ||
        chunk_of(samples[push.sample_capacity + first + count - 1u]) < push.chunk)
        return;
    node_view node;
    node.classes = node_word(open, SHW_NODE_CLASSES);
    node.index = node_word(open, SHW_NODE_CLASS_INDEX);
    node.row = (open - push.open_begin) * push.candidate_count + begin;
    node.words = push.all_bins * node.classes;
    node.histogram = node_word(open, SHW_NODE_HISTOGRAM) + begin * node.words;
    node.in_shared = candidates * node.words <= SHARED_WORDS;
    if (node.in_shared) {
        for (uint i = gl_LocalInvocationID.x; i < candidates * node.words; i += SHW_TRAIN_WORKGROUP)
            counts[i] = 0u;
        barrier();
    }
    if (count >= SHW_TRAIN_WORKGROUP)
        count_many(node, first, count, candidates);
    else
        count_few(node, first, count, candidates);
    if (node.in_shared) {
        barrier();
        for (uint i = gl_LocalInvocationID.x; i < candidates * node.words; i += SHW_TRAIN_WORKGROUP)
            if (counts[i] != 0u)
                atomicAdd(histogram[node.histogram + i], counts[i]);
    }
}
