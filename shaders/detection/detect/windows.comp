#version 450
#extension GL_GOOGLE_include_directive : require
/* Windows walked through some trees by an invocation each (Jurak 2015, 5.6): of a tile, or of the list of those that an
 * earlier phase has left. With TREES_SHARED, the group has copies of the limits and of complete
 * trees, part by part. */
#include "types.h"
#include "detect_push.h"

layout(local_size_x = SHW_DETECT_GROUP) in;
layout(push_constant) uniform Push {
    shw_detect_walk_push push;
};
layout(constant_id = 4) const bool FROM_LIST = false;

#include "tables.glsl"
#if TREES_SHARED
#define PART 2048u /* words of trees at a time */
shared uvec2 part_tests[PART / 2u];
shared int part_leaves[PART / 2u];
shared int part_limits[PART / 4u];
uint part_first; /* tree */
#define TEST(place, index) part_tests[(index) - part_first * SPLITS]
#define LEAF(index)        part_leaves[(index) - part_first * LEAVES]
#define LIMIT(tree)        part_limits[(tree) - part_first]
#endif
#include "tree.glsl"
#include "survivors.glsl"

bool walk(Place place, uint first, uint end, inout int score)
{
    for (uint tree = first; tree < end; tree++)
        if (!add_value(tree, tree_value(tree, place), LIMIT(tree), score))
            return false;
    return true;
}

#if TREES_SHARED
shared uint left_count;

void load_part(uint trees, uint tests)
{
    for (uint i = gl_LocalInvocationIndex; COMPLETE && i < trees * SPLITS; i += SHW_DETECT_GROUP)
        part_tests[i] = pairs[push.tests_at + tests + part_first * SPLITS + i];
    for (uint i = gl_LocalInvocationIndex; COMPLETE && i < trees * LEAVES; i += SHW_DETECT_GROUP)
        part_leaves[i] = words[push.leaves_at + part_first * LEAVES + i];
    for (uint i = gl_LocalInvocationIndex; i < trees; i += SHW_DETECT_GROUP)
        part_limits[i] = words[part_first + i];
}

/* All windows of the group have the same tests. */
bool walk_parts(Place place, uint tests, bool left, inout int score)
{
    const uint most = COMPLETE ? min(PART / 2u / LEAVES, PART / 4u) : PART / 4u;

    for (part_first = push.first_tree; part_first < push.end_tree; part_first += most) {
        uint trees = min(most, push.end_tree - part_first);
        if (gl_LocalInvocationIndex == 0u)
            left_count = 0u;
        load_part(trees, tests);
        barrier();
        if (left)
            left = walk(place, part_first, part_first + trees, score);
        if (left)
            left_count = 1u;
        barrier();
        if (left_count == 0u)
            return false;
        barrier();
    }
    return left;
}
#endif

void walk_windows(uint window, bool exists, int score)
{
    Window decoded = window_of(window);
    Place place = place_of(decoded);

#if TREES_SHARED
    exists = walk_parts(place, KIND == 0 ? decoded.number * push.tests : 0u, exists, score);
#else
    exists = exists && walk(place, push.first_tree, push.end_tree, score);
#endif
    keep_passed(exists, window, score);
}

void main()
{
    if (FROM_LIST) {
        uint count = counters[push.counter_from + 3u];
        for (uint first = gl_WorkGroupID.x * push.windows; first < count;
             first += gl_NumWorkGroups.x * push.windows) {
            uint taken = min(push.windows, count - first);
            uvec2 survivor = survivors[push.from + first + min(gl_LocalInvocationIndex, taken - 1u)];
            walk_windows(survivor.x, gl_LocalInvocationIndex < taken, int(survivor.y));
            barrier();
        }
    } else {
        uint window =
            (push.first_tile + gl_WorkGroupID.x) << SHW_DETECT_TILE_SHIFT | gl_LocalInvocationIndex;
        walk_windows(window, window_of(window).exists, 0);
    }
}
