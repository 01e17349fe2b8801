#version 450
#extension GL_GOOGLE_include_directive : require
/* Responses of four samples, one per component (Sharp 2008, 4.3 and Fig. 6), to as many candidates as there are
 * attachments. A sample's candidates are those of its own node. */
#include "blend.glsl"

layout(set = 0, binding = SHW_BLEND_LEAVES) uniform utexture2D leaves;

#include "blend_samples.glsl"
#include "features.glsl"

layout(location = 0) out ivec4 responses[SHW_BLEND_TOGETHER];

void main()
{
    uvec4 opens = texelFetch(leaves, ivec2(gl_FragCoord.xy), 0) - push.open_begin;
    ivec4 results[SHW_BLEND_TOGETHER];
    for (uint i = 0u; i < SHW_BLEND_TOGETHER; i++)
        results[i] = ivec4(0);
    for (uint component = 0u; component < 4u; component++) {
        sample_place place;
        if (opens[component] >= push.open_count || !find_component(component, place))
            continue;
        here = place;
        for (uint i = 0u; i < SHW_BLEND_TOGETHER; i++)
            if (push.candidate + i < push.candidate_count)
                results[i][component] = shw_stored(
                    respond(here, feature_of(opens[component] * push.candidate_count + push.candidate + i)));
    }
    for (uint i = 0u; i < SHW_BLEND_TOGETHER; i++)
        responses[i] = results[i];
}
