#version 450
/* One direction of all filters of the bank, one to a layer of the dispatch. An invocation makes eight pixels, so that each sample it reads
 * serves them all: eight neighbours in a row (ALONG_ROWS), or two in each of four rows (ALONG_COLUMNS). Two pixels share a word. */
#extension GL_GOOGLE_include_directive : require
#include "types.h"

#ifdef ALONG_ROWS
layout(local_size_x = 8, local_size_y = 16) in;
const uvec2 block = uvec2(8u, 1u);
#else
layout(local_size_x = 32, local_size_y = 4) in;
const uvec2 block = uvec2(2u, 4u);
#endif
layout(set = 0, binding = 0) readonly buffer Inputs {
    uint inputs[];
};
layout(set = 0, binding = 1) writeonly buffer Outputs {
    uint outputs[];
};
layout(set = 0, binding = 2) readonly buffer Weights {
    int weights[]; /* seven zeros follow each kernel */
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

/* Sums of eight pixels: four, and the four that follow in the row or stand beside them. */
struct shw_sums {
    ivec4 first, second;
};

#ifdef ALONG_ROWS
/* While a sample moves through the window, its weight for each next pixel is the one that its predecessor had. */
void add_term(inout shw_sums sums, uint term, int radius, ivec2 pixel)
{
    uint row = (term & 0xffu) * push.plane_words + uint(pixel.y) * push.row_words;
    uint next = term >> 16u;
    ivec4 near = ivec4(0), far = ivec4(0);

    for (int x = pixel.x - radius; x < pixel.x + radius + 8; x++, next++) {
        int value = value_at(row, clamp(x, 0, push.last.x));
        far = ivec4(near.w, far.xyz);
        near = ivec4(weights[next], near.xyz);
        sums.first += near * value;
        sums.second += far * value;
    }
}
#else
void add_term(inout shw_sums sums, uint term, int radius, ivec2 pixel)
{
    uint column = (term & 0xffu) * push.plane_words + (uint(pixel.x) >> 1u);
    uint next = term >> 16u;
    ivec4 near = ivec4(0);

    for (int y = pixel.y - radius; y < pixel.y + radius + 4; y++, next++) {
        uint pair = inputs[column + uint(clamp(y, 0, push.last.y)) * push.row_words];
        near = ivec4(weights[next], near.xyz);
        sums.first += near * shw_low16(pair);
        sums.second += near * shw_high16(pair);
    }
}
#endif

ivec4 rounded(ivec4 sums)
{
    return ivec4(shw_round_shift(sums.x, push.shift), shw_round_shift(sums.y, push.shift), shw_round_shift(sums.z, push.shift),
                 shw_round_shift(sums.w, push.shift));
}

uint packed(int low, int high)
{
    return (uint(low) & 0xffffu) | uint(high) << 16u;
}

void write(uint plane, ivec2 pixel, ivec4 first, ivec4 second)
{
    uint word = plane * push.plane_words + uint(pixel.y) * push.row_words + (uint(pixel.x) >> 1u);

#ifdef ALONG_ROWS
    uvec4 words = uvec4(packed(first.x, first.y), packed(first.z, first.w), packed(second.x, second.y), packed(second.z, second.w));
    for (int i = 0; i < 4 && pixel.x + 2 * i <= push.last.x; i++)
        outputs[word + uint(i)] = words[i];
#else
    for (int i = 0; i < 4 && pixel.y + i <= push.last.y; i++)
        outputs[word + uint(i) * push.row_words] = packed(first[i], second[i]);
#endif
}

void main()
{
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy * block);
    uint filter_index = gl_WorkGroupID.z;
    shw_sums sums = shw_sums(ivec4(0), ivec4(0));

    if (pixel.x > push.last.x || pixel.y > push.last.y)
        return;
    int radius = filters[filter_index].radius;
    uint magnitude = filters[filter_index].magnitude;
    for (uint t = 0u; t < filters[filter_index].term_count; t++)
        add_term(sums, filters[filter_index].terms[t], radius, pixel);
    ivec4 first = rounded(sums.first), second = rounded(sums.second);
    write(filters[filter_index].signed_plane, pixel, first, second);
    if (magnitude != 0xffffffffu)
        write(magnitude, pixel, abs(first), abs(second));
}
