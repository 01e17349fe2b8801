#version 450
/* One direction of all filters of the bank, one to a layer of the dispatch. An invocation makes two neighbouring pixels, which share a
 * word. ALONG_ROWS or ALONG_COLUMNS. */
#extension GL_GOOGLE_include_directive : require
#include "types.h"

layout(local_size_x = 32, local_size_y = 4) in;
layout(set = 0, binding = 0) readonly buffer Inputs {
    uint inputs[];
};
layout(set = 0, binding = 1) writeonly buffer Outputs {
    uint outputs[];
};
layout(set = 0, binding = 2) readonly buffer Weights {
    int weights[];
};

struct shw_filter_words {
    int radius;
    uint term_count;
    uint terms[2];  /* plane, its kernel's first weight << 16 */
    uint signed_plane;
    uint magnitude; /* plane that receives the magnitude, or 0xffffffff */
};
layout(set = 0, binding = 3) readonly buffer Filters {
    shw_filter_words filters[];
};
layout(push_constant) uniform Push {
    ivec2 last; /* pixel of the region, to which the border is clamped */
    uint row_words, plane_words;
    uint shift;
} push;

/* Half of a word, by the coordinate's lowest bit. */
int value_at(uint row, int x)
{
    return shw_low16(inputs[row + (uint(x) >> 1u)] >> ((uint(x) & 1u) << 4u));
}

ivec2 filtered(uint term, int radius, ivec2 pixel)
{
    uint plane = (term & 0xffu) * push.plane_words;
    uint weight = term >> 16u;
    ivec2 sums = ivec2(0);

#ifdef ALONG_ROWS
    uint row = plane + uint(pixel.y) * push.row_words;
    int left = value_at(row, clamp(pixel.x - radius, 0, push.last.x));
    for (int d = -radius; d <= radius; d++, weight++) {
        int right = value_at(row, clamp(pixel.x + d + 1, 0, push.last.x));
        sums += weights[weight] * ivec2(left, right);
        left = right;
    }
#else
    uint column = plane + (uint(pixel.x) >> 1u);
    for (int d = -radius; d <= radius; d++, weight++) {
        uint pair = inputs[column + uint(clamp(pixel.y + d, 0, push.last.y)) * push.row_words];
        sums += weights[weight] * ivec2(shw_low16(pair), shw_high16(pair));
    }
#endif
    return sums;
}

uint packed(ivec2 values)
{
    return (uint(values.x) & 0xffffu) | uint(values.y) << 16u;
}

void main()
{
    ivec2 pixel = ivec2(gl_GlobalInvocationID.x * 2u, gl_GlobalInvocationID.y);
    uint filter_index = gl_WorkGroupID.z;

    if (pixel.x > push.last.x || pixel.y > push.last.y)
        return;
    int radius = filters[filter_index].radius;
    uint magnitude = filters[filter_index].magnitude;
    ivec2 sums = filtered(filters[filter_index].terms[0], radius, pixel);
    if (filters[filter_index].term_count > 1u)
        sums += filtered(filters[filter_index].terms[1], radius, pixel);
    ivec2 values = ivec2(shw_round_shift(sums.x, push.shift), shw_round_shift(sums.y, push.shift));
    uint word = uint(pixel.y) * push.row_words + gl_GlobalInvocationID.x;
    outputs[filters[filter_index].signed_plane * push.plane_words + word] = packed(values);
    if (magnitude != 0xffffffffu)
        outputs[magnitude * push.plane_words + word] = packed(abs(values));
}
