#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
/* Filters along columns, and adds the terms of filters that have two. An invocation computes two neighbouring pixels,
 * which share a word, in eight rows. LARGE: radius 24, otherwise 3, 6 and 12. */
#include "filter_push.h"

layout(local_size_x = 32, local_size_y = 4) in;
layout(std430, set = 0, binding = SHW_FILTER_INPUTS) readonly buffer Inputs {
    uint inputs[];
};
layout(std430, set = 0, binding = SHW_FILTER_OUTPUTS) writeonly buffer Outputs {
    uint outputs[];
};
layout(std140, set = 0, binding = SHW_FILTER_KERNELS) uniform Weights {
    ivec4 weights[SHW_FILTER_WEIGHTS_MAX / 4];
};
layout(std430, set = 0, binding = SHW_FILTER_GROUPS) readonly buffer Groups {
    shw_filter_group groups[];
};
layout(push_constant) uniform Push {
    shw_filter_push push;
};

#define ROWS 8

int left[ROWS], right[ROWS];

#define CONVOLVE(RADIUS)                                                                                         \
    {                                                                                                            \
        uint column = groups[group].planes[term] * push.plane_words + (uint(pixel.x) >> 1u);                     \
        uint kernel = groups[group].kernels[term];                                                               \
        [[unroll]] for (int i = 0; i < ROWS + 2 * RADIUS; i++) {                                                 \
            uint pair = inputs[column + uint(clamp(pixel.y - RADIUS + i, 0, push.last_y)) * push.row_words];     \
            int low = shw_low16(pair), high = shw_high16(pair);                                                  \
            [[unroll]] for (int row = 0; row < ROWS; row++)                                                      \
                if (i >= row && i - row <= 2 * RADIUS) {                                                         \
                    int weight = weights[kernel + uint(i - row >> 2)][i - row & 3];                              \
                    left[row] += weight * low;                                                                   \
                    right[row] += weight * high;                                                                 \
                }                                                                                                \
        }                                                                                                        \
    }

void write_pixels(uint plane, ivec2 pixel)
{
    uint word = plane * push.plane_words + uint(pixel.y) * push.row_words + (uint(pixel.x) >> 1u);

    [[unroll]] for (int row = 0; row < ROWS; row++)
        if (pixel.y + row <= push.last_y)
            outputs[word + uint(row) * push.row_words] = (uint(left[row]) & 0xffffu) | uint(right[row]) << 16u;
}

void main()
{
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy) * ivec2(2, ROWS);
    uint group = gl_WorkGroupID.z;

    if (pixel.x > push.last_x || pixel.y > push.last_y)
        return;
    [[unroll]] for (int row = 0; row < ROWS; row++)
        left[row] = right[row] = 0;
    for (uint term = 0u; term < 2u; term++) {
        if (groups[group].planes[term] == SHW_FILTER_NOTHING)
            break;
#ifdef LARGE
        CONVOLVE(24)
#else
        if (groups[group].size == 0u)
            CONVOLVE(3)
        else if (groups[group].size == 1u)
            CONVOLVE(6)
        else
            CONVOLVE(12)
#endif
    }
    [[unroll]] for (int row = 0; row < ROWS; row++) {
        left[row] = shw_round_shift(left[row], SHW_COLUMN_SHIFT);
        right[row] = shw_round_shift(right[row], SHW_COLUMN_SHIFT);
    }
    if (groups[group].outputs[0] != SHW_FILTER_NOTHING)
        write_pixels(groups[group].outputs[0], pixel);
    if (groups[group].outputs[1] != SHW_FILTER_NOTHING) {
        [[unroll]] for (int row = 0; row < ROWS; row++) {
            left[row] = abs(left[row]);
            right[row] = abs(right[row]);
        }
        write_pixels(groups[group].outputs[1], pixel);
    }
}
