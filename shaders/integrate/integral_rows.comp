#version 450
/* Sums along rows, by a scan within a work group: four rows of a plane, each cut into 32 pieces that one invocation sums. Also writes the
 * column and the row of zeros. */
#extension GL_GOOGLE_include_directive : require
#include "types.h"

layout(local_size_x = 32, local_size_y = 4) in;
layout(set = 0, binding = 0) readonly buffer Channels {
    uint channels[];
};
layout(set = 0, binding = 1) writeonly buffer Integrals {
    uint integrals[];
};
layout(push_constant) uniform Push {
    uvec2 size; /* of the region, in pixels */
    uint channel_row_words, channel_plane_words;
    uint integral_row_words, integral_plane_words, integral_first;
} push;

shared uint pieces[4][32];

void main()
{
    uint piece = gl_LocalInvocationID.x;
    uint y = gl_GlobalInvocationID.y; /* of the integral image: row 0 is zero */
    uint in_row = gl_WorkGroupID.z * push.channel_plane_words + (max(y, 1u) - 1u) * push.channel_row_words;
    uint out_row = push.integral_first + gl_WorkGroupID.z * push.integral_plane_words + y * push.integral_row_words;
    uint words = (push.size.x + 1u) / 2u;
    uint length = (words + 31u) / 32u;
    uint begin = min(piece * length, words);
    uint end = y > push.size.y ? begin : min(begin + length, words);
    uint visible = y == 0u ? 0u : 0xffffffffu;
    uint sum = 0u;

    for (uint i = begin; i < end; i++) {
        uint pair = channels[in_row + i];
        sum += uint(shw_low16(pair)) + uint(shw_high16(pair)); /* a half beyond an odd width is in the last piece: nobody reads it */
    }
    pieces[gl_LocalInvocationID.y][piece] = sum;
    barrier();
    sum = 0u;
    for (uint i = 0u; i < piece; i++)
        sum += pieces[gl_LocalInvocationID.y][i];
    if (piece == 0u && y <= push.size.y)
        integrals[out_row] = 0u;
    for (uint i = begin; i < end; i++) {
        uint pair = channels[in_row + i];
        sum += uint(shw_low16(pair));
        integrals[out_row + 2u * i + 1u] = sum & visible;
        sum += uint(shw_high16(pair));
        if (2u * i + 1u < push.size.x)
            integrals[out_row + 2u * i + 2u] = sum & visible;
    }
}
