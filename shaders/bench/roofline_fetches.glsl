/* Texel fetches, the counterpart of roofline_loads.comp: neighbouring pixels fetch neighbouring texels at one random
 * offset. WORDS 1: one word from one of the planes; WORDS 4: four words from one plane. */
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_samplerless_texture_functions : require

#include "roofline_push.h"

layout(push_constant) uniform Push {
    shw_roofline_push push;
};
layout(set = 0, binding = SHW_ROOFLINE_SOURCE) uniform utexture2DArray source;

uint fetches(ivec2 pixel)
{
    uint draw = push.seed;
#if WORDS == 4
    uvec4 sums = uvec4(0u);
#else
    uint sum = 0u;
#endif
    for (uint step = 0u; step < push.steps; ++step)
        [[unroll]] for (uint i = 0u; i < SHW_ROOFLINE_UNROLL; ++i) {
            draw = shw_roofline_next(draw);
            uint kept = draw & push.mask;
            ivec2 place = pixel + ivec2(shw_roofline_column(kept), shw_roofline_row(kept));
#if WORDS == 4
            sums += texelFetch(source, ivec3(place, 0), 0);
#else
            sum += texelFetch(source, ivec3(place, shw_roofline_layer(kept)), 0).x;
#endif
        }
#if WORDS == 4
    return sums.x + sums.y + sums.z + sums.w;
#else
    return sum;
#endif
}
