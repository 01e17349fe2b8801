#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
/* Images of what the level below says, IMAGES of them at once. */
#include "posterior.h"

layout(push_constant) uniform Push {
    shw_posterior_push push;
};
layout(set = 0, binding = SHW_POSTERIOR_DISTRIBUTION) uniform utexture2DArray distribution;

layout(location = 0) out vec4 image0;
#if IMAGES > 1
layout(location = 1) out vec4 image1;
#endif
#if IMAGES > 2
layout(location = 2) out vec4 image2;
#endif
#if IMAGES > 3
layout(location = 3) out vec4 image3;
#endif

vec4 image_at(ivec2 at, uint number)
{
    uvec3 shares = uvec3(0u);

    for (uint i = 0u; i < SHW_POSTERIOR_CLASSES; i++) {
        uint plane = SHW_POSTERIOR_CLASSES * number + i;
        if (plane < push.class_count)
            shares[i] = shw_posterior_share(texelFetch(distribution, ivec3(at, plane), 0).r);
    }
    return vec4(vec3(shares) / 255.0, 1.0);
}

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy) - ivec2(push.x, push.y);

    image0 = image_at(at, push.first);
#if IMAGES > 1
    image1 = image_at(at, push.first + 1u);
#endif
#if IMAGES > 2
    image2 = image_at(at, push.first + 2u);
#endif
#if IMAGES > 3
    image3 = image_at(at, push.first + 3u);
#endif
}
