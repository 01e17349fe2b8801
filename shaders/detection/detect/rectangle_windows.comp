#version 450
#extension GL_GOOGLE_include_directive : require
/* Windows of HAAR (KIND 2) and LBP (KIND 3). A first pass (FIRST) marks what the first stage says of each window of a
 * tile; a second one tests the windows that it lets pass, but for those that OpenCV's rule leaves out, to the end.
 *
 * In the cascade there are, in words, for each tree the lowest score with which windows pass it, or NO_LIMIT if it is
 * not the last one of its stage; from push.leaves_at on, the index of each root; in fours from push.tests_at on, for
 * each node its feature, or NO_FEATURE for leaves, threshold, left child and value; then of LBP the subsets of the
 * nodes, two fours each; then the features, two fours each: sides and weight of three rectangles, the number of
 * rectangles, and whether they are tilted. */
#include "types.h"
#include "detect_haar.h"
#include "detect_lbp.h"
#include "detect_push.h"

layout(local_size_x = SHW_DETECT_GROUP) in;
layout(push_constant) uniform Push {
    shw_detect_walk_push push;
};
layout(constant_id = 0) const uint WIDTH = 2u; /* of windows */
layout(constant_id = 1) const uint HEIGHT = 2u;
layout(constant_id = 2) const bool RESTARTS = false;  /* scores, in each stage */
layout(constant_id = 3) const bool LEAVES_OUT = true; /* windows after rejected ones */

#include "tables.glsl"
#include "survivors.glsl"

layout(set = 0, binding = SHW_DETECT_CASCADE) readonly buffer Words {
    int words[];
};
layout(set = 0, binding = SHW_DETECT_CASCADE) readonly buffer Fours {
    uvec4 fours[];
};
layout(set = 0, binding = SHW_DETECT_PLANES) readonly buffer Planes {
    uint planes[];
};

#define NO_LIMIT   (-2147483647 - 1)
#define NO_FEATURE 0xffffffffu
#define ROWS       SHW_DETECT_TILE_HEIGHT
#define COLUMNS    SHW_DETECT_TILE_WIDTH

struct Place {
    uint first, stride;
    uint norm; /* of HAAR; 0: rejected */
};

uint upright_sum(uint at, uint stride, uint width, uint height)
{
    return planes[at] - planes[at + width] - planes[at + height * stride] + planes[at + height * stride + width];
}

uint tilted_sum(uint at, uint stride, uint width, uint height)
{
    uint right = at + width * stride + width, left = at + height * stride - height;

    return planes[at] - planes[right] - planes[left] + planes[right + height * stride - height];
}

Place place_of(Window window)
{
    shw_detect_level_entry level = levels[window.level];
    uint first = level.first + uint(position_at(level.first_row + window.row).x) * level.stride +
                 uint(position_at(level.first_column + window.column).x);
    Place place = Place(first, level.stride, 1u);

#if KIND == 2
    uint inside = first + level.stride + 1u;
    place.norm = shw_haar_norm((WIDTH - 2u) * (HEIGHT - 2u), upright_sum(inside, level.stride, WIDTH - 2u, HEIGHT - 2u),
                               upright_sum(inside + push.plane_words, level.stride, WIDTH - 2u, HEIGHT - 2u));
#endif
    return place;
}

#if KIND == 2
int weighted_sum(Place place, uint rectangle, uint weight, bool tilted)
{
    uvec4 sides = uvec4(rectangle, rectangle >> 8u, rectangle >> 16u, rectangle >> 24u) & 255u;
    uint at = place.first + sides.y * place.stride + sides.x;
    uint sum = tilted ? tilted_sum(at + 2u * push.plane_words, place.stride, sides.z, sides.w)
                      : upright_sum(at, place.stride, sides.z, sides.w);

    return int(weight) * int(sum);
}

bool is_right(Place place, uint index, uvec4 node)
{
    uvec4 first = fours[push.tests_at + push.tests + 2u * node.x], second = fours[push.tests_at + push.tests + 2u * node.x + 1u];
    bool tilted = second.w != 0u;
    int response = weighted_sum(place, first.x, first.y, tilted);

    if (second.z > 1u)
        response += weighted_sum(place, first.z, first.w, tilted);
    if (second.z > 2u)
        response += weighted_sum(place, second.x, second.y, tilted);
    return shw_haar_is_right(response, int(node.y), place.norm);
}
#else
bool is_right(Place place, uint index, uvec4 node)
{
    uint rectangle = fours[push.tests_at + 3u * push.tests + 2u * node.x].x;
    uvec4 sides = uvec4(rectangle, rectangle >> 8u, rectangle >> 16u, rectangle >> 24u) & 255u;
    uint at = place.first + sides.y * place.stride + sides.x, sums[9];

    for (uint i = 0u; i < 9u; i++)
        sums[i] = upright_sum(at + i / 3u * sides.w * place.stride + i % 3u * sides.z, place.stride, sides.z, sides.w);
    uint pattern = shw_lbp_pattern(sums);
    uint word = fours[push.tests_at + push.tests + 2u * index + (pattern >> 7u)][pattern >> 5u & 3u];
    return (word >> (pattern & 31u) & 1u) == 0u;
}
#endif

