#version 450
#extension GL_GOOGLE_include_directive : require
/* Points spread over the target. */
#include "roofline_push.h"

layout(push_constant) uniform Push {
    shw_roofline_push push;
};

void main()
{
    uint draw = shw_roofline_begin(gl_VertexIndex, push.seed);
    uvec2 cell = uvec2(draw >> (32u - SHW_ROOFLINE_TARGET_SHIFT), draw & ((1u << SHW_ROOFLINE_TARGET_SHIFT) - 1u));
    gl_Position = vec4((vec2(cell) + 0.5) / float(1u << (SHW_ROOFLINE_TARGET_SHIFT - 1u)) - 1.0, 0.0, 1.0);
    gl_PointSize = 1.0;
}
