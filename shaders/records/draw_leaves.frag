#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
/* The leaf that a record reaches in a tree, a texel for each (Sharp 2008, 3.1). The loop has the tree's depth for every
 * record and no branch: a leaf leads to itself. */
#include "draw.glsl"

layout(location = 0) out uint leaf;

int code_of(uint attribute_index, uint record)
{
    uint column = attribute_index & (SHW_RECORD_DRAW_SIDE - 1u), fold = attribute_index >> SHW_RECORD_DRAW_SIDE_SHIFT;
    ivec3 place = ivec3(column, bitfieldExtract(record, 0, int(push.row_shift)),
                        (record >> push.row_shift) * push.folds + fold);
    int code = shw_record_code(texelFetch(source, place, 0).x);
    uint missing = 0u - uint(code == push.missing);
    return int((uint(code) & ~missing) | (uint(SHW_RECORD_MISSING) & missing));
}

uint next_node(uvec4 node, uint record)
{
    int code = shw_record_code_for(code_of(node.y & SHW_RECORD_ATTRIBUTE_MASK, record),
                                   node.y >> SHW_RECORD_ZERO_MISSING_SHIFT & 1u);
    uint side = shw_record_goes_right(code, int(node.z), node.y >> SHW_RECORD_MISSING_RIGHT_SHIFT & 1u);
    return node.x + (side & node.y >> SHW_RECORD_SPLIT_SHIFT);
}

void main()
{
    uint texel = own_texel();
    uint record = min(texel / push.trees, push.count - 1u) * push.record_step;
    uvec4 tree = forest_texel(SHW_RECORD_TREES_AT + SHW_RECORD_TREE_TEXELS * (texel % push.trees));
    uvec4 node = forest_texel(tree.x);

    for (uint i = 0u; i < tree.z; ++i)
        node = forest_texel(tree.x + next_node(node, record));
    leaf = node.z;
}
