#version 450
/* The channels x and y. */
#extension GL_GOOGLE_include_directive : require
#include "base_planes.h"

layout(push_constant) uniform Push {
    uvec2 origin; /* of the region in the whole image */
    uvec2 full;   /* size of the whole image */
} push;
layout(location = 0) out int output0;
layout(location = 1) out int output1;

void main()
{
    uvec2 pixel = push.origin + uvec2(gl_FragCoord.xy);

    output0 = int(shw_position(pixel.x, push.full.x));
    output1 = int(shw_position(pixel.y, push.full.y));
}
