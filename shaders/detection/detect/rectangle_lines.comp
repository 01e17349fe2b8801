#version 450
#extension GL_GOOGLE_include_directive : require
/* HAAR and LBP: from sums along rows to integrals, an invocation for each line. For tilted rectangles first along the
 * lines that go down to the right (DIRECTION 1), which gives the sums of the pixels on the line up to the left of a
 * point, then those down to the left (2), which adds the others; then, for all, along columns (0). */
#include "types.h"
#include "detect_push.h"

layout(local_size_x = SHW_DETECT_GROUP) in;
layout(push_constant) uniform Push {
    shw_detect_walk_push push;
};
layout(constant_id = 0) const bool HAS_SQUARES = false;
layout(constant_id = 1) const bool HAS_TILTED = false;
layout(constant_id = 2) const uint DIRECTION = 0u;

#include "tables.glsl"
layout(set = 0, binding = SHW_DETECT_PLANES) buffer Planes {
    uint planes[];
};

void add_column(shw_detect_level_entry level, uint x)
{
    uvec3 sum = uvec3(0u);
    uint at = level.first + x;

    for (uint y = 1u; y < level.height; y++) {
        at += level.stride;
        sum.x += planes[at];
        planes[at] = sum.x;
        if (HAS_SQUARES) {
            sum.y += planes[at + push.plane_words];
            planes[at + push.plane_words] = sum.y;
        }
        if (HAS_TILTED) {
            sum.z += planes[at + 2u * push.plane_words];
            planes[at + 2u * push.plane_words] = sum.z;
        }
    }
}

/* Of the row above and the column to the left of (x, y). The sums are those along rows yet. */
uint pixel_at(shw_detect_level_entry level, uint x, uint y)
{
    uint at = level.first + y * level.stride + x;

    return x > 0u ? planes[at] - planes[at - 1u] : 0u;
}

/* Lines begin in row 1, or further down in column 0. */
void add_right(shw_detect_level_entry level, uint line)
{
    uint x = line < level.width ? line : 0u, y = line < level.width ? 1u : line - level.width + 2u, sum = 0u;

    for (; x < level.width && y < level.height; x++, y++) {
        sum += pixel_at(level, x, y);
        planes[level.first + y * level.stride + x + 2u * push.plane_words] = sum;
    }
}

/* Lines begin in row 1, or further down in the last column. */
void add_left(shw_detect_level_entry level, uint line)
{
    uint x = min(line, level.width - 1u), y = line < level.width ? 1u : line - level.width + 2u, sum = 0u;

    for (x++; x > 0u && y < level.height; x--, y++) {
        uint pixel = pixel_at(level, x - 1u, y);
        planes[level.first + y * level.stride + x - 1u + 2u * push.plane_words] += sum;
        sum += pixel;
    }
}

void main()
{
    uvec2 lines = tables[push.first_tile + gl_WorkGroupID.x];
    shw_detect_level_entry level = levels[lines.x];
    uint line = lines.y + gl_LocalInvocationIndex;

    if (DIRECTION == 0u && line < level.width)
        add_column(level, line);
    if (DIRECTION == 1u)
        add_right(level, line);
    if (DIRECTION == 2u)
        add_left(level, line);
}
