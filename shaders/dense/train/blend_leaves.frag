#version 450
#extension GL_GOOGLE_include_directive : require
/* Leaf images (Sharp 2008, 4.2): the open node that each of four samples reaches in the tree so far. */
#include "blend.glsl"

layout(std430, set = 0, binding = SHW_BLEND_NODES) readonly buffer Nodes {
    uvec4 nodes[];
};

#include "blend_samples.glsl"

uvec4 shw_forest_texel(uint index)
{
    return nodes[index];
}

layout(location = 0) out uvec4 leaves;

void main()
{
    leaves = uvec4(SHW_BLEND_NONE);
    for (uint component = 0u; component < 4u; component++)
        if (find_component(component, here)) {
            shw_rect image = shw_rect(0, 0, here.size.x, here.size.y);
            leaves[component] = nodes[shw_traverse(0u, push.depth, here.centre, image)].z;
        }
}
