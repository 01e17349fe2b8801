/* Shared by the fragment passes: the forest as a texture. */
#extension GL_EXT_samplerless_texture_functions : require

#include "evaluate_push.h"
#include "forest_texture.h"

layout(push_constant) uniform Push {
    shw_evaluate_push push;
};
layout(set = 0, binding = SHW_EVALUATE_FOREST) uniform utexture2DArray forest;

uvec4 shw_forest_texel(uint index)
{
    uint row = index >> push.texture_shift;
    uint column = index & ((1u << push.texture_shift) - 1u);
    return texelFetch(forest, ivec3(column, row & (SHW_TEXTURE_SIZE_MAX - 1u), row >> 12), 0);
}