int tree_value(uint tree, Place place)
{
    uint index = uint(words[push.leaves_at + tree]);
    uvec4 node = fours[push.tests_at + index];

    while (node.x != NO_FEATURE) {
        index = node.z + uint(is_right(place, index, node));
        node = fours[push.tests_at + index];
    }
    return int(node.w);
}

bool walk(Place place, uint end, inout int score)
{
    for (uint tree = 0u; tree < end; tree++) {
        int limit = words[tree];
        score += tree_value(tree, place);
        if (limit == NO_LIMIT)
            continue;
        if (score < limit)
            return false;
        if (RESTARTS && tree + 1u < push.tree_count)
            score = 0;
    }
    return true;
}

#if FIRST
shared uint rejected[ROWS], passed[ROWS];

/* Bits are windows of a row of the tile. Too flat ones are neither rejected by the stage nor do they pass. */
void main()
{
    uint tile = push.first_tile + gl_WorkGroupID.x, row = gl_LocalInvocationIndex / COLUMNS;
    Window window = window_of(tile << SHW_DETECT_TILE_SHIFT | gl_LocalInvocationIndex);
    uint bit = 1u << gl_LocalInvocationIndex % COLUMNS;
    int score = 0;

    if (gl_LocalInvocationIndex < ROWS)
        rejected[gl_LocalInvocationIndex] = passed[gl_LocalInvocationIndex] = 0u;
    barrier();
    if (window.exists) {
        Place place = place_of(window);
        if (place.norm != 0u) {
            if (walk(place, push.end_tree, score))
                atomicOr(passed[row], bit);
            else
                atomicOr(rejected[row], bit);
        }
    }
    barrier();
    if (gl_LocalInvocationIndex < ROWS)
        survivors[tile * ROWS + gl_LocalInvocationIndex] =
            uvec2(rejected[gl_LocalInvocationIndex], passed[gl_LocalInvocationIndex]);
}
#else
shared uint chosen[SHW_DETECT_TILE], chosen_count;

/* How many windows right before the row's part in this tile are rejected, but for multiples of 32. */
uint run_before(uint tile, uint row, uint tiles)
{
    for (uint t = 1u; t <= tiles; t++) {
        uint left = ~survivors[(tile - t) * ROWS + row].x;
        if (left != 0u)
            return 31u - uint(findMSB(left));
    }
    return 0u;
}

/* The window after a rejected one is left out, unless that was: one after an odd number of windows that the first stage
 * rejects. */
bool is_left_out(uint tile, uint row, uint column)
{
    uint before = ~survivors[tile * ROWS + row].x & ((1u << column) - 1u);
    uint tiles = (tables[push.tiles + tile].y & 0xffffu) / COLUMNS;

    if (before != 0u)
        return ((column - 1u - uint(findMSB(before))) & 1u) != 0u;
    return ((column + run_before(tile, row, tiles)) & 1u) != 0u;
}

void main()
{
    uint tile = push.first_tile + gl_WorkGroupID.x, row = gl_LocalInvocationIndex / COLUMNS;
    uint column = gl_LocalInvocationIndex % COLUMNS, window = 0u;
    bool is_passed = (survivors[tile * ROWS + row].y >> column & 1u) != 0u;
    int score = 0;

    if (gl_LocalInvocationIndex == 0u)
        chosen_count = 0u;
    barrier();
    if (is_passed && !(LEAVES_OUT && is_left_out(tile, row, column)))
        chosen[atomicAdd(chosen_count, 1u)] = gl_LocalInvocationIndex;
    barrier();
    is_passed = gl_LocalInvocationIndex < chosen_count;
    if (is_passed) {
        window = tile << SHW_DETECT_TILE_SHIFT | chosen[gl_LocalInvocationIndex];
        is_passed = walk(place_of(window_of(window)), push.tree_count, score);
    }
    keep_passed(is_passed, window, score);
}
#endif
