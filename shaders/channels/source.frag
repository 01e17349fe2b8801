#version 450
#extension GL_GOOGLE_include_directive : require
#include "source.glsl"

layout(location = 0) out int plane0;
layout(location = 1) out int plane1;
layout(location = 2) out int plane2;
#ifdef MAKES_BASE
layout(location = 3) out int plane3;
#endif

void main()
{
    ivec4 planes = source_planes(ivec2(gl_FragCoord.xy));

    plane0 = planes.x;
    plane1 = planes.y;
    plane2 = planes.z;
#ifdef MAKES_BASE
    plane3 = planes.w;
#endif
}
