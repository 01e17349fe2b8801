/* Shared by the compute passes: the forest as a storage buffer. */
#include "evaluate_push.h"
#include "forest_texture.h"

layout(local_size_x = SHW_EVALUATE_WORKGROUP, local_size_y = SHW_EVALUATE_WORKGROUP) in;
layout(push_constant) uniform Push {
    shw_evaluate_push push;
};
layout(std430, set = 0, binding = SHW_EVALUATE_FOREST) readonly buffer Forest {
    uvec4 forest[];
};

uvec4 shw_forest_texel(uint index)
{
    return forest[index];
}
