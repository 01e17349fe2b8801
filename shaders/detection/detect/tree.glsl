/* Trees of PIXELS and SCALED. KIND is 0 for PIXELS, 1 for SCALED.
 *
 * In the cascade there are, in words, for each tree the lowest score with which windows pass it, or NO_LIMIT if it is
 * not the last one of its stage; then, from push.leaves_at on,
 *   complete trees: the values of their leaves, from left to right; in pairs from push.tests_at on, their tests, node by
 *   node and level by level: x: x1, y1, x2, y2, a byte each, y: threshold;
 *   others: the index of each root; from push.tests_at on, in fours, nodes: x and y as above, z: index of the left
 *   child, w: value.
 * Tests follow once for each angle of the scan: of PIXELS, their points are turned. */

layout(constant_id = 0) const bool COMPLETE = true;
layout(constant_id = 1) const uint DEPTH = 2u;
layout(constant_id = 2) const bool RESTARTS = false; /* scores, in each stage */
layout(constant_id = 3) const uint MARGIN = 0u; /* PIXELS: turned points count from so many pixels outside the window */

layout(set = 0, binding = SHW_DETECT_CASCADE) readonly buffer Words {
    int words[];
};
layout(set = 0, binding = SHW_DETECT_CASCADE) readonly buffer Pairs {
    uvec2 pairs[];
};
layout(set = 0, binding = SHW_DETECT_CASCADE) readonly buffer Fours {
    uvec4 fours[];
};
layout(set = 0, binding = SHW_DETECT_VALUES) readonly buffer Values {
    uint values[];
};

#define NO_LIMIT (-2147483647 - 1)
#define LEAVES   (1u << DEPTH)
#define SPLITS   (LEAVES - 1u)

/* Where a window is: what tests read. */
#if KIND == 0
struct Place {
    uint first, stride; /* value (0, 0) of the window, or of its margin */
    uint tests;         /* of its angle */
};

uint value_of(uint index)
{
    return values[index >> 1u] >> ((index & 1u) << 4u) & 0xffffu;
}

Place place_of(Window window)
{
    shw_detect_level_entry level = levels[window.level];
    uint margin = window.angle != 0u ? MARGIN : 0u;
    uint x = uint(position_at(level.first_column + window.column).x) - margin;
    uint y = uint(position_at(level.first_row + window.row).x) - margin;

    return Place(level.first + y * level.stride + x, level.stride, window.number * push.tests);
}

int response_of(Place place, uint points)
{
    uint one = place.first + (points & 255u) + (points >> 8u & 255u) * place.stride;
    uint other = place.first + (points >> 16u & 255u) + (points >> 24u) * place.stride;

    return int(value_of(one)) - int(value_of(other));
}
#else
struct Place {
    ivec2 centre;
    int size;
    int cosine, sine; /* times the size; a sine of 0 means upright */
    uint stride;
    uint tests;
};

uint value_of(uint index)
{
    return values[index >> 2u] >> ((index & 3u) << 3u) & 0xffu;
}

Place place_of(Window window)
{
    shw_detect_level_entry level = levels[window.level];
    int size = int(level.size);
    ivec2 turn = ivec2(tables[window.angle]) * size;

    return Place(ivec2(position_at(level.first_column + window.column).x, position_at(level.first_row + window.row).x),
                 size, turn.x, turn.y, level.stride, 0u);
}

uint index_of(Place place, int x, int y)
{
    int column, row;

    if (MARGIN == 0u || (place.sine == 0 && place.cosine > 0)) {
        column = shw_detect_scaled(place.centre.x, x, place.size);
        row = shw_detect_scaled(place.centre.y, y, place.size);
    } else {
        column = shw_detect_turned(place.centre.x, place.cosine * x + place.sine * y);
        row = shw_detect_turned(place.centre.y, place.cosine * y - place.sine * x);
    }
    return uint(row) * place.stride + uint(column);
}

int response_of(Place place, uint points)
{
    int word = int(points);
    uint one = index_of(place, bitfieldExtract(word, 0, 8), bitfieldExtract(word, 8, 8));
    uint other = index_of(place, bitfieldExtract(word, 16, 8), bitfieldExtract(word, 24, 8));

    return int(value_of(one)) - int(value_of(other));
}
#endif

/* What trees are read with; shaders that have a part of them elsewhere define these themselves. */
#ifndef TEST
#define TEST(place, index) pairs[push.tests_at + place.tests + (index)]
#define LEAF(index)        words[push.leaves_at + (index)]
#define LIMIT(tree)        words[tree]
#endif

int complete_value(uint tree, Place place)
{
    uint node = 0u;

    for (uint depth = 0u; depth < DEPTH; depth++) {
        uvec2 test = TEST(place, tree * SPLITS + node);
        node = 2u * node + 1u + uint(response_of(place, test.x) > int(test.y));
    }
    return LEAF(tree * LEAVES + node - SPLITS);
}

int other_value(uint tree, Place place)
{
    uvec4 node = fours[push.tests_at + place.tests + uint(words[push.leaves_at + tree])];

    for (uint depth = 0u; depth < DEPTH; depth++) {
        uint next = node.z + uint(response_of(place, node.x) > int(node.y));
        node = fours[push.tests_at + place.tests + next];
    }
    return int(node.w);
}

/* The value of the leaf that the window reaches. */
int tree_value(uint tree, Place place)
{
    if (COMPLETE)
        return complete_value(tree, place);
    return other_value(tree, place);
}

/* Adds the value of a tree to the score. False: the window is rejected. */
bool add_value(uint tree, int value, int limit, inout int score)
{
    score += value;
    if (score < limit)
        return false;
    if (RESTARTS && limit != NO_LIMIT && tree + 1u < push.tree_count)
        score = 0;
    return true;
}
