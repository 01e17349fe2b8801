/* Shared by the passes of the technique `blend`. */
#extension GL_EXT_samplerless_texture_functions : require

#include "blend_push.h"
#include "feature.h"
#include "train_push.h"

layout(push_constant) uniform Push {
    shw_blend_push push;
};

/* Where a component of the group begins and ends. */
uint component_begin(uint component)
{
    return push.begins[component];
}

uint component_end(uint component)
{
    return component < 3u ? push.begins[component + 1u] : push.count;
}
