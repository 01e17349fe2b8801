#version 450
#extension GL_GOOGLE_include_directive : require
#include "roofline_fetches.glsl"

layout(location = 0) out uint result;

void main()
{
    result = fetches(ivec2(gl_FragCoord.xy));
}
