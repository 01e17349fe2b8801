#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
/* A pass of smoothing that draws one item of what it makes. */
#include "smooth_push.h"

layout(push_constant) uniform Push {
    shw_smooth_push push;
};
#if PASS == SHW_SMOOTH_GUIDE || PASS == SHW_SMOOTH_NEAR
layout(set = 0, binding = 0) uniform itexture2DArray a;
#else
layout(set = 0, binding = 0) uniform utexture2DArray a;
#endif
layout(set = 0, binding = 1) uniform utexture2DArray b;
layout(set = 0, binding = 2) uniform utexture2DArray c;

uint a_at(uint plane, ivec2 at)
{
    return uint(texelFetch(a, ivec3(at, plane), 0).r);
}

uint b_at(uint plane, ivec2 at)
{
    return uint(texelFetch(b, ivec3(at, plane), 0).r);
}

uint c_at(uint plane, ivec2 at)
{
    return texelFetch(c, ivec3(at, plane), 0).r;
}

#include "smooth.glsl"

layout(location = 0) out uint result0;
#if PASS != SHW_SMOOTH_NEAR && PASS != SHW_SMOOTH_SHARES && PASS != SHW_SMOOTH_VALUES && \
    PASS != SHW_SMOOTH_DISTRIBUTION && PASS != SHW_SMOOTH_LABELS
#define RESULTS_3
layout(location = 1) out uint result1;
layout(location = 2) out uint result2;
#if PASS != SHW_SMOOTH_GUIDE && PASS != SHW_SMOOTH_GUIDE_ROWS && PASS != SHW_SMOOTH_GUIDE_SUMS
#define RESULTS_4
layout(location = 3) out uint result3;
#endif
#endif

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
#ifdef WINDOW
    const ivec2 step = ivec2(WINDOW == 0, WINDOW == 1);
    ivec2 cell = made().xy + at, now = window(cell[WINDOW], ALL[WINDOW]);

    clear();
    for (cell[WINDOW] = now.x; cell[WINDOW] < now.y; cell += step)
        add(cell, push.item, 1);
    uvec4 values = values_of(at, push.item);
#else
    uvec4 values = values_at(at, push.item);
#endif
    result0 = values.x;
#ifdef RESULTS_3
    result1 = values.y;
    result2 = values.z;
#endif
#ifdef RESULTS_4
    result3 = values.w;
#endif
}
