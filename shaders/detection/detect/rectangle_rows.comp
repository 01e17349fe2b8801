#version 450
#extension GL_GOOGLE_include_directive : require
/* HAAR and LBP: a work group makes a row of a level from the grey image, and its sums from left to right. Row 0 and
 * column 0 of the integrals are zero. */
#include "types.h"
#include "detect_push.h"

layout(local_size_x = SHW_DETECT_GROUP) in;
layout(push_constant) uniform Push {
    shw_detect_walk_push push;
};
layout(constant_id = 0) const bool HAS_SQUARES = false;
layout(constant_id = 1) const bool HAS_TILTED = false;

#include "tables.glsl"
layout(set = 0, binding = SHW_DETECT_VALUES) readonly buffer Values {
    uint values[];
};
layout(set = 0, binding = SHW_DETECT_PLANES) writeonly buffer Planes {
    uint planes[];
};

shared uvec2 sums[SHW_DETECT_GROUP];

uint grey_at(shw_detect_level_entry level, uint x, uint y)
{
    return values[y * ((level.octave_width + 3u) / 4u) + x / 4u] >> 8u * (x & 3u) & 255u;
}

uint resample(shw_detect_level_entry level, uint x, uint y)
{
    shw_uint2 across = shw_detect_sample(x, level.scaled_width, level.octave_width);
    shw_uint2 down = shw_detect_sample(y, level.scaled_height, level.octave_height);
    uint right = min(across.x + 1u, level.octave_width - 1u), below = min(down.x + 1u, level.octave_height - 1u);

    across.x = min(across.x, level.octave_width - 1u);
    shw_uint2 weights;
    weights.x = across.y;
    weights.y = down.y;
    return shw_detect_between(grey_at(level, across.x, down.x), grey_at(level, right, down.x),
                              grey_at(level, across.x, below), grey_at(level, right, below), weights);
}

/* Running sums over the group's invocations. */
uvec2 add_up(uvec2 value)
{
    uint lane = gl_LocalInvocationIndex;

    sums[lane] = value;
    barrier();
    for (uint distance = 1u; distance < SHW_DETECT_GROUP; distance *= 2u) {
        uvec2 before = lane >= distance ? sums[lane - distance] : uvec2(0u);
        barrier();
        sums[lane] += before;
        barrier();
    }
    return sums[lane];
}

void write(uint at, uvec2 sum)
{
    planes[at] = sum.x;
    if (HAS_SQUARES)
        planes[at + push.plane_words] = sum.y;
}

void main()
{
    uvec2 row = tables[push.first_tile + gl_WorkGroupID.x];
    shw_detect_level_entry level = levels[row.x];
    uint first = level.first + row.y * level.stride;
    uvec2 before = uvec2(0u);

    for (uint x = gl_LocalInvocationIndex; x <= level.scaled_width; x += SHW_DETECT_GROUP) {
        if (row.y == 0u)
            write(first + x, uvec2(0u));
        if (row.y == 0u && HAS_TILTED)
            planes[first + x + 2u * push.plane_words] = 0u;
    }
    if (row.y == 0u)
        return;
    if (gl_LocalInvocationIndex == 0u)
        write(first, uvec2(0u));
    for (uint x = 0u; x < level.scaled_width; x += SHW_DETECT_GROUP) {
        uint at = x + gl_LocalInvocationIndex;
        uint pixel = at < level.scaled_width ? resample(level, at, row.y - 1u) : 0u;
        uvec2 sum = before + add_up(uvec2(pixel, pixel * pixel));
        if (at < level.scaled_width)
            write(first + 1u + at, sum);
        before += sums[SHW_DETECT_GROUP - 1u];
        barrier();
    }
}
