#version 450
#extension GL_GOOGLE_include_directive : require
/* A pass of filling with one invocation per value, or in the last pass, per two pixels, which share a word. */
#include "fill_push.h"

#if PASS == SHW_FILL_BLOCKS || PASS == SHW_FILL_FILLED
layout(local_size_x = 32, local_size_y = 4) in;
#else
layout(local_size_x = 64) in;
#endif
layout(push_constant) uniform Push {
    shw_fill_push push;
};
layout(set = 0, binding = SHW_FILL_DEPTH) readonly buffer Depths {
    uint depths[]; /* two pixels per word */
};
layout(set = 0, binding = SHW_FILL_BLOCKS) buffer Blocks {
    uint blocks[];
};
layout(set = 0, binding = SHW_FILL_ROWS) buffer Rows {
    uint rows[];
};
layout(set = 0, binding = SHW_FILL_SOURCES) buffer Sources {
    uint sources[];
};
layout(set = 0, binding = SHW_FILL_FILLED) writeonly buffer Filled {
    uint filled[]; /* two pixels per word */
};

uint depth_at(ivec2 at)
{
    uint word = depths[uint(at.y) * push.depth_words + uint(at.x) / 2u];

    return (at.x & 1) == 0 ? word & 0xffffu : word >> 16u;
}

uint block_at(ivec2 at)
{
    return blocks[uint(at.y) * push.block_words + uint(at.x)];
}

uint row_at(int y)
{
    return rows[y];
}

uint source_at(int y)
{
    return sources[y];
}

#include "fill.glsl"

void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);

#if PASS == SHW_FILL_BLOCKS
    if (at.x < block_count() && at.y < push.height)
        blocks[uint(at.y) * push.block_words + uint(at.x)] = value_at(at);
#elif PASS == SHW_FILL_ROWS
    if (at.x < push.height)
        rows[at.x] = value_at(at);
#elif PASS == SHW_FILL_SOURCES
    if (at.x < push.height)
        sources[at.x] = value_at(at);
#else
    at.x *= 2;
    if (at.x < push.width && at.y < push.height)
        filled[uint(at.y) * push.filled_words + gl_GlobalInvocationID.x] =
            value_at(at) | value_at(ivec2(min(at.x + 1, push.width - 1), at.y)) << 16u;
#endif
}
