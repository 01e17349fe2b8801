#version 450
#extension GL_GOOGLE_include_directive : require
/* Adds the weights of samples to histograms: a work group has some candidates (x) and a chunk of the slice (y), and sums
 * in shared memory. An invocation has two samples and two candidates at a time: neighbours read neighbouring words, and
 * four searches hide each other's latency. */
#include "boost.glsl"
#include "samples.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint SHARED_WORDS = 4096u;
layout(std430, set = 0, binding = SHW_BOOST_WORK) buffer Work {
    uint histogram[];
};

/* Candidates, then their histograms. */
shared uint words[SHARED_WORDS];

#define THRESHOLD(index) int(words[index])
#include "bin.glsl"

#define WORKGROUP gl_WorkGroupSize.x

uint points_of(uint row)
{
    return words[row + SHW_BOOST_CANDIDATE_WORDS - 1u];
}

void count_word(uint word, uint candidates, uint sums, uint size)
{
    uvec2 even = cell_of(2u * word), odd = cell_of(2u * word + 1u);
    bool has_even = even.x != SHW_BOOST_NO_ROW, has_odd = odd.x != SHW_BOOST_NO_ROW;
    if (!has_even && !has_odd)
        return;
    for (uint c = 0u; c < candidates; c += 2u, sums += 2u * size) {
        bool has_next = c + 1u < candidates;
        uint row = c * SHW_BOOST_CANDIDATE_WORDS, next = has_next ? row + SHW_BOOST_CANDIDATE_WORDS : row;
        ivec2 response = respond(points_of(row), word), next_response = respond(points_of(next), word);
        uvec4 bins = uvec4(bin_of(row, response.x), bin_of(row, response.y), bin_of(next, next_response.x),
                           bin_of(next, next_response.y));
        uvec4 cells = sums + uvec4(even.x, odd.x, even.x + size, odd.x + size) + 2u * bins;
        if (has_even)
            atomicAdd(words[cells.x], even.y);
        if (has_odd)
            atomicAdd(words[cells.y], odd.y);
        if (has_even && has_next)
            atomicAdd(words[cells.z], even.y);
        if (has_odd && has_next)
            atomicAdd(words[cells.w], odd.y);
    }
}

void main()
{
    uint first = gl_WorkGroupID.x * push.together, candidates = min(push.together, push.candidate_count - first);
    uint size = push.row_count * push.bins * 2u, sums = candidates * SHW_BOOST_CANDIDATE_WORDS;
    uint begin = gl_WorkGroupID.y * push.chunk, end = min(begin + push.chunk, (push.count + 1u) / 2u);
    first += push.candidate_begin;
    for (uint i = gl_LocalInvocationID.x; i < sums; i += WORKGROUP)
        words[i] = tables[push.list + first * SHW_BOOST_CANDIDATE_WORDS + i];
    for (uint i = gl_LocalInvocationID.x; i < candidates * size; i += WORKGROUP)
        words[sums + i] = 0u;
    barrier();
    for (uint word = begin + gl_LocalInvocationID.x; word < end; word += WORKGROUP)
        count_word(word, candidates, sums, size);
    barrier();
    for (uint i = gl_LocalInvocationID.x; i < candidates * size; i += WORKGROUP)
        if (words[sums + i] != 0u)
            atomicAdd(histogram[first * size + i], words[sums + i]);
}
