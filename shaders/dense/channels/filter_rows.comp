#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
/* Filters along rows. An invocation computes eight neighbouring pixels of all filters of a group and reads their
 * neighbourhood once. LARGE: radius 24, otherwise 3, 6 and 12. */
#include "filter_push.h"

layout(local_size_x = 8, local_size_y = 16) in;
layout(std430, set = 0, binding = SHW_FILTER_INPUTS) readonly buffer Inputs {
    uvec4 inputs[]; /* eight pixels */
};
layout(std430, set = 0, binding = SHW_FILTER_INPUTS) readonly buffer InputWords {
    uint input_words[];
};
layout(std430, set = 0, binding = SHW_FILTER_OUTPUTS) writeonly buffer Outputs {
    uvec4 outputs[];
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

#ifdef LARGE
#define RADIUS_MAX 24
#define BLOCKS     7 /* of eight pixels, from x - 24 on */
#define FIRST      0 /* the first sample of the first block that is needed */
#else
#define RADIUS_MAX 12
#define BLOCKS     5 /* from x - 16 on */
#define FIRST      4
#endif
#define SAMPLES (8 + 2 * RADIUS_MAX)

int samples[SAMPLES];

void read_samples(uint plane, ivec2 pixel)
{
    uint row = plane * push.plane_words + uint(pixel.y) * push.row_words;
    int first = pixel.x - RADIUS_MAX - FIRST;

    if (first >= 0 && first + 8 * BLOCKS - 1 <= push.last_x) {
        [[unroll]] for (int b = 0; b < BLOCKS; b++) {
            uvec4 words = inputs[(row >> 2u) + uint(first >> 3) + uint(b)];
            [[unroll]] for (int i = 0; i < 8; i++)
                if (8 * b + i >= FIRST && 8 * b + i < FIRST + SAMPLES)
                    samples[8 * b + i - FIRST] = (i & 1) == 0 ? shw_low16(words[i >> 1]) : shw_high16(words[i >> 1]);
        }
    } else {
        [[unroll]] for (int i = 0; i < SAMPLES; i++) {
            int x = clamp(pixel.x - RADIUS_MAX + i, 0, push.last_x);
            uint word = input_words[row + (uint(x) >> 1u)];
            samples[i] = (x & 1) == 0 ? shw_low16(word) : shw_high16(word);
        }
    }
}

int sums[8];

void write_pixels(uint plane, ivec2 pixel)
{
    uvec4 words;

    [[unroll]] for (int i = 0; i < 4; i++)
        words[i] = (uint(shw_round_shift(sums[2 * i], SHW_ROW_SHIFT)) & 0xffffu) |
                   uint(shw_round_shift(sums[2 * i + 1], SHW_ROW_SHIFT)) << 16u;
    outputs[(plane * push.plane_words + uint(pixel.y) * push.row_words + (uint(pixel.x) >> 1u)) >> 2u] = words;
}

#define CONVOLVE(SIZE, RADIUS)                                                                 \
    if (groups[group].planes[SIZE] != SHW_FILTER_NOTHING) {                                    \
        uint kernel = groups[group].kernels[SIZE];                                             \
        [[unroll]] for (int i = 0; i < 8; i++)                                                 \
            sums[i] = 0;                                                                       \
        [[unroll]] for (int t = 0; t <= 2 * RADIUS; t++) {                                     \
            int weight = weights[kernel + uint(t >> 2)][t & 3];                                \
            [[unroll]] for (int i = 0; i < 8; i++)                                             \
                sums[i] += weight * samples[RADIUS_MAX - RADIUS + t + i];                      \
        }                                                                                      \
        write_pixels(groups[group].planes[SIZE], pixel);                                       \
    }

void main()
{
    ivec2 pixel = ivec2(gl_GlobalInvocationID.xy) * ivec2(8, 1);
    uint group = gl_WorkGroupID.z;

    if (pixel.x > push.last_x || pixel.y > push.last_y)
        return;
    read_samples(groups[group].plane, pixel);
#ifdef LARGE
    CONVOLVE(0, 24)
#else
    CONVOLVE(0, 3)
    CONVOLVE(1, 6)
    CONVOLVE(2, 12)
#endif
}
