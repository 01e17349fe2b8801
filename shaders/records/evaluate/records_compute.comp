#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
/* Data-parallel evaluation (Spencer 2021, Procedure 3): a lane walks all trees for a record, a few of them at a time.
 * The record's codes are in shared memory, a lane's all in one bank; so are the nodes of a small forest. */
#include "tables.glsl"

/* Trees of one depth, with every node down to it, numbered from 1 on: the children of n are 2 n and 2 n + 1. Otherwise
 * nodes say how far the left child is, and leaves 0. */
layout(constant_id = 16) const bool COMPLETE = false;
layout(constant_id = 17) const uint DEPTH = 0u;         /* of complete trees */
layout(constant_id = 18) const bool WIDE = false;       /* two elements a node: what is after it in one has no room */
layout(constant_id = 19) const uint COLUMN_BITS = 16u;  /* node.y: column, two flags, three with sets, and links */
layout(constant_id = 20) const bool CODES_SHARED = false;
layout(constant_id = 21) const uint COLUMNS = 1u;
layout(constant_id = 22) const uint CODE_WORDS = 1u;    /* of the work group */
layout(constant_id = 23) const uint SHARED_NODES = 0u;  /* elements of all trees, if they are shared, otherwise 0 */
layout(constant_id = 24) const uint NODE_ELEMENTS = 1u; /* that there is room for */
layout(constant_id = 25) const uint AT_ONCE = 1u;       /* trees */
layout(constant_id = 26) const uint ROUNDS = 1u;        /* records a lane */

layout(std430, set = 0, binding = SHW_RECORD_NODES) readonly buffer Nodes {
    uvec2 nodes[]; /* x: threshold, y: as above */
};

#include "results.glsl"

const uint LANES = gl_WorkGroupSize.x;
const uint FLAG_BITS = SETS_AT > 0u ? 3u : 2u;
shared int codes[CODE_WORDS];
shared uvec2 shared_nodes[NODE_ELEMENTS];

uint lane;

/* Only the lane itself reads what it writes here. Several attributes are loaded at once. */
void load_codes(uint record)
{
    bool has_fours = (push.wanted & SHW_RECORD_HAS_FOURS) != 0u;
    uint column = 0u;

    for (; has_fours && column + 8u <= COLUMNS; column += 8u) {
        uvec4 fours[2];
        [[unroll]] for (uint i = 0u; i < 2u; ++i)
            fours[i] = record_fours[(record * push.record_stride + column) / 4u + i];
        [[unroll]] for (uint i = 0u; i < 8u; ++i)
            codes[(column + i) * LANES + lane] = code_of(fours[i / 4u][i % 4u]);
    }
    for (; column + 8u <= COLUMNS; column += 8u) {
        int eight[8];
        [[unroll]] for (uint i = 0u; i < 8u; ++i)
            eight[i] = column_of(record, column + i);
        [[unroll]] for (uint i = 0u; i < 8u; ++i)
            codes[(column + i) * LANES + lane] = eight[i];
    }
    for (; column < COLUMNS; ++column)
        codes[column * LANES + lane] = column_of(record, column);
}

uvec2 node_at(uint node)
{
    return SHARED_NODES > 0u ? shared_nodes[node] : nodes[node];
}

int code_at(uint column, uint record)
{
    return CODES_SHARED ? codes[column * LANES + lane] : column_of(record, column);
}

/* In complete trees the threshold is in the order of the test, and flags are the highest bits of node.y, which leave it
 * when it is multiplied by the number of lanes. */
uint side_in_complete(uvec2 node, uint record)
{
    int code = code_at(CODES_SHARED && SETS_AT == 0u ? node.y : node.y & SHW_RECORD_COMPLETE_COLUMN, record);

    if (SETS_AT > 0u && (node.y >> SHW_RECORD_COMPLETE_SET_SHIFT & 1u) != 0u)
        return goes_right_by_set(code, node.x, node.y >> SHW_RECORD_COMPLETE_RIGHT_SHIFT);
    if (ZERO_MISSING)
        code = shw_record_code_for(code, node.y >> SHW_RECORD_COMPLETE_ZERO_SHIFT & 1u);
    if (MISSING_RIGHT)
        code = shw_record_ordered(code, node.y >> SHW_RECORD_COMPLETE_RIGHT_SHIFT);
    return uint(code > int(node.x));
}

uint side_in_linked(uvec2 node, uint record)
{
    int code = code_at(bitfieldExtract(node.y, 0, int(COLUMN_BITS)), record);

    if (SETS_AT > 0u && (node.y >> COLUMN_BITS & 4u) != 0u)
        return goes_right_by_set(code, node.x, node.y >> COLUMN_BITS & 1u);
    return goes_right(code, int(node.x), node.y >> COLUMN_BITS);
}

