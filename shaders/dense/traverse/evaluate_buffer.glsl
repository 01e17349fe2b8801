/* Shared by the compute passes: the leaves of the forest as a storage buffer, or with PARTS as several. */
#include "evaluate_push.h"
#include "forest_texture.h"

layout(local_size_x = SHW_EVALUATE_WORKGROUP, local_size_y = SHW_EVALUATE_WORKGROUP) in;
layout(push_constant) uniform Push {
    shw_evaluate_push push;
};
layout(std430, set = 0, binding = SHW_EVALUATE_FOREST) readonly buffer Forest {
    uvec4 forest[];
};

#ifdef PARTS
layout(std430, set = 0, binding = SHW_EVALUATE_FOREST_MORE) readonly buffer Forest1 {
    uvec4 forest1[];
};
layout(std430, set = 0, binding = SHW_EVALUATE_FOREST_MORE + 1) readonly buffer Forest2 {
    uvec4 forest2[];
};
layout(std430, set = 0, binding = SHW_EVALUATE_FOREST_MORE + 2) readonly buffer Forest3 {
    uvec4 forest3[];
};

uvec4 shw_forest_texel(uint index)
{
    uint part = index >> push.texture_shift, at = index & ((1u << push.texture_shift) - 1u);

    if (part == 0u)
        return forest[at];
    if (part == 1u)
        return forest1[at];
    return part == 2u ? forest2[at] : forest3[at];
}
#else
uvec4 shw_forest_texel(uint index)
{
    return forest[index];
}
#endif
