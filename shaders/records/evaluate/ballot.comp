#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
/* Speculative evaluation of small trees (Spencer 2021, Procedure 5) without a path: the sides of all splits are the bits
 * of a word that every lane gets, and the leaf that is reached is the one whose ancestors' sides are among them. A lane
 * keeps ENTRIES splits, and leaves of the same numbers, for all records. */
#include "lanes.glsl"

#define AT_ONCE 4u /* records, whose attributes are on their way at the same time */

layout(constant_id = 22) const bool WIDE = false; /* more than 32 splits */

uvec4 entries[ENTRIES];
uvec2 further[ENTRIES];

void find_place()
{
    lane = gl_SubgroupInvocationID & (LANES - 1u);
    first_group = gl_SubgroupID * gl_SubgroupSize / LANES;
    group = first_group + gl_SubgroupInvocationID / LANES;
}

void open_tree(uint first)
{
    [[unroll]] for (uint e = 0u; e < ENTRIES; ++e) {
        uint at = first + 1u + e * LANES + lane;
        entries[e] = nodes[at];
        if (WIDE)
            further[e] = nodes[at + ENTRIES * LANES].xy;
    }
}

/* The record group's part of a ballot. */
uint ballot(bool value)
{
    uint first = gl_SubgroupInvocationID - lane;
    uint word = subgroupBallot(value)[first >> 5u] >> (first & 31u);
    return LANES == 32u ? word : word & ((1u << (LANES & 31u)) - 1u);
}

uint leaf_of(uint own_sides)
{
    uint low = 0u, high = 0u, leaf = ENTRIES * LANES; /* the only one that no lane may have */

    [[unroll]] for (uint e = 0u; e < ENTRIES; ++e) {
        uint sides = ballot((own_sides >> e & 1u) != 0u), shift = e * LANES;
        if (shift < 32u)
            low |= sides << (shift & 31u);
        else
            high |= sides << (shift & 31u);
    }
    [[unroll]] for (uint e = 0u; e < ENTRIES; ++e) {
        bool is_reached = (low & entries[e].z) == entries[e].w;
        if (WIDE)
            is_reached = is_reached && (high & further[e].x) == further[e].y;
        uint reached = ballot(is_reached);
        leaf = reached != 0u ? e * LANES + uint(findLSB(reached)) : leaf;
    }
    return leaf;
}

uint find_leaf(uint first, uint count)
{
    uint mine = 0u;

    for (uint i = 0u; i < count; i += AT_ONCE) {
        uint sides[AT_ONCE];
        [[unroll]] for (uint k = 0u; k < AT_ONCE; ++k) {
            sides[k] = 0u;
            [[unroll]] for (uint e = 0u; e < ENTRIES; ++e)
                sides[k] |= side_of(entries[e], min(first + i + k, push.count - 1u)) << e;
        }
        [[unroll]] for (uint k = 0u; k < AT_ONCE; ++k) {
            uint leaf = leaf_of(sides[k]);
            mine = i + k == lane ? leaf : mine;
        }
    }
    return mine;
}
