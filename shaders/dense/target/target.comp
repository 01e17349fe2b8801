#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
/* Texels of targets: an invocation makes SHW_TARGET_COLUMNS neighbours of a layer, whole words of memory. */
#include "target.h"

layout(local_size_x = 32, local_size_y = 4) in;
layout(push_constant) uniform Push {
    shw_target_push push;
};
layout(set = 0, binding = SHW_MAKE_RESULTS) readonly buffer Results {
    uint results[];
};
layout(set = 0, binding = SHW_MAKE_TEXELS) writeonly buffer Made {
    uint made[];
};

uint result(uint plane, ivec2 at)
{
    uint row = plane * push.plane + uint(at.y) * push.row;

    return push.bits == 32u ? results[row + uint(at.x)]
                            : results[row + (uint(at.x) >> 1u)] >> 16u * (uint(at.x) & 1u) & 0xffffu;
}

#ifdef OVERLAY
layout(set = 0, binding = SHW_MAKE_PROBABILITIES) readonly buffer Probabilities {
    uint probabilities[];
};
layout(set = 0, binding = SHW_MAKE_COLOURS) readonly buffer Colours {
    uint colours[];
};

uint probability(uint plane, ivec2 at)
{
    uint row = plane * push.probability_plane + uint(at.y) * push.probability_row;

    return probabilities[row + (uint(at.x) >> 1u)] >> 16u * (uint(at.x) & 1u) & 0xffffu;
}

uint colour(uint number)
{
    return colours[number];
}
#endif

#include "target.glsl"

void main()
{
    ivec2 at = ivec2(SHW_TARGET_COLUMNS, 1) * ivec2(gl_GlobalInvocationID.xy);
    uint layer = gl_GlobalInvocationID.z, word = 0u;
    uint to = layer * push.made_plane + uint(at.y) * push.made_row + uint(at.x) * push.texel_bytes / 4u;

    if (at.x >= push.width || at.y >= push.height)
        return;
    for (uint i = 0u; i < SHW_TARGET_COLUMNS; i++, at.x++) {
        uvec4 texel = at.x < push.width ? texel_at(at, layer) : uvec4(0u);
        if (push.texel_bytes < 4u) {
            uint bits = 8u * push.texel_bytes, first = i * bits & 31u;
            word = (first == 0u ? 0u : word) | texel.r << first;
            if (first + bits == 32u)
                made[to++] = word;
        } else if (at.x < push.width && push.texel_bytes == 8u) {
            made[to++] = texel.r | texel.g << 16u;
            made[to++] = texel.b | texel.a << 16u;
        } else if (at.x < push.width) {
            made[to++] = push.form == SHW_CODES_32 ? texel.r : texel.r | texel.g << 8u | texel.b << 16u | texel.a << 24u;
        }
    }
}
