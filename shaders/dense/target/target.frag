#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
/* A layer of a target, drawn as the integers that it stores. */
#include "target.h"

layout(push_constant) uniform Push {
    shw_target_push push;
};
layout(set = 0, binding = SHW_MAKE_RESULTS) uniform utexture2DArray results;

uint result(uint plane, ivec2 at)
{
    return texelFetch(results, ivec3(at, plane), 0).r;
}

#ifdef OVERLAY
layout(set = 0, binding = SHW_MAKE_PROBABILITIES) uniform utexture2DArray probabilities;
layout(set = 0, binding = SHW_MAKE_COLOURS) readonly buffer Colours {
    uint colours[];
};

uint probability(uint plane, ivec2 at)
{
    return texelFetch(probabilities, ivec3(at, plane), 0).r;
}

uint colour(uint number)
{
    return colours[number];
}
#endif

#include "target.glsl"

layout(location = 0) out uvec4 texel;

void main()
{
    texel = texel_at(ivec2(gl_FragCoord.xy), push.layer);
}
