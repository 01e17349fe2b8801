#version 450
#extension GL_GOOGLE_include_directive : require
/* A shader of an engine, with a forest in it: a picture in which the pixels of each class have a colour of their own,
 * the stronger the surer the forest is. */
#define FOREST_SET 1
#include "forest.glsl"

layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, rgba8) uniform writeonly image2D picture;

void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    uint leaves[FOREST_TREES];

    if (any(greaterThanEqual(at, FOREST_SIZE)))
        return;
    forest_leaves(at, leaves);
    int label = forest_label_of(leaves);
    float sure = float(forest_probability(leaves, uint(label))) / 65535.0;
    vec3 colour = vec3(label & 1, label >> 1 & 1, label >> 2 & 1) * (label > 7 ? 0.5 : 1.0);
    imageStore(picture, at, vec4(mix(vec3(0.25), colour, sure), float(label) / 255.0));
}
