#version 450
#extension GL_GOOGLE_include_directive : require
/* Moves samples to the children of their nodes: one invocation per sample. */
#define SAMPLES_ACCESS
#include "boost.glsl"
#include "samples.glsl"

layout(local_size_x = SHW_BOOST_WORKGROUP) in;

void main()
{
    uint number = gl_GlobalInvocationID.x;
    if (number >= push.count)
        return;
    uint row = tables[node_of(number)];
    if (row == SHW_BOOST_NO_ROW)
        return;
    uint split = push.list + row * SHW_BOOST_SPLIT_WORDS;
    bool right = respond(tables[split], number / 2u)[number & 1u] > int(tables[split + 1u]);
    samples[push.capacity + push.first + number] = tables[split + 2u] + uint(right);
}
