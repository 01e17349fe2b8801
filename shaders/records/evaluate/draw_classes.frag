#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
/* The class of a record, a texel for each, from its sums. */
#include "draw.glsl"
#include "wide.glsl"

layout(location = 0) out uint class_number;

void main()
{
    uint first = min(own_texel(), push.count - 1u) * push.outputs, best_output = 0u;
    uvec2 best = input_texel(first);

    for (uint o = 1u; o < push.outputs; ++o) {
        uvec2 sum = input_texel(first + o);
        if (is_greater(sum, best)) {
            best = sum;
            best_output = o;
        }
    }
    class_number = class_of(push.outputs, best, best_output, uvec2(push.cut_low, push.cut_high));
}
