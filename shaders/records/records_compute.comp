#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
/* Data-parallel evaluation (Spencer 2021, Procedure 3): a lane walks all trees for a record, a few of them at a time.
 * The record's codes are in shared memory, a lane's all in one bank; so are the nodes of a chunk, if they fit. */
#include "tables.glsl"

/* Trees of one depth, with every node down to it, numbered from 1 on: the children of n are 2 n and 2 n + 1. Otherwise
 * nodes say how far the left child is, and leaves 0. */
layout(constant_id = 16) const bool COMPLETE = false;
layout(constant_id = 17) const uint DEPTH = 0u;         /* of complete trees */
layout(constant_id = 18) const bool WIDE = false;       /* two elements a node: what is after it in one has no room */
layout(constant_id = 19) const uint COLUMN_BITS = 16u;  /* node.y: column, two flags, distance of the left child */
layout(constant_id = 20) const bool CODES_SHARED = false;
layout(constant_id = 21) const uint COLUMNS = 1u;
layout(constant_id = 22) const uint CODE_WORDS = 1u; /* of the work group */
layout(constant_id = 23) const bool NODES_SHARED = false;
layout(constant_id = 24) const bool NODES_ONCE = false; /* all of them are shared at once */
layout(constant_id = 25) const uint NODE_ELEMENTS = 1u; /* that are shared at once */
layout(constant_id = 26) const uint AT_ONCE = 1u;       /* trees */
layout(constant_id = 27) const uint ROUNDS = 1u;        /* records a lane */

layout(std430, set = 0, binding = SHW_RECORD_NODES) readonly buffer Nodes {
    uvec2 nodes[]; /* x: threshold, y: as above */
};

#include "results.glsl"

const uint LANES = gl_WorkGroupSize.x;
shared int codes[CODE_WORDS]; /* [column][lane] */
shared uvec2 shared_nodes[NODE_ELEMENTS];

uint lane;
uint shared_first; /* the first node of those that are shared */

/* Only the lane itself reads what it writes here. */
void load_codes(uint record)
{
    if ((push.wanted & SHW_RECORD_HAS_FOURS) != 0u) {
        uint at = record * push.record_stride / 4u;
        for (uint c = 0u; c < COLUMNS / 4u; ++c) {
            uvec4 four = record_fours[at + c];
            for (uint i = 0u; i < 4u; ++i)
                codes[(4u * c + i) * LANES + lane] = code_of(four[i]);
        }
        for (uint c = COLUMNS & ~3u; c < COLUMNS; ++c)
            codes[c * LANES + lane] = column_of(record, c);
    } else {
        for (uint c = 0u; c < COLUMNS; ++c)
            codes[c * LANES + lane] = column_of(record, c);
    }
}

/* Every lane must come here. */
void share_nodes(uvec4 chunk)
{
    if (!NODES_ONCE)
        barrier(); /* nobody reads those before any more */
    shared_first = chunk.z;
    for (uint n = lane; n < chunk.w - chunk.z; n += LANES)
        shared_nodes[n] = nodes[chunk.z + n];
    barrier();
}

uvec2 node_at(uint node)
{
    return NODES_SHARED ? shared_nodes[node - shared_first] : nodes[node];
}

uint side_of(uvec2 node, uint record)
{
    uint column = COMPLETE && !MISSING_RIGHT && !ZERO_MISSING ? node.y : bitfieldExtract(node.y, 0, int(COLUMN_BITS));
    int code = CODES_SHARED ? codes[column * LANES + lane] : column_of(record, column);
    return goes_right(code, int(node.x), node.y >> COLUMN_BITS);
}

/* Walks several trees at once, whose first nodes are given, and returns their places. */
void walk_complete(uint record, uint first[AT_ONCE], out uint place[AT_ONCE])
{
    [[unroll]] for (uint k = 0u; k < AT_ONCE; ++k)
        place[k] = 1u;
    [[unroll]] for (uint level = 0u; level < DEPTH; ++level)
        [[unroll]] for (uint k = 0u; k < AT_ONCE; ++k)
            place[k] = 2u * place[k] + side_of(node_at(first[k] + place[k]), record);
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
            uint left = WIDE ? node_at(at[k] + 1u).x : node[k].y >> (COLUMN_BITS + 2u);
            if (left != 0u) {
                at[k] += left + side_of(node[k], record) * (WIDE ? 2u : 1u);
                node[k] = node_at(at[k]);
                moves = true;
            }
        }
    }
    [[unroll]] for (uint k = 0u; k < AT_ONCE; ++k)
        place[k] = node[k].x;
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
        if (COMPLETE)
            walk_complete(record, first, place);
        else
            walk_linked(record, first, place);
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
    if (CODES_SHARED)
        load_codes(record);
    result_begin();
    for (uint c = push.first_chunk; c < push.end_chunk; ++c) {
        uvec4 chunk = tables[c * SHW_RECORD_CHUNK_TEXELS], second = tables[c * SHW_RECORD_CHUNK_TEXELS + 1u];
        if (NODES_SHARED && !NODES_ONCE)
            share_nodes(chunk);
        chunk_begin(second);
        walk_chunk(record, there, chunk);
        chunk_end(record, there, second);
    }
    result_end(record, there);
}

void main()
{
    uint record = gl_WorkGroupID.x * LANES * ROUNDS + gl_LocalInvocationID.x;

    lane = gl_LocalInvocationID.x;
    shared_first = 0u;
    if (NODES_SHARED && NODES_ONCE)
        share_nodes(uvec4(0u, 0u, 0u, NODE_ELEMENTS));
    for (uint round = 0u; round < ROUNDS; ++round) {
        bool there = record < push.count; /* lanes without a record repeat the last one */
        evaluate(min(record, push.count - 1u), there);
        record += LANES;
    }
}
