/* Groups of lanes that evaluate successive records, each of them in all trees. The shaders that include this define the
 * functions declared here; every lane of a work group calls them. */
#include "record_lanes.h"
#include "tables.glsl"

layout(constant_id = 16) const uint LANES = 1u;     /* of a record group: a power of two */
layout(constant_id = 17) const uint ENTRIES = 1u;   /* that it evaluates at once */
layout(constant_id = 18) const uint REDUCTIONS = 1u; /* before each test whether the path has ended */
layout(constant_id = 19) const bool WINDOWED = false; /* only entries of one window are evaluated at once */
layout(constant_id = 20) const bool WHOLE = false;   /* all entries of each tree are evaluated at once */

layout(std430, set = 0, binding = SHW_RECORD_NODES) readonly buffer Nodes {
    uvec4 nodes[];
};

#include "results.glsl"

uint lane;  /* in the record group */
uint group; /* in the work group */
uint first_group; /* of those whose lanes wait for each other */

/* Sets these. */
void find_place();

/* Prepares for the tree whose elements begin here. */
void open_tree(uint first);

/* The leaves of `count` records, one a lane at most. */
uint find_leaf(uint first, uint count);

/* 1: the record goes right. */
uint side_of(uvec4 entry, uint record)
{
    uint place = (entry.x & SHW_LANES_ATTRIBUTE_MASK) * push.attribute_stride;
    int code = code_of(records[record * push.record_stride + place]);
    if (SETS_AT > 0u && (entry.x & SHW_LANES_SET) != 0u)
        return goes_right_by_set(code, entry.y, entry.x >> SHW_LANES_FLAGS_SHIFT & 1u);
    return goes_right(code, int(entry.y), entry.x >> SHW_LANES_FLAGS_SHIFT);
}

void evaluate(uint first, uint count)
{
    uint record = min(first + lane, push.count - 1u);
    bool there = lane < count && first + lane < push.count;

    result_begin();
    for (uint c = push.first_chunk; c < push.end_chunk; ++c) {
        uvec4 chunk = tables[c * SHW_RECORD_CHUNK_TEXELS], second = tables[c * SHW_RECORD_CHUNK_TEXELS + 1u];
        chunk_begin(second);
        for (uint tree = chunk.x; tree < chunk.y; ++tree) {
            uvec4 entry = tree_at(tree);
            open_tree(entry.x);
            tree_end(record, there, tree, entry, find_leaf(first, count));
        }
        chunk_end(record, there, second);
    }
    result_end(record, there);
}

/* The same without sums. */
void evaluate_tree(uint first, uint count)
{
    uint record = min(first + lane, push.count - 1u);
    bool there = lane < count && first + lane < push.count;

    open_tree(0u);
    one_tree_end(record, there, find_leaf(first, count));
}

void main()
{
    find_place();
    uint records = push.own, before = gl_WorkGroupID.x * (gl_WorkGroupSize.x / LANES);

    if ((before + first_group) * records >= push.count)
        return;
    uint first = (before + group) * records;
    for (uint r = 0u; r < records; r += LANES)
        if (is_one_tree())
            evaluate_tree(first + r, min(records - r, LANES));
        else
            evaluate(first + r, min(records - r, LANES));
}
