#version 450
#extension GL_GOOGLE_include_directive : require
/* The leaves that a pixel reaches in GROUP trees, one attachment per tree (Sharp 2008, 3.1 and Fig. 5). */
#include "evaluate_image.glsl"

#include "feature_type.h"
#include "traverse.h"
#include "walk_node.h"

/* Whether the forest is one of ferns, whose tables follow the distributions (src/dense/traverse/forest_table.h). */
layout(constant_id = 0) const bool is_ferns = false;

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

uint leaf_of_fern(uint tree, shw_centre centre, shw_rect image)
{
    uvec4 header = shw_forest_texel(0u);
    uint first = header.z + header.w * SHW_DISTRIBUTION_TEXELS(push.classes), place = 0u;
    uvec4 entry = shw_forest_texel(first + tree);
    for (uint level = 0u; level < entry.y; ++level) {
        uint texel = first + entry.x + SHW_WALK_TEXELS_PLAIN * level;
        uvec4 test = shw_forest_texel(texel);
        shw_response response = shw_respond(shw_feature_of(test.w, shw_forest_texel(texel + 1u)), centre, image);
        place = 2u * place + shw_goes_right(response, int(test.y), int(test.z));
    }
    uint word = entry.w + place;
    return shw_forest_texel(first + (word >> 2u))[word & 3u];
}

uint leaf(uint tree)
{
    ivec2 pixel = int(push.step) * ivec2(gl_FragCoord.xy) + ivec2(push.tile_x, push.tile_y);
    shw_rect image = shw_rect(push.image_x0, push.image_y0, push.image_x1, push.image_y1);
    shw_centre centre = shw_centre_at(pixel.x, pixel.y, shw_rect_held(image, push.region_width, push.region_height));
    if (is_ferns)
        return shw_leaf_or_none(leaf_of_fern(push.first + tree, centre, image), centre);
    uvec4 entry = shw_forest_texel(1u + push.first + tree);
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
