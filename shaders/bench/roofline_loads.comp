#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
/* Loads from a storage buffer. SCATTERED 0: neighbouring invocations read neighbouring words of planes at one random
 * offset; SCATTERED 1: every invocation reads random words of the whole buffer. */
#include "roofline_push.h"

#if SCATTERED
layout(local_size_x = 64) in;
#else
layout(local_size_x = 32, local_size_y = 4) in;
#endif
layout(push_constant) uniform Push {
    shw_roofline_push push;
};
layout(std430, set = 0, binding = SHW_ROOFLINE_SOURCE) readonly buffer Source {
    uint source[];
};
layout(std430, set = 0, binding = SHW_ROOFLINE_RESULT) writeonly buffer Result {
    uint result[];
};

void main()
{
    uint sum = 0u;
#if SCATTERED
    uint number = gl_GlobalInvocationID.x, draw = shw_roofline_begin(number, push.seed);
    for (uint step = 0u; step < push.steps; ++step)
        [[unroll]] for (uint i = 0u; i < SHW_ROOFLINE_UNROLL; ++i) {
            draw = shw_roofline_next(draw);
            sum += source[draw >> push.shift];
        }
#else
    uvec2 pixel = gl_GlobalInvocationID.xy;
    uint number = pixel.y * SHW_ROOFLINE_WIDTH + pixel.x, draw = push.seed;
    uint place = pixel.y * SHW_ROOFLINE_STRIDE + pixel.x;
    for (uint step = 0u; step < push.steps; ++step)
        [[unroll]] for (uint i = 0u; i < SHW_ROOFLINE_UNROLL; ++i) {
            draw = shw_roofline_next(draw);
            uint kept = draw & push.mask;
            uint row = shw_roofline_layer(kept) * SHW_ROOFLINE_ROWS + shw_roofline_row(kept);
            sum += source[place + row * SHW_ROOFLINE_STRIDE + shw_roofline_column(kept)];
        }
#endif
    result[number] = sum;
}
