#version 450
#extension GL_GOOGLE_include_directive : require
/* Writes a buffer, four words per invocation. */
#include "roofline_push.h"

layout(local_size_x = SHW_ROOFLINE_WORKGROUP) in;
layout(push_constant) uniform Push {
    shw_roofline_push push;
};
layout(std430, set = 0, binding = SHW_ROOFLINE_RESULT) writeonly buffer Result {
    uvec4 result[];
};

void main()
{
    uint group = gl_WorkGroupID.y * SHW_ROOFLINE_FILL_COLUMNS + gl_WorkGroupID.x;
    uint number = group * SHW_ROOFLINE_WORKGROUP + gl_LocalInvocationID.x, word = 4u * number + push.seed;
    result[number] = uvec4(shw_roofline_word(word), shw_roofline_word(word + 1u), shw_roofline_word(word + 2u),
                           shw_roofline_word(word + 3u));
}
