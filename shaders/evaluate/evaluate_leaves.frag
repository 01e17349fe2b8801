#version 450
#extension GL_GOOGLE_include_directive : require
/* The leaves that a pixel reaches in GROUP trees, one attachment per tree (Sharp 2008, 3.1 and Fig. 5). */
#include "evaluate_image.glsl"

#include "feature_type.h"
#include "traverse.h"

#if SHW_FEATURE_READS == SHW_READS_INTEGRALS
layout(set = 0, binding = SHW_EVALUATE_INTEGRALS) uniform utexture2DArray integrals;

uint shw_integral(uint channel, int x, int y)
{
    return texelFetch(integrals, ivec3(x, y, channel), 0).x;
}
#else
layout(set = 0, binding = SHW_EVALUATE_INTEGRALS) uniform itexture2DArray channels;

int shw_channel(uint channel, int x, int y)
{
    return texelFetch(channels, ivec3(x, y, channel), 0).x;
}
#endif

layout(location = 0) out uint leaf0;
#if GROUP == 4
layout(location = 1) out uint leaf1;
layout(location = 2) out uint leaf2;
layout(location = 3) out uint leaf3;
#endif

uint leaf(uint tree)
{
    ivec2 pixel = ivec2(gl_FragCoord.xy) + ivec2(push.tile_x, push.tile_y);
    uvec4 entry = shw_forest_texel(1u + push.first + tree);
    shw_rect image = shw_rect(push.image_x0, push.image_y0, push.image_x1, push.image_y1);
    shw_centre centre = shw_centre_at(pixel.x, pixel.y, image);
    return shw_leaf_or_none(shw_forest_texel(shw_traverse(entry.x, entry.z, centre, image)).z, centre);
}

void main()
{
    leaf0 = leaf(0u);
#if GROUP == 4
    leaf1 = leaf(1u);
    leaf2 = leaf(2u);
    leaf3 = leaf(3u);
#endif
}
