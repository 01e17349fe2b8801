/* The samples of a fragment, one per component. Include after blend.glsl. */
layout(std430, set = 0, binding = SHW_TRAIN_SAMPLES) readonly buffer Samples {
    uint samples[];
};

#include "respond.glsl"

/* Whether the component has a sample here. */
bool find_component(uint component, out sample_place place)
{
    uvec2 texel = uvec2(gl_FragCoord.xy);
    uint number = component_begin(component) + texel.y * SHW_BLEND_WIDTH + texel.x;
    if (number >= component_end(component))
        return false;
    return find_sample(samples[push.first + number], samples[push.sample_capacity + push.first + number], place);
}
