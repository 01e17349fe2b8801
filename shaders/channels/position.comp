#version 450
/* The channels x and y. An invocation makes two neighbouring pixels, which share a word. */
#extension GL_GOOGLE_include_directive : require
#include "base_planes.h"

layout(local_size_x = 32, local_size_y = 4) in;
layout(set = 0, binding = 0) writeonly buffer Outputs {
    uint outputs[];
};
layout(push_constant) uniform Push {
    uvec2 size;   /* of the region */
    uvec2 origin; /* of the region in the whole image */
    uvec2 full;   /* size of the whole image */
    uint row_words, plane_words;
    uint first_plane;
} push;

void main()
{
    uvec2 pixel = uvec2(gl_GlobalInvocationID.x * 2u, gl_GlobalInvocationID.y);

    if (pixel.x >= push.size.x || pixel.y >= push.size.y)
        return;
    uint left = shw_position(push.origin.x + pixel.x, push.full.x);
    uint right = shw_position(push.origin.x + min(pixel.x + 1u, push.size.x - 1u), push.full.x);
    uint row = shw_position(push.origin.y + pixel.y, push.full.y);
    uint word = push.first_plane * push.plane_words + pixel.y * push.row_words + gl_GlobalInvocationID.x;
    outputs[word] = left | right << 16u;
    outputs[word + push.plane_words] = row | row << 16u;
}
