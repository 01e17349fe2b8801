#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
/* A pass of filling that draws one value per pixel of its target. */
#include "fill_push.h"

layout(set = 0, binding = SHW_FILL_DEPTH) uniform itexture2DArray depths;
layout(set = 0, binding = SHW_FILL_BLOCKS) uniform utexture2DArray blocks;
layout(set = 0, binding = SHW_FILL_ROWS) uniform utexture2DArray rows;
layout(set = 0, binding = SHW_FILL_SOURCES) uniform utexture2DArray sources;

layout(push_constant) uniform Push {
    shw_fill_push push;
};

layout(location = 0) out uint value;

uint depth_at(ivec2 at)
{
    return uint(texelFetch(depths, ivec3(at, 0), 0).r) & 0xffffu;
}

uint block_at(ivec2 at)
{
    return texelFetch(blocks, ivec3(at, 0), 0).r;
}

uint row_at(int y)
{
    return texelFetch(rows, ivec3(y, 0, 0), 0).r;
}

uint source_at(int y)
{
    return texelFetch(sources, ivec3(y, 0, 0), 0).r;
}

#include "fill.glsl"

void main()
{
    value = value_at(ivec2(gl_FragCoord.xy));
}
