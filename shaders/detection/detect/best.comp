#version 450
#extension GL_GOOGLE_include_directive : require
/* Windows walked through some trees by a group whose invocations are all busy: as windows are rejected, those left move
 * together, and each gets more lanes, which evaluate successive trees at the same time. What lanes find out about their
 * trees is joined in the trees' order (run.glsl). */
#include "types.h"
#include "detect_push.h"

layout(local_size_x = SHW_DETECT_GROUP) in;
layout(push_constant) uniform Push {
    shw_detect_walk_push push;
};
layout(constant_id = 4) const bool FROM_LIST = false;

#define TREES_ALONE 8u /* in a round with one lane a window */
#define TREES_EACH  4u /* of a lane */
#define LANES_SHIFT 6u /* the most lanes */

#include "tables.glsl"
#include "tree.glsl"
#include "survivors.glsl"
#include "run.glsl"

shared uint windows[SHW_DETECT_GROUP];
shared uvec4 places[SHW_DETECT_GROUP];
shared uint list[2][SHW_DETECT_GROUP]; /* of those left: indices into the two above */
shared int scores[2][SHW_DETECT_GROUP];
shared int run_sums[SHW_DETECT_GROUP], run_leasts[SHW_DETECT_GROUP];
shared bool run_restarts[SHW_DETECT_GROUP];
shared uint counts[3]; /* of those left, in turn: in this round, in the next one, and in the one after that */

#if KIND == 0
uvec4 pack(Place place)
{
    return uvec4(place.first, place.stride, place.tests, 0u);
}

Place unpack(uvec4 place)
{
    return Place(place.x, place.y, place.z);
}
#else
uvec4 pack(Place place)
{
    return uvec4(place.centre.x | place.centre.y << 16, uint(place.size) | place.stride << 16u, place.cosine,
                 place.sine);
}

Place unpack(uvec4 place)
{
    return Place(ivec2(place.x & 0xffffu, place.x >> 16u), int(place.y & 0xffffu), int(place.z), int(place.w),
                 place.y >> 16u, 0u);
}
#endif

/* The lists of a round. */
#define NOW  (round & 1u)
#define NEXT (1u - NOW)

/* A lane for each window that is left, which goes on as long as it passes. */
bool walk_alone(uint round, uint first, uint trees, out int score)
{
    Place place = unpack(places[list[NOW][gl_LocalInvocationIndex]]);

    score = scores[NOW][gl_LocalInvocationIndex];
    for (uint tree = first; tree < first + trees; tree++)
        if (!add_value(tree, tree_value(tree, place), LIMIT(tree), score))
            return false;
    return true;
}

/* What the trees of a lane do to its window. */
Run evaluate(uint window, uint first, uint trees)
{
    Place place = unpack(places[window]);
    Run run = run_begin();

    for (uint i = 0u; i < TREES_EACH; i++)
        if (i < trees)
            run_follow(run, first + i, tree_value(first + i, place), LIMIT(first + i));
    return run;
}

/* Joins the runs of four lanes at a time. Those of a window are `width` apart. */
Run join_lanes(Run run, uint lane, uint lanes, uint width)
{
    for (uint apart = 1u; apart < lanes; apart *= 4u) {
        run_sums[gl_LocalInvocationIndex] = run.sum;
        run_leasts[gl_LocalInvocationIndex] = run.least;
        if (RESTARTS)
            run_restarts[gl_LocalInvocationIndex] = run.restarts;
        barrier();
        if ((lane & (4u * apart - 1u)) == 0u)
            for (uint next = lane + apart; next < min(lane + 4u * apart, lanes); next += apart) {
                uint at = gl_LocalInvocationIndex + (next - lane) * width;
                run = run_join(run, Run(run_sums[at], run_leasts[at], RESTARTS && run_restarts[at]));
            }
        barrier();
    }
    return run;
}

/* Several lanes for each window that is left. True for the first of a window that passes. Neighbouring lanes have
 * different windows and the same trees. */
bool walk_together(uint round, uint first, uint trees, uint left, uint lanes_shift, out int score)
{
    uint width = SHW_DETECT_GROUP >> lanes_shift;
    uint lane = gl_LocalInvocationIndex >> (SHW_DETECT_TILE_SHIFT - lanes_shift);
    uint window = gl_LocalInvocationIndex & (width - 1u), skipped = min(lane * TREES_EACH, trees);
    Run run = run_begin();

    if (window < left)
        run = evaluate(list[NOW][window], first + skipped, trees - skipped);
    run = join_lanes(run, lane, 1u << lanes_shift, width);
    score = 0;
    return gl_LocalInvocationIndex < left && run_end(run, scores[NOW][gl_LocalInvocationIndex], score);
}

/* Returns the number of rounds. */
uint walk_group()
{
    uint round = 0u, tree = push.first_tree;

    while (tree < push.end_tree && counts[round % 3u] > 0u) {
        uint left = counts[round % 3u];
        uint lanes_shift = min(uint(findMSB(SHW_DETECT_GROUP / left)), LANES_SHIFT);
        uint trees = min(lanes_shift == 0u ? TREES_ALONE : TREES_EACH << lanes_shift, push.end_tree - tree);
        bool passed = false;
        int score = 0;

        if (gl_LocalInvocationIndex == 0u)
            counts[(round + 2u) % 3u] = 0u;
        if (lanes_shift > 0u)
            passed = walk_together(round, tree, trees, left, lanes_shift, score);
        else if (gl_LocalInvocationIndex < left)
            passed = walk_alone(round, tree, trees, score);
        if (passed) {
            uint slot = atomicAdd(counts[(round + 1u) % 3u], 1u);
            list[NEXT][slot] = list[NOW][gl_LocalInvocationIndex];
            scores[NEXT][slot] = score;
        }
        barrier();
        tree += trees;
        round++;
    }
    return round;
}

/* Each invocation has a window, or none. */
void walk_windows(uint window, bool exists, int score)
{
    uint round;
    bool passed;

    windows[gl_LocalInvocationIndex] = window;
    places[gl_LocalInvocationIndex] = pack(place_of(window_of(window)));
    if (gl_LocalInvocationIndex < 3u)
        counts[gl_LocalInvocationIndex] = 0u;
    barrier();
    if (exists) {
        uint slot = atomicAdd(counts[0], 1u);
        list[0][slot] = gl_LocalInvocationIndex;
        scores[0][slot] = score;
    }
    barrier();
    round = walk_group();
    passed = gl_LocalInvocationIndex < counts[round % 3u];
    keep_passed(passed, passed ? windows[list[NOW][gl_LocalInvocationIndex]] : 0u,
                passed ? scores[NOW][gl_LocalInvocationIndex] : 0);
}

void main()
{
    if (FROM_LIST) {
        uint count = counters[push.counter_from + 3u];
        for (uint first = gl_WorkGroupID.x * push.windows; first < count; first += gl_NumWorkGroups.x * push.windows) {
            uint taken = min(push.windows, count - first);
            uvec2 survivor = survivors[push.from + first + min(gl_LocalInvocationIndex, taken - 1u)];
            walk_windows(survivor.x, gl_LocalInvocationIndex < taken, int(survivor.y));
            barrier();
        }
    } else {
        uint window = (push.first_tile + gl_WorkGroupID.x) << SHW_DETECT_TILE_SHIFT | gl_LocalInvocationIndex;
        walk_windows(window, window_of(window).exists, 0);
    }
}
