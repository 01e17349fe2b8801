#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
/* Atomic additions to random counters, as in a histogram. SHARED 1: in shared memory, added to the result at the end;
 * SHARED 0: in device memory. */
#include "roofline_push.h"

layout(local_size_x = SHW_ROOFLINE_WORKGROUP) in;
layout(push_constant) uniform Push {
    shw_roofline_push push;
};
layout(std430, set = 0, binding = SHW_ROOFLINE_RESULT) buffer Result {
    uint result[];
};

#if SHARED
shared uint counters[1u << SHW_ROOFLINE_SHARED_SHIFT];
#define COUNTERS counters
#define SHIFT    (32u - SHW_ROOFLINE_SHARED_SHIFT)
#else
#define COUNTERS result
#define SHIFT    (32u - SHW_ROOFLINE_GLOBAL_SHIFT)
#endif

void main()
{
    uint draw = shw_roofline_begin(gl_GlobalInvocationID.x, push.seed);
#if SHARED
    for (uint i = gl_LocalInvocationID.x; i < 1u << SHW_ROOFLINE_SHARED_SHIFT; i += SHW_ROOFLINE_WORKGROUP)
        counters[i] = 0u;
    barrier();
#endif
    for (uint step = 0u; step < push.steps; ++step)
        [[unroll]] for (uint i = 0u; i < SHW_ROOFLINE_UNROLL; ++i) {
            draw = shw_roofline_next(draw);
            atomicAdd(COUNTERS[draw >> SHIFT], 1u);
        }
#if SHARED
    barrier();
    for (uint i = gl_LocalInvocationID.x; i < 1u << SHW_ROOFLINE_SHARED_SHIFT; i += SHW_ROOFLINE_WORKGROUP)
        atomicAdd(result[i], counters[i]);
#endif
}
