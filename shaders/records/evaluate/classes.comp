#version 450
#extension GL_GOOGLE_include_directive : require
/* Evaluation in passes: the class of each record, from its sums. */
#include "tables.glsl"

layout(std430, set = 0, binding = SHW_RECORD_CLASSES_OUT) writeonly buffer Classes {
    uint classes[];
};
layout(std430, set = 0, binding = SHW_RECORD_SUMS_OUT) readonly buffer Sums {
    uvec2 sums[];
};
layout(std430, set = 0, binding = SHW_RECORD_PASS_SUMS) readonly buffer PassSums {
    uvec2 pass_sums[];
};

uvec2 sum_at(uint at)
{
    return (push.wanted & SHW_RECORD_WANTS_SUMS) != 0u ? sums[at] : pass_sums[at];
}

void main()
{
    uint record = gl_WorkGroupID.x * gl_WorkGroupSize.x + gl_LocalInvocationID.x, best_output = 0u;

    if (record >= push.count)
        return;
    uvec2 best = sum_at(record * OUTPUTS);
    for (uint o = 1u; o < OUTPUTS; ++o) {
        uvec2 sum = sum_at(record * OUTPUTS + o);
        if (is_greater(sum, best)) {
            best = sum;
            best_output = o;
        }
    }
    classes[record] = class_of(OUTPUTS, best, best_output, uvec2(CUT_LOW, CUT_HIGH));
}
