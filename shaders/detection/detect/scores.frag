#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
/* The score of each window of a level, at one angle: a pixel of an image that has one for every window. Trees are
 * walked in the cascade texture without branches; stages end the walk of what they reject. KIND is 0 for PIXELS, whose
 * levels are in one image, and 1 for SCALED, which read the grey image. */
#include "cascade_texture.h"
#include "detect.h"
#include "detect_push.h"

layout(push_constant) uniform Push {
    shw_detect_scores_push push;
};
layout(constant_id = 0) const bool RESTARTS = false;

layout(set = 0, binding = SHW_DETECT_SCORES_CASCADE) uniform utexture2DArray cascade;
layout(set = 0, binding = SHW_DETECT_SCORES_VALUES) uniform utexture2DArray values;
layout(set = 0, binding = SHW_DETECT_SCORES_TABLES) readonly buffer Tables {
    uvec2 tables[];
};

layout(location = 0) out uint score;

uvec4 texel_at(uint index)
{
    return texelFetch(cascade, ivec3(index & ((1u << push.cascade_shift) - 1u), index >> push.cascade_shift, 0), 0);
}

int value_at(ivec2 at)
{
    return int(texelFetch(values, ivec3(at, 0), 0).r);
}

#if KIND == 0
/* Points are turned about the window's centre. */
ivec2 point_of(uint points, uint shift, ivec2 window)
{
    ivec2 point = ivec2(points >> shift & 255u, points >> shift + 8u & 255u);
    ivec2 from = 2 * point - int(push.size) + 1;

    return window + ivec2(shw_detect_turned_pixel(push.cosine * from.x + push.sine * from.y, int(push.size)),
                          shw_detect_turned_pixel(push.cosine * from.y - push.sine * from.x, int(push.size)));
}
#else
ivec2 point_of(uint points, uint shift, ivec2 window)
{
    ivec2 point = ivec2(bitfieldExtract(int(points), int(shift), 8), bitfieldExtract(int(points), int(shift) + 8, 8));
    ivec2 upright = ivec2(shw_detect_scaled(window.x, point.x, int(push.size)),
                          shw_detect_scaled(window.y, point.y, int(push.size)));
    ivec2 turned = ivec2(shw_detect_turned(window.x, (push.cosine * point.x + push.sine * point.y) * int(push.size)),
                         shw_detect_turned(window.y, (push.cosine * point.y - push.sine * point.x) * int(push.size)));

    return push.angle == 0u ? upright : turned;
}
#endif

/* The value of the leaf that the window reaches. A leaf is its own left child, and its response is not greater. */
int tree_value(uint tree, ivec2 window)
{
    uvec4 entry = texel_at(push.trees_at + tree), node = texel_at(entry.x);

    for (uint depth = 0u; depth < entry.z; depth++) {
        int response = value_at(point_of(node.x, 0u, window)) - value_at(point_of(node.x, 16u, window));
        node = texel_at(entry.x + node.z + uint(response > int(node.y)));
    }
    return int(node.w);
}

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy) - ivec2(push.x, push.y);
    ivec2 window = ivec2(int(tables[push.first_column + uint(at.x)].x), int(tables[push.first_row + uint(at.y)].x)) +
                   ivec2(push.level_x, push.level_y);
    int sum = 0;

    score = SHW_DETECT_REJECTED;
    for (uint i = 0u; i < push.stages; i++) {
        uvec4 stage = texel_at(SHW_CASCADE_STAGES_AT + i);
        if (RESTARTS)
            sum = 0;
        for (uint tree = stage.x; tree < stage.x + stage.y; tree++)
            sum += tree_value(tree, window);
        if (sum < int(stage.z))
            return;
    }
    score = uint(sum);
}
