#version 450
#extension GL_GOOGLE_include_directive : require
/* Images of what the level below says: an invocation makes two pixels, which share a word, of one image. */
#include "posterior.h"

layout(local_size_x = 32, local_size_y = 4) in;
layout(push_constant) uniform Push {
    shw_posterior_push push;
};
layout(set = 0, binding = SHW_POSTERIOR_DISTRIBUTION) readonly buffer Distribution {
    uint words[];
};
layout(rgba8, set = 0, binding = SHW_POSTERIOR_IMAGES) uniform writeonly image2DArray images;

void main()
{
    ivec2 at = ivec2(2, 1) * ivec2(gl_GlobalInvocationID.xy);
    uint number = gl_GlobalInvocationID.z;
    uvec3 left = uvec3(0u), right = uvec3(0u);

    if (at.x >= push.width || at.y >= push.height)
        return;
    for (uint i = 0u; i < SHW_POSTERIOR_CLASSES; i++) {
        uint plane = SHW_POSTERIOR_CLASSES * number + i;
        if (plane < push.class_count) {
            uint word = words[plane * push.plane + uint(at.y) * push.row + gl_GlobalInvocationID.x];
            left[i] = shw_posterior_share(word & 0xffffu);
            right[i] = shw_posterior_share(word >> 16u);
        }
    }
    imageStore(images, ivec3(push.x + at.x, push.y + at.y, number), vec4(vec3(left) / 255.0, 1.0));
    if (at.x + 1 < push.width)
        imageStore(images, ivec3(push.x + at.x + 1, push.y + at.y, number), vec4(vec3(right) / 255.0, 1.0));
}
