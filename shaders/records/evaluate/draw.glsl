/* What the fragment shaders that evaluate record forests have in common. */
#include "record.h"
#include "record_draw.h"
#include "record_texture.h"

layout(push_constant) uniform Push {
    shw_record_draw_push push;
};
layout(set = 0, binding = SHW_RECORD_DRAW_FOREST) uniform utexture2DArray forest;
layout(set = 0, binding = SHW_RECORD_DRAW_INPUT) uniform utexture2DArray source;

/* Layers of the texture have 1 << 14 rows, if there are several. */
uvec4 forest_texel(uint texel)
{
    uint row = texel >> push.forest_shift;
    return texelFetch(forest, ivec3(bitfieldExtract(texel, 0, int(push.forest_shift)), row & 0x3fffu, row >> 14u), 0);
}

/* Of the image that is drawn, row by row. */
uint own_texel()
{
    return uint(gl_FragCoord.y) * push.width + uint(gl_FragCoord.x);
}

uvec2 input_texel(uint texel)
{
    return texelFetch(source, ivec3(texel % push.input_width, texel / push.input_width, 0), 0).xy;
}
