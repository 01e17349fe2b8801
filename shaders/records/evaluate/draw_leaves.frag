#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
/* The leaf that a record reaches in a tree, a texel for each (Sharp 2008, 3.1). The loop has the tree's depth for every
 * record and no branch: a leaf leads to itself. */
#include "draw.glsl"

#if SETS
layout(constant_id = 0) const uint SETS_AT = 0u; /* the texel where the sets begin */
#endif

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

#if SETS
uint set_word(uint word)
{
    return forest_texel(SETS_AT + (word >> 2u))[word & 3u];
}

/* By a test of a set, whose first word is `at`. */
uint goes_right_by_set(int code, uint at, uint missing_right)
{
    uint head = set_word(at), bit = shw_record_set_bit(code, head);
    uint held = uint(bit >> 5u < set_word(at + 1u)), missing = uint(code == SHW_RECORD_MISSING);
    uint member = set_word(at + SHW_RECORD_SET_MEMBERS + (bit >> 5u & 0u - held)) >> (bit & 31u) & held;

    return (shw_record_set_side(member, head) & ~missing) | (missing_right & missing);
}
#endif

uint next_node(uvec4 node, uint record)
{
    int code = code_of(node.y & SHW_RECORD_ATTRIBUTE_MASK, record);
    uint missing_right = node.y >> SHW_RECORD_MISSING_RIGHT_SHIFT & 1u;
    uint side = shw_record_goes_right(shw_record_code_for(code, node.y >> SHW_RECORD_ZERO_MISSING_SHIFT & 1u),
                                      int(node.z), missing_right);
#if SETS
    uint by_set = node.y >> SHW_RECORD_SET_SHIFT & 1u; /* other nodes read the first set in vain */

    side = (side & ~by_set) | (goes_right_by_set(code, node.z & 0u - by_set, missing_right) & by_set);
#endif
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
