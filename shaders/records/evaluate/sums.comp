#version 450
#extension GL_GOOGLE_include_directive : require
/* Evaluation in passes: adds what the trees of a slice give to the sums. A lane for each record and output. */
#include "tables.glsl"

layout(std430, set = 0, binding = SHW_RECORD_PLACES) readonly buffer Places {
    uint places[];
};
layout(std430, set = 0, binding = SHW_RECORD_SUMS_OUT) buffer Sums {
    uvec2 sums[];
};
layout(std430, set = 0, binding = SHW_RECORD_PASS_SUMS) buffer PassSums {
    uvec2 pass_sums[];
};

layout(constant_id = 16) const bool OF_ALL = true; /* a leaf has a value for each output */

/* What the trees of the chunk give to an output. */
uvec2 chunk_sum(uvec4 chunk, uint record, uint value, uint values)
{
    uvec2 sum = uvec2(0u);

    for (uint tree = chunk.x; tree < chunk.y; ++tree) {
        uint place = places[(tree - push.first_tree) * push.pitch + record];
        sum = sum_of(sum, widen(leaf_values[tree_at(tree).y + place * values + value]));
    }
    return sum;
}

void main()
{
    uint groups = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint item = groups * gl_WorkGroupSize.x + gl_LocalInvocationID.x, record = item / OUTPUTS, outcome = item % OUTPUTS;
    bool keeps = (push.wanted & SHW_RECORD_WANTS_SUMS) != 0u;
    uvec2 sum = base_of(outcome);

    if (record >= push.count)
        return;
    if (push.first_chunk > 0u)
        sum = keeps ? sums[item] : pass_sums[item];
    for (uint c = push.first_chunk; c < push.end_chunk; ++c) {
        uint first = tables[c * SHW_RECORD_CHUNK_TEXELS + 1u].x;
        if (OF_ALL || first == outcome)
            sum = sum_of(sum, chunk_sum(tables[c * SHW_RECORD_CHUNK_TEXELS], record, outcome - first,
                                        OF_ALL ? OUTPUTS : 1u));
    }
    if (keeps)
        sums[item] = sum;
    else
        pass_sums[item] = sum;
}
