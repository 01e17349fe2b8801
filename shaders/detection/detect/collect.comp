#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
/* From the image of scores, the windows that were not rejected: a work group looks at a tile. */
#include "types.h"
#include "detect_push.h"

layout(local_size_x = SHW_DETECT_GROUP) in;
layout(push_constant) uniform Push {
    shw_detect_walk_push push;
};
layout(set = 0, binding = SHW_DETECT_SOURCE) uniform utexture2DArray scores;

#include "tables.glsl"
#include "survivors.glsl"

void main()
{
    uint number = (push.first_tile + gl_WorkGroupID.x) << SHW_DETECT_TILE_SHIFT | gl_LocalInvocationIndex;
    Window window = window_of(number);
    shw_detect_level_entry level = levels[window.level];
    uint score =
        texelFetch(scores, ivec3(level.atlas_x + window.column, level.atlas_y + window.row, 0), 0).r;

    keep_passed(window.exists && score != SHW_DETECT_REJECTED, number, int(score));
}
