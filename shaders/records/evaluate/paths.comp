#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#if SUBGROUP
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_vote : require
#endif
/* Speculative evaluation (Spencer 2021, Procedures 4 and 5): a group of lanes evaluates all entries of a tree for a
 * record, or as many as it can at once, and then follows the path from the first one by pointer jumping. If the path
 * leads to an entry beyond, that is where the next entries begin. With SUBGROUP a record group is a part of a subgroup,
 * and a lane has one entry, whose path is in a register; otherwise paths are in shared memory, with HALF two in a
 * word. */
#include "lanes.glsl"

uvec4 tree;  /* its first element */
uint at;     /* element of its entry 0 */
uvec4 kept;  /* the lane's entry of those that begin with entry 0 */

void open_tree(uint first)
{
    tree = nodes[first];
    at = first + 1u;
    kept = nodes[at + min(lane, max(tree.x, 1u) - 1u)];
}

bool is_leaf(uint target)
{
    return (target & SHW_LANES_LEAF) != 0u;
}

/* Entry i of those that begin with entry `first`; false: it does not belong to them. */
bool has_entry(uint first, uint i, out uvec4 entry)
{
    entry = kept;
    if (first + i >= tree.x)
        return false;
    if (first != 0u || i != lane)
        entry = nodes[at + first + i];
    uint place = entry.x >> SHW_LANES_PLACE_SHIFT;
    if (SETS_AT > 0u)
        place = bitfieldExtract(place, 0, int(SHW_LANES_PLACE_BITS));
    return !WINDOWED || place == i;
}

/* Whether the target is one of the entries that begin with entry `first`. */
bool is_inside(uint target, uint first)
{
    return (target & SHW_LANES_INSIDE) != 0u && (target & SHW_LANES_VALUE_MASK) - first < ENTRIES;
}

#if SUBGROUP
void find_place()
{
    lane = gl_SubgroupInvocationID & (LANES - 1u);
    first_group = gl_SubgroupID * gl_SubgroupSize / LANES;
    group = first_group + gl_SubgroupInvocationID / LANES;
}

/* Where the path from entry `first` ends. */
uint follow(uint record, uint first)
{
    uint head = gl_SubgroupInvocationID - lane, path = 0u;
    uvec4 entry;

    if (has_entry(first, lane, entry))
        path = side_of(entry, record) != 0u ? entry.w : entry.z;
    for (;;) {
        uint end = subgroupShuffle(path, head);
        if (!subgroupAny(is_inside(end, first)))
            return end;
        for (uint r = 0u; r < REDUCTIONS; ++r) {
            bool moves = is_inside(path, first);
            path = subgroupShuffle(path, moves ? head + (path & SHW_LANES_VALUE_MASK) - first : gl_SubgroupInvocationID);
        }
    }
}

bool some_group(bool value)
{
    return subgroupAny(value);
}
#else
#if HALF
#define PATHS    2u
#define PATH_END 0x8000u
#else
#define PATHS    1u
#define PATH_END 0x80000000u
#endif
/* A path ends here or leads to another of the entries; the ends: PATH_END + 2 i + side, where entry i leads away. */

layout(constant_id = 21) const uint GROUPS = 1u;
const uint WORDS = (ENTRIES + PATHS - 1u) / PATHS;
shared uint paths[2u * GROUPS * WORDS]; /* read from one half, written to the other */
shared uint ends[GROUPS];

uint part = 0u; /* that was written last */

void find_place()
{
    lane = gl_LocalInvocationIndex & (LANES - 1u);
    first_group = 0u;
    group = gl_LocalInvocationIndex / LANES;
}

uint path_of(uint g, uint i)
{
    uint word = paths[(part * GROUPS + g) * WORDS + i / PATHS];
#if HALF
    return bitfieldExtract(word, int(16u * (i & 1u)), 16);
#else
    return word;
#endif
}

uint first_path(uint record, uint first, uint i)
{
    uvec4 entry;

    if (i >= ENTRIES || !has_entry(first, i, entry))
        return PATH_END;
    uint side = side_of(entry, record), target = side != 0u ? entry.w : entry.z;
    return is_inside(target, first) ? (target & SHW_LANES_VALUE_MASK) - first : PATH_END + 2u * i + side;
}

uint next_path(uint i)
{
    uint path = path_of(group, min(i, ENTRIES - 1u));
    for (uint r = 0u; r < REDUCTIONS; ++r)
        path = path < PATH_END ? path_of(group, path) : path;
    return path;
}

/* Nobody reads the other half any more: those who did have been at a barrier since. */
void put_paths(uint word, uint low, uint high)
{
    paths[((part ^ 1u) * GROUPS + group) * WORDS + word] = PATHS == 2u ? low | high << 16u : low;
}

void turn()
{
    barrier();
    part ^= 1u;
}

bool some_path_goes_on()
{
    bool some = false;
    for (uint g = 0u; g < GROUPS; ++g)
        some = some || path_of(g, 0u) < PATH_END;
    return some;
}

uint follow(uint record, uint first)
{
    for (uint w = lane; w < WORDS; w += LANES)
        put_paths(w, first_path(record, first, PATHS * w), PATHS == 2u ? first_path(record, first, 2u * w + 1u) : 0u);
    turn();
    while (some_path_goes_on()) {
        for (uint w = lane; w < WORDS; w += LANES)
            put_paths(w, next_path(PATHS * w), PATHS == 2u ? next_path(2u * w + 1u) : 0u);
        turn();
    }
    uint end = path_of(group, 0u) - PATH_END;
    uvec4 entry = nodes[at + first + end / 2u];
    return (end & 1u) != 0u ? entry.w : entry.z;
}

bool some_group(bool value)
{
    if (GROUPS == 1u)
        return value;
    if (lane == 0u)
        ends[group] = uint(value);
    barrier();
    bool some = false;
    for (uint g = 0u; g < GROUPS; ++g)
        some = some || ends[g] != 0u;
    return some;
}
#endif

/* Groups that have arrived repeat their last steps until all of those that wait for each other have. */
uint leaf_of(uint record)
{
    uint target = tree.y, first = 0u;

    if (is_leaf(target))
        return 0u;
    if (WHOLE)
        return follow(record, 0u) & SHW_LANES_VALUE_MASK;
    do {
        first = is_leaf(target) ? first : target & SHW_LANES_VALUE_MASK;
        target = follow(record, first);
    } while (some_group(!is_leaf(target)));
    return target & SHW_LANES_VALUE_MASK;
}

uint find_leaf(uint first, uint count)
{
    uint mine = 0u;

    for (uint i = 0u; i < count; ++i) {
        uint leaf = leaf_of(min(first + i, push.count - 1u));
        mine = i == lane ? leaf : mine;
    }
    return mine;
}
