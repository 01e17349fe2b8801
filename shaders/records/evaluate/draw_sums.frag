#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_samplerless_texture_functions : require
/* The sum of what the leaves of a record have for an output, a texel for each: 64 bits, the lower word first. */
#include "draw.glsl"
#include "wide.glsl"

#define AT_ONCE 4u /* trees */

layout(std430, set = 0, binding = SHW_RECORD_DRAW_BASES) readonly buffer Bases {
    uvec2 bases[];
};

layout(location = 0) out uvec2 sum;

/* Of tree `tree` with that leaf; 0 if the tree adds to another output. */
int value_of(uint tree, uint leaf, uint outcome, uint first_value)
{
    uint at = SHW_RECORD_TREES_AT + SHW_RECORD_TREE_TEXELS * tree;
    uint first = forest_texel(at + 1u).x;
    uint value = (forest_texel(at).w + leaf) * push.values + (push.values == push.outputs ? outcome : 0u);
    int found = int(forest_texel(first_value + (value >> 2u))[value & 3u]);
    return push.values == push.outputs || first == outcome ? found : 0;
}

void main()
{
    uint texel = own_texel(), first_value = forest_texel(0u).z;
    uint record = min(texel / push.outputs, push.count - 1u), outcome = texel % push.outputs;

    sum = bases[outcome];
    /* Several trees an iteration: llvmpipe ends loops after 65,535. */
    for (uint first = 0u; first < push.trees; first += AT_ONCE)
        [[unroll]] for (uint k = 0u; k < AT_ONCE; ++k) {
            uint tree = min(first + k, push.trees - 1u);
            int value = value_of(tree, input_texel(record * push.trees + tree).x, outcome, first_value);
            sum = sum_of(sum, widen(first + k < push.trees ? value : 0));
        }
}