/* Walks several trees at once, whose first nodes are given, and returns their places. */
void walk_complete(uint record, uint first[AT_ONCE], out uint place[AT_ONCE])
{
    [[unroll]] for (uint k = 0u; k < AT_ONCE; ++k)
        place[k] = 1u;
    [[unroll]] for (uint level = 0u; level < DEPTH; ++level)
        [[unroll]] for (uint k = 0u; k < AT_ONCE; ++k)
            place[k] = 2u * place[k] + side_in_complete(node_at(first[k] + place[k]), record);
    [[unroll]] for (uint k = 0u; k < AT_ONCE; ++k)
        place[k] -= 1u << DEPTH;
}

void walk_linked(uint record, uint first[AT_ONCE], out uint place[AT_ONCE])
{
    uint at[AT_ONCE];
    uvec2 node[AT_ONCE];
    bool moves = true;

    [[unroll]] for (uint k = 0u; k < AT_ONCE; ++k) {
        at[k] = first[k];
        node[k] = node_at(at[k]);
    }
    while (moves) {
        moves = false;
        [[unroll]] for (uint k = 0u; k < AT_ONCE; ++k) {
            uint left = WIDE ? node_at(at[k] + 1u).x : node[k].y >> (COLUMN_BITS + FLAG_BITS);
            if (left != 0u) {
                at[k] += left + side_in_linked(node[k], record) * (WIDE ? 2u : 1u);
                node[k] = node_at(at[k]);
                moves = true;
            }
        }
    }
    [[unroll]] for (uint k = 0u; k < AT_ONCE; ++k)
        place[k] = node[k].x;
}

void walk(uint record, uint first[AT_ONCE], out uint place[AT_ONCE])
{
    if (COMPLETE)
        walk_complete(record, first, place);
    else
        walk_linked(record, first, place);
}

void walk_chunk(uint record, bool there, uvec4 chunk)
{
    for (uint tree = chunk.x; tree < chunk.y; tree += AT_ONCE) {
        uvec4 entry[AT_ONCE];
        uint first[AT_ONCE], place[AT_ONCE];
        [[unroll]] for (uint k = 0u; k < AT_ONCE; ++k) {
            entry[k] = tree_at(min(tree + k, chunk.y - 1u));
            first[k] = entry[k].x;
        }
        walk(record, first, place);
        if (IN_PASSES || (push.wanted & SHW_RECORD_WANTS_LEAVES) != 0u)
            [[unroll]] for (uint k = 0u; k < AT_ONCE; ++k)
                if (tree + k < chunk.y)
                    place_end(record, there, tree + k, entry[k], place[k]);
        if ((push.wanted & SHW_RECORD_WANTS_VALUES) != 0u)
            [[unroll]] for (uint k = 0u; k < AT_ONCE; ++k)
                values_end(entry[k], place[k], tree + k < chunk.y);
    }
}

void evaluate(uint record, bool there)
{
    result_begin();
    for (uint c = push.first_chunk; c < push.end_chunk; ++c) {
        uvec4 chunk = tables[c * SHW_RECORD_CHUNK_TEXELS], second = tables[c * SHW_RECORD_CHUNK_TEXELS + 1u];
        chunk_begin(second);
        walk_chunk(record, there, chunk);
        chunk_end(record, there, second);
    }
    result_end(record, there);
}

void evaluate_tree(uint record, bool there)
{
    uint first[AT_ONCE], place[AT_ONCE];

    [[unroll]] for (uint k = 0u; k < AT_ONCE; ++k)
        first[k] = 0u;
    walk(record, first, place);
    one_tree_end(record, there, place[0]);
}

/* Lanes without a record repeat the last one. */
void main()
{
    uint first = gl_WorkGroupID.x * gl_WorkGroupSize.x * ROUNDS;

    lane = gl_LocalInvocationID.x;
    for (uint round = 0u; round < ROUNDS && first < push.count; ++round) {
        uint record = min(first + lane, push.count - 1u), node = lane;
        uvec2 shared_node;
        bool shares = round == 0u && node < SHARED_NODES;

        if (shares) /* is on its way while the record is loaded */
            shared_node = nodes[node];
        if (CODES_SHARED)
            load_codes(record);
        if (shares)
            shared_nodes[node] = shared_node;
        for (node += LANES; round == 0u && node < SHARED_NODES; node += LANES)
            shared_nodes[node] = nodes[node];
        if (round == 0u && SHARED_NODES > 0u)
            barrier();
        if (is_one_tree())
            evaluate_tree(record, first + lane < push.count);
        else
            evaluate(record, first + lane < push.count);
        first += LANES;
    }
}
